from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemas.experiment import STYLES
from schemas.scenarios import Level
from schemas.simulation import Flag
from servicebench_data.simulation.patience import (
    FILE,
    HIGHEST,
    ConstantsError,
    Seen,
    State,
    advance,
    load_constants,
    may_leave,
    name_exit,
    start,
)

CONSTANTS = load_constants()
GOOD: tuple[Flag, ...] = ("acknowledges_harm", "apologises", "checks_facts", "offers_path")
LEVELS: tuple[Level, ...] = get_args(Level)
FLAGS = st.frozensets(st.sampled_from(get_args(Flag)))
SEEN = st.builds(Seen, FLAGS, st.booleans(), st.booleans(), st.booleans())
STARTS = st.builds(
    lambda style, level: start(style, level, CONSTANTS), st.sampled_from(STYLES), st.sampled_from(LEVELS)
)
#: Constants as they stand, and with some of them moved by half.
VARIED = st.builds(
    lambda name, factor: replace(CONSTANTS, **{name: getattr(CONSTANTS, name) * factor}),
    st.sampled_from(list(CONSTANTS.__dataclass_fields__)),
    st.sampled_from([0.5, 1.0, 1.5]),
)


def is_no_worse(one: State, other: State) -> bool:
    return one.heat <= other.heat and one.patience >= other.patience and one.is_heard >= other.is_heard


@given(STARTS, st.lists(SEEN, max_size=6), SEEN, st.sampled_from(GOOD), st.lists(SEEN, max_size=6))
def test_one_more_good_flag_never_harms_then_or_later(
    state: State, before: list[Seen], seen: Seen, flag: Flag, after: list[Seen]
) -> None:
    for message in before:
        state = advance(state, message, CONSTANTS)
    plain, better = seen, replace(seen, flags=seen.flags | {flag})
    one, other = advance(state, better, CONSTANTS), advance(state, plain, CONSTANTS)
    assert is_no_worse(one, other)
    for message in after:
        one, other = advance(one, message, CONSTANTS), advance(other, message, CONSTANTS)
        assert is_no_worse(one, other)


@given(STARTS, st.lists(SEEN, max_size=6), SEEN)
def test_provoking_repeating_and_leading_nowhere_never_help(state: State, before: list[Seen], seen: Seen) -> None:
    for message in before:
        state = advance(state, message, CONSTANTS)
    worse = (
        replace(seen, flags=seen.flags | {"provokes"}),
        replace(seen, is_repeated=True),
        replace(seen, is_lowball=True),
        replace(seen, is_progress=False),
    )
    for bad in worse:
        assert advance(state, seen, CONSTANTS).patience >= advance(state, bad, CONSTANTS).patience
        assert advance(state, seen, CONSTANTS).heat <= advance(state, bad, CONSTANTS).heat


@given(st.sampled_from(STYLES), st.sampled_from(LEVELS), VARIED, st.lists(SEEN, min_size=1, max_size=20))
def test_bounds_hold_and_no_message_moves_more_than_a_level(style, level, constants, messages) -> None:  # type: ignore[no-untyped-def]
    state = start(style, level, constants)
    for message in messages:
        moved = advance(state, message, constants)
        assert 0 <= moved.attitude <= HIGHEST
        assert 0 <= moved.patience < state.patience or moved.patience == state.patience == 0
        assert abs(moved.attitude - state.attitude) <= 1
        state = moved


@pytest.mark.parametrize("level", LEVELS)
@given(constants=VARIED)
def test_a_customer_leaves_an_agent_who_does_nothing(level: Level, constants) -> None:  # type: ignore[no-untyped-def]
    state = start("passive_warm", level, constants)
    exchanges = 0
    while not state.is_exhausted:
        state = advance(state, Seen(frozenset()), constants)
        exchanges += 1
    assert exchanges <= 20


def test_a_solution_does_not_calm_an_angry_customer_before_it_was_heard() -> None:
    angry = State(heat=4, steps=2, patience=6.0)
    cold = advance(angry, Seen(frozenset({"checks_facts", "offers_path"}), is_progress=True), CONSTANTS)
    warm = advance(angry, Seen(frozenset({"checks_facts", "acknowledges_harm"})), CONSTANTS)
    assert (cold.heat, warm.attitude) == (5, 1)


def test_a_step_that_leads_nowhere_is_no_better_than_silence() -> None:
    state = start("assertive_cold", "low", CONSTANTS)
    promise, silence = Seen(frozenset({"offers_path"})), Seen(frozenset())
    assert advance(state, promise, CONSTANTS) == advance(state, silence, CONSTANTS)
    assert advance(state, replace(promise, is_progress=True), CONSTANTS).attitude == 0


def test_beyond_the_top_patience_is_gone_at_once() -> None:
    top = State(heat=HIGHEST * 2, steps=2, patience=5.0)
    assert advance(top, Seen(frozenset({"provokes"})), CONSTANTS).is_exhausted
    assert advance(top, Seen(frozenset()), CONSTANTS).is_exhausted
    assert not advance(top, Seen(frozenset({"apologises"})), CONSTANTS).is_exhausted


def test_kind_words_do_not_undo_a_provocation() -> None:
    state = start("assertive_warm", "low", CONSTANTS)
    kind = Seen(frozenset({*GOOD, "provokes"}), is_progress=True)
    assert advance(state, kind, CONSTANTS).attitude == state.attitude + 1


def test_style_matters_only_where_it_is_set_to() -> None:
    assert len({start(style, "medium", CONSTANTS) for style in STYLES}) == 1
    assert len({start(style, "medium", CONSTANTS, style_moves=True) for style in STYLES}) == 4


def test_exits() -> None:
    assert name_exit(4, "passive_warm", CONSTANTS) == "third_party"
    assert name_exit(3, "passive_cold", CONSTANTS) == "faded_out"
    assert name_exit(3, "assertive_warm", CONSTANTS) == "left"
    assert may_leave(1, CONSTANTS.may_leave_below, CONSTANTS)
    assert not may_leave(3, CONSTANTS.may_leave_below + 0.1, CONSTANTS)


def test_every_constant_has_its_reason_and_counts_in_the_digest(tmp_path: Path) -> None:
    entries = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    assert all(len(entry["reason"]) > 20 for entry in entries.values())
    digests = {replace(CONSTANTS, **{name: 99.0}).sha256 for name in entries}
    assert len(digests | {CONSTANTS.sha256}) == len(entries) + 1
    for broken in ({"turn_cost": {"value": -1, "reason": "x"}}, {"turn_cost": {"value": 1.0}}, {"tun_cost": {}}):
        path = tmp_path / f"{len(str(broken))}.yaml"
        path.write_text(yaml.safe_dump({**entries, **broken}), encoding="utf-8")
        with pytest.raises(ConstantsError, match=next(iter(broken))):
            load_constants(path)
