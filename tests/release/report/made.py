"""A published file with an experiment in it, made from a seed: any size, several agents, styles, judges, hostile texts.

Belongs here: rows of the tables that the report reads, and the file that holds them. Not here: any expectation.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb

from schemas import journeys, judging, scenarios, simulation
from schemas.experiment import STYLES
from schemas.records import Record
from schemas.release import Build
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.statements import read_statements
from servicebench_data.measures.facts import FACTS
from servicebench_data.measures.leaderboard import ANSWERS
from servicebench_data.measures.making import make_measures
from servicebench_data.release.publish import create_statements, insert_rows
from tests.rows import plain_row
from tests.tables import make_build

EXPERIMENT = "try"
INDUSTRIES = ("airline", "hotel", "restaurant")
DIMENSIONS = ("interactional", "procedural", "distributive")
RATERS = ("Ann", "Bo", "Cy")
ITEMS = ("dignity", "voice", "need")
#: What must stay text wherever a page, a picture, a table or a file shows it.
HOSTILE = (
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=1">',
    '"><svg onload=window.pwned=1>',
    "' onmouseover='window.pwned=1",
    "</title></svg><script>window.pwned=1</script>",
    "<!--<script>",
    "]]><script>window.pwned=1</script>",
    "javascript:window.pwned=1",
    "{{ 7*7 }} {% raw %} ${7*7}",
    '=HYPERLINK("http://example.invalid","x")',
    "\u2028\u2029\u202e\ufeff\u0000 nul and marks of direction",
    "\\u003cscript\\u003e \\\" ' ` &lt;b&gt; &amp;",
    "</style><style>*{display:none!important}</style>",
    "<a href='http://example.invalid/'>x</a><base href='http://example.invalid/'>",
    "<meta http-equiv=refresh content='0;url=http://example.invalid/'>",
    "emoji 👩‍✈️ and ﷽ and " + "w" * 300,
)


@dataclass(frozen=True)
class Size:
    """How much is made, and with which texts.

    Attributes:
        scenarios: Scenarios, spread over industries and categories.
        agents: Names of the agents; the first is the most just.
        judges: Names of the judges.
        repeats: Runs of each.
        both_ways: Whether each is also held under full information.
        is_rated: Whether people rated the first run of each.
        texts: Texts that stand wherever a model writes.
    """

    scenarios: int = 12
    agents: tuple[str, ...] = ("fair", "curt", "lavish")
    judges: tuple[str, ...] = ("first", "second")
    repeats: int = 1
    both_ways: bool = False
    is_rated: bool = False
    texts: tuple[str, ...] = ()


def make_file(path: Path, size: Size, seed: int = 7) -> Path:
    """Write the file, its statistics included."""
    tables = make_rows(size, random.Random(seed))  # noqa: S311  (repeatable on purpose)
    with duckdb.connect(str(path)) as connection:
        connection.execute("BEGIN")
        for statement in create_statements():
            connection.execute(statement)
        connection.execute("COMMIT")
        for record, rows in tables.items():
            insert_rows(connection, record, from_records(record, rows))
        connection.execute("CREATE SCHEMA IF NOT EXISTS measures")
        run_script(connection, FACTS)
        make_measures(connection, EXPERIMENT)
        run_script(connection, ANSWERS)
    return path


def run_script(connection: duckdb.DuckDBPyConnection, script: str) -> None:
    for statement in read_statements(script):
        connection.execute(statement)


def make_rows(size: Size, chance: random.Random) -> dict[type[Record], list[Record]]:
    tables: dict[type[Record], list[Record]] = {}
    for record, row in walk_rows(size, chance):
        tables.setdefault(record, []).append(row)
    return tables


Rows = Iterator[tuple[type[Record], Record]]


def row(record: type[Record], **given: Any) -> tuple[type[Record], Record]:
    return record, record.model_validate({**plain(record), **given})


@cache
def plain(record: type[Record]) -> dict[str, Any]:
    """A plain row, read from the record once: there are thousands."""
    return plain_row(record)


def walk_rows(size: Size, chance: random.Random) -> Rows:
    """Rows of all tables."""
    yield Build, make_build(source="sample")
    agents = ", ".join(f'{{"name": "{place}"}}' for place in range(len(size.agents)))
    chosen = '{"industries": [], "categories": [], "severities": [], "scenario_ids": []}'
    definition = f'{{"agents": [{agents}], "scenarios": {chosen}}}'
    title = say(size, chance, "A made experiment")
    yield row(simulation.ExperimentRow, experiment_id=EXPERIMENT, title=title, definition=definition)
    for industry in INDUSTRIES:
        yield from walk_map(industry)
    for dimension, item in zip(DIMENSIONS, ITEMS, strict=True):
        yield row(judging.RubricItem, grading_version="1", dimension=dimension, item_id=item)
    for place in range(size.scenarios):
        yield from walk_scenario(size, chance, place)


def walk_map(industry: str) -> Rows:
    """Three stages of three categories."""
    for stage in range(3):
        keys = {"industry": industry, "stage_id": f"stage{stage}"}
        yield row(journeys.StageRow, **keys, position=stage + 1, name=f"Stage {stage + 1}")
        for number in range(3):
            name = f"c{stage}{number}"
            yield row(journeys.CategoryRow, **keys, category_id=name, position=number + 1, name=f"Category {name}")


def say(size: Size, chance: random.Random, plain: str) -> str:
    """A text, hostile where the size has such."""
    return f"{plain} {chance.choice(size.texts)}" if size.texts else plain


def walk_scenario(size: Size, chance: random.Random, place: int) -> Rows:
    """A scenario with its facts and conversations."""
    industry = INDUSTRIES[place % len(INDUSTRIES)]
    keys = {"industry": industry, "scenario_id": f"s{place:04}"}
    stage, number = place // 3 % 3, place // 9 % 3
    yield row(
        scenarios.Scenario, **keys, dialogue_id=f"d{place}", cluster_id=f"d{place}", stage_id=f"stage{stage}",
        category_id=f"c{stage}{number}", severity=("low", "medium", "high")[place % 3], split="evaluation",
        goodwill_limit_usd=200.0, inclusion_probability=0.5, expectation=say(size, chance, "A refund"),
        case_record=say(size, chance, "Booking: on file"),
    )  # fmt: skip
    for fact in range(4):
        yield row(
            scenarios.Fact, **keys, fact_id=f"f{fact + 1}", statement=say(size, chance, f"Fact {fact + 1}."),
            disclosure="opening" if fact == 0 else "when_asked", is_customer_only=fact > 0, is_inferred=False,
        )  # fmt: skip
    ways = ("progressive", "full_information") if size.both_ways else ("progressive",)
    for number, agent in enumerate(size.agents):
        for repeat in range(size.repeats):
            for way in ways:
                yield from walk_conversation(size, chance, {**keys, "agent": agent}, (number, place, repeat, way))


def walk_conversation(
    size: Size, chance: random.Random, keys: dict[str, str], numbers: tuple[int, int, int, str]
) -> Rows:
    """A conversation, what was seen in it, and its scores."""
    number, place, repeat, way = numbers
    end = "agreement" if chance.random() < 0.85 - 0.2 * number else chance.choice(["disengagement", "turn_cap"])
    exchanges = chance.randint(2, 6)
    key = {"conversation_id": f"c{place:04}-{number}-{repeat}-{way[0]}"}
    yield row(
        simulation.Conversation, **key, **keys, experiment_id=EXPERIMENT, agent_made_by=f"model-{number % 2}",
        customer="simulator", customer_made_by="model-c", style=STYLES[place % 4], disclosure=way,
        guidance="case" if number % 2 else "none", reasoning="direct" if number < 2 else "chain_of_thought",
        repeat=repeat, end=end, end_detail={"agreement": "accepted", "disengagement": "left"}.get(end, "turn_cap"),
        end_reason=say(size, chance, "because"), exchanges=exchanges, is_valid=True, is_self_play=False, facts_total=3,
        facts_out=2, cost_usd=round(0.01 * (number + 1) * chance.random(), 4), gate_made_by="offline",
    )  # fmt: skip
    for index in range(2 * exchanges):
        yield from walk_message(size, chance, key, index)
    if number != 1:
        yield from walk_offer(size, key, number)
    yield from walk_scores(size, chance, key, number)
    if size.is_rated and repeat == 0 and way == "progressive":
        yield from walk_ratings(chance, key, number)


def walk_message(size: Size, chance: random.Random, key: dict[str, str], index: int) -> Rows:
    """A message, and what it tells or opens: fact 1 in the opening, 2 and 3 in the customer's next two."""
    is_agent = index % 2 == 1
    told = index // 2 + 1
    mine = (
        f"I hear you. When did it happen?{' Please.' * chance.randint(0, 3)}"
        if is_agent
        else f"It was message {index}, and fact {told} is out."
    )
    yield row(
        simulation.MessageRow, **key, message_index=index, role="agent" if is_agent else "customer",
        text=say(size, chance, mine), reasoning=say(size, chance, "thinking") if is_agent and index == 1 else None,
        decision=None if is_agent else "continue", attitude=None if is_agent else 2, patience=None if is_agent else 4.5,
    )  # fmt: skip
    if is_agent:
        yield row(simulation.GateFlagRow, **key, message_index=index, flag="acknowledges_harm", quote="I hear you.")
    if is_agent and told <= 2:
        yield row(
            simulation.FactOpening, **key, message_index=index, fact_id=f"f{told + 1}", opened_by="asked",
            quote="When did it happen?",
        )  # fmt: skip
    if not is_agent and told <= 3:
        yield row(
            simulation.FactDisclosure, **key, fact_id=f"f{told}", message_index=index, quote=f"fact {told} is out",
            disclosed_by="opening" if told == 1 else "elicited", is_customer_only=told > 1, is_inferred=False,
        )  # fmt: skip


