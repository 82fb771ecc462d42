"""SQL files of several statements.

Belongs here: taking one apart. Not here: what any of them says.
"""

import re


def read_statements(script: str) -> list[str]:
    """Statements of an SQL file whose statements end with a line that holds only a semicolon."""
    return [statement.strip() for statement in re.split(r"^;$", script, flags=re.MULTILINE) if statement.strip()]
