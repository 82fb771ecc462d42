"""Every setting of a build, in one frozen object; the only reader of the environment.

Belongs here: names, defaults, bounds and meaning of settings. Not here: what is done with them.
"""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError

from schemas.records import Strict

PREFIX = "SERVICEBENCH_"

# What does not decide the result: where it lies, how much of the machine it takes, and how (not what) models are asked.
NOT_PUBLIC = frozenset({
    "home", "memory_gb", "threads", "keep_builds", "ledger_url", "model_replay", "model_budget_usd",
    "model_budget_calls", "model_budget_tokens", "model_timeout_seconds", "model_concurrency", "model_prices",
    "model_refused_share",
})  # fmt: skip

SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORI[SZ]ATION|DATABASE_URL|_DSN", re.IGNORECASE
)
SHORTEST_SECRET = 8


class SettingsError(ValueError):
    """A setting that is unknown or out of bounds; the message names it and the remedy."""


class Settings(Strict):
    """The resolved settings of a build; each can be set as `SERVICEBENCH_<NAME>`, and one set to nothing is not set."""

    home: Path = Field(Path(".servicebench"), description="Folder of everything that is kept; a local disk.")
    source: Literal["sample", "posts"] = Field(
        "posts", description="`sample` builds from the bundled fictional posts, `posts` from the registered ones."
    )
    release_size: int = Field(2500, ge=1, description="Scenarios to release; all valid ones where there are fewer.")
    evaluation_share: float = Field(0.8, gt=0, lt=1, description="Share of clusters on the evaluation side.")
    stale_rate: float = Field(0.1, ge=0, le=1, description="Share of the case-record fields that can be stale and are.")
    goodwill_limit_usd: float = Field(200.0, ge=0, description="Discretionary goodwill limit of the agent, USD.")
    seed: int = Field(2026, description="Seed of every choice left to chance.")
    min_topic_dialogues: int = Field(
        50, ge=10, description="Complaints that an industry needs for topics to be sought."
    )
    embedding_model: str = Field("bundled", description="`bundled`, or the name of a sentence-transformers model.")
    keep_builds: int = Field(3, ge=1, description="Published builds to keep, the newest among them.")
    memory_gb: float = Field(4.0, ge=0.5, description="Memory that DuckDB may use, GiB.")
    threads: int = Field(2, ge=1, description="Threads of DuckDB, and processes that share what one thread would do.")
    model: str = Field("", description="Model that writes scenarios, as litellm names it; empty for offline rules.")
    model_tasks: str = Field("", description="Models of single tasks, as `events=NAME,severity=NAME`.")
    model_fallbacks: str = Field("", description="Models to ask in turn where one gives no valid answer, by commas.")
    model_max_tries: int = Field(3, ge=1, le=10, description="Answers asked for before an item counts as failed.")
    model_temperature: float = Field(0.7, ge=0, le=2, description="Sampling temperature.")
    model_max_output_tokens: int = Field(4000, ge=1, description="Most tokens of one answer.")
    model_parameters: str = Field("", description="Further parameters of each call, as a JSON object.")
    model_prices: str = Field(
        "", description="Prices that are not known otherwise, as `NAME=IN:OUT` in USD per million tokens, by commas."
    )
    model_budget_usd: float = Field(0.0, ge=0, description="Most USD that a run may spend on models; 0 for no cap.")
    model_budget_calls: int = Field(0, ge=0, description="Most requests that a run may send to models; 0 for no cap.")
    model_budget_tokens: int = Field(0, ge=0, description="Most tokens that a run may use; 0 for no cap.")
    model_refused_share: float = Field(
        0.9, ge=0, le=1, description="Asking for a task stops once more of its items than this share failed every try."
    )
    model_timeout_seconds: float = Field(180.0, gt=0, description="Longest wait for one reply, seconds.")
    model_concurrency: int = Field(
        16, ge=1, le=1000, description="Most requests at once; fewer when asked to slow down."
    )
    model_replay: bool = Field(
        default=False, description="Answer from the ledger alone, with no network; what is not there is an error."
    )
    ledger_url: str = Field(
        "", description="Database of the ledger of model calls, without password; empty for SQLite in the home."
    )

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """Settings from the environment, overruled by what is given; None counts as not given.

        Raises:
            SettingsError: A name is unknown or a value is out of bounds.
        """
        source = os.environ if environment is None else environment
        found = {
            name.removeprefix(PREFIX).lower(): value
            for name, value in source.items()
            if value and name.startswith(PREFIX)
        }
        return cls.check({**found, **{name: value for name, value in given.items() if value is not None}})

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> Self:
        """Settings from values by name, with the home made absolute.

        Raises:
            SettingsError: A name is unknown or a value is out of bounds.
        """
        for name in values:
            if name not in cls.model_fields:
                near = get_close_matches(name, cls.model_fields, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the settings are {', '.join(cls.model_fields)}."
                raise SettingsError(f"unknown setting {name!r}; {hint}")
        refuse_password(str(values.get("ledger_url", "")))
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise SettingsError(f"setting {first['loc'][0]!r} is {first['input']!r}: {first['msg']}.") from error
        return settings.model_copy(update={"home": settings.home.expanduser().absolute()})

    def public(self) -> dict[str, Any]:
        """What decides the result, for the record: all but `NOT_PUBLIC`."""
        return self.model_dump(mode="json", exclude=set(NOT_PUBLIC))

    def locate_ledger(self) -> str:
        """URL of the ledger: the one set, else a SQLite file in the home."""
        return self.ledger_url or f"sqlite:///{self.home / 'ledger' / 'ledger.sqlite'}"


class Access(NamedTuple):
    """How a provider is reached, by its usual environment variables.

    Attributes:
        base_url: Base of its addresses; None where the provider's own is meant.
        key: The key, which never leaves this object in print.
        key_name: Variable that holds the key, for error messages.
    """

    base_url: str | None
    key: SecretStr | None
    key_name: str


def find_access(provider: str, environment: Mapping[str, str] | None = None) -> Access:
    """Read `<PROVIDER>_API_BASE` or `_BASE_URL`, and `<PROVIDER>_API_KEY`."""
    source = os.environ if environment is None else environment
    name = re.sub(r"\W", "_", provider).upper()
    base = source.get(f"{name}_API_BASE") or source.get(f"{name}_BASE_URL")
    key = source.get(f"{name}_API_KEY")
    return Access(base.rstrip("/") if base else None, SecretStr(key) if key else None, f"{name}_API_KEY")


def list_bases(environment: Mapping[str, str] | None = None) -> list[str]:
    """Addresses that any provider's variable names, in order: one of them may be that of a model without a provider."""
    source = os.environ if environment is None else environment
    return sorted({value for name, value in source.items() if value and name.endswith(("_API_BASE", "_BASE_URL"))})


def list_secrets(environment: Mapping[str, str] | None = None) -> list[str]:
    """Values of all variables that look like keys, longest first, so that they can be struck out of texts."""
    source = os.environ if environment is None else environment
    found = {value for name, value in source.items() if SECRET_NAME.search(name) and len(value) >= SHORTEST_SECRET}
    return sorted(found, key=lambda value: (-len(value), value))


def refuse_password(url: str) -> None:
    """Raise SettingsError, without showing it, for a URL that carries a password: settings are shown in many places."""
    if urlsplit(url).password or "password=" in url.lower():
        raise SettingsError(
            "setting 'ledger_url' carries a password, and settings are shown; leave it out of the URL and set "
            "PGPASSWORD or a ~/.pgpass file."
        )
