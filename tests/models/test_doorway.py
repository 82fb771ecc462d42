"""The doorway against a real server: answers, repairs, faults, pace, caps, replay and forecasts."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from servicebench_data.models.doorway import Doorway, open_doorway
from servicebench_data.models.forecast import Forecast
from servicebench_data.models.ledger import Ledger, LedgerError
from servicebench_data.models.options import ModelOptions, OptionsError
from servicebench_data.models.prompts import PromptError
from servicebench_data.models.task import Item, Outcome, Task
from tests.models.server import Answer, Asked, Script, Server, complete, refuse
from tests.models.tasks import Grade, find_bag, grade, make_items, make_options, make_task, write_grade

Serve = Callable[[Script], Server]


@pytest.fixture
def ask(task: Task[Grade], sqlite_url: str) -> Callable[..., list[Outcome[Grade]]]:
    """Runs the task over some items with given options."""

    def run(count: int = 1, check: Any = None, trim: Any = None, **given: Any) -> list[Outcome[Grade]]:
        items = [replace(item, trim=trim) for item in (make_items(count, check) if check else make_items(count))]
        with open_doorway(make_options(**given), sqlite_url) as doorway:
            return doorway.run(task, items)

    return run


Ask = Callable[..., list[Outcome[Grade]]]


MILD = '{"level": "low", "reason": "calm"}'


def first_then(*answers: Callable[[Asked], Answer]) -> Script:
    """Answers by how often the same bag was asked about; the last answer stays."""
    counts: dict[str, int] = {}

    def answer(asked: Asked) -> Answer:
        number = counts.get(find_bag(asked), 0)
        counts[find_bag(asked)] = number + 1
        return answers[min(number, len(answers) - 1)](asked)

    return answer


def always(answer: Answer) -> Callable[[Asked], Answer]:
    return lambda _: answer


def test_outcomes_come_in_the_order_of_the_items_whatever_the_order_of_the_answers(serve: Serve, ask: Ask) -> None:
    serve(lambda asked: complete(write_grade(asked), delay=0.03 if int(find_bag(asked)) % 3 else 0))
    outcomes = ask(30)
    assert [outcome.item_id for outcome in outcomes] == [f"scenario {number:04}" for number in range(30)]
    for number, outcome in enumerate(outcomes):
        assert outcome.answer == Grade(level="high", reason=f"Bag {number} is gone.")
        assert (outcome.status, outcome.reasons, outcome.tries) == ("answered", (), 1)
        assert (outcome.model, outcome.cost_usd, len(outcome.call_keys)) == ("openai/small", None, 1)


def test_no_items_are_no_outcomes(serve: Serve, ask: Ask) -> None:
    server = serve(grade)
    assert ask(0) == []
    assert server.asked == []


def test_the_request_holds_prompt_schema_parameters_and_seed(serve: Serve, ask: Ask) -> None:
    server = serve(grade)
    ask(parameters={"top_p": 0.5}, seed=7, temperature=0.2, max_output_tokens=99)
    body = server.asked[0].body
    assert server.asked[0].path == "/v1/chat/completions"
    assert {name: body[name] for name in ("model", "top_p", "seed", "temperature", "max_tokens")} == {
        "model": "small", "top_p": 0.5, "seed": 7, "temperature": 0.2, "max_tokens": 99,
    }  # fmt: skip
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["level", "reason"]
    system, user = body["messages"]
    assert system["role"] == "system"
    assert "Be fair." in system["content"]
    assert '"reason"' in system["content"]
    assert "<post>\nBag 0 is lost.\n</post>" in user["content"]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (complete("no JSON at all"), "no JSON object"),
        (complete(""), "empty"),
        (complete(None), "empty"),
        (complete('{"level": "medium", "reason": "x"}'), "level: Input should be"),
        (complete('{"level": "low"'), "no JSON object"),
        (complete('{"level": "low", "reason": "x"}', finish_reason="length"), "length"),
        (complete(None, finish_reason="content_filter"), "content_filter"),
        (complete(None, refusal="I can't help with that."), "declined"),
        (complete('<think>{"level": "low", "reason": "x"}'), "no JSON object"),
    ],
)
def test_a_bad_answer_goes_back_with_its_reason(serve: Serve, ask: Ask, bad: Answer, words: str) -> None:
    server = serve(first_then(always(bad), grade))
    (outcome,) = ask()
    assert (outcome.status, outcome.tries, len(outcome.call_keys)) == ("answered", 2, 2)
    assert words in server.asked[1].question
    assert [message["role"] for message in server.asked[1].body["messages"]] == ["system", "user", "assistant", "user"]
    again = ask()[0]
    assert (again.answer, again.tries) == (outcome.answer, 2)
    assert len(server.asked) == 2


def test_reasoning_and_fences_around_an_answer_do_no_harm(serve: Serve, ask: Ask) -> None:
    serve(lambda asked: complete(f"<think>hm, {{}} or</think>\n```json\n{write_grade(asked)}\n```"))
    assert ask()[0].tries == 1


def test_an_item_that_never_passes_ends_with_reasons_and_raw_answer(serve: Serve, ask: Ask) -> None:
    server = serve(always(complete("never")))
    (outcome,) = ask(max_tries=3)
    assert (outcome.status, outcome.answer, outcome.raw_answer, outcome.tries) == ("invalid", None, "never", 3)
    assert outcome.reasons == ("there is no JSON object in the answer.",)
    assert len(server.asked) == 3


def test_the_checks_of_an_item_send_its_answer_back(serve: Serve, ask: Ask) -> None:
    server = serve(first_then(grade, always(complete(MILD))))
    (outcome,) = ask(check=refuse_gone)
    assert outcome.answer == Grade(level="low", reason="calm")
    assert "`gone` is not in the post" in server.asked[1].question


def test_after_a_second_refusal_the_question_is_put_anew_with_every_reason_and_no_answer(
    serve: Serve, ask: Ask
) -> None:
    gone = complete('{"level": "low", "reason": "gone"}')
    server = serve(first_then(always(complete("never")), always(gone), always(complete(MILD))))
    (outcome,) = ask(check=refuse_gone, max_tries=3)
    assert (outcome.status, outcome.tries) == ("answered", 3)
    first, second, third = ([message["role"] for message in asked.body["messages"]] for asked in server.asked)
    assert first == third == ["system", "user"]
    assert second == ["system", "user", "assistant", "user"]
    last = server.asked[2].question
    assert last.startswith(server.asked[0].question)
    assert "there is no JSON object in the answer." in last
    assert "`gone` is not in the post" in last
    assert "never" not in last.removeprefix(server.asked[0].question)


def keep_calm(answer: Grade) -> Grade | None:
    return answer.model_copy(update={"reason": "calm"}) if answer.level == "low" else None


@pytest.mark.parametrize(("level", "status"), [("low", "answered"), ("high", "invalid")])
def test_at_the_last_try_what_passes_of_an_answer_is_kept_and_the_rest_is_told(
    serve: Serve, ask: Ask, level: str, status: str
) -> None:
    server = serve(always(complete(json.dumps({"level": level, "reason": "gone"}))))
    (outcome,) = ask(check=refuse_gone, trim=keep_calm, max_tries=2)
    assert (outcome.status, outcome.tries, len(server.asked)) == (status, 2, 2)
    assert outcome.reasons == ("`gone` is not in the post.",)
    assert (outcome.answer == Grade(level="low", reason="calm")) == (status == "answered")


def test_of_several_refused_answers_the_one_of_which_most_is_left_stands(serve: Serve, ask: Ask) -> None:
    said = [
        complete(json.dumps({"level": "low", "reason": reason})) for reason in ("gone a", "gone, all of it", "gone")
    ]
    serve(first_then(*map(always, said)))
    (outcome,) = ask(check=refuse_gone, trim=drop_gone, max_tries=3)
    assert outcome.answer == Grade(level="low", reason="calm, all of it")


def drop_gone(answer: Grade) -> Grade:
    return answer.model_copy(update={"reason": answer.reason.replace("gone", "calm")})


def refuse_gone(answer: Grade) -> Sequence[str]:
    return ["`gone` is not in the post."] if "gone" in answer.reason else []


def test_a_check_that_breaks_harms_its_item_alone(serve: Serve, ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    serve(grade)
    outcomes = ask(5, check=break_on_three)
    assert [outcome.status for outcome in outcomes] == ["answered"] * 3 + ["invalid", "answered"]
    assert "ZeroDivisionError" in outcomes[3].reasons[0]
    assert "break_on_three" in caplog.text
    assert "Bag 3" not in caplog.text


def break_on_three(answer: Grade) -> Sequence[str]:
    if "Bag 3" in answer.reason:
        raise ZeroDivisionError(answer.reason)
    return []


@pytest.mark.parametrize(
    "fault",
    [
        refuse(500, "oops"),
        refuse(429, "slow down"),
        refuse(408, "timeout"),
        refuse(409, "conflict"),
        Answer("<html>bad gateway</html>", 502),
        Answer("this is no JSON"),
        Answer('{"choices": []}'),
        Answer('{"choices": [{"message": {"content": "cut in the middle"}}]}', is_cut=True),
        complete("late", delay=30),
    ],
)
def test_a_passing_fault_is_retried(serve: Serve, ask: Ask, fault: Answer) -> None:
    server = serve(first_then(always(fault), grade))
    outcomes = ask(3, timeout_seconds=0.3)
    assert [outcome.status for outcome in outcomes] == ["answered"] * 3
    assert [outcome.tries for outcome in outcomes] == [1] * 3
    assert len(server.asked) == 6


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"usage": {"prompt_tokens": "many", "completion_tokens": -1}, "model": 5, "system_fingerprint": {}}, "calm"),
        ({"usage": {"prompt_tokens": 10**30, "prompt_tokens_details": {"cached_tokens": 9}}}, "calm"),
        ({"usage": []}, "calm"),
        ({}, "half \ud83d"),
    ],
)
def test_odd_replies_are_kept_as_far_as_they_can_be(
    serve: Serve, task: Task[Grade], ledger_url: str, body: dict[str, Any], reason: str
) -> None:
    content = "\0" + json.dumps({"level": "low", "reason": reason}, ensure_ascii=False)
    choice = {"finish_reason": "stop", "message": {"content": content}}
    serve(always(Answer(json.dumps({"choices": [choice], **body}))))
    for _ in range(2):
        (outcome,) = run_with(ledger_url, task, make_options(), 1)
        assert outcome.answer
        assert outcome.answer.reason == reason.replace("\ud83d", "?")


@pytest.mark.parametrize(("code", "status"), [(429, "answered"), ("odd", "answered"), (401, "unanswered")])
def test_a_fault_that_comes_as_success_is_a_fault(serve: Serve, ask: Ask, code: Any, status: str) -> None:
    serve(first_then(always(Answer(json.dumps({"error": {"code": code, "message": "x"}}))), grade))
    assert ask()[0].status == status


def test_a_call_that_always_hangs_fails_and_the_others_finish(serve: Serve, ask: Ask) -> None:
    serve(lambda asked: complete("late", delay=60) if find_bag(asked) == "2" else grade(asked))
    outcomes = ask(6, timeout_seconds=0.1, max_attempts=2)
    assert [outcome.status for outcome in outcomes] == ["answered"] * 2 + ["unanswered"] + ["answered"] * 3
    assert "SERVICEBENCH_MODEL_TIMEOUT_SECONDS" in outcomes[2].reasons[0]


def test_retry_after_is_honoured_and_fewer_are_asked_at_once(serve: Serve, ask: Ask) -> None:
    later: list[int] = []
    server = serve(lambda asked: busy(asked, server, later))
    outcomes = ask(40, concurrency=16)
    assert {outcome.status for outcome in outcomes} == {"answered"}
    refused = [asked.at for asked in server.asked[:16]]
    resumed = min(asked.at for asked in server.asked[16:])
    assert resumed - max(refused) >= 0.4
    assert max(later) < 16  # halved, and one more for each round that goes well


def busy(asked: Asked, server: Server, later: list[int]) -> Answer:
    """The first sixteen are told to come back in half a second; of the others it notes how many come at once."""
    if asked.number < 16:
        return refuse(429, "slow down", headers={"Retry-After": "0.5"}, delay=0.2)
    later.append(server.in_flight)
    return complete(write_grade(asked), delay=0.01)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (refuse(401, "Incorrect API key provided: sk-sentinel-4f1d9a77c0ffee."), "OPENAI_API_KEY"),
        (refuse(403, "forbidden"), "OPENAI_API_KEY"),
        (refuse(429, "You exceeded your current quota", code="insufficient_quota"), "add credit"),
        (refuse(402, "pay first"), "add credit"),
        (refuse(404, "no such model"), "SERVICEBENCH_MODEL"),
    ],
)
def test_what_is_hopeless_stops_the_rest_at_once(serve: Serve, ask: Ask, fault: Answer, words: str) -> None:
    server = serve(always(fault))
    outcomes = ask(100, concurrency=4)
    assert len(server.asked) <= 4
    assert {outcome.status for outcome in outcomes} == {"unanswered"}
    assert {outcome.tries for outcome in outcomes} == {0}
    assert all(words in outcome.reasons[0] for outcome in outcomes)
    assert not [outcome for outcome in outcomes if "sentinel" in str(outcome)]


def test_what_was_answered_before_a_key_was_refused_is_kept(serve: Serve, ask: Ask) -> None:
    serve(lambda asked: grade(asked) if asked.number < 7 else refuse(401, "no"))
    assert sum(outcome.answer is not None for outcome in ask(30, concurrency=1)) == 7
    server = serve(grade)
    monkey = ask(30, concurrency=1)
    assert sum(outcome.answer is not None for outcome in monkey) == 30
    assert len(server.asked) == 30  # another address is another endpoint


def test_an_endpoint_that_is_down_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    outcomes = ask(200, concurrency=4, max_attempts=2, backoff_seconds=0.001)
    assert {outcome.status for outcome in outcomes} == {"unanswered"}
    assert "in a row failed" in outcomes[-1].reasons[0]


@pytest.mark.parametrize("address", ["127.0.0.1:9/v1", "ftp://127.0.0.1/v1", "http://"])
def test_an_address_that_is_none_is_hopeless(monkeypatch: pytest.MonkeyPatch, ask: Ask, address: str) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", address)
    outcomes = ask(20, concurrency=2)
    assert {outcome.status for outcome in outcomes} == {"unanswered"}
    assert "no URL" in outcomes[0].reasons[0]


def test_a_file_that_cannot_be_run_says_why(ask: Ask, tmp_path: Path) -> None:
    """Without the extra it names that; with it, this is no model."""
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF, but no model")
    outcomes = ask(3, model=f"local/{file}")
    assert {outcome.status for outcome in outcomes} == {"unanswered"}
    assert any(words in outcomes[0].reasons[0] for words in ("servicebench-data[local]", "cannot be run"))


def test_a_redirect_is_not_followed_with_the_key(serve: Serve, ask: Ask) -> None:
    elsewhere = serve(grade)
    first = serve(always(Answer("", 302, {"Location": f"{elsewhere.base}/chat/completions"})))
    assert ask()[0].status == "unanswered"
    assert (len(first.asked), len(elsewhere.asked)) == (1, 0)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("response_format", "response_format is not supported by this model"),
        ("seed", "Unrecognized request argument supplied: seed"),
        ("temperature", "temperature does not support 0.7 with this model"),
    ],
)
def test_a_refused_parameter_is_left_out_from_then_on(serve: Serve, ask: Ask, parameter: str, message: str) -> None:
    server = serve(lambda asked: refuse(400, message) if parameter in asked.body else grade(asked))
    outcomes = ask(12, concurrency=2)
    assert {outcome.status for outcome in outcomes} == {"answered"}
    assert sum(parameter in asked.body for asked in server.asked) <= 2


def test_the_length_is_renamed_where_the_endpoint_asks_for_it(serve: Serve, ask: Ask) -> None:
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server = serve(lambda asked: refuse(400, message) if "max_tokens" in asked.body else grade(asked))
    assert ask()[0].status == "answered"
    assert server.asked[-1].body["max_completion_tokens"] == 4000


def test_a_refused_request_fails_its_item_alone(serve: Serve, ask: Ask) -> None:
    server = serve(lambda asked: refuse(400, "context too long") if find_bag(asked) == "1" else grade(asked))
    outcomes = ask(3)
    assert [outcome.status for outcome in outcomes] == ["answered", "unanswered", "answered"]
    assert "context too long" in outcomes[1].reasons[0]
    assert len(server.asked) == 3


def test_a_filter_that_stops_some_questions_stops_no_other_and_is_a_refusal(serve: Serve, ask: Ask) -> None:
    filtered = refuse(400, "The prompt was filtered", code="content_filter")
    server = serve(lambda asked: filtered if int(find_bag(asked)) < 9 else grade(asked))
    outcomes = ask(12, concurrency=1)
    assert [outcome.status for outcome in outcomes] == ["invalid"] * 9 + ["answered"] * 3
    assert {outcome.failure for outcome in outcomes[:9]} == {"refusal"}
    assert "fallback" in outcomes[0].reasons[0]
    assert len(server.asked) == 12


@pytest.mark.parametrize("fault", [always(refuse(401, "no")), always(complete("never"))])
def test_a_fallback_answers_where_the_first_model_does_not(serve: Serve, ask: Ask, fault: Script) -> None:
    serve(lambda asked: grade(asked) if asked.body["model"] == "spare" else fault(asked))
    outcomes = ask(4, fallbacks=["openai/spare"], max_tries=2)
    assert {(outcome.status, outcome.model) for outcome in outcomes} == {("answered", "openai/spare")}


def test_a_cap_on_calls_stops_before_it_is_passed(serve: Serve, ask: Ask) -> None:
    server = serve(grade)
    outcomes = ask(100, caps={"calls": 10})
    assert len(server.asked) == 10
    assert sum(outcome.status == "over_budget" for outcome in outcomes) == 90
    assert all("MODEL_BUDGET_CALLS" in outcome.reasons[0] for outcome in outcomes if outcome.answer is None)


def test_retries_count_against_the_cap(serve: Serve, ask: Ask) -> None:
    server = serve(always(refuse(500, "oops")))
    ask(10, caps={"calls": 10}, max_attempts=4)
    assert len(server.asked) <= 10


@pytest.mark.parametrize("caps", [{"tokens": 2000}, {"usd": 0.002}])
def test_a_cap_on_tokens_or_usd_stops_before_it_is_passed(serve: Serve, ask: Ask, caps: dict[str, float]) -> None:
    server = serve(grade)
    prices = {"openai/small": {"tokens_in": 1e-6, "tokens_out": 1e-6}}
    outcomes = ask(200, caps=caps, prices=prices, max_output_tokens=20)
    spent = 50 * len(server.asked)  # what the server bills
    cap = caps.get("tokens") or caps["usd"] * 1e6
    assert 0 < spent <= cap
    assert sum(outcome.cost_usd or 0 for outcome in outcomes) == pytest.approx(spent * 1e-6)
    assert {outcome.status for outcome in outcomes} == {"answered", "over_budget"}


def test_a_cap_in_usd_is_refused_where_the_price_is_unknown(serve: Serve, ask: Ask) -> None:
    server = serve(grade)
    with pytest.raises(OptionsError, match="price of 'openai/small' is unknown"):
        ask(caps={"usd": 1})
    assert server.asked == []


def test_a_run_s_caps_hold_over_its_steps(serve: Serve, task: Task[Grade], sqlite_url: str, tmp_path: Path) -> None:
    server = serve(grade)
    options = make_options(caps={"calls": 5})
    for name in ("events", "severity"):
        with open_doorway(options, sqlite_url, run_id="run 1") as doorway:
            doorway.run(make_task(tmp_path, name), make_items(4 if name == "events" else 9)[-6:])
    assert len(server.asked) == 5
    with open_doorway(options, sqlite_url, run_id="run 2") as doorway:
        doorway.run(task, make_items(30)[20:])
    assert len(server.asked) == 10


def tell_no_usage(asked: Asked) -> Answer:
    """An answer as of an endpoint that does not say how many tokens it took."""
    return Answer(json.dumps({**json.loads(complete(write_grade(asked)).body), "usage": None}))


@pytest.mark.parametrize("caps", [{"tokens": 20_000}, {"usd": 2.0}], ids=["tokens", "usd"])
def test_a_run_s_caps_hold_where_the_endpoint_tells_no_usage(
    serve: Serve, caps: Any, task: Task[Grade], sqlite_url: str
) -> None:
    server = serve(tell_no_usage)
    options = make_options(caps=caps, prices={"openai/small": {"tokens_in": 1e-4, "tokens_out": 1e-4}})
    items = make_items(16)
    for first in range(0, 8, 2):
        with open_doorway(options, sqlite_url, run_id="in steps") as doorway:
            doorway.run(task, items[first : first + 2])
    in_steps = len(server.asked)
    with open_doorway(options, sqlite_url, run_id="at once") as doorway:
        doorway.run(task, items[8:])
    assert 0 < in_steps < 8
    assert in_steps == len(server.asked) - in_steps


def test_two_items_with_one_question_are_one_call(serve: Serve, task: Task[Grade], sqlite_url: str) -> None:
    server = serve(lambda asked: complete(write_grade(asked), delay=0.05))
    (item,) = make_items(1)
    twins = [Item(f"twin {number}", item.variables, item.check) for number in range(8)]
    with open_doorway(make_options(), sqlite_url) as doorway:
        outcomes = doorway.run(task, twins)
    assert len(server.asked) == 1
    assert len({outcome.call_keys for outcome in outcomes}) == 1


def run_with(url: str, task: Task[Grade], options: ModelOptions, count: int = 3, **given: Any) -> list[Outcome[Grade]]:
    with open_doorway(options, url, **given) as doorway:
        return doorway.run(task, make_items(count))


@pytest.mark.parametrize(
    "change",
    [
        {"timeout_seconds": 9}, {"concurrency": 2}, {"max_attempts": 2}, {"backoff_seconds": 0}, {"max_tries": 5},
        {"lease_seconds": 5}, {"caps": {"calls": 99}}, {"prices": {"a": {"tokens_in": 1, "tokens_out": 1}}},
    ],
)  # fmt: skip
def test_what_does_not_change_the_answer_hits(
    serve: Serve, task: Task[Grade], sqlite_url: str, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(grade)
    first = run_with(sqlite_url, task, make_options())
    monkeypatch.setenv("OPENAI_API_KEY", "another key")
    assert run_with(sqlite_url, task, make_options(**change)) == first
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/other"}, {"temperature": 0.1}, {"max_output_tokens": 9}, {"parameters": {"top_p": 1}},
        {"seed": 1}, {"task_models": {"grade": "openai/third"}},
    ],
)  # fmt: skip
def test_what_changes_the_answer_misses(
    serve: Serve, task: Task[Grade], sqlite_url: str, change: dict[str, Any]
) -> None:
    server = serve(grade)
    run_with(sqlite_url, task, make_options())
    run_with(sqlite_url, task, make_options(**change))
    assert len(server.asked) == 6


def test_a_changed_prompt_misses(serve: Serve, task: Task[Grade], sqlite_url: str, tmp_path: Path) -> None:
    server = serve(grade)
    run_with(sqlite_url, task, make_options())
    path = tmp_path / "grade.md"
    path.write_text(path.read_text().replace("Grade this one", "Grade that one"))
    changed = Task("grade", type(task.prompt)(**{**vars(task.prompt), "user": "Grade that one:\n{{ post }}"}), Grade)
    run_with(sqlite_url, changed, make_options())
    assert len(server.asked) == 6


def test_a_replay_needs_no_server_and_a_miss_names_task_and_item(
    serve: Serve, task: Task[Grade], sqlite_url: str
) -> None:
    server = serve(first_then(always(complete("no")), grade))
    first = run_with(sqlite_url, task, make_options())
    count = len(server.asked)
    assert run_with(sqlite_url, task, make_options(), replay=True) == first
    with pytest.raises(RuntimeError, match=r"task 'grade' for item 'scenario 0003'"):
        run_with(sqlite_url, task, make_options(), 4, replay=True)
    assert len(server.asked) == count


def test_a_forecast_tells_what_a_run_will_take_and_spends_nothing(
    serve: Serve, task: Task[Grade], sqlite_url: str
) -> None:
    server = serve(first_then(always(complete("no")), grade))
    options = make_options(prices={"openai/small": {"tokens_in": 1e-6, "tokens_out": 2e-6}})
    with open_doorway(options, sqlite_url) as doorway:
        before = doorway.forecast(task, make_items(5))
        assert server.asked == []
        assert before == forecast(items=5, calls=5, cached=0, tokens_out=2500, before=before)
        doorway.run(task, make_items(3))
        after = doorway.forecast(task, make_items(5))
    assert after == forecast(items=5, calls=2, cached=6, tokens_out=20, before=after)
    assert before.cost_usd == pytest.approx(before.tokens_in * 1e-6 + before.tokens_out * 2e-6)
    assert len(server.asked) == 6


def forecast(*, items: int, calls: int, cached: int, tokens_out: int, before: Forecast) -> Forecast:
    return Forecast("grade", "openai/small", items, calls, cached, before.tokens_in, tokens_out, before.cost_usd)


def test_progress_is_told(serve: Serve, task: Task[Grade], sqlite_url: str) -> None:
    serve(grade)
    told: list[tuple[int, int]] = []
    with open_doorway(make_options(), sqlite_url) as doorway:
        doorway.run(task, make_items(5), lambda done, total: told.append((done, total)))
    assert told == [(number, 5) for number in range(1, 6)]


def test_a_prompt_that_lacks_a_variable_stops_the_run(serve: Serve, task: Task[Grade], sqlite_url: str) -> None:
    serve(grade)
    item = Item("scenario 0000", {"post": "x"}, lambda _: ())
    with open_doorway(make_options(), sqlite_url) as doorway, pytest.raises(PromptError, match="policy"):
        doorway.run(task, [item])


def test_it_runs_inside_a_loop_as_in_a_notebook(serve: Serve, task: Task[Grade], sqlite_url: str) -> None:
    serve(grade)
    with open_doorway(make_options(), sqlite_url) as doorway:
        assert len(asyncio.run(run_inside(doorway, task))) == 2


async def run_inside(doorway: Doorway, task: Task[Grade]) -> list[Outcome[Grade]]:
    return doorway.run(task, make_items(2))


def test_several_tasks_run_one_after_the_other_in_one_doorway(serve: Serve, sqlite_url: str, tmp_path: Path) -> None:
    server = serve(lambda asked: refuse(400, "no seed here") if "seed" in asked.body else grade(asked))
    with open_doorway(make_options(concurrency=1), sqlite_url) as doorway:
        for name in ("events", "severity"):
            assert doorway.run(make_task(tmp_path, name), make_items(2)[:1] if name == "events" else make_items(2)[1:])
    assert [("seed" in asked.body) for asked in server.asked] == [True, False, False]


def test_a_ledger_that_cannot_be_written_stops_the_run(
    serve: Serve, task: Task[Grade], sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(grade)
    with open_doorway(make_options(concurrency=2), sqlite_url) as doorway:
        with doorway.ledger.writes.begin() as connection:
            connection.exec_driver_sql("DROP TABLE answer_use")
            connection.exec_driver_sql(
                "CREATE TRIGGER stop BEFORE INSERT ON call BEGIN SELECT RAISE(ABORT, 'disk'); END"
            )
        with pytest.raises(LedgerError, match="cannot be written"):
            doorway.run(task, make_items(50))
    assert len(server.asked) <= 3


def test_an_answer_is_kept_with_all_that_tells_how_it_came_about(
    serve: Serve, task: Task[Grade], sqlite_url: str
) -> None:
    serve(first_then(always(refuse(500, "x")), grade))
    (outcome,) = run_with(sqlite_url, task, make_options(), 1)
    (call,) = Ledger(sqlite_url).find(outcome.call_keys).values()
    assert (call.task, call.item_id, call.try_number, call.model) == ("grade", "scenario 0000", 1, "openai/small")
    assert (call.answered_by, call.fingerprint, call.finish_reason) == ("served-model", "fp_1", "stop")
    assert (call.tokens_in, call.tokens_out, call.cost_usd, call.attempts) == (40, 10, None, 2)
    assert call.started_at <= call.ended_at
    assert json.loads(call.request_json)["seed"] == 2026


def test_a_model_whose_answers_nearly_all_fail_is_asked_no_more(serve: Serve, ask: Ask) -> None:
    server = serve(always(complete("This is no JSON.")))
    outcomes = ask(100, max_tries=2)
    refused = [outcome for outcome in outcomes if outcome.status == "invalid"]
    assert 25 <= len(refused) <= 25 + 10  # the items in hand by then
    assert len(server.asked) <= 2 * 25 + 2 * 10
    rest = [outcome for outcome in outcomes if outcome.status != "invalid"]
    assert {outcome.status for outcome in rest} == {"unanswered"}
    assert "MODEL_REFUSED_SHARE" in rest[0].reasons[0]


@pytest.mark.parametrize(("share", "most"), [(0.0, 0.0), (0.5, 0.8), (1.0, 1.0)])
def test_no_more_refused_answers_than_allowed_stop_nothing(serve: Serve, ask: Ask, share: float, most: float) -> None:
    serve(lambda asked: complete("none") if int(find_bag(asked)) % 4 < 4 * share else grade(asked))
    outcomes = ask(80, max_tries=1, refused_share=most)
    assert sum(outcome.status == "invalid" for outcome in outcomes) == 80 * share


def test_answers_that_are_kept_are_used_though_asking_has_stopped(serve: Serve, ask: Ask) -> None:
    serve(grade)
    ask(60)
    assert [outcome.status for outcome in ask(60, refused_share=0.0)] == ["answered"] * 60
