"""What would make a case worse for the customer.

Belongs here: the sentences, and which of them fits the category and the rating. Not here: what would put it right
(`expectation`). Our own words; nothing of the source stands in them.
"""

import hashlib
import re

from schemas.scenarios import Severity

_DANGER = (
    "Treating the danger as a minor inconvenience, or offering a token gift in place of action.",
    "Being asked whether it was really that bad.",
    "A gift, as if that could stand in for looking into it.",
)
_RUDE = (
    "Defending the staff before hearing what happened, or suggesting that the customer is to blame.",
    "Hearing that the company is sorry for how the customer feels, and not for what was done.",
    "Being told that there must have been a misunderstanding.",
)
_MONEY = (
    "A discount on the next purchase in place of the money, or being told that nothing can be done.",
    "Being told that the charge is correct because the system says so.",
    "Credit with an expiry date in place of the money.",
)
_BY_CATEGORY: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"unanswered|unreachable|support|contact|communication|remote_agent|followup|complaint"),
        (
            "Another scripted reply, or a promise to call back that nobody keeps.",
            "Being passed on to the next channel and having to tell everything again.",
            "A link to the help pages in place of an answer.",
        ),
    ),
    (
        re.compile(r"delay|wait|queue|hold|connection|cancell|rebook|disruption|pickup|undelivered|late"),
        (
            "Being told to be patient, without a word on how long.",
            "Thanks for the customer's patience in place of a plan.",
            "Being told that such things happen.",
        ),
    ),
    (
        re.compile(r"bag|lost|property|missing|parcel|damaged"),
        (
            "Being sent away to fill in a form without a word on where the thing is.",
            "A reminder of the limits of liability before anyone has looked for it.",
            "The advice to wait and see.",
        ),
    ),
    (
        re.compile(
            r"app|digital|online|sign_in|platform|booking|check_in|payment|account|wifi|entertainment|equipment"
        ),
        (
            "The advice to try again later or to use another device.",
            "Being told that nobody else has the problem.",
            "Steps that the customer has already tried.",
        ),
    ),
    (
        re.compile(r"food|meal|order|item|quality|clean|room|hygiene|vehicle|seat|cabin|upgrade"),
        (
            "A coupon for more of the same, without a word on what went wrong.",
            "Being asked for proof before anyone says sorry.",
            "Being told that this is within the usual range.",
        ),
    ),
)
_LIGHT = ("A scripted reply that ignores what was said.", "A long apology in place of a short answer.")
_PLAIN = (
    "A scripted apology without any action, or having to tell everything again to someone else.",
    "Being told that the rules are the rules.",
)


def name_insult(severity: Severity, category_id: str, *, is_loss_money: bool) -> str:
    """What would make it worse; always the same for the same scenario."""
    choices = _list_insults(severity, category_id, is_loss_money=is_loss_money)
    digest = hashlib.sha256(f"insult:{severity.scenario_id}".encode()).digest()
    return choices[int.from_bytes(digest[:4], "big") % len(choices)]


def _list_insults(severity: Severity, category_id: str, *, is_loss_money: bool) -> tuple[str, ...]:
    if "safety" in severity.drivers:
        return _DANGER
    if is_loss_money:
        return _MONEY
    if "dignity" in severity.drivers or re.search(r"conduct|rude|harass|discrimin", category_id):
        return _RUDE
    for pattern, choices in _BY_CATEGORY:
        if pattern.search(category_id):
            return (*choices, *(_LIGHT if severity.level == "low" else _PLAIN))
    return _LIGHT if severity.level == "low" else _PLAIN
