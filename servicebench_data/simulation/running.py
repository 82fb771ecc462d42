"""Many conversations at once.

Belongs here: how many go on at a time, what is told on the way, and gathering their tables. Not here: one conversation
(`loop.py`), who plays (`casting.py`).

Whatever a model or a team's function answered is in the ledger when the turn goes on, so that a run that was killed is
taken up by running it again: the ledger answers what was answered, and each conversation goes on where it stood. What
rules and scripts say is made anew, from the same seeds.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from schemas.records import Record
from servicebench_data.models.doorway import finish_all
from servicebench_data.models.prices import add_costs
from servicebench_data.simulation.loop import Scene, play
from servicebench_data.simulation.recording import Played
from servicebench_data.simulation.tables import MADE, join_tables, make_tables

#: Conversations whose rows are kept as objects before they become Arrow tables.
PORTION = 500


@dataclass
class Standing:
    """How a run stands.

    Attributes:
        total: Conversations to hold.
        ends: How many came to each end.
        cost_usd: Price of those that are over; None from the first on whose price is unknown.
    """

    total: int
    ends: Counter[str] = field(default_factory=Counter[str])
    cost_usd: float | None = 0.0

    @property
    def done(self) -> int:
        """Conversations that are over."""
        return self.ends.total()

    def note(self, played: Played) -> None:
        """A conversation is over."""
        self.ends[played.conversation.end] += 1
        self.cost_usd = add_costs([self.cost_usd, played.conversation.cost_usd])


Progress = Callable[[Standing], None]
Tables = dict[type[Record], pa.Table]


@dataclass
class Show:
    """Conversations while workers take them one by one.

    Attributes:
        queue: Conversations that nobody has begun.
        standing: How it stands.
        progress: Told after each.
        tables: Tables of what is over.
        waiting: What is over and not yet in the tables.
    """

    queue: Iterator[Scene]
    standing: Standing
    progress: Progress | None
    tables: list[Tables] = field(default_factory=list[Tables])
    waiting: list[Played] = field(default_factory=list[Played])

    async def work_off(self) -> None:
        """Hold conversations until none is left; offline ones let others have their turn in between."""
        for scene in self.queue:
            # Awaited before the list is looked up: meanwhile another may gather it and begin a new one.
            played = await play(scene)
            self.waiting.append(played)
            self.standing.note(played)
            if len(self.waiting) >= PORTION:
                self.gather()
            if self.progress:
                self.progress(self.standing)
            await asyncio.sleep(0)

    def gather(self) -> None:
        """Turn what is over into tables."""
        self.tables.append(make_tables(self.waiting))
        self.waiting = []

    def finish(self) -> Tables:
        """All tables, sorted by their keys whatever came first."""
        self.gather()
        return join_tables(self.tables)


async def play_all(scenes: Iterable[Scene], total: int, at_once: int, progress: Progress | None = None) -> Tables:
    """Hold conversations, so many at once, and return their tables.

    Args:
        scenes: What is played; each is asked for when there is a place for it.
        total: How many there are.
        at_once: Most conversations that go on at a time.
        progress: Told how the run stands after each.
    """
    show = Show(iter(scenes), Standing(total), progress)
    await finish_all([show.work_off() for _ in range(min(at_once, total))])
    return show.finish()


__all__ = ["MADE", "Standing", "play_all"]
