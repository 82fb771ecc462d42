"""The one resource: settings of a build as typed Launchpad fields, and the lake they point to.

Belongs here: turning Dagster's configuration into `Settings`. Not here: settings themselves, which are in
`servicebench_data/settings.py` with their defaults and bounds.
"""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import dagster as dg
from pydantic import Field, create_model

from assets.instance import end_killed
from assets.progress import ProgressLog
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.lake.database import Limits
from servicebench_data.lake.lock import hold_lock_as
from servicebench_data.lake.store import Lake
from servicebench_data.models.doorway import Doorway, open_doorway
from servicebench_data.models.options import ModelOptions
from servicebench_data.settings import Settings

#: Tag of the runs that one command launches one after the other: caps hold over all of them.
PAYER = "servicebench/payer"
CONFIG_TYPES = (int, float, bool, str)


class ProductBase(dg.ConfigurableResource):
    """Behaviour of the resource; its fields are added from `Settings`."""

    @property
    def settings(self) -> Settings:
        """The checked settings."""
        return Settings.check({name: getattr(self, name) for name in Settings.model_fields})

    @property
    def lake(self) -> Lake:
        """The home's lake."""
        return Lake(self.settings.home)

    @property
    def limits(self) -> Limits:
        """What DuckDB may take."""
        settings = self.settings
        return Limits(settings.memory_gb, settings.threads, self.lake.scratch)

    def make_embedder(self, log: Callable[..., Any]) -> Embedder:
        """Vectors by the configured model from the home's cache; progress goes to the log now and then."""
        return Embedder(
            self.settings.embedding_model, self.lake.cache / "embeddings", ProgressLog(log, "embedded texts")
        )

    def make_doorway(self, run_id: str = "", *, only_recalls: bool = False) -> Doorway:
        """The doorway to the configured model, with the home's ledger; nothing is asked before the first item."""
        settings = self.settings
        options = ModelOptions.from_settings(settings)
        replay = only_recalls or settings.model_replay
        return open_doorway(options, settings.locate_ledger(), replay=replay, run_id=run_id)

    @contextmanager
    def hold_doorway(self, run_id: str) -> Generator[Callable[[], Doorway]]:
        """A function that opens the doorway when it is first called; it is closed on leaving."""
        with ExitStack() as stack:
            yield cache(lambda: stack.enter_context(self.make_doorway(run_id)))

    def make_doorway_for(self, model: str, run_id: str = "") -> Doorway:
        """The doorway for what names its own models; `model` stands in where the settings name none."""
        settings = self.settings
        options = ModelOptions.from_settings(settings.model_copy(update={"model": settings.model or model}))
        return open_doorway(options, settings.locate_ledger(), replay=settings.model_replay, run_id=run_id)


def find_payer(run: dg.DagsterRun) -> str:
    """Who pays for the calls of a run: the command that launched it along with others, else the run itself."""
    return run.tags.get(PAYER, run.run_id)


class LockedProductBase(ProductBase):
    """The resource of a run: it holds the home's build lock for as long as the run lasts."""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[Any]:
        """Take the lock, end the run that had it when it was killed, and let go of it when this run ends."""
        with hold_lock_as(self.settings.home, context.run.run_id if context.run else "") as killed:
            end_killed(context.instance, killed)
            yield self


def declare_fields(settings: Settings) -> dict[str, Any]:
    """Fields of the resource with the resolved settings as visible defaults."""
    fields: dict[str, Any] = {}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        kind = next((entry for entry in CONFIG_TYPES if type(value) is entry), str)
        fields[name] = (kind, Field(default=value if kind is not str else str(value), description=field.description))
    return fields


def make_resources(settings: Settings) -> dict[str, ProductBase]:
    """The resources with the given settings as defaults: `product` for runs, `watcher` for schedule and sensor."""
    fields = declare_fields(settings)
    return {
        "product": create_model("Product", __base__=LockedProductBase, **fields)(),
        "watcher": create_model("Watcher", __base__=ProductBase, **fields)(),
    }
