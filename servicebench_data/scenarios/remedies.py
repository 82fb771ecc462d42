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
    "approve declare grant secure share"
)
#: First words that are an order only before an object.
_EITHER = word_set(
    "correct return repair report exchange move hold check match fix upgrade answer transfer call block refund credit "
    "brief point reset reissue force "
    "issue name "
    "state share open hand book ship clean handle rush match"
)
_OBJECTS = word_set("the a an it them what to over by customers all their at on home")
_DETERMINERS = word_set("the a an it them all their")
#: Behind a participle that is no part of what follows: "pass cancelled with money back".
_AFTER_DONE = word_set("with by and in to") | {""}
_DONE = re.compile(
    r"^(?!refund\b|credit\b|call\b|apolog|explanation\b|report\b|note\b)(?:[\w-]+ (?!of\b|for\b|"
    r"with\b)){1,5}?(?:\w{3,}ed|put|sent|"
    r"back|moved to)\b(?!-)(?! \w+$)|"
    r"^(?!call\b)(?:[\w-]+ ){1,3}(?:\w{3,}ed|back)(?: in full| everywhere| at once| out)?$"
)
_CONDITION = re.compile(r" (?:if|when|where|while)\b")
_HEAD = re.compile(
    r" (?:of|for|with|from|to|by|and|at|in|on|or|as|that|without|while|under|after|into|through|until|up|about|now|"
    r"together|shown|instead)\b"
)
#: Something that is there already, and is done to.
_KNOWN = re.compile(r"(?<! until) (?:re)?paid(?: out| on proof| where .*)?$| stated$")
_UNCOUNTED = word_set(
    "feedback goodwill compensation information advice training retraining coaching rebooking redelivery reimbursement "
    "recleaning access help priority support redemption cleaning delivery service credit transport evidence proof "
    "maintenance laundry insurance staffing enforcement tracing restoration breakfast water hygiene reseating pay "
    "equipment shipping"
)
_NO_ARTICLE = word_set("one no all the a an any two")


def tell_remedy(remedy: str) -> str:
    """A remedy as a whole sentence about the customer."""
    words = remedy.lower().split()
    if words[1:2] in (["calls"], ["calls,"], ["contacts"]):
        return f"The customer would accept it if {choose_article(remedy)}{remedy}."
    if is_order(words):
        return f"The customer would accept an offer to {remedy}."
    if _DONE.match(_CONDITION.split(remedy)[0]):
        article = "" if words[0] in _NO_ARTICLE else "the "
        return f"The customer would accept having {article}{remedy}."
    return f"The customer would accept {choose_article(remedy)}{remedy}."


def is_order(words: list[str]) -> bool:
    """Whether a remedy tells the company what to do: "move the dates", "cancel and refund the order"."""
    first, second, third, fourth = [*words, "", "", ""][:4]
    if second in {"and", "or"}:
        is_sure = first in _ORDERS and second == "or"
        return is_sure or (
            is_verb(first) and is_verb(third) and (fourth in _OBJECTS or {first, third} & _ORDERS != set())
        )
    if first in _ORDERS:
        is_thing = second in {"", "of", "information"} or (first == "contact" and second in {"from", "with", "details"})
        return not is_thing and not (second.endswith("ed") and third in _AFTER_DONE)
    return first in _EITHER and second in (_DETERMINERS if first in {"refund", "credit"} else _OBJECTS)


def is_verb(word: str) -> bool:
    """Whether a word can be an order."""
    return word in _ORDERS or word in _EITHER


def choose_article(remedy: str) -> str:
    """The article of a remedy that is a thing; empty where none is due."""
    if _KNOWN.search(remedy):
        return "the "
    head = _HEAD.split(remedy)[0].lower().split()
    if head[0] in _NO_ARTICLE or head[-1] in _UNCOUNTED or (head[-1].endswith("s") and not head[-1].endswith("ss")):
        return ""
    is_vowel = head[0][0] in "aeiou" and not head[0].startswith(("one", "uni"))
    return "an " if is_vowel or head[0].startswith(("honest", "hour")) else "a "
