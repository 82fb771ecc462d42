"""Texts of ours that make up an agent's prompt, each a Markdown file with front matter beside this module.

Belongs here: finding and reading them. Not here: the prompt that they are put into (`model.py`).
"""

from functools import cache
from pathlib import Path

from servicebench_data.models.prompts import FRONT, PromptError

FOLDER = Path(__file__).parent


@cache
def read_text(name: str) -> str:
    """A text without its front matter.

    Args:
        name: The file's path from this folder, without the ending.

    Raises:
        PromptError: It has no front matter.
    """
    path = FOLDER / f"{name}.md"
    found = FRONT.match(path.read_text(encoding="utf-8"))
    if found is None:
        raise PromptError(f"prompt {str(path)!r} must begin with front matter between `---`.")
    return found["body"].strip()
