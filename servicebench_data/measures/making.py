"""All tables of the group for one experiment, made by a list of makers over the same facts.

Belongs here: which makers there are, in their order, and what they read. Not here: any statistic.
"""

from collections.abc import Callable, Mapping

import duckdb
import pyarrow as pa

from schemas.judging import PaddedScore, Rating
from schemas.measures import AgentMeasure
from schemas.measures_ratings import (
    CalibratedJustice,
    CustomerRealism,
    JudgeCalibration,
    JudgeStatus,
    JudgeValidity,
    RaterAgreement,
    SelfPreference,
)
from schemas.measures_statistics import (
    AgentContrast,
    CategoryRanking,
    CumulativeOutcome,
    JudgeAdvantage,
    JudgeConsistency,
    LengthEffect,
    PaddingEffect,
    RunToRun,
    VarianceComponent,
)
from schemas.records import Record
from servicebench_data.lake.arrow import conform, sort_rows
from servicebench_data.measures.calibrated import make_calibrated_justice
from servicebench_data.measures.calibration import make_judge_calibration
from servicebench_data.measures.contrasts import make_contrasts
from servicebench_data.measures.facts import READ as READ_BY_FACTS
from servicebench_data.measures.facts import hold_facts
from servicebench_data.measures.incidence import make_incidence
from servicebench_data.measures.judge_status import make_judge_status
from servicebench_data.measures.judges import make_judge_advantages, make_judge_consistency
from servicebench_data.measures.length import make_length_effects
from servicebench_data.measures.means import make_agent_measures
from servicebench_data.measures.padding import make_padding_effects
from servicebench_data.measures.ranking import make_rankings
from servicebench_data.measures.raters import make_rater_agreement
from servicebench_data.measures.realism import make_customer_realism
from servicebench_data.measures.repeats import make_run_to_run
from servicebench_data.measures.self_preference import make_self_preference
from servicebench_data.measures.validity import make_judge_validity
from servicebench_data.measures.variance import make_variance_components

#: Makes a table of an experiment from a database of `open_facts`. What makers before it made stands there as well, as
#: `measures.<table>`.
Maker = Callable[[duckdb.DuckDBPyConnection, str], pa.Table]

MAKERS: Mapping[type[Record], Maker] = {
    JudgeStatus: make_judge_status,
    JudgeValidity: make_judge_validity,
    RaterAgreement: make_rater_agreement,
    JudgeCalibration: make_judge_calibration,
    CalibratedJustice: make_calibrated_justice,
    SelfPreference: make_self_preference,
    CustomerRealism: make_customer_realism,
    AgentMeasure: make_agent_measures,
    AgentContrast: make_contrasts,
    CategoryRanking: make_rankings,
    CumulativeOutcome: make_incidence,
    LengthEffect: make_length_effects,
    PaddingEffect: make_padding_effects,
    JudgeAdvantage: make_judge_advantages,
    JudgeConsistency: make_judge_consistency,
    VarianceComponent: make_variance_components,
    RunToRun: make_run_to_run,
}
#: What is made; what people look at first comes first.
MADE: tuple[type[Record], ...] = (AgentMeasure, *(record for record in MAKERS if record is not AgentMeasure))
#: Tables that the makers read.
READ: tuple[type[Record], ...] = (*READ_BY_FACTS, PaddedScore, Rating)


def make_measures(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> dict[type[Record], pa.Table]:
    """Tables of the group for an experiment, each sorted by its key.

    Args:
        connection: A database from `open_facts`; its facts are computed once, here.
        experiment_id: The experiment.
    """
    hold_facts(connection)
    made: dict[type[Record], pa.Table] = {}
    for record, maker in MAKERS.items():
        made[record] = sort_rows(conform(record, maker(connection, experiment_id)), *record.table.key)
        add_made(connection, record, made[record])
    return made


def add_made(connection: duckdb.DuckDBPyConnection, record: type[Record], table: pa.Table) -> None:
    """Put a table where later makers find it."""
    connection.register("made", table)
    connection.execute(f"CREATE OR REPLACE TABLE {record.table.group}.{record.table.name} AS FROM made").fetchall()
    connection.unregister("made")
