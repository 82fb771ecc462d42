"""Caps in USD, calls and tokens that stop a run before they are passed.

Belongs here: reserving what a request may at most take, and settling what it took. Not here: prices (`prices.py`).
"""

import asyncio

from servicebench_data.models.ledger import Spent
from servicebench_data.models.options import Caps


class OverBudgetError(RuntimeError):
    """The next request could pass a cap; the message names the cap and its setting."""


class Budget:
    """What is left of the caps; each request reserves the most that it may take before it is sent.

    Args:
        caps: The caps; 0 stands for none.
        spent: What the run has spent before.
    """

    def __init__(self, caps: Caps, spent: Spent) -> None:
        self.caps = caps
        self.spent = spent
        self.reserved = Spent()
        self._settled: asyncio.Event = asyncio.Event()

    async def reserve(self, need: Spent) -> None:
        """Reserve what a request may take, waiting for others to settle where only they stand in its way.

        Raises:
            OverBudgetError: It could pass a cap.
        """
        while name := self.find_passed(need, self.reserved):
            if self.reserved.calls == 0 or self.find_passed(need, Spent()):
                raise OverBudgetError(
                    f"the next request could pass the cap of {getattr(self.caps, name):g} {name}; "
                    f"raise SERVICEBENCH_MODEL_BUDGET_{name.upper()} to go on, what was answered is kept."
                )
            self._settled.clear()
            await self._settled.wait()
        self.reserved = add(self.reserved, need)

    def find_passed(self, need: Spent, reserved: Spent) -> str | None:
        """Name of a cap that would be passed; None where none would."""
        total = add(add(self.spent, reserved), need)
        for name in Spent._fields:
            cap = getattr(self.caps, name)
            if cap and getattr(total, name) > cap:
                return name
        return None

    def settle(self, reserved: Spent, taken: Spent) -> None:
        """Replace a reservation by what was taken."""
        self.reserved = add(self.reserved, Spent(-reserved.calls, -reserved.tokens, -reserved.usd))
        self.spent = add(self.spent, taken)
        self._settled.set()


def add(first: Spent, second: Spent) -> Spent:
    """The sum of two."""
    return Spent(first.calls + second.calls, first.tokens + second.tokens, first.usd + second.usd)
