"""Whether few enough dialogues are left without a topic.

Belongs here: that share, industry by industry, as it is stored. Not here: reducing outliers (`topics.py`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from schemas.journeys import TopicMember
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.expectations import Finding, find_missing, judge_keys

#: Most dialogues of an industry that may belong to no topic.
OUTLIER_SHARE = 0.10
_SQL = """
    SELECT industry, count(*) FILTER (note = 'outlier') AS outliers, count(*) AS dialogues,
           list(dialogue_id ORDER BY dialogue_id) FILTER (note = 'outlier') AS keys
    FROM topic_member
    GROUP BY industry
    HAVING bool_or(note <> 'too_few_dialogues')
    ORDER BY industry
"""


def check_outliers(files: Mapping[str, Sequence[Path]], limits: Limits) -> list[Finding]:
    """One finding for each industry in which topics were sought.

    Args:
        files: Parquet files of `topic_member`, by table.
        limits: What DuckDB may take.
    """
    if missing := find_missing([TopicMember], files, "materialise it"):
        return missing
    with open_database(limits) as connection:
        add_views(connection, files)
        rows = connection.execute(_SQL).fetchall()
    return [judge_industry(*row) for row in rows]


def judge_industry(industry: str, outliers: int, dialogues: int, keys: Sequence[str] | None) -> Finding:
    """Whether one industry keeps within the share."""
    if outliers <= OUTLIER_SHARE * dialogues:
        return Finding(f"outliers:{industry}", True, 0, ())
    if outliers == dialogues:
        note = f"no topic was found among {dialogues} dialogues: no text is near enough to others"
        return judge_keys(f"outliers:{industry}", keys or (), note)
    note = f"{outliers} of {dialogues} dialogues have no topic, more than {OUTLIER_SHARE:.0%}"
    return judge_keys(f"outliers:{industry}", keys or (), note)
