"""How a customer feels about where the conversation stands: the one thing that the loop asks after each agent message.

Belongs here: attitude, patience and what is missing, taken together. Not here: the rules of each (`patience.py`,
`acceptance.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.scenarios import Level
from schemas.simulation import EndDetail, Style
from servicebench_data.simulation.customer.acceptance import Move, find_missing, is_lowball
from servicebench_data.simulation.patience import Constants, Seen, State, advance, name_exit, start
from servicebench_data.simulation.repetition import find_repeated
from servicebench_data.simulation.turns import Need, Offer, Wish

ALL_NEEDS: tuple[Need, ...] = ("hearing", "action", "explanation", "apology", "money")


@dataclass(frozen=True)
class Feeling:
    """A customer's state of mind.

    Attributes:
        state: Attitude and patience.
        missing: What is still needed before it can agree.
        may_accept: Whether agreeing is open: nothing is missing, and the customer is not too angry for it.
        exit: How it leaves, where this is the last straw; None where it stays.
    """

    state: State
    missing: tuple[Need, ...]
    may_accept: bool
    exit: EndDetail | None

    @property
    def is_last_straw(self) -> bool:
        """Whether the customer leaves with its next message."""
        return self.exit is not None


def begin(style: Style, severity: Level, constants: Constants, *, style_moves: bool = False) -> Feeling:
    """How a customer feels when it writes first; a need that it does not have drops out with the first answer."""
    return Feeling(start(style, severity, constants, style_moves=style_moves), ALL_NEEDS, may_accept=False, exit=None)


@dataclass(frozen=True)
class Table:
    """What lies on the table after an agent's message.

    Attributes:
        wish: What would put it right.
        moves: All messages of the agent; the newest comes last.
        new: Offers that the newest message makes.
        standing: All offers that stand after it.
    """

    wish: Wish
    moves: Sequence[Move]
    new: Sequence[Offer]
    standing: Sequence[Offer]


def react(feeling: Feeling, table: Table, style: Style, constants: Constants) -> Feeling:
    """How the customer feels after the newest message of the agent.

    A customer who could agree never leaves: what was wished for is there.
    """
    *earlier, newest = table.moves
    missing = find_missing(table.wish, table.moves, table.standing)
    seen = Seen(
        flags=newest.flags.keys(),
        is_progress=set(missing) < set(feeling.missing),
        is_repeated=find_repeated(newest.text, [move.text for move in earlier]) is not None,
        is_lowball=is_lowball(table.wish, table.new, table.standing, constants),
    )
    state = advance(feeling.state, seen, constants)
    may_accept = not missing and state.attitude <= constants.accept_up_to
    leaves = state.is_exhausted and not may_accept
    return Feeling(state, missing, may_accept, name_exit(state.attitude, style, constants) if leaves else None)
