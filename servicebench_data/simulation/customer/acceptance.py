"""Whether what stands on the table meets the customer's wish, decided by code from what the agent did and said.

Belongs here: the needs and when each is met (our definition). Not here: what the agent offers (`offers.py` reads that),
how patient the customer is (`patience.py`).

Every customer needs to have been heard (the harm acknowledged or a fact checked, at any time), the action promised in
a concrete step, and the explanation and the apology where one is wanted. Money is needed only where the loss is money.
So whoever pays and does nothing else gets no agreement, and saying "thank you" is none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from schemas.simulation import Flag
from servicebench_data.scenarios.vocabulary import stem_telling, stem_words
from servicebench_data.simulation.patience import Constants
from servicebench_data.simulation.turns import Need, Offer, Wish

FILE = Path(__file__).with_name("needs.yaml")
#: Entitlements that pay the loss itself back, so that they meet a loss of money even without a figure.
_PAYING = re.compile(r"\b(?:refund|reimburs\w*|repay\w*|revers\w*|money back)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?\n]|\.(?=\w))+[.!?]*")
_VAGUE = re.compile(
    r"\b(?:look(?:ing)? into|see (?:if|whether|what)|(?:might|may) be able|cannot|can[’']?t|can not|won[’']?t|will not|"
    r"unable|not able|unfortunately|no (?:refund|credit|compensation)|would you|do you|did you|could you)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\bbecause\b|\bdue to\b|\bcaused by\b|\bas a result of\b|\bowing to\b|\bthe (?:reason|cause)\b[^.?!]{0,60}"
    r"\b(?:is|was|on file|logged)\b|\bcause (?:is|was|as)\b|\bwhat (?:went wrong|happened)[^.?!]{0,20}\b(?:is|was)\b|"
    r"\bas to why\b|\bcomes? from\b|\bcame from\b|\bled to (?:this|it|that)\b|\bthat is why\b|\bwhat I can see is\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:(?:do|does)(?: not|n[’']t) (?:yet )?(?:know|say)|(?:can|could)(?:not| not|[’']t) (?:yet )?(?:say|tell)|"
    r"not on file|no(?:t| one| body|body) (?:yet )?(?:known|wrote it down)|unknown)\b",
    re.IGNORECASE,
)
_ABOUT_CAUSE = re.compile(r"\b(?:why|reason|cause|what (?:went wrong|happened|led to))\b", re.IGNORECASE)
_WILL_TELL = re.compile(
    r"\b(?:I have asked|I[’']ve asked|has my question|getting the reason|you(?: will|[’']ll) (?:get|have|hear)|"
    r"will (?:write|tell|let you know|report))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Move:
    """An agent's message as it bears on acceptance: its text and the flags that the gate set."""

    text: str
    flags: Mapping[Flag, str]


@dataclass(frozen=True)
class Kind:
    """A kind of action; see `needs.yaml`."""

    name: str
    wish: re.Pattern[str]
    met: re.Pattern[str] | None
    is_light: bool


@cache
def load_kinds() -> tuple[Kind, ...]:
    """Kinds of action, in the file's order."""
    entries: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return tuple(
        Kind(
            name=name,
            wish=re.compile(entry["wish"], re.IGNORECASE),
            met=re.compile(entry["met"], re.IGNORECASE) if "met" in entry else None,
            is_light=entry.get("light", False),
        )
        for name, entry in entries.items()
    )


@cache
def name_kinds(action: str) -> tuple[Kind, ...]:
    """Kinds of a wished action; the light ones only where there is no other."""
    kinds = [kind for kind in load_kinds() if kind.wish.search(action)]
    return tuple([kind for kind in kinds if not kind.is_light] or kinds)


def find_missing(wish: Wish, moves: Sequence[Move], standing: Sequence[Offer]) -> tuple[Need, ...]:
    """What the customer still needs before it can agree, in the order in which it would ask for it.

    Args:
        wish: What would put it right.
        moves: The agent's messages so far.
        standing: Offers that stand now, as the customer heard them: what a message does not say meets nothing.
    """
    met: dict[Need, bool] = {
        "hearing": any(move.flags.keys() & {"acknowledges_harm", "checks_facts"} for move in moves),
        "action": is_promised(wish.action, moves, standing),
        "explanation": wish.explanation is None or any(is_explained(move.text) for move in moves),
        "apology": wish.apology is None or any("apologises" in move.flags for move in moves),
        "money": not wish.is_loss_money or is_paid(wish, standing),
    }
    return tuple(need for need, is_met in met.items() if not is_met)


def is_promised(action: str, moves: Sequence[Move], standing: Sequence[Offer]) -> bool:
    """Whether a concrete step of the agent promises the wished action."""
    steps = [move for move in moves if "offers_path" in move.flags]
    kinds = name_kinds(action)
    if not kinds:
        return any(stem_telling(action) & stem_words(move.text) for move in steps)
    texts = [sentence for move in steps for sentence in list_promises(move.text)]
    texts += [offer.description for offer in standing]
    return any(is_met(kind, texts, moves) for kind in kinds)


def is_met(kind: Kind, promises: Sequence[str], moves: Sequence[Move]) -> bool:
    """Whether a kind of action is promised; an explanation or an apology is met by being given."""
    if kind.name == "explanation":
        return any(is_explained(move.text) for move in moves)
    if kind.name == "apology":
        return any("apologises" in move.flags for move in moves)
    return kind.met is not None and any(kind.met.search(promise) for promise in promises)


def list_promises(text: str) -> Iterator[str]:
    """Sentences that promise: no question, nothing refused, nothing vague."""
    for sentence in _SENTENCE.findall(text):
        if not sentence.rstrip().endswith("?") and not _VAGUE.search(sentence):
            yield sentence


def is_explained(text: str) -> bool:
    """Whether a message says why, or says honestly that it does not know yet and who will tell.

    A question never explains, nor does a promise to find out by itself.
    """
    sentences = [sentence for sentence in _SENTENCE.findall(text) if not sentence.rstrip().endswith("?")]
    if any(_CAUSE.search(sentence) and not _UNKNOWN.search(sentence) for sentence in sentences):
        return True
    plain = " ".join(sentences)
    is_candid = any(_UNKNOWN.search(sentence) and _ABOUT_CAUSE.search(sentence) for sentence in sentences)
    return is_candid and _WILL_TELL.search(plain) is not None


def is_paid(wish: Wish, standing: Sequence[Offer]) -> bool:
    """Whether what stands makes a loss of money good: the loss paid back as of right, or the least that satisfies."""
    if any(offer.kind == "entitlement" and is_paying(offer) and offer.amount_usd is None for offer in standing):
        return True
    return sum_usd(standing) >= wish.min_usd


def is_paying(offer: Offer) -> bool:
    """Whether an entitlement pays the loss back."""
    return _PAYING.search(f"{offer.description} {offer.quote}") is not None


def sum_usd(standing: Sequence[Offer]) -> float:
    """Worth of all that stands; what has no figure counts nothing."""
    return sum(offer.amount_usd or 0.0 for offer in standing)


def is_lowball(wish: Wish, new: Sequence[Offer], standing: Sequence[Offer], constants: Constants) -> bool:
    """Whether a message makes an offer while all that stands is far below a loss of money."""
    if not new or not wish.is_loss_money or is_paid(wish, standing):
        return False
    return sum_usd(standing) < constants.lowball_share * wish.min_usd
