"""How grave a case is, from its events alone: loss, time, safety, vulnerability, dignity.

Belongs here: the rating and its reason. Not here: expectation or category; the rating must not know them.

Our definition: each driver weighs 0 to 3; danger to health weighs 3. A sum of 3 or more is high, 1 or 2 medium, 0
low.
"""

import re
from collections.abc import Sequence

from schemas.scenarios import Event, Level, Severity
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.canonical import read_hours, read_usd
from servicebench_data.scenarios.extraction import Value, extract_values

_PHRASES = {
    "loss": "something of worth was lost",
    "time": "much time was lost",
    "safety": "someone's health or safety was at stake",
    "vulnerability": "someone who needs particular care was affected",
    "dignity": "someone was treated without respect",
}
_GONE = re.compile(
    r"\b(?:lost|stolen|stole|missing|missed|damaged|broke|broken|ruined|destroyed|cancelled|canceled|stranded|"
    r"denied boarding|refused (?:a |the )?refund|overcharged|charged twice|double[- ]charged|never (?:arrived|"
    r"received|came|delivered|got))\b",
    re.IGNORECASE,
)


def rate_severity(events: Sequence[Event], industry: str, scenario_id: str) -> Severity:
    """The level of a case with what drove it."""
    weights = {
        driver: weight for driver, weight in weigh_drivers(" ".join(event.text for event in events)).items() if weight
    }
    total = sum(weights.values())
    level: Level = "high" if total >= 3 else "medium" if total else "low"
    drivers = sorted(weights, key=lambda driver: (-weights[driver], driver))
    return Severity(
        industry=industry,
        scenario_id=scenario_id,
        made_by="offline",
        level=level,
        reason=explain(level, drivers),
        drivers=drivers,
    )


def weigh_drivers(text: str) -> dict[str, int]:
    """Weight of each driver in the text of the events."""
    values = extract_values(text)
    return {
        "loss": min(3, weigh_amounts(values) + (1 if _GONE.search(text) else 0)),
        "time": weigh_time(values),
        "safety": 3 if cues.is_dangerous(text) else 0,
        "vulnerability": 1 if cues.is_vulnerable(text) else 0,
        "dignity": 1 if cues.is_undignified(text) else 0,
    }


def weigh_amounts(values: Sequence[Value]) -> int:
    """0 below USD 25, 1 from there, 2 from USD 200; an amount counts whoever owes it."""
    largest = max((read_usd(value.canonical) for value in values if value.kind == "amount"), default=0.0)
    return 2 if largest >= 200 else 1 if largest >= 25 else 0


def weigh_time(values: Sequence[Value]) -> int:
    """0 below one hour, 1 from there, 2 from five hours; spans of a year or more are histories, not delays."""
    hours = [read_hours(value.canonical) for value in values if value.kind == "duration"]
    longest = max((length for length in hours if length < 8000), default=0.0)
    return 2 if longest >= 5 else 1 if longest >= 1 else 0


def explain(level: Level, drivers: Sequence[str]) -> str:
    """The reason in a sentence."""
    if not drivers:
        return "Low: the events tell of no loss, long wait, danger, vulnerable person or disrespect."
    return f"{level.capitalize()}: {', '.join(_PHRASES[driver] for driver in drivers)}."
