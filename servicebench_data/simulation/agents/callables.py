"""An agent that is a Python function of a team's own: `package.module:function`, sync or async.

Belongs here: finding the function, what it is given, reading what it returns. Not here: the form of its answer
(`answers.py`), in which thread it runs (`threads.py`), keeping its answer (`models/deeds.py`).

The function gets one dictionary, `describe_turn`, and returns the message as a string, or a dictionary with `message`
and, as it likes, `offers`, `acts` and `reasoning`. Its answer is kept under its declared version, the conversation and
the turn, so that a rerun does not call it again. An error in it is the agent's outcome, with the reason; its words stay
out of the reason, for they can quote the customer.
"""

import asyncio
import hashlib
import importlib
import importlib.util
import inspect
import json
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from pydantic import ValidationError

from schemas.experiment import AgentSpec
from schemas.simulation import EndDetail
from servicebench_data.models.deeds import Deed
from servicebench_data.models.options import OptionsError
from servicebench_data.simulation.agents.answers import GivenAnswer, make_acts, make_offers
from servicebench_data.simulation.agents.threads import run_in_thread
from servicebench_data.simulation.turns import AgentTurn, AgentView, Asker

TASK = "agent_callable"
#: Longest wait for one answer, seconds.
TIMEOUT = 180.0
MOST_REASONS = 4

Function = Callable[[dict[str, Any]], Any]


class CallableError(RuntimeError):
    """The function gave no answer; the message says why, in words that quote nobody.

    Attributes:
        detail: What became of the agent's turn.
    """

    def __init__(self, detail: EndDetail, message: str) -> None:
        super().__init__(message)
        self.detail: EndDetail = detail


@dataclass(frozen=True)
class CallableAgent:
    """Asks a function for each turn.

    Attributes:
        asker: The way to the ledger.
        spec: The agent as the experiment names it.
        item_id: What the ledger forgets the answers by: the scenario.
        function: The function.
        timeout: Longest wait for one answer, seconds.
    """

    asker: Asker
    spec: AgentSpec
    item_id: str
    function: Function
    timeout: float = field(default=TIMEOUT)

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:
        """The next message, or why there is none."""
        name, version = str(self.spec.callable), str(self.spec.version)
        given = describe_turn(view, seed, scope)
        deed = Deed(TASK, self.item_id, name, version, given, scope)
        try:
            return read_answer(await self.asker.do_once(deed, partial(self.call, given)), name)
        except CallableError as error:
            reason = f"{name!r} {error}"
            return AgentTurn("", failure=error.detail, failure_reason=reason, cost_usd=None, made_by=name)

    async def call(self, given: dict[str, Any]) -> str:
        """What the function answers, as JSON.

        Raises:
            CallableError: It failed, took too long, or returned what is no JSON.
        """
        clock = asyncio.timeout(self.timeout)
        try:
            async with clock:
                found = await run(self.function, given)
        except (Exception, SystemExit) as error:
            if clock.expired():
                raise CallableError("agent_unanswered", f"gave no answer within {self.timeout:g} seconds") from None
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"raised {type(error).__name__} in {place.name}, line {place.lineno}"
            raise CallableError("agent_unanswered", what) from error
        try:
            return json.dumps({"message": found} if isinstance(found, str) else found, ensure_ascii=False)
        except (TypeError, ValueError):
            raise CallableError("agent_unparsable", f"returned a {type(found).__name__} that is no JSON") from None


async def run(function: Function, given: dict[str, Any]) -> Any:
    """What a function returns; one that is not async runs in a thread, so that it holds nobody up."""
    if inspect.iscoroutinefunction(function):
        return await function(given)
    found = await run_in_thread(function, given)
    return await found if inspect.isawaitable(found) else found


def describe_turn(view: AgentView, seed: int, scope: str) -> dict[str, Any]:
    """What a function is given: the agent's view as plain data, with a seed and the name of the conversation."""
    session = hashlib.sha256(scope.rpartition("/")[0].encode()).hexdigest()[:16]
    return {
        "session": session,
        "seed": seed,
        "brand": view.brand,
        "industry": view.industry,
        "case_record": view.case_record,
        "policies": [
            {
                "policy_id": policy.policy_id,
                "title": policy.title,
                "text": policy.text,
                "entitlement_kind": policy.entitlement_kind,
                "entitlement_limit_usd": policy.entitlement_limit_usd,
            }
            for policy in view.policies
        ],
        "goodwill_limit_usd": view.goodwill_limit_usd,
        "guidance": view.guidance,
        "conversation": [{"role": said.role, "text": said.text} for said in view.said],
    }


def read_answer(text: str, name: str) -> AgentTurn:
    """The turn of an answer.

    Raises:
        CallableError: It does not have the form of one, or has no words.
    """
    try:
        answer = GivenAnswer.model_validate_json(text)
    except ValidationError as error:
        raise CallableError("agent_unparsable", f"returned no answer: {explain(error)}") from None
    if not answer.message.strip():
        raise CallableError("agent_empty", "returned a message without words")
    return AgentTurn(
        answer.message.strip(),
        offers=make_offers(answer.offers or ()),
        has_structure=answer.offers is not None,
        acts=make_acts(answer.acts),
        reasoning=answer.reasoning,
        cost_usd=None,
        made_by=name,
    )


def explain(error: ValidationError) -> str:
    """What is wrong with an answer's form, without its words."""
    problems: Sequence[Any] = error.errors(include_input=False, include_url=False)[:MOST_REASONS]
    return "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'the answer'}: {problem['msg']}" for problem in problems)


def load_function(path: str, folder: Path) -> Function:
    """The function that an experiment names as `package.module:function`.

    A module that lies beside the experiment's file comes first, then whatever Python can import.

    Args:
        path: Module and function.
        folder: Folder of the experiment's file.

    Raises:
        OptionsError: There is no such module or function, or it is no function.
    """
    name, _, attribute = path.partition(":")
    if not name or not attribute:
        raise OptionsError(f"callable {path!r} must be written as `package.module:function`.")
    beside = folder / Path(*name.split(".")).with_suffix(".py")
    try:
        module = load_file(beside.resolve()) if beside.is_file() else importlib.import_module(name)
    except ImportError as error:
        raise OptionsError(
            f"callable {path!r}: {error}; put its module beside the experiment's file, or install it."
        ) from error
    found = getattr(module, attribute, None)
    if not callable(found):
        raise OptionsError(f"callable {path!r}: module {name!r} has no function {attribute!r}; correct the name.")
    return cast("Function", found)


@cache
def load_file(path: Path) -> ModuleType:
    """A module from its file, loaded once.

    Raises:
        ImportError: The file is no module.
    """
    spec = importlib.util.spec_from_file_location(f"servicebench_agent_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name!r} is no Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
