"""Agents that are functions: what they are given, what they may return, errors, and that answers stay."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from schemas.experiment import AgentSpec
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.options import OptionsError
from servicebench_data.simulation.agents.callables import CallableAgent, describe_turn, load_function
from servicebench_data.simulation.agents.making import make_agent
from servicebench_data.simulation.turns import AgentTurn
from tests.models.tasks import make_options
from tests.simulation.views import BAG

Function = Callable[[dict[str, Any]], Any]


def make_spec(version: str = "1", path: str = "own:answer") -> AgentSpec:
    return AgentSpec.model_validate({"name": "mine", "callable": path, "version": version})


def ask(
    url: str, function: Function, *, version: str = "1", scope: str = "s1/c/0/1", timeout: float = 5.0
) -> AgentTurn:
    (turn,) = ask_at_once(url, function, [scope], version=version, timeout=timeout)
    return turn


def ask_at_once(
    url: str, function: Function, scopes: list[str], *, version: str = "1", timeout: float = 5.0
) -> list[AgentTurn]:
    async def work() -> list[AgentTurn]:
        with open_doorway(make_options(), url) as doorway:
            async with doorway.open_session([]) as session:
                agent = CallableAgent(session, make_spec(version), "s1", function, timeout)
                return await asyncio.gather(*[agent.reply(BAG, seed=3, scope=scope) for scope in scopes])

    return asyncio.run(work())


def say(_: dict[str, Any]) -> str:
    return " Tell me more. "


async def say_later(_: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    offer = {"kind": "goodwill_cash", "amount_usd": 25}
    return {"message": "Here.", "offers": [offer], "acts": [{"kind": "offered"}], "reasoning": "They are upset."}


def fail(given: dict[str, Any]) -> str:
    raise KeyError(given["conversation"][0]["text"])


async def hang(_: dict[str, Any]) -> str:
    await asyncio.sleep(60)
    return "late"


def stand_still(_: dict[str, Any]) -> str:
    threading.Event().wait()
    return "never"


def give_up(_: dict[str, Any]) -> str:
    raise TimeoutError


def meet(barrier: threading.Barrier, _: dict[str, Any]) -> str:
    barrier.wait(20)
    return "We were all there."


def test_a_string_is_the_message(sqlite_url: str) -> None:
    turn = ask(sqlite_url, say)
    assert (turn.message, turn.has_structure, turn.offers, turn.acts) == ("Tell me more.", False, (), None)
    assert (turn.made_by, turn.cost_usd, turn.failure) == ("own:answer", None, None)


def test_a_dictionary_declares_what_it_holds(sqlite_url: str) -> None:
    turn = ask(sqlite_url, say_later)
    assert [(offer.kind, offer.relation, offer.amount_usd) for offer in turn.offers] == [("goodwill_cash", "new", 25.0)]
    assert [act.kind for act in turn.acts or ()] == ["offered"]
    assert (turn.has_structure, turn.reasoning) == (True, "They are upset.")


def test_what_it_is_given_is_plain_and_holds_the_view_alone() -> None:
    given = describe_turn(BAG, 3, "s1/c/0/1")
    assert json.loads(json.dumps(given)) == given
    assert set(given) == {
        "session", "seed", "brand", "industry", "case_record", "policies", "goodwill_limit_usd", "guidance",
        "conversation",
    }  # fmt: skip
    assert given["session"] == describe_turn(BAG, 3, "s1/c/0/3")["session"]
    assert given["session"] != describe_turn(BAG, 3, "s1/c/1/1")["session"]


@pytest.mark.parametrize(
    ("function", "failure", "reason"),
    [
        (fail, "agent_unanswered", "raised KeyError in fail"),
        (hang, "agent_unanswered", "no answer within"),
        (give_up, "agent_unanswered", "raised TimeoutError in give_up"),
        (lambda _: next(iter(())), "agent_unanswered", "raised RuntimeError"),
        (lambda _: sys.exit(3), "agent_unanswered", "raised SystemExit"),
        (lambda _: "  ", "agent_empty", "without words"),
        (lambda _: None, "agent_unparsable", "should be an object"),
        (lambda _: {"text": "hello"}, "agent_unparsable", "message"),
        (lambda _: {"message": "hello", "offers": [{"kind": "gift"}]}, "agent_unparsable", "offers.0.kind"),
        (lambda _: {"message": object()}, "agent_unparsable", "no JSON"),
    ],
)
def test_errors_are_the_agents_outcome_and_quote_nobody(
    function: Function, failure: str, reason: str, sqlite_url: str
) -> None:
    turn = ask(sqlite_url, function, timeout=0.2)
    assert (turn.failure, turn.message) == (failure, "")
    assert reason in turn.failure_reason
    assert "medication" not in turn.failure_reason


@pytest.mark.parametrize("count", [2, 60])
def test_calls_wait_for_no_other(sqlite_url: str, count: int) -> None:
    scopes = [f"s1/c{number}/0/1" for number in range(count)]
    turns = ask_at_once(sqlite_url, partial(meet, threading.Barrier(count)), scopes, timeout=30.0)
    assert {(turn.failure, turn.message) for turn in turns} == {(None, "We were all there.")}


def test_a_function_that_never_ends_keeps_no_process(sqlite_url: str, offline_environment: dict[str, str]) -> None:
    program = (
        "from tests.simulation.test_callable_agents import ask, stand_still\n"
        f"print(ask({sqlite_url!r}, stand_still, timeout=0.2).failure)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=offline_environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "agent_unanswered\n"


def test_an_answer_is_kept_under_version_conversation_and_turn(sqlite_url: str) -> None:
    calls: list[int] = []

    # A function that counts its calls has to close over the list.
    count = calls.append
    function: Function = lambda given: count(given["seed"]) or f"Answer {len(calls)}."  # noqa: E731
    first = ask(sqlite_url, function)
    assert ask(sqlite_url, function) == first
    assert len(calls) == 1
    assert ask(sqlite_url, function, version="2").message == "Answer 2."
    assert ask(sqlite_url, function, scope="s1/c/0/3").message == "Answer 3."


def test_a_failed_answer_is_asked_for_again(sqlite_url: str) -> None:
    assert ask(sqlite_url, fail).failure == "agent_unanswered"
    assert ask(sqlite_url, say).message == "Tell me more."


def test_a_module_beside_the_file_comes_first(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def answer(turn):\n    return 'from the file'\n", encoding="utf-8")
    assert load_function("own:answer", tmp_path)({}) == "from the file"
    assert load_function("json:dumps", tmp_path) is json.dumps


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("own", "package.module:function"),
        ("no_such_module:answer", "install it"),
        ("json:no_such", "no function 'no_such'"),
        ("json:__name__", "no function '__name__'"),
    ],
)
def test_what_cannot_be_found_is_named(path: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=message):
        load_function(path, tmp_path)


def test_it_needs_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="needs a ledger"):
        make_agent(make_spec(), None, "s1", tmp_path)
