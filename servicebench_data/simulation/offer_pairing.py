"""Declared offers held against the message that they come with: what it says of them, and what it offers beside them.

Belongs here: pairing what an agent declares with what its words offer. Not here: reading words (`offers.py`), what
stands after several messages (`book.py`). Our definition.

A customer has only the message. So it hears a declared offer where the message says it: an offer read there has its
figure, else its words, or a stretch that takes nothing back holds them, or it says yes and no more to a question of the
customer that holds them. Where both say it, kind, amount and relation
are the declared ones, for reading errs; where the figures differ, what was said binds. What a message offers and nobody
declared is an offer, too, unless it says again what is declared or stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from servicebench_data.scenarios.vocabulary import stem_telling
from servicebench_data.simulation.offer_amounts import find_sums
from servicebench_data.simulation.offer_clauses import (
    find_binder,
    is_conditional,
    is_question,
    list_clauses,
    list_sentences,
    split,
)
from servicebench_data.simulation.offer_words import search
from servicebench_data.simulation.offers import price_in_kind
from servicebench_data.simulation.turns import Offer

#: Least difference of two figures that are not the same, USD: "$88" says $88.40.
NEAR_USD = 1.0
#: Share of an offer's words that a stretch without its figure must hold to say it.
ENOUGH = 0.5
#: Words of a description that says an offer wherever it stands as it is.
LONG = 4
#: Word lists of what can be given, and of what takes an offer back.
THINGS = ("owed", "cash", "in_kind", "favour", "by_right")
LOOSE = ("hedge", "deny", "report", "rule")
CUT = re.compile(r"[,:]\s")
#: A sentence that grants what was asked for, without naming it.
YES = re.compile(
    r"\W*(?:yes|yeah|yep|sure|certainly|absolutely|gladly|of course|will do|done|agreed|consider it done)"
    r"(?:,? (?:yes|sure|certainly|absolutely|of course|we (?:can|will|do)|i (?:can|will|do)|it is))?\W*",
    re.IGNORECASE,
)
DEED = re.compile(
    r"\b(?:i|we)(?:'ll| will|'ve| have| can) (?:just |now |gladly |already )?(?:do|done|arranged?|confirm(?:ed)?|"
    r"honou?r(?:ed)?|see to|take care of|taken care of|sort(?:ed)? out) (?:that|this|it)\b|"
    r"\b(?:that|this|it)(?:'s| is| has been) (?:all )?(?:arranged|done|settled|confirmed)\b",
    re.IGNORECASE,
)
STATED = re.compile(
    r"\b(?:file|record|account|statement|system|note|receipt|invoice|bill)s? (?:shows?|says?|has|lists?)\b|\bon file\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Made:
    """An offer as it is written down, and as the customer hears it.

    Attributes:
        offer: Written down.
        heard: With the words and the figure of the message alone; None where it says nothing of it.
    """

    offer: Offer
    heard: Offer | None


@dataclass
class Pairing:
    """The offers of one message while they are held against each other.

    Attributes:
        message: The message.
        declared: What was declared.
        left: What was read in it and has no declared offer yet.
        said: What was read for each declared offer that has any, by its number.
        granted: Numbers of those that were asked for, and got no more than a yes.
    """

    message: str
    declared: Sequence[Offer]
    left: list[Offer]
    said: dict[int, list[Offer]] = field(default_factory=dict[int, list[Offer]])
    granted: set[int] = field(default_factory=set[int])

    @property
    def open_ones(self) -> Iterator[tuple[int, Offer]]:
        """Declared offers without a read one."""
        return ((number, offer) for number, offer in enumerate(self.declared) if number not in self.said)

    @cached_property
    def pieces(self) -> Sequence[str]:
        """Stretches of the message that may say an offer."""
        return tuple(find_pieces(self.message))

    def take(self, number: int, found: Sequence[Offer]) -> None:
        """Give a declared offer what was read for it."""
        self.said[number] = list(found)
        self.left = [offer for offer in self.left if not any(offer is taken for taken in found)]

    def take_equal(self) -> None:
        """Pair equal figures, of one kind before others; a sum may be read in its parts."""
        for number, offer in list(self.open_ones):
            equal = [other for other in self.left if is_near(offer, other)]
            if equal:
                self.take(number, [min(equal, key=lambda other: other.kind != offer.kind)])
        for number, offer in list(self.open_ones):
            parts = [other for other in self.left if other.amount_usd]
            if len(parts) > 1 and is_near(offer, replace(offer, amount_usd=sum_usd(parts))):
                self.take(number, parts)

    def take_sums(self) -> None:
        """Find the figures of what was not read."""
        for number, offer in list(self.open_ones):
            piece = next((piece for piece in self.pieces if names_sum(piece, offer)), None)
            if piece is not None:
                self.take(number, [replace(offer, description=piece, quote=piece)])

    def take_alike(self) -> None:
        """Pair what shares words, then what is of one kind, where one has no figure or both have others."""
        for is_fit in (shares_words, is_of_one_kind):
            for number, offer in list(self.open_ones):
                alike = [other for other in self.left if is_fit(offer, other)]
                if alike:
                    self.take(number, alike[:1])

    def take_words(self) -> None:
        """Find the words of what is still not read; they tell no figure."""
        for number, offer in list(self.open_ones):
            fitting = (piece for piece in self.pieces if holds_words(piece, offer))
            piece = next(fitting, None) or find_verbatim(self.message, offer.description)
            if piece is not None:
                self.take(number, [price_in_kind(replace(offer, amount_usd=None, description=piece, quote=piece))])

    def take_granted(self, asked: str) -> None:
        """Find what the customer asked for in so many words, where the message grants it."""
        granted = find_yes(self.message) if "?" in asked else None
        for number, offer in list(self.open_ones):
            if granted and find_stems(offer.description) & find_stems(asked):
                self.take(number, [price_in_kind(replace(offer, amount_usd=None, quote=granted))])
                self.granted.add(number)


def hold_against(
    message: str, declared: Sequence[Offer], read: Sequence[Offer], standing: Sequence[Offer], asked: str = ""
) -> list[Made]:
    """The offers of a message: each that was declared, then each that was only said.

    Args:
        message: The message.
        declared: What the agent declared.
        read: What was read in the message.
        standing: What the customer heard before and stands.
        asked: The customer's message that it answers.
    """
    pairing = Pairing(message, [price_in_kind(offer) for offer in declared], [price_in_kind(offer) for offer in read])
    pairing.take_equal()
    pairing.take_sums()
    pairing.take_alike()
    pairing.take_words()
    pairing.take_granted(asked)
    made = [settle(offer, pairing.said.get(number, [])) for number, offer in enumerate(pairing.declared)]
    # What is granted is what was asked for: a "yes" alone has no words that a wish could be held against.
    made = [
        replace(entry, heard=replace(entry.heard, description=asked))
        if entry.heard and number in pairing.granted
        else entry
        for number, entry in enumerate(made)
    ]
    known = [*standing, *(entry.heard for entry in made if entry.heard)]
    extra = [replace(offer, mismatch="undeclared") for offer in pairing.left if not says_again(offer, known)]
    return [*made, *(Made(offer, offer) for offer in extra)]


def settle(offer: Offer, said: Sequence[Offer]) -> Made:
    """A declared offer with what was read for it; a figure that was said as goodwill is none of an open entitlement."""
    if not said:
        return Made(replace(offer, mismatch="unsaid"), None)
    quote = offer.quote or said[0].quote
    usd = sum_usd(said) if any(other.amount_usd is not None for other in said) else None
    goodwill = [other for other in said if other.kind != "entitlement" and other.amount_usd is not None]
    if is_open(offer) and goodwill:
        offer = replace(offer, kind=goodwill[0].kind, policy_id=None)
    elif is_open(offer):
        usd = None
    if usd == offer.amount_usd or is_near(offer, replace(offer, amount_usd=usd)):
        whole = replace(offer, quote=quote)
        return Made(whole, replace(whole, description=quote))
    counted = replace(offer, quote=quote, amount_usd=offer.amount_usd if usd is None else usd, mismatch="figure")
    return Made(counted, replace(counted, amount_usd=usd, description=quote))


def find_yes(message: str) -> str | None:
    """The sentence of a message that grants what was asked for; None where there is none, or anything is taken back."""
    if is_conditional(message) or any(search(name, message) for name in LOOSE):
        return None
    texts = [message[part.start : part.start + len(part.text)].strip() for part in list_sentences(message)]
    return next((text for text in texts if YES.fullmatch(text) or (DEED.search(text) and "?" not in text)), None)


def find_pieces(message: str) -> Iterator[str]:
    """Stretches of a message, between commas and colons, that may say an offer: none asks, denies, reports, hedges."""
    for sentence in list_sentences(message):
        if not (is_question(sentence.text) or is_conditional(sentence.text)):
            for piece in (piece for clause in list_clauses(sentence) for piece in split(CUT, clause)):
                if not (STATED.search(piece.text) or any(search(name, piece.text) for name in LOOSE)):
                    yield message[piece.start : piece.start + len(piece.text)]


def names_sum(piece: str, offer: Offer) -> bool:
    """Whether a stretch names the figure of an offer, and something that is given or one of the offer's words."""
    if not any(abs(found.usd - (offer.amount_usd or 0.0)) < NEAR_USD for found in find_sums(piece)):
        return False
    gives = find_binder(piece) is not None or any(search(name, piece) for name in THINGS)
    return gives or bool(find_stems(offer.description) & find_stems(piece))


