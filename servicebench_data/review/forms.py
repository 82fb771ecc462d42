"""What a reviewer is shown and may decide: items with their evidence, and the actions that a kind of item takes.

Belongs here: plain descriptions that page, CSV and validation share. Not here: any kind of item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemas.review import KEEP, Outcome, Override


@dataclass(frozen=True)
class Choice:
    """A value that an action can take.

    Attributes:
        value: What is stored.
        title: What the reviewer reads.
        group: Heading that it stands under.
        hint: What helps to choose it, such as a definition.
    """

    value: str
    title: str
    group: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Action:
    """Something that can be decided about an item.

    Attributes:
        name: What is stored.
        title: What the reviewer reads.
        hint: What follows from it.
        takes: Whether it needs no value, one of the choices, a text, or a number.
        choices: The choices.
        bounds: Smallest and largest number.
    """

    name: str
    title: str
    hint: str
    takes: Literal["nothing", "choice", "text", "number"] = "nothing"
    choices: tuple[Choice, ...] = ()
    bounds: tuple[float, float] = (0, 0)


KEEP_ACTION = Action(
    KEEP, "keep as it is", "Nothing changes; you looked at it. An earlier decision on it is withdrawn."
)


REVERT_ACTION = Action(KEEP, "withdraw", "The earlier decision on this part is withdrawn.")


@dataclass(frozen=True)
class Cell:
    """A part of an item that is shown by itself, and can be decided on by itself if it takes any action.

    Attributes:
        name: What is stored; unique within the item.
        group: Heading that it stands under.
        title: What the reviewer reads for it.
        text: What it says now; missing where it is empty.
        sha256: Digest of what decides whether a decision on it still holds; empty where it takes no action.
        actions: The actions besides `keep`.
        marks: Stretches of the text that stand out.
        notes: Further remarks, such as what was there before.
        decided: The latest decision on it.
        outcome: What became of that in the last build.
    """

    name: str
    group: str
    title: str
    text: str | None
    sha256: str = ""
    actions: tuple[Action, ...] = ()
    marks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decided: Override | None = None
    outcome: Outcome | None = None

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """The actions with `keep` first; none where it is only shown."""
        return (REVERT_ACTION, *self.actions) if self.actions else ()


@dataclass(frozen=True)
class Form:
    """What can be decided about one kind of item in one industry; `keep` is always among it.

    Attributes:
        kind: The kind.
        title: What the reviewer reads for it.
        actions: The actions besides `keep`.
        digests: Current digest of each item, and of each cell by item and name (`Override.target`), for telling at
            once whether a decision is stale.
        cells: Cells of each item, where items of the kind have some; then no other item can be decided on.
        notes: What else to say of a decision after the last build, by `Override.target`.
        keep: What leaving an item as it is means.
        outcomes: What becomes of the decisions that count, by `Override.target`, where more than the digest says so.
    """

    kind: str
    title: str
    actions: tuple[Action, ...]
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    cells: Mapping[str, Sequence[Cell]] | None = None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    keep: Action = KEEP_ACTION
    outcomes: Mapping[str, Outcome] = field(default_factory=dict[str, Outcome])

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """The actions with `keep` first."""
        return (self.keep, *self.actions)


@dataclass(frozen=True)
class Item:
    """An item with what the reviewer sees of it.

    Attributes:
        kind: Its kind.
        item_id: Its id.
        sha256: Digest of what decides whether a decision on it still holds.
        title: One line.
        badges: Short remarks that stand out, such as `novel`.
        facts: Names and values.
        texts: Texts to read.
        decided: The latest decision on it.
        outcome: What became of that in the last build.
        cells: Its parts, where some are shown by themselves.
    """

    kind: str
    item_id: str
    sha256: str
    title: str
    badges: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    decided: Override | None = None
    outcome: Outcome | None = None
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """Everything on one review page.

    Attributes:
        title: Heading.
        industry: Industry of all its items.
        intro: What is to be done, in a sentence or two.
        forms: What can be decided, by kind.
        items: The items in the order in which they are to be looked at.
    """

    title: str
    industry: str
    intro: str
    forms: Sequence[Form]
    items: Sequence[Item]
