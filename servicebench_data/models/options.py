"""How models are asked: which, with what parameters, how often, and up to which cap.

Belongs here: the options of a doorway, and reading them from settings. Not here: keys and addresses (`endpoints.py`).
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Self, cast

from pydantic import Field

from schemas.records import Strict
from servicebench_data.settings import Settings

# Parameters with settings of their own, those that the doorway owns, and those that could carry a key.
OWNED = {
    "model", "messages", "temperature", "max_tokens", "max_completion_tokens", "seed", "response_format", "stream", "n",
    "timeout", "num_retries", "max_retries", "api_base", "base_url", "fallbacks", "mock_response", "drop_params",
}  # fmt: skip
SECRET = re.compile(r"key|secret|password|header|authori[sz]ation|credential|_token$|^token$", re.IGNORECASE)
# Inside a parameter, where a schema or a template may speak of keys that are none.
SECRET_INSIDE = re.compile(r"api.?key|secret|password|authori[sz]ation|credential|(?:^|_)token$", re.IGNORECASE)


class OptionsError(ValueError):
    """Options that cannot be used; the message names the setting and the remedy."""


class Caps(Strict):
    """What a run may spend; 0 stands for no cap."""

    usd: float = Field(default=0.0, ge=0)
    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)


class Price(Strict):
    """Price of a model, USD for one token."""

    tokens_in: float = Field(ge=0)
    tokens_out: float = Field(ge=0)
    tokens_in_cached: float | None = Field(default=None, ge=0)


class ModelOptions(Strict):
    """Options of a doorway.

    Attributes:
        model: Model of every task that has none of its own.
        task_models: Models by task.
        fallbacks: Models to ask in turn where one gives no valid answer.
        max_tries: Answers asked of one model before the item counts as failed.
        temperature: Sampling temperature.
        max_output_tokens: Most tokens of one answer.
        parameters: Further parameters of each call.
        seed: Seed that is sent along.
        caps: What may be spent.
        refused_share: Share of a task's items that may fail every try before asking for it stops.
        prices: Prices by model that are not known otherwise.
        timeout_seconds: Longest wait for one reply.
        concurrency: Most requests at once to one endpoint.
        max_attempts: Most requests for one call, retries after faults among them.
        backoff_seconds: Longest pause before the first retry; it doubles with each.
        lease_seconds: How long a call counts as taken when its process does not answer any more.
    """

    model: str = Field(min_length=1)
    task_models: dict[str, str] = Field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    max_tries: int = Field(default=3, ge=1)
    temperature: float = Field(default=0.7, ge=0)
    max_output_tokens: int = Field(default=4000, ge=1)
    parameters: dict[str, Any] = Field(default_factory=dict)
    seed: int = 2026
    caps: Caps = Field(default_factory=Caps)
    refused_share: float = Field(default=0.9, ge=0, le=1)
    prices: dict[str, Price] = Field(default_factory=dict)
    timeout_seconds: float = Field(default=180.0, gt=0)
    concurrency: int = Field(default=16, ge=1)
    max_attempts: int = Field(default=6, ge=1)
    backoff_seconds: float = Field(default=1.0, ge=0)
    lease_seconds: float = Field(default=60.0, gt=0)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Options as the settings say.

        Raises:
            OptionsError: A setting does not have its form, or none names a model.
        """
        if not settings.model:
            raise OptionsError("no model is set; name one with SERVICEBENCH_MODEL or `--model`.")
        caps = Caps(
            usd=settings.model_budget_usd, calls=settings.model_budget_calls, tokens=settings.model_budget_tokens
        )
        return cls(
            model=settings.model,
            task_models=dict(read_pairs("model_tasks", settings.model_tasks)),
            fallbacks=tuple(split_list(settings.model_fallbacks)),
            max_tries=settings.model_max_tries,
            temperature=settings.model_temperature,
            max_output_tokens=settings.model_max_output_tokens,
            parameters=read_parameters(settings.model_parameters),
            seed=settings.seed,
            caps=caps,
            refused_share=settings.model_refused_share,
            prices=dict(read_prices(settings.model_prices)),
            timeout_seconds=settings.model_timeout_seconds,
            concurrency=settings.model_concurrency,
        )

    def list_models(self, task: str) -> tuple[str, ...]:
        """Models to ask for a task, in turn."""
        first = self.task_models.get(task, self.model)
        return tuple(dict.fromkeys([first, *self.fallbacks]))


def split_list(text: str) -> list[str]:
    """Entries between commas, without blanks."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def read_pairs(setting: str, text: str) -> Iterator[tuple[str, str]]:
    """Pairs `NAME=VALUE` between commas.

    Raises:
        OptionsError: One has another form.
    """
    for entry in split_list(text):
        name, _, value = entry.partition("=")
        if not name.strip() or not value.strip():
            raise OptionsError(f"setting {setting!r} holds {entry!r}; write `NAME=VALUE`, by commas.")
        yield name.strip(), value.strip()


def read_prices(text: str) -> Iterator[tuple[str, Price]]:
    """Prices by model from `NAME=IN:OUT`, USD per million tokens.

    Raises:
        OptionsError: A price is no number.
    """
    for name, value in read_pairs("model_prices", text):
        try:
            first, second = (float(part) / 1e6 for part in value.split(":"))
            yield name, Price(tokens_in=first, tokens_out=second)
        except ValueError as error:
            raise OptionsError(
                f"setting 'model_prices' holds {value!r} for {name!r}; write `NAME=IN:OUT` in USD per million tokens."
            ) from error


def read_parameters(text: str) -> dict[str, Any]:
    """Further parameters from a JSON object.

    Raises:
        OptionsError: It is none, or a parameter is the doorway's own or could carry a key.
    """
    if not text:
        return {}
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise OptionsError(
            "setting 'model_parameters' is no JSON; write an object such as {\"top_p\": 0.9}."
        ) from error
    if not isinstance(found, dict):
        raise OptionsError("setting 'model_parameters' is no JSON object; write one such as {\"top_p\": 0.9}.")
    parameters: dict[str, Any] = {str(name): value for name, value in found.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for name, value in parameters.items():
        if name in OWNED or may_hold_key(name, value):
            raise OptionsError(
                f"setting 'model_parameters' holds {name!r}, which has a setting or variable of its own; leave it out."
            )
    return parameters


def may_hold_key(name: str, value: Any) -> bool:
    """Whether a parameter, or anything in it, has a name that keys have."""
    return any([SECRET.search(name), *map(SECRET_INSIDE.search, list_names(value))])


def list_names(value: Any) -> Iterator[str]:
    """Names of the members of a JSON value, at any depth."""
    if isinstance(value, dict):
        for name, entry in cast("dict[str, Any]", value).items():
            yield name
            yield from list_names(entry)
    elif isinstance(value, list):
        for entry in cast("list[Any]", value):
            yield from list_names(entry)
