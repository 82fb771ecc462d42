"""Benchmarks that hold a bound: what they say where something was not measured, and what the product must keep."""

import argparse

import pytest

from benchmarks import patience, simulation, styles

FAST, COSTLY = {"seconds": 1.0, "cpu_ms": 1.0, "peak_mb": 1.0}, {"seconds": 1.0, "cpu_ms": 9.0, "peak_mb": 1.0}


def judge(results: dict[str, dict[str, float]], *, is_smoke: bool = False, bound: float = 2.0) -> int:
    return simulation.judge(argparse.Namespace(smoke=is_smoke), {"litellm": FAST, **results}, bound)


@pytest.mark.parametrize(
    ("results", "bound", "told", "status"),
    [
        ({"product": FAST, "inspect_ai": COSTLY}, 2.0, "seconds kept; processor time kept", 0),
        ({"product": COSTLY, "inspect_ai": FAST}, 2.0, "seconds kept; processor time BROKEN", 1),
        ({"product": FAST, "inspect_ai": COSTLY}, 0.5, "seconds BROKEN; processor time kept", 1),
        ({"product": COSTLY}, 2.0, "seconds kept; processor time NOT MEASURED", 0),
        ({"product": COSTLY}, 0.5, "seconds BROKEN; processor time NOT MEASURED", 1),
    ],
)
def test_speed_says_of_each_bound_whether_it_is_kept(
    results: dict[str, dict[str, float]], bound: float, told: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(results, bound=bound) == status
    assert told in capsys.readouterr().out


def test_a_short_run_measures_no_speed(capsys: pytest.CaptureFixture[str]) -> None:
    assert judge({"product": COSTLY, "inspect_ai": FAST}, is_smoke=True, bound=0.5) == 0
    assert capsys.readouterr().out.count("NOT MEASURED") == 2


WON = {"just": 0.9, "premature_payer": 0.2}


@pytest.mark.parametrize(
    ("run", "status"),
    [(WON, 0), ({"just": 0.2, "premature_payer": 0.9}, 1), ({"just": 0.0, "premature_payer": 0.0}, 1)],
)
def test_patience_fails_where_paying_wins_and_where_nobody_agrees(run: dict[str, float], status: int) -> None:
    assert patience.judge([WON, run]) == status


@pytest.mark.slow
def test_paying_at_once_does_not_win_when_constants_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["patience.py", "--smoke"])
    assert patience.main() == 0


@pytest.mark.slow
def test_a_rater_that_is_blind_to_style_places_the_customers() -> None:
    rated = styles.rate(styles.CONVERSATIONS, *styles.read_messages())
    assert styles.count_right(rated) >= styles.LEAST * rated.total()
