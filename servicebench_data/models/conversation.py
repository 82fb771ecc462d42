"""Asking for one item: a question, and for each refused answer its reasons, until one passes or the tries are used up.

Belongs here: what is said to a model and how its answers are judged. Not here: how a call is made (`calling.py`).
"""

import itertools
import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from schemas.models import Call, OutcomeStatus
from servicebench_data.models.answer_schema import AnswerSchema, describe_answer
from servicebench_data.models.answers import Failure, Verdict, is_plain, judge_reply, strip_reasoning
from servicebench_data.models.budget import OverBudgetError
from servicebench_data.models.calling import Caller, NoAnswerError
from servicebench_data.models.endpoints import Endpoint
from servicebench_data.models.faults import Fault
from servicebench_data.models.jobs import Line, Origin, read_reply
from servicebench_data.models.ledger import Use
from servicebench_data.models.options import ModelOptions
from servicebench_data.models.pacing import BreakerOpenError
from servicebench_data.models.prices import add_costs
from servicebench_data.models.prompts import neutralise
from servicebench_data.models.request import Message, Request
from servicebench_data.models.task import How, Item, Outcome, Task

A = TypeVar("A", bound=BaseModel)

LOG = logging.getLogger(__name__)
LONGEST_ECHO = 6_000  # characters of a refused answer that the model sees again
NO_TEXT = "(no answer)"
FAILURES: Mapping[Fault, Failure] = {"context_overflow": "context_overflow", "filtered": "refusal"}


class Refusal(NamedTuple, Generic[A]):
    """An answer that was refused, and why."""

    call: Call
    verdict: Verdict[A]


@dataclass
class State(Generic[A]):
    """How asking for an item goes.

    Attributes:
        item: What is asked about.
        model: Who is asked.
        calls: Answered calls so far.
        verdict: Verdict on the last answer.
    """

    item: Item[A]
    model: str
    calls: list[Call] = field(default_factory=list[Call])
    verdict: Verdict[A] = field(default_factory=lambda: Verdict(None, ()))


async def solve(caller: Caller, lines: Sequence[Line], task: Task[A], item: Item[A]) -> Outcome[A]:
    """Ask the models in turn until one gives an answer that passes; a cap ends it at once."""
    outcomes: list[Outcome[A]] = []
    for line in lines:
        outcomes.append(await converse(caller, line, task, item))
        if outcomes[-1].status in {"answered", "over_budget"}:
            break
    return replace(
        outcomes[-1],
        tries=sum(outcome.tries for outcome in outcomes),
        cost_usd=add_costs([outcome.cost_usd for outcome in outcomes]),
        call_keys=tuple(key for outcome in outcomes for key in outcome.call_keys),
    )


async def converse(caller: Caller, line: Line, task: Task[A], item: Item[A], how: How | None = None) -> Outcome[A]:
    """Ask one model, with reasons after each refused answer; `how` overrules the options for this item."""
    state = State(item, line.endpoint.model)
    refusals: list[Refusal[A]] = []
    most = (how.max_tries if how else None) or caller.options.max_tries
    for number in range(1, most + 1):
        request = write_request(caller.options, line.endpoint, task, ask(task, item, refusals), how)
        try:
            call = await caller.call(line, request, Origin(task.name, item.item_id, number))
        except OverBudgetError as error:
            return close(state, "over_budget", "over_budget", str(error))
        except (NoAnswerError, BreakerOpenError) as error:
            failure = name_failure(error)
            return close(state, "invalid" if failure == "refusal" else "unanswered", failure, str(error))
        state.calls.append(call)
        state.verdict = judge(call, task, item)
        is_accepted = state.verdict.answer is not None
        caller.keeper.note(Use(call.key, task.name, item.item_id, is_accepted, state.verdict.reasons))
        if is_accepted:
            return close(state, "answered")
        refusals.append(Refusal(call, state.verdict))
    rests = [refusal for refusal in refusals if refusal.verdict.rest is not None]
    return close_with_rest(caller, task, state, rests) if rests else close(state, "invalid", state.verdict.failure)


def close_with_rest(caller: Caller, task: Task[A], state: State[A], rests: Sequence[Refusal[A]]) -> Outcome[A]:
    """What came of an item of which every answer was refused: the one of which most is left, the last of equals."""
    call, verdict = max(reversed(rests), key=measure_rest)
    state.verdict = Verdict(verdict.rest, verdict.reasons)
    caller.keeper.note(Use(call.key, task.name, state.item.item_id, True, verdict.reasons))
    return close(state, "answered")


