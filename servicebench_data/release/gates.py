"""The pass rate of every gate as tables for people.

Belongs here: laying the published view out by gate and cut. Not here: the view itself (`gates.sql`).
"""

from pathlib import Path

import duckdb

QUERY = """
SELECT gate, value, format('{} of {} ({:.0f}%)', passed, entered, 100 * pass_rate) AS told
FROM release.gate_pass_rate
WHERE "by" IN ('all', $by)
ORDER BY position, "by" <> 'all', value
"""


def read_gates(path: Path, by: str) -> list[dict[str, str]]:
    """One row for each gate, with a column for all dialogues and one for each value of a cut.

    Args:
        path: A published file.
        by: The cut: industry, category, severity or turns.
    """
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(QUERY, {"by": by}).fetchall()
    names = dict.fromkeys(str(value) for _, value, _ in rows)
    gates: dict[str, dict[str, str]] = {}
    for gate, value, told in rows:
        gates.setdefault(str(gate), {"gate": str(gate), **dict.fromkeys(names, "")})[str(value)] = str(told)
    return list(gates.values())