def walk_offer(size: Size, key: dict[str, str], number: int) -> Rows:
    """An offer of goodwill; that of the third agent is over the limit."""
    yield row(
        simulation.OfferRow, **key, message_index=1 if number else 3, offer_index=0, kind="goodwill_cash",
        relation="new", raises_offer=None, amount_usd=250.0 if number == 2 else 40.0, policy_id=None,
        description=size.texts[0] if size.texts else "a credit", quote="I hear you.", is_over_limit=number == 2,
    )  # fmt: skip


def walk_scores(size: Size, chance: random.Random, key: dict[str, str], number: int) -> Rows:
    """Scores of every judge with an item and a quote each, and the ensemble's."""
    scores: dict[str, dict[str, int]] = {}
    for dimension, item in zip(DIMENSIONS, ITEMS, strict=True):
        scores[dimension] = {judge: max(1, min(5, 4 - number + chance.choice([-1, 0, 0, 1]))) for judge in size.judges}
        for judge, score in scores[dimension].items():
            keys = {**key, "judge": judge, "dimension": dimension, "grading_version": "1"}
            yield row(
                judging.Score, **keys, judge_made_by=f"judge-{judge}", status="scored", score=score,
                reason=say(size, chance, "as the quotes show"), has_injection=False,
                is_own_family=is_own(size, judge, number),
            )  # fmt: skip
            yield row(
                judging.PaddedScore, **keys, judge_made_by=f"judge-{judge}", status="scored", words=20, padded_words=31,
                score=min(5, score + int(key["conversation_id"][1:5]) % 2), reason="with padding", has_injection=False,
                is_own_family=is_own(size, judge, number),
            )  # fmt: skip
            yield row(judging.SubScore, **keys, item_id=item, score=score, quotes=["I hear you."], message_indexes=[1])
    for ensemble in ("all", "without_own_family"):
        judges = [judge for judge in size.judges if ensemble == "all" or not is_own(size, judge, number)]
        named = {dimension: mean(scores[dimension][judge] for judge in judges) for dimension in DIMENSIONS}
        yield row(
            judging.Judgment, **key, ensemble=ensemble, grading_version="1", judges=judges, judges_due=len(judges),
            **named, total=mean(named.values()),
        )  # fmt: skip


def is_own(size: Size, judge: str, number: int) -> bool:
    """Whether a judge is of the agent's family: the first of several is of the first agent's."""
    return number == 0 and len(size.judges) > 1 and judge == size.judges[0]


def walk_ratings(chance: random.Random, key: dict[str, str], number: int) -> Rows:
    """What three people gave on justice, and one on realism."""
    for rater in RATERS:
        for question in DIMENSIONS:
            score = max(1, min(5, 4 - number + chance.choice([-1, 0, 0, 1])))
            yield row(
                judging.Rating, **key, experiment_id=EXPERIMENT, rater=rater, question=question, score=score,
                asks_about="justice", state="current",
            )  # fmt: skip
    yield row(
        judging.Rating, **key, experiment_id=EXPERIMENT, rater=RATERS[0], question="realism_overall", score=4,
        asks_about="realism", state="current",
    )  # fmt: skip
