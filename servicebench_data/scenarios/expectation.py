"""What would put it right for the customer, and what counts as an apology.

Belongs here: requests found in the posts, else what the category's remedies suggest; the range of compensation. Not
here: what the company owes (`case_record`).

Our definition: the range is goodwill in USD. Unless the loss is money the least is 0, so that an outcome without
goodwill is acceptable. Where it is money, the range runs from half the loss to the loss, within 5 and 200; without a
known sum it follows the severity.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.industry import Category
from schemas.scenarios import Event, Expectation, Severity
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.canonical import read_usd
from servicebench_data.scenarios.insults import name_insult
from servicebench_data.scenarios.reading import Reading
from servicebench_data.scenarios.remedies import tell_remedy

#: What people ask for, the most telling first; at most two are named.
_WISHES: dict[str, str] = {
    "a refund": r"\brefund\w*|money back|give (?:me|us) (?:my|our) money",
    "reimbursement of what it cost": r"\breimburs\w*|pay for my|cover (?:my|the) (?:cost|hotel|expenses)",
    "a replacement": r"\breplac\w*|send (?:me )?(?:a )?new|exchange\b",
    "a seat on a flight that gets them where they need to be": (
        r"\brebook\w*|(?:another|earlier|different|next|new|direct) flight|get (?:me|us) (?:home|out|on|there|to)"
    ),
    "the luggage to be found and brought to them": (
        r"(?:find|locate|track|deliver|return|get|where (?:is|are)) (?:my|our|the) (?:\w+ )?(?:bags?|luggage|"
        r"suitcase|baggage)"
    ),
    "the lost item to be found and returned": (
        r"(?:find|locate|return|get|where (?:is|are)) (?:my|our) (?:\w+ )?(?:phone|wallet|purse|keys|laptop|ipad|"
        r"item|passport|glasses)"
    ),
    "the order to be delivered": (
        r"(?:where (?:is|are)|deliver|get|send) (?:my|our|the) (?:\w+ )?(?:order|food|package|delivery|item)"
    ),
    "the order to be sent again": r"\b(?:send|make|deliver|cook) it (?:again|over)|redeliver|re-?send|reship",
    "compensation for the trouble": r"\bcompensat\w*|make (?:it|this) right|make up for",
    "the charge to be reversed": (
        r"\bwaive|remove (?:the|this) (?:fee|charge)|reverse|correct (?:the |false )?charges?|take (?:the|this) "
        r"(?:fee|charge) off"
    ),
    "a better seat or room": (
        r"\bupgrade (?:me|us)|better (?:room|seat)|(?:different|another|new) (?:room|seat)|sit together|seats? "
        r"(?:together|back)|window or aisle"
    ),
    "a cancellation that is confirmed": (
        r"\bcancel\w* (?:my|the|our) (?:\w+ )?(?:order|account|reservation|booking|subscription|membership)"
    ),
    "access to the account to be restored": r"\bunlock|reactivat\w*|re-?activate|access to my account|log ?in\b|"
    "reset my",
    "a person to talk to who can decide": (
        r"\b(?:call|phone|ring|contact) (?:me|us)\b|speak (?:to|with)|talk (?:to|with)|phone number|real person|"
        r"(?:get|reach|want|need) a (?:human|person|manager)"
    ),
    "the fault to be fixed": r"\b(?:fix|sort|resolve|solve)\b",
    "the credit or points to be put on the account": r"\bvoucher|\bcredit(?! card)|\bpoints|\bmiles",
    "clear information on what happens next": (
        r"\b(?:update|status|information|info|news|eta|when will|how long|what time|know when|let (?:me|us) know)"
        r"\b"
    ),
    "an answer that solves the problem": r"\b(?:help|assist|answer|respond|response|reply)\b",
}
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), phrase) for phrase, pattern in _WISHES.items())
_MONEY_WISHES = frozenset({"a refund", "reimbursement of what it cost", "the charge to be reversed"})
_UNWANTED = re.compile(
    r"\b(?:(?:do|did)(?:n['’]?t| not) (?:want|need|care for)|not (?:asking for|after)|instead of|rather than|"
    r"no more)"
    r"(?: (?:an?|the|your|any|more|another|free|\w+ing|to be)){0,3} $",
    re.IGNORECASE,
)
_APOLOGY = re.compile(r"\bapolog\w*|say sorry\b", re.IGNORECASE)
_MONEY_REMEDY = re.compile(r"\brefund|reimburs|reversal|repay|cash|difference|waive", re.IGNORECASE)
_HOPES = {"low": 25.0, "medium": 75.0, "high": 150.0}
MOST_USD = 200.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What the customer asks for, with the posts that say so."""

    phrases: tuple[str, ...]
    post_ids: tuple[str, ...]


