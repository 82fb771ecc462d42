"""Tells a remedy of the journey map, which is a bare phrase, as a whole sentence.

Belongs here: "refund of the seat fee" -> "The customer would accept a refund of the seat fee." Not here: which remedy
suits a case (`expectation`). The phrase stands in the sentence word for word, so that the checks can find it.
"""

import re

from servicebench_data.scenarios.wordlists import word_set

#: First words that are always an order.
_ORDERS = word_set(
    "honour explain waive remove reimburse replace pass remake contact send reinstate reissue reseat release "
    "cancel pay "
    "confirm restore merge keep apply locate stop find extend deliver withdraw process escalate raise tell say clarify "
    "acknowledge give retrain reverse reopen adjust restock announce enforce unlock have retry resend reship accept "
    "approve declare grant secure"
)
#: First words that are an order only before an object.
_EITHER = word_set(
    "correct return repair report exchange move hold check match fix help upgrade answer transfer call block "
    "issue name "
    "state share open hand book ship clean handle rush match"
)
_OBJECTS = word_set("the a an it them what to over by customers all their at on home")
_DONE = re.compile(
    r"^(?!refund\b|credit\b|call\b|apolog|explanation\b|report\b|note\b)(?:[\w-]+ (?!of\b|for\b|"
    r"with\b)){1,5}?(?:\w{3,}ed|put|sent|"
    r"back|moved to)\b(?! \w+$)|^(?:[\w-]+ ){1,3}(?:\w{3,}ed|back)(?: in full| everywhere| at once| out)?$"
)
_HEAD = re.compile(
    r" (?:of|for|with|from|to|by|and|at|in|on|or|as|that|without|while|under|after|into|through|until)\b"
)
_UNCOUNTED = word_set(
    "feedback goodwill compensation information advice training retraining coaching rebooking redelivery reimbursement "
    "recleaning access help priority support redemption cleaning delivery service credit transport evidence proof "
    "maintenance laundry insurance staffing enforcement tracing restoration breakfast water hygiene reseating pay"
)
_NO_ARTICLE = word_set("one no all the a an any two")


def tell_remedy(remedy: str) -> str:
    """A remedy as a whole sentence about the customer."""
    words = remedy.split()
    first, second = words[0].lower(), (words[1].lower() if len(words) > 1 else "")
    if second in {"calls", "calls,"}:
        return f"The customer would accept it if {choose_article(remedy)}{remedy}."
    if (first in _ORDERS and second not in {"of", "and", ""}) or (first in _EITHER and second in _OBJECTS):
        return f"The customer would accept an offer to {remedy}."
    if _DONE.match(remedy):
        return f"The customer would accept having {'' if first in _NO_ARTICLE else 'the '}{remedy}."
    return f"The customer would accept {choose_article(remedy)}{remedy}."


def choose_article(remedy: str) -> str:
    """The article of a remedy that is a thing; empty where none is due."""
    head = _HEAD.split(remedy)[0].lower().split()
    if head[0] in _NO_ARTICLE or head[-1] in _UNCOUNTED or (head[-1].endswith("s") and not head[-1].endswith("ss")):
        return ""
    return "an " if head[0][0] in "aeiou" and not head[0].startswith(("one", "uni")) else "a "
