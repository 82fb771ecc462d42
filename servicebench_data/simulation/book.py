"""The book of an agent's offers in one conversation: what each message offers, and what stands after it.

Belongs here: offers as rows, the limit, and what a raise replaces. Not here: reading offers from words (`offers.py`),
holding what is declared against them (`offer_pairing.py`).

It has two shelves: what counts as offered, declared or said, for rows and limit; and what the customer heard.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemas.simulation import OfferRelation, OfferRow
from servicebench_data.simulation.offer_pairing import Made, hold_against
from servicebench_data.simulation.offers import price_in_kind, read_offers
from servicebench_data.simulation.turns import AgentTurn, Offer, PolicyView

_WORD = re.compile(r"[\w-]+")


@dataclass
class Shelf:
    """Offers that stand.

    Attributes:
        entries: The offers by `message_index:offer_index`, the oldest first.
    """

    entries: dict[str, Offer] = field(default_factory=dict[str, Offer])

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The offers alone."""
        return tuple(self.entries.values())

    def put(self, key: str, offer: Offer) -> str | None:
        """Put an offer there; returns the key of the one that it takes the place of."""
        raised = self.find_raised(offer)
        if raised is not None:
            del self.entries[raised]
        self.entries[key] = offer
        return raised

    def find_raised(self, offer: Offer) -> str | None:
        """The standing offer that an offer takes the place of.

        A raise takes that of the newest of its kind, an alternative that of the newest; an offer that is only said
        again takes its own, so that it does not count twice. An addition takes none.
        """
        fits = FITS[offer.relation]
        return next((key for key, other in reversed(self.entries.items()) if fits(offer, other)), None)


@dataclass
class OfferBook:
    """The offers of one attempt.

    Attributes:
        conversation_id: The conversation.
        limit_usd: Most goodwill in all, USD; never clipped to it.
        made: Offers that stand.
        heard: Offers that stand for the customer: what the messages say, with the figures that they name.
        new: What the newest message says, alike.
    """

    conversation_id: str
    limit_usd: float
    made: Shelf = field(default_factory=Shelf)
    heard: Shelf = field(default_factory=Shelf)
    new: tuple[Offer, ...] = ()

    @property
    def goodwill_usd(self) -> float:
        """Worth of the goodwill that stands; what has no figure counts nothing."""
        return sum(offer.amount_usd or 0.0 for offer in self.made.offers if offer.kind != "entitlement")

    def enter(
        self, turn: AgentTurn, policies: Sequence[PolicyView], message_index: int, asked: str = ""
    ) -> list[OfferRow]:
        """Rows of the offers of a message that answers another: those declared, and those that only its words make."""
        offers = self.list_made(turn, policies, asked)
        self.new = tuple(order_choices(price_in_kind(entry.heard) for entry in offers if entry.heard))
        for number, offer in enumerate(self.new):
            self.heard.put(f"{message_index}:{number}", offer)
        written = order_choices(price_in_kind(entry.offer) for entry in offers)
        return [self.enter_one(offer, message_index, number) for number, offer in enumerate(written)]

    def list_made(self, turn: AgentTurn, policies: Sequence[PolicyView], asked: str) -> Sequence[Made]:
        """The offers of a message; all that its words make where nothing declares any."""
        read = read_offers(turn.message, policies)
        if not turn.has_structure:
            return [Made(offer, offer) for offer in read]
        declared = [name_policy(offer, policies) for offer in turn.offers]
        return hold_against(turn.message, declared, read, self.heard.offers, asked)

    def enter_one(self, offer: Offer, message_index: int, number: int) -> OfferRow:
        """The row of an offer, and what stands with it."""
        raised = self.made.put(f"{message_index}:{number}", offer)
        return OfferRow(
            conversation_id=self.conversation_id,
            message_index=message_index,
            offer_index=number,
            kind=offer.kind,
            relation=offer.relation,
            raises_offer=raised,
            amount_usd=offer.amount_usd,
            policy_id=offer.policy_id,
            description=offer.description,
            quote=offer.quote,
            read_from=offer.read_from,
            mismatch=offer.mismatch,
            is_over_limit=offer.kind != "entitlement" and self.goodwill_usd > self.limit_usd,
        )


def name_policy(offer: Offer, policies: Sequence[PolicyView]) -> Offer:
    """The offer with the id of the policy that it names, alone or among other words; a policy that is none is left out.

    A model copies the policy's whole text, or makes an id up.
    """
    words = set(_WORD.findall(offer.policy_id or ""))
    known = (policy.policy_id for policy in policies)
    return replace(offer, policy_id=next((policy_id for policy_id in known if policy_id in words), None))


def order_choices(offers: Iterable[Offer]) -> Iterator[Offer]:
    """The offers, those of which the customer takes one by their worth, so that the greatest comes to stand."""
    groups: list[list[Offer]] = []
    for offer in offers:
        if offer.relation == "alternative" and groups:
            groups[-1].append(offer)
        else:
            groups.append([offer])
    for group in groups:
        relation = "new" if group[0].relation == "alternative" else group[0].relation
        for offer in sorted(group, key=lambda offer: offer.amount_usd or 0.0):
            yield replace(offer, relation=relation)
            relation = "alternative"


def is_alike(offer: Offer, other: Offer) -> bool:
    """Whether two offers are of one kind."""
    return offer.kind == other.kind


def is_the_same(offer: Offer, other: Offer) -> bool:
    """Whether an offer says another one again."""
    return (offer.kind, offer.amount_usd, offer.policy_id) == (other.kind, other.amount_usd, other.policy_id)


def is_none(offer: Offer, other: Offer) -> bool:  # noqa: ARG001  (the form of its like)
    """Nothing is replaced."""
    return False


def is_any(offer: Offer, other: Offer) -> bool:  # noqa: ARG001  (the form of its like)
    """The newest is replaced."""
    return True


FITS: Mapping[OfferRelation, Callable[[Offer, Offer], bool]] = {
    "raise": is_alike,
    "new": is_the_same,
    "addition": is_none,
    "alternative": is_any,
}
