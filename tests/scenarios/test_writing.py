"""The five tasks over real HTTP: what comes of right, mended, wrong and missing answers, and what it would take."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from schemas.scenarios import Candidate
from servicebench_data.lake.arrow import arrow_schema, to_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.expectations import Finding
from servicebench_data.models.calling import ReplayMissError
from servicebench_data.models.doorway import Doorway, open_doorway
from servicebench_data.models.options import Caps, ModelOptions, OptionsError
from servicebench_data.scenarios.assembly import RECORDS, RULES_VERSION, tabulate
from servicebench_data.scenarios.candidates import build_candidates
from servicebench_data.scenarios.parts import Parts, Source
from servicebench_data.scenarios.writing.balance import WEIGHED, check_balance, is_finished
from servicebench_data.scenarios.writing.plan import LedgerOracle, PlanRow, add_plans, plan_parts
from servicebench_data.scenarios.writing.stages import STAGES, describe_writing, name_version, write_parts
from servicebench_data.settings import Settings
from tests.scenarios import scripted
from tests.scenarios.dialogues import LOST_BAG, knowledge, make_source

MODEL = "openai/scripted"
TASKS = [stage.task.name for stage in STAGES]


def name_source(name: str, *posts: tuple[str, str]) -> Source:
    return replace(make_source(*posts), dialogue_id=name)


SOURCES = [
    name_source("d1", *LOST_BAG),
    name_source(
        "d2",
        ("customer", "You charged me $75 on Monday for flight 22 to Denver. I was told it was free."),
        ("account", "Can you share your confirmation number?"),
        ("customer", "It is [booking-1]. My daughter was crying. Please refund me."),
    ),
    name_source("d3", ("customer", "Are you serious?"), ("account", "Hi.")),
    name_source("d4", ("customer", "You lost my bag in Denver on Monday.")),
    name_source("d5", ("customer", "You lost my suit!"), ("account", "Hi.")),
]


@dataclass
class Studio:
    """A scripted model with a doorway to it."""

    script: scripted.Script
    ledger: str

    def open(self, **options: Any) -> Doorway:
        replay = options.pop("replay", False)
        return open_doorway(ModelOptions(model=MODEL, backoff_seconds=0.0, **options), self.ledger, replay=replay)

    def write(self, **options: Any) -> list[Parts]:
        with self.open(**options) as doorway:
            return write_parts(SOURCES, knowledge(), scripted.CHANCE, doorway)

    def plan(self) -> list[PlanRow]:
        with self.open(replay=True) as doorway:
            return plan_parts(SOURCES, knowledge(), scripted.CHANCE, LedgerOracle(doorway))


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Studio]:
    script = scripted.Script()
    script.learn(SOURCES, knowledge())
    # The rules reject this one for want of facts; the model's first answer is as short.
    script.answers["severity", "1. (company) The airline lost the customer's suit."] = {
        "drivers": ["loss"], "level": "medium", "reason": "Medium: the suit was lost.",
    }  # fmt: skip
    lost = {"turn": 0, "quote": "You lost my suit!", "is_inferred": False}
    event = {**lost, "when_text": None, "actor": "company", "text": "The airline lost the customer's suit."}
    fact = {**lost, "fact_id": "f1", "kind": "product", "value": "suit", "statement": "They lost my suit."}
    facts = [{**fact, "is_customer_only": False, "disclosure": "opening"}]
    sentences = [{"fact_ids": ["f1"], "topic": "experience", "text": "They lost my suit."}]
    script.answers["events", "[turn 0, customer] You lost my suit!"] = {"events": [event]}
    shown = "[turn 0, customer, before the first reply] You lost my suit!\n[company, not to be quoted] Hi."
    script.answers["background", shown] = {"facts": facts, "sentences": sentences}
    with scripted.serve(script) as base:
        monkeypatch.setenv("OPENAI_API_BASE", base)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
        yield Studio(script, f"sqlite:///{tmp_path / 'ledger.sqlite'}")


def list_reasons(made: Sequence[Parts]) -> list[str | None]:
    return [parts.candidate.rejection_reason for parts in made]


def check(made: Sequence[Parts], limits: Limits, tmp_path: Path, **changed: pa.Table) -> dict[str, Finding]:
    """The balance of the tables, some of them changed, by rule."""
    tables = {**tabulate(made), **changed}
    files: dict[str, list[Path]] = {}
    for record in WEIGHED:
        path = tmp_path / f"{record.table.name}.parquet"
        pyarrow.parquet.write_table(tables[record.table.name], path)
        files[record.table.name] = [path]
    return {finding.rule: finding for finding in check_balance(files, limits)}


def test_scenarios_are_written_and_say_by_whom_at_what_cost(studio: Studio) -> None:
    made = studio.write()
    assert list_reasons(made) == [None, None, "no_events", "no_company_reply", "too_few_facts"]
    for parts in made[:2]:
        rows = [*parts.events, *parts.facts, *parts.background, *parts.case_fields, parts.severity, parts.expectation]
        assert {row.made_by for row in rows if row} == {MODEL}
        assert (parts.candidate.made_by, parts.candidate.rules_version) == (MODEL, name_version())
        assert parts.candidate.cost_usd is None  # nobody knows the price of this model, and that is not nothing
        assert parts.case_policies
        assert parts.candidate.fact_count == len(parts.facts) > 2
    assert (made[3].candidate.made_by, made[3].candidate.rules_version) == ("offline", RULES_VERSION)


def test_no_call_is_made_for_what_was_rejected_before(studio: Studio) -> None:
    studio.write()
    assert studio.script.calls == {"events": 4, "severity": 3, "background": 3, "expectation": 2, "case_record": 2}


def test_what_is_answered_is_asked_once(studio: Studio) -> None:
    made = studio.write()
    calls = dict(studio.script.calls)
    assert studio.write(concurrency=3, timeout_seconds=7) == made
    assert studio.write(replay=True) == made
    assert studio.script.calls == calls
    with pytest.raises(ReplayMissError, match="events"):
        studio.write(replay=True, temperature=0.1)


def test_a_price_makes_a_cost_for_each_scenario(studio: Studio) -> None:
    price = {"tokens_in": 1e-6, "tokens_out": 2e-6}
    made = studio.write(prices={MODEL: price})
    costs = [parts.candidate.cost_usd for parts in made]
    assert costs[0] == costs[1] == pytest.approx(5 * (40 * 1e-6 + 10 * 2e-6))
    assert costs[2] == pytest.approx(40 * 1e-6 + 10 * 2e-6)
    assert costs[3] is None


def test_reasons_go_back_and_a_mended_answer_counts(studio: Studio) -> None:
    def invent_once(task: str, times: int, answer: dict[str, Any]) -> dict[str, Any] | None:
        if task == "events" and times == 0 and answer["events"]:
            answer["events"][0]["text"] = "The airline charged the customer $999."
        return None if task == "severity" and times == 0 else answer

    studio.script.spoil = invent_once
    made = studio.write()
    assert list_reasons(made) == [None, None, "no_events", "no_company_reply", "too_few_facts"]
    assert studio.script.calls["events"] == 4 + 3
    assert studio.script.calls["severity"] == 3 + 3
    told = [body["messages"][-1]["content"] for body in studio.script.bodies if len(body["messages"]) == 4]
    assert any('the amount "$999" is not in what the customer wrote' in text for text in told)


def test_what_still_fails_is_a_failure_with_its_raw_answer(studio: Studio, limits: Limits, tmp_path: Path) -> None:
    def invent(task: str, times: int, answer: dict[str, Any]) -> dict[str, Any]:
        for row in answer.get("facts", []) if len(answer.get("facts", [])) > 1 else []:
            row["quote"] = "I was charged $999."
        return answer

    studio.script.spoil = invent
    made = studio.write()
    assert list_reasons(made) == ["task_failed", "task_failed", "no_events", "no_company_reply", "too_few_facts"]
    failure = made[0].failure
    assert failure is not None
    assert (failure.task, failure.status, failure.tries, failure.made_by) == ("background", "invalid", 3, MODEL)
    assert "$999" in (failure.raw_answer or "")
    assert any("$999" in reason for reason in failure.reasons)
    assert made[0].events
    assert made[0].severity
    assert not made[0].facts
    assert "expectation" not in studio.script.calls
    assert all(finding.passed for finding in check(made, limits, tmp_path).values())
    assert is_finished(tabulate(made)["task_failure"])


def test_what_passes_of_a_last_answer_is_kept_and_what_was_left_out_is_told(
    studio: Studio, limits: Limits, tmp_path: Path
) -> None:
    def invent(task: str, times: int, answer: dict[str, Any]) -> dict[str, Any]:
        if task == "background" and len(answer["facts"]) > 1:
            answer["sentences"][1]["text"] = "I was charged $999."
        return answer

    studio.script.spoil = invent
    made = studio.write()
    assert list_reasons(made) == [None, None, "no_events", "no_company_reply", "too_few_facts"]
    for parts in made[:2]:
        assert parts.candidate.omissions
        assert all(reason.startswith("background: sentence 2") for reason in parts.candidate.omissions)
        assert not any("$999" in row.text for row in parts.background)
        assert {name for row in parts.background for name in row.fact_ids} == {row.fact_id for row in parts.facts}
    assert not any(parts.candidate.omissions for parts in made[2:])
    assert all(finding.passed for finding in check(made, limits, tmp_path).values())


def test_a_cap_stops_before_it_is_passed_and_the_next_run_goes_on(
    studio: Studio, limits: Limits, tmp_path: Path
) -> None:
    made = studio.write(caps=Caps(calls=5), concurrency=1)
    assert sum(studio.script.calls.values()) == 5
    failures = [parts.failure for parts in made if parts.failure]
    assert {failure.status for failure in failures} == {"over_budget"}
    found = check(made, limits, tmp_path)
    assert not found["finished"].passed
    assert "build again" in found["finished"].note
    assert not is_finished(tabulate(made)["task_failure"])
    assert list_reasons(studio.write()) == [None, None, "no_events", "no_company_reply", "too_few_facts"]
    assert sum(studio.script.calls.values()) == 14


def test_the_balance_sees_what_is_lost_or_counted_twice(studio: Studio, limits: Limits, tmp_path: Path) -> None:
    made = studio.write()
    tables = tabulate(made)
    assert all(finding.passed for finding in check(made, limits, tmp_path).values())
    lost = check(made, limits, tmp_path, severity=tables["severity"].slice(1))
    assert lost["balance:severity"].keys == (f"{made[0].candidate.scenario_id} was lost",)
    candidates = to_records(Candidate, tables["candidate"])
    row = candidates[0].model_copy(update={"is_valid": False, "rejection_reason": "task_failed"})
    changed = pa.Table.from_pylist([row.model_dump()], schema=arrow_schema(Candidate))
    found = check(made, limits, tmp_path, candidate=pa.concat_tables([changed, tables["candidate"].slice(1)]))
    assert not found["balance:rejection"].passed
    failure = {
        "industry": "airline", "scenario_id": row.scenario_id, "task": "events", "made_by": MODEL, "status": "invalid",
        "reasons": ["no"], "raw_answer": None, "tries": 3,
    }  # fmt: skip
    twice = pa.Table.from_pylist([failure], schema=arrow_schema(RECORDS["task_failure"]))
    assert check(made, limits, tmp_path, task_failure=twice)["balance:events"].failing == 1


def test_a_plan_tells_what_a_run_would_ask_and_asks_nothing(studio: Studio) -> None:
    before = {row.task: row for row in studio.plan()}
    assert studio.script.calls == {}
    assert list(before) == TASKS
    assert [(row.items, row.estimated, row.calls, row.cached) for row in before.values()] == [
        (4, 0, 4, 0), (4, 4, 4, 0), (4, 4, 4, 0), (4, 4, 4, 0), (4, 4, 4, 0),
    ]  # fmt: skip
    assert all(row.tokens_in > 400 and row.tokens_out > 0 and row.cost_usd is None for row in before.values())
    studio.write()
    after = {row.task: row for row in studio.plan()}
    assert {task: (row.items, row.estimated, row.calls, row.cached) for task, row in after.items()} == {
        task: (count, 0, 0, count) for task, count in studio.script.calls.items()
    }


def test_a_plan_of_half_a_run_counts_what_is_there(studio: Studio) -> None:
    studio.write(caps=Caps(calls=6), concurrency=1)
    plan = {row.task: row for row in studio.plan()}
    assert (plan["events"].calls, plan["events"].cached) == (0, 4)
    assert (plan["severity"].calls, plan["severity"].cached, plan["severity"].estimated) == (1, 2, 0)
    assert plan["background"].estimated == 1
    assert plan["background"].calls == 3


def test_plans_add_up_and_an_unknown_price_stays_unknown() -> None:
    row = PlanRow("events", MODEL, 2, 1, 2, 0, 10, 5, 0.5)
    (total,) = add_plans([[row], [row._replace(cost_usd=None)]])
    assert total == PlanRow("events", MODEL, 4, 2, 4, 0, 20, 10, None)
    assert add_plans([[row], [row._replace(calls=0, cost_usd=None)]])[0].cost_usd == 0.5


def test_a_plan_refuses_a_doorway_that_could_spend(studio: Studio) -> None:
    with studio.open() as doorway, pytest.raises(ValueError, match="replay=True"):
        LedgerOracle(doorway)


def test_written_candidates_are_coded_again_as_those_of_the_rules_are(studio: Studio) -> None:
    category = SOURCES[0].category_id
    tables = build_candidates(
        SOURCES,
        knowledge(),
        lambda texts: [category] * len(texts),
        lambda _: studio.write(),
    )
    rows = to_records(Candidate, tables[Candidate])
    assert [row.is_valid for row in rows] == [True, True, False, False, False]
    assert {row.recoded_category_id for row in rows if row.is_valid} == {category}


def test_what_decides_the_answer_is_described_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://user:secret-word@127.0.0.1:1/v1")
    plain = Settings.load({}, model=MODEL)
    assert describe_writing(Settings.load({})) is None
    assert "secret-word" not in str(describe_writing(plain))
    same = {"model_concurrency": 3, "model_timeout_seconds": 9, "model_budget_calls": 7, "ledger_url": "sqlite:///x"}
    assert describe_writing(Settings.load({}, model=MODEL, **same)) == describe_writing(plain)
    other: list[dict[str, Any]] = [
        {"model_temperature": 0.1},
        {"model_tasks": "events=openai/x"},
        {"model": "openai/y"},
    ]
    for values in other:
        assert describe_writing(Settings.load({}, **{"model": MODEL, **values})) != describe_writing(plain)
    described = describe_writing(plain)
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:2/v1")
    assert describe_writing(plain) != described
    with pytest.raises(OptionsError, match="no_task"):
        describe_writing(Settings.load({}, model=MODEL, model_tasks="no_task=openai/x"))