def expect_resolution(
    readings: Sequence[Reading], events: Sequence[Event], severity: Severity, category: Category
) -> Expectation:
    """The expectation of one scenario."""
    wish = find_wish(readings)
    is_loss_money = lose_money(readings, events, wish)
    low, high = set_range(readings, severity.level, is_loss_money=is_loss_money)
    return Expectation(
        industry=severity.industry,
        scenario_id=severity.scenario_id,
        made_by="offline",
        explanation=find_explanation(severity),
        action=describe_action(wish, category, is_loss_money=is_loss_money),
        apology=find_apology(readings, severity),
        compensation_min_usd=low,
        compensation_max_usd=high,
        insult=name_insult(severity, category.id, is_loss_money=is_loss_money),
        is_loss_money=is_loss_money,
        post_ids=list(wish.post_ids),
        is_inferred=not wish.phrases,
    )


def find_wish(readings: Sequence[Reading]) -> Wish:
    """The first two things asked for in requests or questions, anywhere in the dialogue."""
    phrases: list[str] = []
    posts: list[str] = []
    for reading in readings:
        if reading.kind not in {"request", "question"}:
            continue
        for pattern, phrase in _PATTERNS:
            if is_wanted(pattern, reading.quote) and phrase not in phrases and len(phrases) < 2:
                phrases.append(phrase)
                posts += [post for post in reading.post_ids if post not in posts]
                break
    return Wish(tuple(phrases), tuple(posts))


def is_wanted(pattern: re.Pattern[str], quote: str) -> bool:
    """Whether words of a wish stand somewhere without being refused: "I don't want points, I want the report"."""
    return any(not _UNWANTED.search(quote, 0, match.start()) for match in pattern.finditer(quote))


def lose_money(readings: Sequence[Reading], events: Sequence[Event], wish: Wish) -> bool:
    """Whether the customer is out of money: they ask for it back, or a report says that they were made to pay."""
    told = " ".join(
        [event.text for event in events] + [reading.plain for reading in readings if reading.first is not None]
    )
    return bool(_MONEY_WISHES & set(wish.phrases)) or cues.is_money_loss(told)


def set_range(readings: Sequence[Reading], level: str, *, is_loss_money: bool) -> tuple[float, float]:
    """Least and most goodwill in USD; see the module's definition."""
    if not is_loss_money:
        return 0.0, _HOPES[level]
    loss = find_loss(readings)
    if loss:
        high = min(MOST_USD, max(5.0, round(loss, 2)))
        return min(100.0, max(5.0, round(high / 2, 2))), high
    return round(_HOPES[level] / 3, 2), _HOPES[level]


def find_loss(readings: Sequence[Reading]) -> float:
    """The largest sum, in USD, that a sentence about money names."""
    sums = [
        read_usd(value.canonical)
        for reading in readings
        if cues.is_about_money(reading.quote)
        for value in reading.values
        if value.kind == "amount"
    ]
    return max(sums, default=0.0)


def find_explanation(severity: Severity) -> str | None:
    """What they want explained, in general words: a question of theirs could tell what comes out only later."""
    return None if severity.level == "low" else "What went wrong, and why nobody put it right sooner."


def describe_action(wish: Wish, category: Category, *, is_loss_money: bool) -> str:
    """What should be done, in one sentence."""
    if wish.phrases:
        return f"The customer asks for {' and '.join(wish.phrases)}."
    suited = [remedy for remedy in category.remedies if bool(_MONEY_REMEDY.search(remedy)) == is_loss_money]
    remedy = (suited or category.remedies)[0].strip().rstrip(".")
    return tell_remedy(remedy)


def find_apology(readings: Sequence[Reading], severity: Severity) -> str | None:
    """The apology that would count; none is looked for in a light case where nobody asked."""
    if any(_APOLOGY.search(reading.quote) and reading.kind != "question" for reading in readings):
        return "The apology that the customer asks for, in words that fit what happened."
    if "dignity" in severity.drivers:
        return "An apology for how the customer was treated, without excuses."
    if severity.level == "low":
        return None
    return "An apology that names what happened and takes responsibility for it."
