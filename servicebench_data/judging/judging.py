"""Judging stored conversations: every judge of an experiment before every conversation.

Belongs here: who judges what, how many at once, and the tables that come of it. Not here: Dagster, files, one judge's
task (`tasks.py`), the engine's rules (`rules.py`).

Nothing is simulated again: judges read what is stored, and what a model answered once is in the ledger, so that a
rerun, also with a further judge, asks only what is new.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from schemas.experiment import Experiment, JudgeSpec
from schemas.judging import Dimension, Judgment, PaddedScore, Score, SubScore
from schemas.records import Record
from schemas.simulation import DeclaredAct
from servicebench_data.judging.cases import Tables, gather_cases, group_acts
from servicebench_data.judging.ensemble import make_judgments
from servicebench_data.judging.padding import draw_padded, mark_padded, pad_view
from servicebench_data.judging.rubric import DIMENSIONS
from servicebench_data.judging.rules import ABSTAINS, score_acts, tell_acts
from servicebench_data.judging.scoring import ItemVerdict, Judged, Seat, add_up, read_items, refuse, settle
from servicebench_data.judging.screening import Refusal, screen
from servicebench_data.judging.tasks import JudgeAnswer, make_item, make_task, read_parts
from servicebench_data.judging.view import Case, JudgeView, show_judge
from servicebench_data.lake.arrow import from_records, sort_rows
from servicebench_data.models.doorway import ITEMS_PER_PLACE, Doorway, finish_all, run_loop
from servicebench_data.models.endpoints import find_endpoint
from servicebench_data.models.session import Target
from servicebench_data.models.task import How, Outcome
from servicebench_data.settings import Settings
from servicebench_data.simulation.turns import Asker

MADE: tuple[type[Record], ...] = (Score, SubScore, Judgment, PaddedScore)
LONGEST_REASON = 300
LEFT_OUT_NOTE = " [quotes that do not count were left out of this verdict]"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Docket:
    """One case before one judge.

    Attributes:
        case: The conversation and its scenario.
        view: What a judge sees of it; None where it is not judged.
        refusal: Why it is not judged; None where it is.
        acts: What the agent declared.
        seat: The judge.
        original: What a judge sees of it without padding, where it is padded.
    """

    case: Case
    view: JudgeView | None
    refusal: Refusal | None
    acts: Sequence[DeclaredAct]
    seat: Seat
    original: JudgeView | None = None


@dataclass
class Court:
    """Cases while workers take them one by one.

    Attributes:
        dockets: All of them.
        seed: Seed that is sent to models.
        asker: The way to models; None where rules judge everything.
        progress: Told how many of how many are done.
        judged: What came of each, by place.
    """

    dockets: Sequence[Docket]
    seed: int
    asker: Asker | None
    progress: Progress | None = None
    judged: dict[int, Judged] = field(default_factory=dict[int, Judged])
    places: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.places = iter(range(len(self.dockets)))

    async def work_off(self) -> None:
        """Take cases until none is left."""
        for place in self.places:
            self.judged[place] = await judge_one(self.dockets[place], self.seed, self.asker)
            if self.progress:
                self.progress(len(self.judged), len(self.dockets))
            await asyncio.sleep(0)

    def finish(self) -> Judged:
        """All rows in the order of the cases; none of padded ones."""
        return add_up(self.judged[place] for place, docket in enumerate(self.dockets) if docket.original is None)

    def finish_padded(self) -> Iterator[PaddedScore]:
        """The rows of padded cases."""
        for place, docket in enumerate(self.dockets):
            if docket.view and docket.original:
                yield from mark_padded(self.judged[place].scores, docket.original, docket.view)


def judge_conversations(
    spec: Experiment,
    tables: Tables,
    open_doorway: Callable[[], AbstractContextManager[Doorway]],
    progress: Progress | None = None,
) -> dict[type[Record], pa.Table]:
    """Tables of scores, sub-scores and judgments of all conversations of an experiment, and scores of padded ones.

    Args:
        spec: The experiment.
        tables: Its conversations, messages and acts, and the tables of its scenarios; see `cases.py`.
        open_doorway: Gives the way to models; not called where rules judge everything.
        progress: Told how many of how many verdicts are there.

    Raises:
        CaseError: The tables do not belong together.
    """
    dockets = list(list_dockets(spec, tables))
    court = Court([*dockets, *pad_dockets(dockets, spec)], spec.seed, None, progress)
    targets = list_judges(spec)
    if not targets:
        run_loop(hold_court(court, 1))
    else:
        with open_doorway() as doorway:
            run_loop(hold_session(court, targets, doorway))
    padded = sort_rows(from_records(PaddedScore, court.finish_padded()), *PaddedScore.table.key)
    return {**make_tables(court.finish(), tables), PaddedScore: padded}


def list_judges(spec: Experiment) -> list[Target]:
    """Models that judge in an experiment."""
    return list(dict.fromkeys(Target(judge.model) for judge in spec.judges if judge.model))


def name_judge(spec: Experiment) -> str:
    """The first model that judges; `none` where none does."""
    return next((target.model for target in list_judges(spec)), "none")


def describe_judging(spec: Experiment, settings: Settings) -> dict[str, object]:
    """What decides the verdicts beside conversations and code: the judges, and how models are asked.

    Raises:
        OptionsError: A model cannot be asked as it is named.
    """
    targets = list_judges(spec)
    judges = [judge.model_dump(mode="json") for judge in spec.judges]
    asked = [(*target, find_endpoint(*target).identity) for target in targets]
    names = ("model_max_tries", "model_parameters") if targets else ()
    return {
        "judges": judges, "seed": spec.seed, "padding_test": spec.padding_test, "asked": asked,
        **{name: getattr(settings, name) for name in names},
    }  # fmt: skip


async def hold_session(court: Court, targets: Sequence[Target], doorway: Doorway) -> None:
    """Judge over a session of the doorway."""
    async with doorway.open_session(targets) as session:
        court.asker = session
        await hold_court(court, math.ceil(doorway.options.concurrency * ITEMS_PER_PLACE))


async def hold_court(court: Court, at_once: int) -> None:
    """Judge all cases, so many at once."""
    await finish_all([court.work_off() for _ in range(min(at_once, len(court.dockets)))])


def list_dockets(spec: Experiment, tables: Tables) -> Iterator[Docket]:
    """Every case before every judge; what is seen of a case is made once."""
    acts = group_acts(tables)
    for case in gather_cases(tables):
        refusal = screen(case.conversation, case.messages)
        view = None if refusal else show_judge(case)
        for judge in spec.judges:
            seat = Seat(case.conversation, judge, has_injection=bool(view and view.injections))
            yield Docket(case, view, refusal, acts.get(case.conversation.conversation_id, ()), seat)


def pad_dockets(dockets: Sequence[Docket], spec: Experiment) -> Iterator[Docket]:
    """Some cases that are judged, once more before every judge with longer messages of the agent."""
    judged = {docket.seat.conversation.conversation_id: docket.seat.conversation for docket in dockets if docket.view}
    drawn = draw_padded(judged.values(), spec.padding_test, spec.seed)
    for docket in dockets:
        name = docket.seat.conversation.conversation_id
        if docket.view and name in drawn:
            yield replace(docket, view=pad_view(docket.view, name), original=docket.view)


async def judge_one(docket: Docket, seed: int, asker: Asker | None) -> Judged:
    """Rows of one case before one judge."""
    if docket.view is None:
        refusal = docket.refusal or Refusal("missing", "there is nothing to judge")
        return refuse(docket.seat, refusal.status, refusal.reason)
    if docket.seat.spec.model is None or asker is None:
        return judge_by_rules(docket)
    spec = docket.seat.spec
    groups: list[tuple[Dimension, ...]] = [DIMENSIONS] if spec.calls == "one" else [(name,) for name in DIMENSIONS]
    return add_up([await ask_judge(docket, docket.view, group, seed, asker) for group in groups])


def judge_by_rules(docket: Docket) -> Judged:
    """Rows of the rule engine."""
    if not docket.acts:
        return refuse(docket.seat, "unscored", ABSTAINS)
    reason = f"by declared acts: {tell_acts(docket.acts)}"
    scores = score_acts(docket.acts)
    return add_up(
        settle(docket.seat, name, {item: ItemVerdict(score) for item, score in items.items()}, reason)
        for name, items in scores.items()
    )


async def ask_judge(
    docket: Docket, view: JudgeView, dimensions: tuple[Dimension, ...], seed: int, asker: Asker
) -> Judged:
    """Rows of a model for the dimensions of one call."""
    item = make_item(view, docket.case.conversation.scenario_id, dimensions)
    outcome = await asker.ask(make_task(dimensions), item, make_how(docket.seat.spec, seed))
    if outcome.answer is None:
        reason = tell_failure(outcome)
        return refuse(docket.seat, "missing", reason, cost_usd=outcome.cost_usd, dimensions=dimensions)
    share = None if outcome.cost_usd is None else outcome.cost_usd / len(dimensions)
    note = LEFT_OUT_NOTE if outcome.reasons else ""
    return add_up(
        settle(docket.seat, name, read_items(view, name, items), reason + note, share)
        for name, reason, items in read_parts(outcome.answer, dimensions)
    )


def make_how(spec: JudgeSpec, seed: int) -> How:
    """How a judge is asked; equal transcripts are equal questions, whoever the agent was."""
    parameters: dict[str, Any] = {"temperature": spec.temperature, "max_tokens": spec.max_tokens}
    return How(spec.model or "", seed=seed, parameters=parameters)


def tell_failure(outcome: Outcome[JudgeAnswer]) -> str:
    """Why there is no score, in words for a person."""
    reason = f"{outcome.status} after {outcome.tries} answers: {' '.join(outcome.reasons) or 'no reason is known'}"
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def make_tables(judged: Judged, tables: Tables) -> dict[type[Record], pa.Table]:
    """The tables, each sorted by its key."""
    rows: Mapping[type[Record], Sequence[Record]] = {Score: judged.scores, SubScore: judged.sub_scores}
    made = {record: sort_rows(from_records(record, rows[record]), *record.table.key) for record in (Score, SubScore)}
    return {**made, Judgment: make_judgments(tables, made[Score])}