def holds_words(piece: str, offer: Offer) -> bool:
    """Whether a stretch holds enough of an offer's words."""
    wanted = find_stems(offer.description)
    return bool(wanted) and len(wanted & find_stems(piece)) >= ENOUGH * len(wanted)


def find_verbatim(message: str, description: str) -> str | None:
    """A description where it stands in a message as it is; a word or three may stand there by chance."""
    start = message.lower().find(description.lower())
    is_long = len(description.split()) >= LONG
    return message[start : start + len(description)] if is_long and start >= 0 else None


def says_again(offer: Offer, known: Sequence[Offer]) -> bool:
    """Whether a read offer says again what is known, one by one or all together; what comes on top never does."""
    if offer.relation == "addition":
        return False
    if offer.amount_usd is None:
        return any(other.kind == offer.kind or shares_words(other, offer) for other in known)
    if offer.kind == "entitlement" and any(is_open(other) and shares_words(other, offer) for other in known):
        return True
    return any(is_near(other, offer) for other in known) or abs(sum_usd(known) - offer.amount_usd) < NEAR_USD


def is_near(offer: Offer, other: Offer) -> bool:
    """Whether two offers have one figure."""
    one, two = offer.amount_usd, other.amount_usd
    return one is not None and two is not None and abs(one - two) < NEAR_USD


def is_open(offer: Offer) -> bool:
    """Whether it is an entitlement without a figure: "up to $180 against receipts" names none yet."""
    return offer.kind == "entitlement" and offer.amount_usd is None


def shares_words(offer: Offer, other: Offer) -> bool:
    """Whether the words of an offer and a read one have any in common."""
    return bool(find_stems(offer.description) & find_stems(other.quote))


def is_of_one_kind(offer: Offer, other: Offer) -> bool:
    """Whether two offers are of one kind."""
    return offer.kind == other.kind


def sum_usd(offers: Sequence[Offer]) -> float:
    """Worth of offers; what has no figure counts nothing."""
    return sum(offer.amount_usd or 0.0 for offer in offers)


def find_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that say something, without numbers."""
    return frozenset(entry for entry in stem_telling(text) if entry[0].isalpha())
