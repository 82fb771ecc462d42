"""A session: questions to several models, one at a time, while a loop runs; conversations are held over it.

Belongs here: finding a question's endpoint, and what is done once. Not here: opening one (`doorway.py`), how a call is
made (`calling.py`).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from servicebench_data.models.calling import Caller
from servicebench_data.models.conversation import converse
from servicebench_data.models.deeds import Deed
from servicebench_data.models.jobs import Line
from servicebench_data.models.ledger import Use
from servicebench_data.models.options import OptionsError
from servicebench_data.models.task import How, Item, Outcome, Task

A = TypeVar("A", bound=BaseModel)


class Target(NamedTuple):
    """A model, at its provider's or at a given address."""

    model: str
    api_base: str | None = None


class Session:
    """Asks models within a running loop; any number of conversations share it.

    Args:
        caller: Makes the calls.
        lines: The endpoints that may be asked.
    """

    def __init__(self, caller: Caller, lines: Mapping[Target, Line]) -> None:
        self._caller = caller
        self._lines = lines

    async def ask(self, task: Task[A], item: Item[A], how: How) -> Outcome[A]:
        """The checked answer of one model, or the reasons why there is none; no other model ever stands in.

        Raises:
            OptionsError: The session was not opened for the model.
        """
        line = self._lines.get(Target(how.model, how.api_base))
        if line is None:
            raise OptionsError(f"the session was not opened for {how.model!r} at {how.api_base!r}; name it at opening.")
        return await converse(self._caller, line, task, item, how)

    async def do_once(self, deed: Deed, do: Callable[[], Awaitable[str]]) -> str:
        """The answer to a deed: from the ledger, or done and kept; what `do` raises is raised, and nothing is kept."""
        call = await self._caller.recall(deed, do)
        self._caller.keeper.note(Use(deed.key, deed.task, deed.item_id, is_accepted=True, reasons=()))
        return call.response_text or ""