def measure_rest(refusal: Refusal[A]) -> int:
    """How much of a refused answer is left."""
    rest = refusal.verdict.rest
    return len(rest.model_dump_json()) if rest is not None else 0


def name_failure(error: NoAnswerError | BreakerOpenError) -> Failure:
    """What kind of failure an error is."""
    return FAILURES.get(error.fault, "unanswered") if isinstance(error, NoAnswerError) else "unanswered"


def judge(call: Call, task: Task[A], item: Item[A]) -> Verdict[A]:
    """Verdict on an answer; a check that breaks refuses this answer and harms no other item."""
    try:
        return judge_reply(read_reply(call), task.answer, item.check, item.trim)
    except Exception as error:  # noqa: BLE001  (checks are code of others)
        # The error's own words may quote a post, so that they stay out of the log.
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = (task.name, item.item_id, type(error).__name__, place.name, place.lineno)
        LOG.error("a check of task %r broke on item %r: %s in %s, line %s", *what)  # noqa: TRY400
        broke = f"the check broke with {type(error).__name__}; this is no fault of the answer."
        return Verdict(None, (broke,), "invalid")


def open_conversation(task: Task[A], item: Item[A]) -> tuple[Message, ...]:
    """System message with the schema, the conversation so far where there is one, and the question."""
    rendered = task.prompt.render(item.variables)
    instruction = describe_answer(task.answer).instruction
    system = f"{rendered.system}\n\n{instruction}" if instruction else rendered.system
    user: tuple[Message, ...] = ({"role": "user", "content": rendered.user},) if rendered.user else ()
    history = [
        {"role": message["role"], "content": neutralise(message["content"], task.prompt.fenced)}
        for message in item.history
    ]
    following = [*history, *user] if item.history_place == "before" else [*user, *history]
    return {"role": "system", "content": system}, *join_neighbours(following)


def join_neighbours(messages: Sequence[Message]) -> Iterator[Message]:
    """Messages whose roles alternate, as many chat templates demand: neighbours of one role become one message."""
    for role, group in itertools.groupby(messages, key=itemgetter("role")):
        yield {"role": role, "content": "\n\n".join(message["content"] for message in group)}


def ask(task: Task[A], item: Item[A], refusals: Sequence[Refusal[A]]) -> tuple[Message, ...]:
    """The question of an item after its refused answers so far.

    The first refused answer is shown again, for it needs a point mended. Where that failed too, the question is put
    anew with every reason so far and none of the answers, for a weak model copies the answer that it sees.
    """
    opening = open_conversation(task, item)
    if not refusals:
        return opening
    reasons = list(dict.fromkeys(reason for refusal in refusals for reason in refusal.verdict.reasons))
    listed = neutralise("\n".join(f"- {reason}" for reason in reasons), task.prompt.fenced)
    whole = "the whole message" if is_plain(task.answer) else "the whole JSON object"
    if len(refusals) == 1:
        text = strip_reasoning(refusals[0].call.response_text or "").strip()[:LONGEST_ECHO] or NO_TEXT
        asked = f"Your answer was refused:\n{listed}\n\nAnswer again with {whole}, with these points mended."
        return *opening, {"role": "assistant", "content": text}, {"role": "user", "content": asked}
    asked = f"Earlier answers were refused:\n{listed}\n\nAnswer with {whole} and avoid these faults."
    return tuple(join_neighbours((*opening, {"role": "user", "content": asked})))


def write_request(
    options: ModelOptions, endpoint: Endpoint, task: Task[A], messages: tuple[Message, ...], how: How | None = None
) -> Request:
    """The request of a conversation."""
    parameters: dict[str, Any] = {
        "temperature": options.temperature,
        "max_tokens": options.max_output_tokens,
        **options.parameters,
    }
    if how:
        parameters.update(how.parameters)
        parameters = {name: parameters[name] for name in parameters if how.parameters.get(name, "") is not None}
    schema: AnswerSchema = describe_answer(task.answer)
    seed, scope = (how.seed, how.scope) if how else (options.seed, "")
    return Request(endpoint, messages, parameters, schema, seed, scope)


def close(
    state: State[A], status: OutcomeStatus, failure: Failure | None = None, problem: str | None = None
) -> Outcome[A]:
    """What came of an item."""
    return Outcome(
        item_id=state.item.item_id,
        answer=state.verdict.answer if status == "answered" else None,
        reasons=(problem,) if problem else state.verdict.reasons,
        raw_answer=state.calls[-1].response_text if state.calls else None,
        tries=len(state.calls),
        model=state.model,
        cost_usd=add_costs([call.cost_usd for call in state.calls]),
        call_keys=tuple(call.key for call in state.calls),
        status=status,
        failure=failure,
    )
