"""How grave a case is, from its events alone: loss, time, safety, vulnerability, dignity.

Belongs here: the rating and its reason. Not here: expectation or category; the rating must not know them.

Our definition: each driver weighs 0 to 3; danger to health, abuse and an occasion that comes once weigh 3. A sum of 3
or more is high, 1 or 2 medium, 0 low.
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
    r"\b(?:lost|stolen|stole|missing|missed|damaged|broke|broken|ruined|destroyed|cancelled|canceled|stranded|diverted|"
    r"overbooked|bumped|stuck|deactivated|hacked|locked out|charged (?:the customer|them|their|for|with|twice|"
    r"[$£€\d])|(?:was|were|had been) charged|"
    r"would not (?:check|let|board|refund|help|honou?r)|(?:was|were) closed|did not (?:cover|work)|fraud\w*|scam\w*|"
    r"(?:not|never|still no) (?:\w+ ){0,2}?(?:refund\w*|arriv\w*|deliver\w*|receiv\w*|come|came)|wrong (?:order|"
    r"food|item|"
    r"room|address|place|airport|car|meal|size|dress|flight)|out of pocket|no (?:\w+ )?(?:refund|luggage|bags?|"
    r"room|driver|car|"
    r"van)|double[- ]booked|(?:did not|never) (?:get|give|have|show)|(?:had to|forced to|having to) (?:pay|buy|spend|"
    r"rent|rebook|throw|sleep|cancel|leave|drive)|"
    r"denied boarding|refused (?:a |the )?refund|overcharged|charged twice|double[- ]charged|never (?:arrived|"
    r"received|came|delivered|got))\b",
    re.IGNORECASE,
)


#: Occasions that do not come again.
_ONCE = re.compile(
    r"\b(?:miss\w*|late (?:for|to)|ruin\w*|not (?:make|get to|attend)|cannot (?:make|get to|attend)|lost|"
    r"destroy\w*|spoil\w*)"
    r"\b(?:\W+[\w']+){0,6}?\W+(?:weddings?|funerals?|honeymoon|graduation|burial|memorial|cruise|surgery|interview|exam|"
    r"last goodbye|(?:\w+ )?(?:birthday|surprise) party|birth|audition|anniversary)\b",
    re.IGNORECASE,
)
#: A plan that fell through because of it.
_PLAN = re.compile(
    r"\bmiss\w*\b(?:\W+[\w']+){0,4}?\W+(?:connect\w*|flights?|meetings?|train|bus|shifts?|work|party|dinner|class|events?|"
    r"jobs?|appointment|concert|show|game|school|birthday|holiday|thanksgiving|christmas)\b|\b(?:work trip|job|"
    r"wages|day's pay)\b",
    re.IGNORECASE,
)
_NIGHT = re.compile(
    r"\bovernight\b|\b(?:sle(?:ep|pt|eping)) (?:on|in|at) (?:the |an? )?(?:\w+ )?(?:floor|airport|terminal|gate|"
    r"chairs?|bench|car|"
    r"lobby|cold)\b|\b(?:stranded|stuck)\b.{0,60}?\b(?:night|tomorrow|all day|days?)\b|\bno (?:hotel|heat|"
    r"heating|hot water|"
    r"water|electricity|power|ac)\b|\b(?:left|waiting|standing|stood|walk\w*) (?:\w+ ){0,4}?in the (?:rain|cold|"
    r"snow|dark|heat)\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(?:for|since|in|after|over|past) (?:the (?:last|past) )?(?:several |many )?(?:weeks|months|days)\b|"
    r"\b(?:for )?hours\b|"
    r"\bfor ages\b|\ball (?:day|night|morning|afternoon|evening)\b|\b(?:days|weeks|months) (?:later|now|ago)\b|"
    r"\b(?:third|fourth|fifth|\dth|3rd) time\b|\b(?:three|four|five|six|\d) (?:\w+ )?times\b|\bover and over\b|"
    r"\bagain and again\b|\bevery (?:single )?time\b|\bon hold\b|\btarmac\b|\bdelayed again\b|\bkept chang\w+\b",
    re.IGNORECASE,
)


_JOURNEY = re.compile(r"[ -](?:\w+ )?(?:flights?|trip|drive|journey|ride)\b(?! (?:delay|was delayed|late))")
_LIMIT = re.compile(r"\b(?:within|less than|under|every|notice of) $")


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
        "loss": min(3, weigh_amounts(values) + weigh_loss(text)),
        "time": 2
        if _NIGHT.search(text)
        else max(weigh_time(drop_plain_lengths(text, values)), 1 if _LONG.search(text) else 0),
        "safety": 3 if cues.is_dangerous(text) else 0,
        "vulnerability": weigh_people(text),
        "dignity": 3 if cues.is_abused(text) else 1 if cues.is_undignified(text) else 0,
    }


def drop_plain_lengths(text: str, values: Sequence[Value]) -> list[Value]:
    """Values without the lengths that are no loss: of a journey as booked, or of a time limit."""
    return [
        value
        for value in values
        if _JOURNEY.match(text, value.end) is None
        and _LIMIT.search(text, max(0, value.start - 12), value.start) is None
    ]


def weigh_loss(text: str) -> int:
    """3 for an occasion that does not come again, 2 for a plan that fell through, 1 for anything gone or withheld."""
    if _ONCE.search(text):
        return 3
    return 2 if _PLAN.search(text) else 1 if _GONE.search(text) else 0


def weigh_people(text: str) -> int:
    """2 where illness, disability or age makes the person depend on it, 1 for children."""
    if cues.is_dependent(text):
        return 2
    return 1 if cues.is_vulnerable(text) else 0


def weigh_amounts(values: Sequence[Value]) -> int:
    """0 below USD 25, 1 from there, 2 from USD 200, 3 from USD 500; an amount counts whoever owes it."""
    largest = max((read_usd(value.canonical) for value in values if value.kind == "amount"), default=0.0)
    return 3 if largest >= 500 else 2 if largest >= 200 else 1 if largest >= 25 else 0


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
