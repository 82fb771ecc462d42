"""Conversations, answers of a judge, and small courts for tests of the judging group.

Belongs here: rows in the shape of stored ones. Not here: the product's own rules.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.experiment import Experiment
from schemas.judging import Score, SubScore
from schemas.records import Record
from schemas.scenarios import Expectation, Fact, Scenario
from schemas.simulation import Conversation, DeclaredAct, MessageRow
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric
from servicebench_data.judging.view import Case
from servicebench_data.lake.arrow import from_records
from servicebench_data.models.doorway import Doorway, open_doorway
from tests.models.server import Asked
from tests.models.tasks import make_options
from tests.simulation.stage import make_parts, make_scenario

SAID = (
    "My bag did not arrive in Oslo on Monday and nobody tells me anything.",
    "I'm sorry that your bag is still missing after two days. What did you have to buy meanwhile?",
    "Clothes for sixty-four dollars, and my wedding ring is in that bag!",
    "I have traced it to Bergen. Marta from our desk brings it by Friday noon, and we pay the $64 back.",
    "Fine, thank you.",
)
#: Words of the agent that any item may be shown by.
QUOTE = "Marta from our desk brings it by Friday noon"


def make_conversation(number: int = 0, **given: Any) -> Conversation:
    return Conversation.model_validate({
        "conversation_id": f"c{number:04}", "experiment_id": "try", "scenario_id": "s0001", "industry": "airline",
        "agent": "just", "agent_made_by": "offline", "customer": "rules", "customer_made_by": "offline",
        "gate_made_by": "offline", "style": "assertive_cold", "disclosure": "progressive", "guidance": "none",
        "reasoning": "direct", "repeat": 0, "seed": 1, "attempts": 1, "end": "agreement", "end_detail": "accepted",
        "end_reason": "the customer accepted what stands on the table", "exchanges": 2, "is_valid": True,
        "is_self_play": False, "facts_total": 2, "facts_out": 2, "cost_usd": 0.0, **given,
    })  # fmt: skip


def make_messages(number: int = 0, said: Sequence[str] = SAID, **given: Any) -> list[MessageRow]:
    return [
        MessageRow.model_validate({
            "conversation_id": f"c{number:04}", "message_index": index, "role": ("customer", "agent")[index % 2],
            "made_by": "offline", "text": text, "reasoning": None if index % 2 == 0 else "SECRET-THOUGHT",
            "decision": None if index % 2 else "continue", "attitude": None if index % 2 else 1,
            "patience": None if index % 2 else 4.0, "tries": 1, **given,
        })
        for index, text in enumerate(said)
    ]  # fmt: skip


def make_acts(number: int, turns: Sequence[Sequence[str]]) -> list[DeclaredAct]:
    """Acts of an agent's messages, each as `kind` or `kind:about`."""
    return [
        DeclaredAct.model_validate({
            "conversation_id": f"c{number:04}", "message_index": 2 * turn + 1, "act_index": index,
            "kind": words.partition(":")[0], "about": words.partition(":")[2],
        })
        for turn, acts in enumerate(turns)
        for index, words in enumerate(acts)
    ]  # fmt: skip


def make_case(said: Sequence[str] = SAID, **given: Any) -> Case:
    parts = make_parts()
    conversation = make_conversation(**given)
    return Case(conversation, tuple(make_messages(said=said)), parts.scenario, parts.facts, is_loss_money=False)


def make_tables(
    conversations: Sequence[Conversation], messages: Sequence[MessageRow], acts: Sequence[DeclaredAct] = ()
) -> dict[type[Record], pa.Table]:
    """Tables that judging reads, on one scenario."""
    parts = make_parts(make_scenario())
    rows: Mapping[type[Record], Sequence[Record]] = {
        Conversation: conversations,
        MessageRow: messages,
        DeclaredAct: acts,
        Scenario: [parts.scenario],
        Fact: parts.facts,
        Expectation: [parts.expectation],
    }
    return {record: from_records(record, entries) for record, entries in rows.items()}


def prepare(
    count: int = 1, said: tuple[str, ...] = SAID, acts: Sequence[DeclaredAct] = (), **given: Any
) -> dict[type[Record], pa.Table]:
    """Tables of conversations that say the number of each."""
    conversations = [make_conversation(number, **given) for number in range(count)]
    messages = [
        row for number in range(count) for row in make_messages(number, [f"Case {number}. {said[0]}", *said[1:]])
    ]
    return make_tables(conversations, messages, acts)


def find_case(asked: Asked) -> int:
    """Number of the conversation that a judge is asked about."""
    found = re.search(r"Case (\d+)\.", asked.body["messages"][1]["content"])
    assert found
    return int(found[1])


def open_door(folder: Path, **given: Any) -> Callable[[], Doorway]:
    """A way to models, with a ledger in the folder."""
    return lambda: open_doorway(make_options(max_tries=2, **given), f"sqlite:///{folder / 'ledger.sqlite'}")


def make_spec(*judges: Mapping[str, Any], **given: Any) -> Experiment:
    listed = list(judges) or [{"name": "rules"}]
    agents = [{"name": "just", "script": "just"}]
    return Experiment.model_validate({"title": "A try.", "agents": agents, "judges": listed, "repeats": 1, **given})


def write_answer(score: int = 4, quote: str = QUOTE, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A judge's answer with one score for all items; `changes` go by `dimension.item`."""
    answer: dict[str, Any] = {}
    for name in DIMENSIONS:
        items = find_rubric().spec.dimensions[name].items
        answer[name] = {
            "reason": f"What decided {name}.",
            **{item: {"quotes": [quote], "score": score} for item in items},
        }
    for place, value in (changes or {}).items():
        name, _, item = place.partition(".")
        answer[name][item] = value
    return answer


def make_scores(verdicts: Mapping[tuple[str, str], Sequence[int | None]], **given: Any) -> pa.Table:
    """Scores by conversation and judge on the three dimensions; None for a missing one."""
    rows = [
        Score.model_validate({
            "conversation_id": conversation, "judge": judge, "judge_made_by": f"maker/{judge}", "dimension": name,
            "grading_version": "1-1-x", "status": "scored" if score is not None else "missing", "score": score,
            "reason": "because", "is_own_family": judge == "own", "has_injection": False, "cost_usd": None, **given,
        })
        for (conversation, judge), scores in verdicts.items()
        for name, score in zip(DIMENSIONS, scores, strict=True)
    ]  # fmt: skip
    return from_records(Score, rows)


def make_sub_scores(scores: pa.Table) -> pa.Table:
    """Every item of every score that is one."""
    rows = [
        SubScore.model_validate({
            **{name: row[name] for name in ("conversation_id", "judge", "dimension", "grading_version")},
            "item_id": item, "score": row["score"], "quotes": [], "message_indexes": [],
        })
        for row in scores.to_pylist()
        if row["status"] == "scored"
        for item in find_rubric().spec.dimensions[row["dimension"]].items
    ]  # fmt: skip
    return from_records(SubScore, rows)
