"""A customer's attitude and patience: how they begin, what each agent message does to them, and when they end it.

Belongs here: the state and its rules (our definition, after the levels and flags of state-based de-escalation
training). Not here: the constants (`patience.yaml`), reading the agent's message (`gate`), or whether what stands on
the table is enough (`customer/acceptance.py`).

Attitude moves on one scale of small steps, `steps_to_rise` of them to a level, so that the rules are monotone: seeing
one more good thing in a message never leaves a customer angrier or less patient, then or after the same further
messages. A step counts only while it brings the customer nearer to what is missing: the tenth "you will hear from us"
is no better than silence.
"""

import hashlib
import json
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from schemas.scenarios import Level
from schemas.simulation import EndDetail, Flag, Style

FILE = Path(__file__).with_name("patience.yaml")
HIGHEST = 4


class ConstantsError(ValueError):
    """The file of constants is not as it must be; the message names entry and remedy."""


@dataclass(frozen=True)
class Constants:
    """What `patience.yaml` sets; each entry says there what it does and why it has its value."""

    start_level_low: float
    start_level_medium: float
    start_level_high: float
    patience_low: float
    patience_medium: float
    patience_high: float
    steps_to_rise: float
    hearing_needed_from: float
    turn_cost: float
    level_cost: float
    provoked_cost: float
    repeated_cost: float
    lowball_cost: float
    relief_acknowledged: float
    relief_apologised: float
    relief_checked: float
    relief_path: float
    least_cost: float
    accept_up_to: float
    lowball_share: float
    may_leave_below: float
    third_party_from: float
    passive_tells: float
    assertive_factor: float
    cold_factor: float

    @property
    def sha256(self) -> str:
        """Digest of the values, whatever the file's comments say."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @property
    def steps(self) -> int:
        """Small steps to a level; one at the least."""
        return max(1, round(self.steps_to_rise))


@dataclass(frozen=True)
class State:
    """A customer's state after a message of the agent.

    Attributes:
        heat: Place on the scale of small steps.
        steps: Small steps to a level.
        patience: What is left; at 0 the customer leaves.
        is_heard: Whether the agent ever acknowledged the harm or checked a fact.
    """

    heat: int
    steps: int
    patience: float
    is_heard: bool = False

    @property
    def attitude(self) -> int:
        """Level from 0 calm to 4 beyond talking."""
        return min(HIGHEST, self.heat // self.steps)

    @property
    def is_exhausted(self) -> bool:
        """Whether the customer leaves with the next message."""
        return self.patience <= 0


@dataclass(frozen=True)
class Seen:
    """What a customer sees in one agent message.

    Attributes:
        flags: Flags that the gate set.
        is_progress: Whether it brought the customer nearer to what is missing; see `feeling.py`.
        is_repeated: Whether the message says much the same as an earlier one of the agent.
        is_lowball: Whether it makes an offer far below a loss of money; see `acceptance.is_lowball`.
    """

    flags: AbstractSet[Flag]
    is_progress: bool = False
    is_repeated: bool = False
    is_lowball: bool = False


@cache
def load_constants(path: Path = FILE) -> Constants:
    """Read the constants.

    Raises:
        ConstantsError: An entry is missing, unknown, no number, negative, or without its reason.
    """
    entries: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    names = {field.name for field in fields(Constants)}
    if set(entries) != names:
        raise ConstantsError(
            f"{str(path)!r} lacks {sorted(names - set(entries))} and does not know {sorted(set(entries) - names)}; "
            "give each constant once with `value` and `reason`."
        )
    return Constants(**{name: read_value(name, entry) for name, entry in entries.items()})


def read_value(name: str, entry: Any) -> float:
    """The value of an entry that has its reason."""
    value, reason = (entry.get("value"), entry.get("reason")) if isinstance(entry, dict) else (None, None)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0 or not reason:
        raise ConstantsError(f"constant {name!r} needs a `value` of 0 or more and a `reason`; it is {entry!r}.")
    return float(value)


def start(style: Style, severity: Level, constants: Constants, *, style_moves: bool = False) -> State:
    """How a customer begins; the style matters only where it is set to act."""
    level, patience = {
        "low": (constants.start_level_low, constants.patience_low),
        "medium": (constants.start_level_medium, constants.patience_medium),
        "high": (constants.start_level_high, constants.patience_high),
    }[severity]
    factor = find_factor(style, constants) if style_moves else 1.0
    return State(heat=min(HIGHEST, round(level)) * constants.steps, steps=constants.steps, patience=patience * factor)


def find_factor(style: Style, constants: Constants) -> float:
    """Share of the patience that a style has, where style acts."""
    is_assertive, is_cold = style.startswith("assertive"), style.endswith("cold")
    return (constants.assertive_factor if is_assertive else 1.0) * (constants.cold_factor if is_cold else 1.0)


def advance(state: State, seen: Seen, constants: Constants) -> State:
    """State after an agent message: at most one level up or down, and always some patience less."""
    good = find_good(seen)
    heard = state.is_heard or bool(good & {"acknowledges_harm", "checks_facts"})
    heat = move_heat(state, good, constants, is_provoked="provokes" in seen.flags)
    top = HIGHEST * state.steps
    moved = replace(state, heat=min(heat, top), is_heard=heard)
    if heat > top:
        return replace(moved, patience=0.0)
    left = state.patience - find_cost(moved, seen, good, constants)
    return replace(moved, patience=max(0.0, round(left, 6)))


def find_good(seen: Seen) -> AbstractSet[Flag]:
    """Flags that do the customer good: none where the same is said again, no step where it leads nowhere."""
    if seen.is_repeated:
        return set()
    return seen.flags - ({"provokes"} if seen.is_progress else {"provokes", "offers_path"})


def move_heat(state: State, good: AbstractSet[Flag], constants: Constants, *, is_provoked: bool) -> int:
    """New place on the scale; beyond the top there is nothing left to say.

    An angry customer calms down only when acknowledged and shown a step or a check; a message that does neither lets
    the heat rise by a small step, and half of it holds it where it is.
    """
    level = state.heat // state.steps
    if is_provoked:
        return (level + 1) * state.steps
    works = bool(good & {"checks_facts", "offers_path"})
    is_open = level < constants.hearing_needed_from
    if works and (is_open or "acknowledges_harm" in good):
        return max(0, level - 1) * state.steps
    if good & {"acknowledges_harm", "apologises"}:
        return state.heat
    return state.heat + 1


def find_cost(moved: State, seen: Seen, good: AbstractSet[Flag], constants: Constants) -> float:
    """Patience that a message costs: the exchange, the anger, what was done wrong, less what was done right."""
    relief = (
        constants.relief_acknowledged * ("acknowledges_harm" in good)
        + constants.relief_apologised * ("apologises" in good)
        + constants.relief_checked * ("checks_facts" in good)
        + constants.relief_path * ("offers_path" in good and moved.is_heard)
    )
    burden = (
        constants.turn_cost
        + constants.level_cost * moved.attitude
        + constants.provoked_cost * ("provokes" in seen.flags)
        + constants.repeated_cost * seen.is_repeated
        + constants.lowball_cost * seen.is_lowball
    )
    return max(constants.least_cost, burden - relief)


def may_leave(attitude: int, patience: float, constants: Constants) -> bool:
    """Whether a customer may go of its own accord: little patience is left, or talking is over."""
    return patience <= constants.may_leave_below or attitude >= HIGHEST


def name_exit(attitude: int, style: Style, constants: Constants) -> EndDetail:
    """How a customer goes: to a third party in anger, by fading out where passive, or just so."""
    if attitude >= min(HIGHEST, constants.third_party_from):
        return "third_party"
    return "faded_out" if style.startswith("passive") else "left"
