"""Options, faults, pacing, prices and caps, each by itself."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.models.budget import Budget, OverBudgetError
from servicebench_data.models.endpoints import clean_url, find_endpoint
from servicebench_data.models.faults import Scrubber, read_fault, read_retry_after
from servicebench_data.models.ledger import Spent
from servicebench_data.models.options import Caps, ModelOptions, OptionsError, Price
from servicebench_data.models.pacing import FAILURES_IN_A_ROW, Breaker, BreakerOpenError, Limiter, choose_pause
from servicebench_data.models.prices import compute_cost, find_price
from servicebench_data.models.replies import Reply, read_completion
from servicebench_data.settings import Settings, find_access, list_secrets
from tests.models.tasks import make_options

SENT = ("response_format", "max_tokens", "seed", "temperature")


def test_options_come_from_settings() -> None:
    settings = Settings.load(
        {},
        model="openai/big",
        model_tasks="events=openai/small, severity = local/x.gguf",
        model_fallbacks="a/b,openai/big",
        model_prices="openai/big=1.5:6",
        model_parameters='{"top_p": 0.9, "extra_body": {"keywords": [{"max_tokens": 1}]}}',
        model_budget_calls=10,
    )
    options = ModelOptions.from_settings(settings)
    assert options.list_models("events") == ("openai/small", "a/b", "openai/big")
    assert options.list_models("background") == ("openai/big", "a/b")
    assert options.prices["openai/big"] == Price(tokens_in=1.5e-6, tokens_out=6e-6)
    assert options.parameters == {"top_p": 0.9, "extra_body": {"keywords": [{"max_tokens": 1}]}}
    assert options.caps == Caps(calls=10)
    assert options.seed == settings.seed


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model": ""}, "no model is set"),
        ({"model_tasks": "events"}, "'model_tasks' holds 'events'"),
        ({"model_prices": "a=cheap"}, "'model_prices' holds 'cheap'"),
        ({"model_prices": "a=-1:2"}, "'model_prices'"),
        ({"model_parameters": "[1]"}, "no JSON object"),
        ({"model_parameters": "{"}, "no JSON"),
        ({"model_parameters": '{"api_key": "x"}'}, "holds 'api_key'"),
        ({"model_parameters": '{"extra_headers": {}}'}, "holds 'extra_headers'"),
        ({"model_parameters": '{"max_tokens": 5}'}, "holds 'max_tokens'"),
        ({"model_parameters": '{"extra_body": [{"auth": {"API-Key": "x"}}]}'}, "holds 'extra_body'"),
    ],
)
def test_options_that_cannot_be_used_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionsError, match=words):
        ModelOptions.from_settings(Settings.load({}, **{"model": "openai/x", **given}))


def test_keys_and_addresses_are_read_by_the_usual_names_and_not_shown() -> None:
    access = find_access("openai", {"OPENAI_API_BASE": "http://127.0.0.1:1/v1/", "OPENAI_API_KEY": "sk-secret"})
    assert access.base_url == "http://127.0.0.1:1/v1"
    assert "sk-secret" not in repr(access)
    assert find_access("together_ai", {}).key_name == "TOGETHER_AI_API_KEY"
    assert list_secrets({"A_KEY": "x" * 9, "B_TOKEN": "y" * 12, "SHORT_KEY": "z", "HOME": "/h" * 9}) == [
        "y" * 12,
        "x" * 9,
    ]


def test_a_name_leads_to_its_road(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://me:word@127.0.0.1:9/v1?key=x")
    for name in ("HOSTED_VLLM_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    straight = find_endpoint("openai/small/one")
    assert (straight.road, straight.name, straight.identity) == ("straight", "small/one", "http://127.0.0.1:9/v1")
    assert "word" not in repr(straight)
    assert find_endpoint("anthropic/claude").road == "litellm"
    bare = find_endpoint("gpt-4o-mini")
    assert (bare.road, bare.base_url, bare.identity) == ("litellm", None, "http://127.0.0.1:9/v1")
    assert find_price(make_options(), bare) is None
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    local = find_endpoint(f"local/{file}")
    assert (local.model, local.name, local.identity[:7]) == ("local/m.gguf", str(file), "sha256:")
    for name, words in [
        ("openai/", "PROVIDER/NAME"),
        ("hosted_vllm/x", "HOSTED_VLLM_API_BASE"),
        ("local/no.gguf", "no model file"),
    ]:
        with pytest.raises(OptionsError, match=words):
            find_endpoint(name)


@pytest.mark.parametrize(
    ("status", "body", "fault", "parameter"),
    [
        (401, "no", "refused_key", None),
        (403, "no", "refused_key", None),
        (402, "no", "spent_quota", None),
        (429, '{"error": {"message": "x", "code": "insufficient_quota"}}', "spent_quota", None),
        (429, '{"error": {"message": "slow down"}}', "busy", None),
        (408, "", "unavailable", None),
        (409, "", "unavailable", None),
        (500, "<html>", "unavailable", None),
        (503, "", "busy", None),
        (404, '{"error": {"message": "model does not exist"}}', "unknown_model", None),
        (400, '{"error": {"message": "context length"}}', "context_overflow", None),
        (400, '{"error": {"message": "The prompt was filtered", "code": "content_filter"}}', "filtered", None),
        (403, '{"error": {"message": "Your input was flagged by moderation"}}', "filtered", None),
        (
            400,
            '{"error": {"message": "response_format.json_schema is unknown"}}',
            "refused_parameter",
            "response_format",
        ),
        (400, '{"error": {"message": "Unsupported", "param": "max_tokens"}}', "refused_parameter", "max_tokens"),
        (422, '{"detail": "seed: extra field"}', "refused_parameter", "seed"),
        (400, '{"error": "temperature must be 1"}', "refused_parameter", "temperature"),
    ],
)
def test_faults_are_told_apart(status: int, body: str, fault: str, parameter: str | None) -> None:
    found = read_fault(status, {}, body, SENT)
    assert (found.fault, found.parameter) == (fault, parameter)


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 3, 2, 12, 0, 0, tzinfo=UTC)
    assert read_retry_after({"Retry-After": "2.5"}) == 2.5
    assert read_retry_after({"retry-after-ms": "1500", "Retry-After": "9"}) == 1.5
    assert read_retry_after({"Retry-After": "Mon, 02 Mar 2026 12:00:07 GMT"}, now) == 7
    assert read_retry_after({"Retry-After": "Mon, 02 Mar 2026 11:00:00 GMT"}, now) == 0
    assert read_retry_after({"Retry-After": "soon"}, now) is None
    assert read_retry_after({}) is None


@given(st.integers(1, 20), st.floats(0, 5), st.none() | st.floats(0, 100))
def test_a_pause_is_at_least_what_was_asked_for_and_bounded(attempt: int, base: float, asked: float | None) -> None:
    pause = choose_pause(attempt, base, asked)
    assert (asked or 0) <= pause <= (asked or 0) + 60


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abc1***xyz9.",
        "Authorization: Bearer abcdef123456",
        "http://me:hidden@host/v1",
        "the known one: correct horse",
    ],
)
def test_keys_are_struck_out(text: str) -> None:
    clean = Scrubber(["correct horse"])(text)
    assert "[key]" in clean
    assert not [word for word in ("abc1", "abcdef123456", "hidden", "horse") if word in clean]


def test_an_address_is_kept_without_credentials() -> None:
    assert clean_url("HTTPS://me:word@Host:8/V1/?api-key=x#y") == "https://host:8/V1"


def test_the_limiter_halves_once_for_requests_sent_together_and_grows_by_one_a_round() -> None:
    asyncio.run(drive_limiter())


async def drive_limiter() -> None:
    limiter = Limiter(16, Breaker())
    tickets = [await limiter.acquire() for _ in range(16)]
    for ticket in tickets[:5]:
        limiter.note_busy(ticket)
    assert limiter.limit == 8
    waiting = asyncio.create_task(limiter.acquire())
    for _ in range(8):
        limiter.release()
        await asyncio.sleep(0)
    assert not waiting.done()
    limiter.release()
    limiter.note_busy(await waiting)
    assert limiter.limit == 4
    for _ in range(4):
        limiter.note_answer()
    assert 4.9 < limiter.limit <= 5
    for _ in range(1000):
        limiter.note_answer()
    assert limiter.limit == 16


def test_the_breaker_opens_on_failures_in_a_row_and_ends_every_wait() -> None:
    asyncio.run(drive_breaker())


async def drive_breaker() -> None:
    breaker = Breaker()
    for _ in range(FAILURES_IN_A_ROW - 1):
        breaker.note_failure("down")
    breaker.note_answer()
    breaker.check()
    pause = asyncio.create_task(breaker.pause(3600))
    await asyncio.sleep(0)
    for _ in range(FAILURES_IN_A_ROW):
        breaker.note_failure("down")
    with pytest.raises(BreakerOpenError, match="down"):
        await pause
    with pytest.raises(BreakerOpenError, match="in a row"):
        breaker.check()


needs = st.tuples(st.integers(1, 3), st.integers(0, 50), st.floats(0, 1), st.floats(0, 1))


@given(st.lists(needs, max_size=30), st.integers(0, 10), st.integers(0, 300), st.floats(0, 5), st.integers(1, 6))
def test_no_order_of_requests_passes_a_cap(
    requests: list[tuple[int, int, float, float]], calls: int, tokens: int, usd: float, workers: int
) -> None:
    budget = Budget(Caps(calls=calls, tokens=tokens, usd=usd), Spent())
    asyncio.run(spend(budget, requests, workers))
    for name in ("calls", "tokens", "usd"):
        cap = getattr(budget.caps, name)
        assert not cap or getattr(budget.spent, name) <= cap * (1 + 1e-9)
    assert budget.reserved.calls == 0


async def spend(budget: Budget, requests: list[tuple[int, int, float, float]], workers: int) -> None:
    """Workers that reserve, wait, and settle at a part of what they reserved."""
    waiting = iter(requests)
    await asyncio.gather(*(work(budget, waiting) for _ in range(workers)))


async def work(budget: Budget, waiting: Any) -> None:
    for pauses, tokens, usd, share in waiting:
        need = Spent(1, tokens, usd)
        try:
            await budget.reserve(need)
        except OverBudgetError:
            return
        for _ in range(pauses):
            await asyncio.sleep(0)
        budget.settle(need, Spent(1, int(tokens * share), usd * share))


def test_a_price_is_known_from_settings_or_the_list_and_unknown_is_not_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    listed = find_price(make_options(), find_endpoint("openai/gpt-4o-mini"))
    assert listed
    reply = Reply("x", tokens_in=1000, tokens_out=100, tokens_in_cached=1000)
    cost = compute_cost(listed, reply)
    assert cost
    assert 0 < cost < 1000 * listed.tokens_in + 100 * listed.tokens_out
    assert find_price(make_options(), find_endpoint("openai/no-such-model")) is None
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:1/v1")
    assert find_price(make_options(), find_endpoint("openai/gpt-4o-mini")) is None
    own = make_options(prices={"openai/small": Price(tokens_in=1, tokens_out=2)})
    assert compute_cost(find_price(own, find_endpoint("openai/small")), Reply("x", tokens_in=3, tokens_out=4)) == 11
    assert compute_cost(Price(tokens_in=1, tokens_out=2), Reply("x")) is None


def test_a_message_in_parts_is_read() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert read_completion({"choices": [{"message": {"content": parts}}]}).text == "ab"
