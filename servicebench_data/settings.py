"""Every setting of a build, in one frozen object; the only reader of the environment.

Belongs here: names, defaults, bounds and meaning of settings. Not here: what is done with them.
"""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from schemas.records import Strict

PREFIX = "SERVICEBENCH_"


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
    threads: int = Field(2, ge=1, description="Threads that DuckDB may use.")

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
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise SettingsError(f"setting {first['loc'][0]!r} is {first['input']!r}: {first['msg']}.") from error
        return settings.model_copy(update={"home": settings.home.expanduser().absolute()})

    def public(self) -> dict[str, Any]:
        """What decides the result, for the record: all but where it lies and how much of the machine it takes."""
        return self.model_dump(mode="json", exclude={"home", "memory_gb", "threads", "keep_builds"})
