"""A small consistent set of all tables of a build: two industries, and every way out of the pipeline at least once.

Belongs here: tables that belong together, and putting them into a lake. Not here: rows of one record (`rows.py`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schemas import dialogues, journeys, judging, models, scenarios, simulation
from schemas.records import Record
from schemas.release import Build
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.generations import lake_records
from servicebench_data.lake.store import ALL, Lake, Origin
from tests.rows import plain_record

INDUSTRIES = ["airline", "hotel"]
# What becomes of each dialogue: how far it gets.
FATES = ("released", "not_drawn", "invalid", "below_threshold", "unassigned", "praise", "near_duplicate")

EXPERIMENT = "try"
PLAYED = (
    simulation.MessageRow, simulation.OfferRow, simulation.GateFlagRow, simulation.FactOpening,
    simulation.FactDisclosure, simulation.SimulatorFault, simulation.DeclaredAct,
)  # fmt: skip

Tables = dict[type[Record], list[Record]]


def make_tables() -> Tables:
    """Rows of every table of the lake, without rows for tables whose rows are failures elsewhere."""
    tables: Tables = {record: [] for record in lake_records()}
    for place, industry in enumerate(INDUSTRIES):
        add_map(tables, industry)
        for index, fate in enumerate(FATES):
            add_dialogue(tables, industry, fate, number=10 * place + index)
    tables[dialogues.QuarantinedPost].append(plain_record(dialogues.QuarantinedPost, 90))
    add_experiment(tables)
    return tables


def add_experiment(tables: Tables) -> None:
    """An experiment of one conversation about a released scenario, with a row of everything that one can hold."""
    keys = {"conversation_id": "c1"}
    scenario = {"industry": "airline", "scenario_id": "s-airline-released"}
    add(tables, simulation.ExperimentRow, 0, experiment_id=EXPERIMENT)
    add(tables, simulation.Playing, 0, experiment_id=EXPERIMENT)
    add(tables, simulation.Conversation, 0, **keys, **scenario, experiment_id=EXPERIMENT)
    for record in PLAYED:
        add(tables, record, 0, **keys)
    add(tables, judging.RubricItem, 0)
    scored = {"judge": "rules", "dimension": "interactional", "grading_version": "1"}
    add(tables, judging.Score, 0, **keys, **scored)
    add(tables, judging.SubScore, 0, **keys, **scored)
    add(tables, judging.PaddedScore, 0, **keys, **scored)
    add(tables, judging.Judgment, 0, **keys)
    add(tables, judging.Rating, 0, **keys, experiment_id=EXPERIMENT)
    for record in lake_records():
        if record.table.group == "measures":
            add(tables, record, 0, experiment_id=EXPERIMENT)


def add_map(tables: Tables, industry: str) -> None:
    """A journey map of two categories, and a topic."""
    stage = {"industry": industry, "stage_id": "before"}
    add(tables, journeys.StageRow, 0, **stage, position=1, name="Before")
    for position, name in enumerate(("delay", "refund"), start=1):
        add(tables, journeys.CategoryRow, position, **stage, category_id=name, position=position, map_version=1)
    topic: dict[str, Any] = {"industry": industry, "category_id": "delay", "rival_category_id": "refund"}
    merged = {"representative_ids": [], "decision": None, "merged_into": None}
    add(tables, journeys.Topic, 0, **topic, **merged, topic_id=f"{industry}-t1")
    add(tables, journeys.TopicChange, 0, industry=industry, topic_id=f"{industry}-t1")
    add(tables, journeys.Recoding, 0, industry=industry, item_id=f"{industry}-t1")


def add_dialogue(tables: Tables, industry: str, fate: str, *, number: int) -> None:
    """A dialogue of two posts and two turns, and what the pipeline made of it."""
    dialogue_id = f"{industry}-{fate}"
    keys = {"industry": industry, "dialogue_id": dialogue_id}
    for turn, role in enumerate(("customer", "account")):
        post_id = f"{9_007_199_254_740_993 + 2 * number + turn}"
        add(tables, dialogues.Post, 2 * number + turn, post_id=post_id, is_inbound=role == "customer")
        add(tables, dialogues.Turn, number, **keys, turn_index=turn, role=role, post_ids=[post_id], post_offsets=[0])
    add(tables, dialogues.Dialogue, number, **keys, post_count=2, turn_count=2)
    is_kept = fate != "praise"
    verdict = {"is_kept": is_kept, "exclusion_reason": None if is_kept else "praise"}
    add(
        tables,
        dialogues.Screening,
        number,
        **keys,
        **verdict,
        is_release_grade=fate not in {"praise", "below_threshold"},
    )
    if is_kept:
        add_coding(tables, keys, fate, number=number)


def add_coding(tables: Tables, keys: dict[str, str], fate: str, *, number: int) -> None:
    """Embedding, topic and coding of a complaint, and its candidate where it gets that far."""
    add(tables, journeys.Embedding, number, **keys, vector=[0.6, 0.8])
    add(tables, journeys.TopicMember, number, **keys, topic_id=f"{keys['industry']}-t1")
    is_assigned = fate != "unassigned"
    code = {"category_id": "delay" if is_assigned else None, "stage_id": "before" if is_assigned else None}
    reason = None if is_assigned else "low_confidence"
    add(tables, journeys.Coding, number, **keys, **code, rival_category_id="refund", unassigned_reason=reason)
    if fate == "not_drawn":
        add(tables, journeys.CodingChange, number, **keys, before_category_id="refund", category_id="delay")
    if fate in {"released", "not_drawn", "near_duplicate", "invalid"}:
        add_candidate(tables, {**keys, "scenario_id": f"s-{keys['dialogue_id']}"}, fate, number=number)


def add_candidate(tables: Tables, keys: dict[str, str], fate: str, *, number: int) -> None:
    """A candidate with its parts, and the scenario where it is released."""
    part = {name: keys[name] for name in ("industry", "scenario_id")}
    code = {"category_id": "delay", "stage_id": "before"}
    is_valid = fate != "invalid"
    reason = None if is_valid else "ungrounded"
    add(tables, scenarios.Candidate, number, **keys, **code, is_valid=is_valid, rejection_reason=reason)
    for record in (scenarios.Event, scenarios.Severity, scenarios.Expectation, scenarios.CaseFieldRow):
        add(tables, record, number, **part)
    add(tables, scenarios.Fact, number, **part, fact_id="f1", turn_index=0, disclosure="opening")
    add(tables, scenarios.BackgroundSentence, number, **part, fact_ids=["f1"])
    add(tables, scenarios.CasePolicy, number, **part)
    add(tables, scenarios.ScenarioDecision, number, industry=part["industry"], item_id=part["scenario_id"], cell="")
    if not is_valid:
        add(tables, scenarios.GroundingFailure, number, **part, is_accepted=False)
        add(tables, models.TaskFailure, number, **part)
    if fate == "released":
        add(tables, scenarios.Scenario, number, **keys, **code, is_sample=False, severity="low", split="evaluation")
        add(tables, scenarios.ScenarioDiversity, number, industry=part["industry"], category_id="delay")
    if fate == "near_duplicate":
        kept = f"s-{part['industry']}-released"
        add(tables, scenarios.NearDuplicate, number, **part, kept_scenario_id=kept)


def add(tables: Tables, record: type[Record], number: int, **given: Any) -> None:
    """One row."""
    tables[record].append(plain_record(record, number, **given))


def store_tables(lake: Lake, tables: Tables) -> dict[str, list[Path]]:
    """Write the tables as the pipeline does, each made from all that came before it; returns their files."""
    inputs: dict[str, str] = {}
    for record, rows in tables.items():
        for partition in list_partitions(record):
            part = [row for row in rows if partition in {ALL, EXPERIMENT, getattr(row, "industry", None)}]
            origin = Origin(fingerprint="f" * 64, inputs=find_inputs(inputs, partition))
            stored = lake.write(record, from_records(record, part), partition, made_from=origin)
            inputs[f"{record.table.name}/{partition}"] = stored.pointer.sha256
    return list_files(lake, tables)


def list_partitions(record: type[Record]) -> list[str]:
    """Partitions of a table."""
    if not record.table.is_partitioned:
        return [ALL]
    return INDUSTRIES if record.table.per == "industry" else [EXPERIMENT]


def find_inputs(inputs: dict[str, str], partition: str) -> dict[str, str]:
    """What a partition is made from: its own industry and what comes before industries; all for other tables."""
    is_whole = partition not in INDUSTRIES
    return {name: digest for name, digest in inputs.items() if is_whole or name.endswith((ALL, partition))}


def list_files(lake: Lake, records: Sequence[type[Record]] | Tables) -> dict[str, list[Path]]:
    """Files of the given tables."""
    return lake.files(records, INDUSTRIES)


def make_build(number: int = 1, **given: Any) -> Build:
    """What a build says about itself; a higher number is a later build."""
    name = {"build_id": f"20260302T06310{number}-{number:08x}", "source": "posts"}
    return Build.model_validate(plain_record(Build, number, **{**name, **given}).model_dump())
