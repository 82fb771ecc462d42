"""Offers in an agent's words, for agents that declare none, and to compare with what they declare.

Belongs here: reading offers from a message, what goodwill in kind is worth, which offers count. Not here: what stands
on the table after several messages (`book.py`).

A message is read clause by clause. A clause makes an offer where it names a thing of worth (a sum, something in kind,
or what puts right what was bought), and binds the company to give it (a first person or a passive that gives, a
customer who gets, a concrete thing asked for consent), and nothing in it takes that back: a hedge, a denial, the report
of somebody else's words, a rule in general, a condition that the customer alone cannot fulfil.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from schemas.simulation import OfferKind, OfferRelation
from servicebench_data.simulation.offer_amounts import adds_up, choose_sums, find_sums, list_spans
from servicebench_data.simulation.offer_clauses import (
    FACTS,
    LINE,
    Context,
    Part,
    blank,
    does,
    find_binder,
    is_conditional,
    is_question,
    list_clauses,
    list_sentences,
    opens_list,
)
from servicebench_data.simulation.offer_words import compile_list, compile_words, load_words, search, words
from servicebench_data.simulation.turns import Offer, PolicyView

JOINT = re.compile(
    r",?\s(?:and|plus|&|as well as|along with|together with)\s|,\s(?=(?:an?|another|plus|the)\b|\$|\d)", re.IGNORECASE
)
#: Words that leave the customer a choice, and what stands between the things to choose from.
CHOICE = re.compile(
    r"\b(?:either|choose|options?)\b|\b(?:your choice|choice is|choice (?:of|between)|(?:two|three) ways)\b|"
    r"\bpick (?:one|between|from)\b",
    re.IGNORECASE,
)
CHOICE_JOINT = re.compile(rf",?\s(?:or|and)\s(?:else\s)?|{JOINT.pattern}", re.IGNORECASE)
#: What stands between two offers of which the customer takes one: an "or" right before the second.
OR = re.compile(
    r"^[^.!?\n]*\b(?:or|alternatively)\b,? (?:else |if you (?:prefer|like),? |[\w']+ ){0,4}$", re.IGNORECASE
)
NEXT_ENTRY = re.compile(r"^[^\n]*\n+\s*(?:[-*•]|\d[.)])")
APART = re.compile(r"\b(?:whichever|whatever|in any case|either way)\b.*\w", re.IGNORECASE | re.DOTALL)
HEADING = 200  # characters before a choice that may announce it
UNCHARGED = re.compile(
    r"\b(?:won't|will not|not) be (?:charged|billed|taken)|\b(?:don't|won't|not) (?:take|charge|bill)\b", re.IGNORECASE
)
ASIDE = re.compile(r"\b(?:which|that|who|what) you (?:did|do|have|were|are)(?:n't| not)\b[^,]*", re.IGNORECASE)
NEAR = 15  # characters after a thing that still speak of it
OLD_ENTRY = re.compile(r"^\W*(?:before|was|old|previous|earlier|until now|so far|original)\b", re.IGNORECASE)
POINTER = re.compile(
    r"^(?:has|have|is|are) been\b|^(?:it|that|this|which|these|those|both|one of|"
    r"the (?:charge|fee|amount|money|payment))\b|"
    r"(?:waiv|refund|revers|return|remov|credit|cancell?|void)\w* (?:it|that|this|them)\b",
    re.IGNORECASE,
)
RESTORED = re.compile(
    r"\b(?:back|restor\w+|reinstat\w+|returned|re-?credit\w*|missing (?:points|miles|nights))\b", re.IGNORECASE
)
#: Money without a sum that is new: any voucher, a share off; "the credit" was offered before.
NEW = re.compile(
    r"\b(?:an?|another|one|some|two|three) (?:\S+ ){0,3}?(?:credits?|vouchers?|certificates?|coupons?|promos?|discount|"
    r"(?:gift|dining|store) ?cards?|compensation|bonus|gesture)\b|%|\bpercent\b|\bhalf (?:price|off)\b",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:free|complimentary|treat|on (?:us|me|the house)|i pay|half price|%|percent off)\b", re.IGNORECASE
)
#: Verbs of what is over or was somebody else's, in a clause that names a sum and gives nothing.
PAST = re.compile(r"\b(?:was|were|had|ended|expired|bought|paid)\b", re.IGNORECASE)
#: What an offer is set beside or put in the place of.
BESIDE = re.compile(
    r"\b(?:on top of|in addition to|besides|apart from|beyond|instead of|rather than|in place of) "
    r"(?:(?:the|your|that|a|any|our|my)\b ?)?(?:\w+ ?){0,2}",
    re.IGNORECASE,
)


class Thing(NamedTuple):
    """Something of worth that a clause names."""

    start: int
    end: int
    usd: float | None
    is_in_kind: bool


def read_offers(message: str, policies: Sequence[PolicyView] = ()) -> tuple[Offer, ...]:
    """The offers that a message makes, each with its words; goodwill in kind has only the worth that it says."""
    offers: list[Offer] = []
    before, opening = "", ""
    for sentence in list_sentences(message):
        head = opening if LINE.match(sentence.text) else ""
        if not (is_conditional(sentence.text) or is_question(sentence.text)):
            found: list[Offer] = []
            for clause in list_clauses(sentence):
                context = Context(before, sentence.text[: clause.start - sentence.start], head)
                found.extend(read_clause(message, clause, context, policies))
            offers.extend(join_deeds(found))
        opening = head or (sentence.text if opens_list(sentence.text) or FACTS.search(sentence.text) else "")
        before = sentence.text
    return tuple(mark_choices(message, offers))


def mark_choices(message: str, offers: Sequence[Offer]) -> Iterator[Offer]:
    """The offers, those of which the customer takes the one or the other as alternatives."""
    end = 0
    for number, offer in enumerate(offers):
        start = max(message.find(offer.quote, end), end)
        is_choice = number > 0 and offer.relation == "new" and leaves_choice(message, end, start)
        yield replace(offer, relation="alternative") if is_choice else offer
        end = start + len(offer.quote)


def leaves_choice(message: str, end: int, start: int) -> bool:
    """Whether what stands between the end of an offer and the start of the next lets the customer choose."""
    between, before = message[end:start], message[max(0, end - HEADING) : end]
    if APART.search(between):
        return False
    # The quote of an entry may begin with its bullet.
    is_listed = NEXT_ENTRY.match(message[end : start + 3]) is not None or between.strip() in {"and", "or", ","}
    return OR.search(between) is not None or (is_listed and CHOICE.search(before) is not None)


def join_deeds(offers: Sequence[Offer]) -> Iterator[Offer]:
    """The offers of a sentence; deeds without a sum that follow each other put the same thing right."""
    last: Offer | None = None
    for offer in offers:
        is_deed = offer.kind == "entitlement" and offer.amount_usd is None
        if not (is_deed and last and last.kind == "entitlement" and last.amount_usd is None):
            yield offer
        last = offer


def read_clause(message: str, clause: Part, context: Context, policies: Sequence[PolicyView]) -> Iterator[Offer]:
    """The offers of one clause; things that stand side by side share what binds them and what takes it back."""
    found = list_bound(clause, context)
    for thing, piece in found:
        quote = message[piece.start : piece.start + len(piece.text)]
        kind = choose_kind(thing, piece.text, clause.text, context)
        if kind == "goodwill_cash" and is_promised(piece.text, policies):
            kind = "entitlement"
        usd = thing.usd or (recall_sum(clause.text, context) if kind == "entitlement" else None)
        policy = choose_policy(piece.text, policies) if kind == "entitlement" else None
        relation = choose_relation(piece.text, clause.text, context)
        yield Offer(kind, relation, usd, policy, quote, quote, "text")


def list_bound(clause: Part, context: Context) -> list[tuple[Thing, Part]]:
    """What a clause binds the company to, each with the words that are about it."""
    found = [(thing, piece) for piece in split_joint(clause) for thing in list_things(piece)]
    found = [(thing, piece) for thing, piece in found if thing.usd or thing.is_in_kind or is_new(piece.text)]
    if context.opening or opens_list(clause.text):
        found = [(thing, piece) for thing, piece in found if thing.usd or thing.is_in_kind or does(piece.text)]
    if not found or FACTS.search(context.opening):
        return []
    start = min(piece.start - clause.start + thing.start for thing, piece in found)
    end = max(piece.start - clause.start + thing.end for thing, piece in found)
    return found if binds(clause.text, context, start, end) else []


def is_new(text: str) -> bool:
    """Whether what is named without a sum is more than an earlier offer that is spoken of again."""
    return bool(search("owed", text) or search("by_right", text) or NEW.search(text))


def recall_sum(clause: str, context: Context) -> float | None:
    """The one sum that was named right before, where a clause points back to it."""
    sums = find_sums(context.lead) or find_sums(context.before)
    return sums[0].usd if POINTER.search(clause) and len(sums) == 1 else None


def split_joint(clause: Part) -> list[Part]:
    """A clause cut between things that stand side by side."""
    pieces: list[Part] = []
    start, sums = 0, list_spans(clause.text)
    if adds_up(find_sums(clause.text)):
        return [clause]
    for found in (CHOICE_JOINT if CHOICE.search(clause.text) else JOINT).finditer(clause.text):
        inside = any(begin < found.end() and found.start() < end for begin, end in sums)
        if not inside and parts_things(clause.text[start : found.start()], clause.text[found.end() :]):
            pieces.append(clause.cut(start, found.start()))
            start = found.end()
    return [*pieces, clause.cut(start, len(clause.text))]


def parts_things(left: str, right: str) -> bool:
    """Whether what stands left and right of a joint are things of their own."""
    return has_thing(left) and opens_thing(right) and (bool(find_sums(left)) or not is_bare(right))


def is_bare(text: str) -> bool:
    """Whether a stretch begins with a sum, which may say how much of what stands before it."""
    sums = find_sums(text)
    return bool(sums) and sums[0].start == 0


def has_thing(text: str) -> bool:
    """Whether a stretch names anything of worth."""
    return bool(find_sums(text) or search("in_kind", text) or search("owed", text) or search("cash", text))


def opens_thing(text: str) -> bool:
    """Whether a stretch begins with a thing of its own: a sum, something in kind, or another deed."""
    head = " ".join(text.split()[:6])
    has_deed = bool(compile_list("give").match(text)) and has_thing(text)
    return bool(find_sums(head) or search("in_kind", head)) or has_deed


def list_things(piece: Part) -> list[Thing]:
    """What a stretch without joints offers, in its order."""
    sums, kind = choose_sums(piece.text), search("in_kind", piece.text)
    worth = next((amount for amount in sums if kind and amount.is_worth), None)
    things = [Thing(amount.start, amount.end, amount.usd, is_in_kind=False) for amount in sums if amount is not worth]
    if kind:
        things.append(Thing(kind.start(), kind.end(), worth.usd if worth else None, is_in_kind=True))
    named = search("owed", piece.text) or search("cash", piece.text)
    if not things and named:
        things.append(Thing(named.start(), named.end(), None, is_in_kind=False))
    return sorted(things, key=lambda thing: thing.start)


def binds(clause: str, context: Context, start: int, end: int) -> bool:
    """Whether a clause binds the company to what is named in a stretch of it, and nothing takes it back."""
    clause = blank(ASIDE, blank(BESIDE, clause))
    found = find_binder(clause)
    if found is None:
        is_given = (bool(context.opening) and not OLD_ENTRY.match(clause)) or is_noted(clause)
        near = clause[: end + NEAR]
        is_over = bool(PAST.search(near)) or any(search(name, near) for name in ("report", "rule", "hedge", "deny"))
        return is_given and not is_over
    is_ours = found.re.pattern == words("binder") or found.start() == 0
    before, upto = clause[: found.start() if is_ours else max(found.start(), start)], clause[: max(end, found.end())]
    if search("report", before) or search("rule", before) or search("hedge", upto) or search("tail", clause):
        return False
    return not search("deny", UNCHARGED.sub("", upto))


def is_noted(clause: str) -> bool:
    """Whether a clause without a verb that gives names a sum with what becomes of it, or something free."""
    if find_sums(clause):
        return any(search(name, clause) for name in ("noted", "cash", "owed", "in_kind", "favour", "addition"))
    return bool(FREE.search(clause)) or bool(LINE.match(clause) and search("in_kind", clause))


def choose_kind(thing: Thing, text: str, clause: str, context: Context) -> OfferKind:
    """Owed, or goodwill in money or in kind; a favour stays one whatever it is called."""
    around = f"{context.lead} {text}"
    text, clause = blank(BESIDE, text), blank(BESIDE, clause)
    if search("favour", around):
        return "goodwill_non_cash" if thing.is_in_kind else "goodwill_cash"
    if search("by_right", clause) or (POINTER.match(clause) and search("by_right", context.before)):
        return "entitlement"
    if thing.is_in_kind:
        return "entitlement" if RESTORED.search(text) else "goodwill_non_cash"
    if search("cash", text):
        return "goodwill_cash"
    is_known = not search("raise", clause) and bool(
        re.search(r"\b(?:the|your)\s*$", text[: thing.start], re.IGNORECASE)
    )
    return "entitlement" if is_known or search("owed", text) or search("owed", clause) else "goodwill_cash"


def is_promised(text: str, policies: Sequence[PolicyView]) -> bool:
    """Whether a policy names a voucher or credit of just this amount."""
    sums = {f"{amount.usd:g}" for amount in find_sums(text)}
    if not re.search(r"\b(?:vouchers?|credits?)\b", text, re.IGNORECASE):
        return False
    near = r"\b(?:voucher|credit)\b[^.;]{0,40}USD ([\d,]+)|USD ([\d,]+)[^.;]{0,20}\b(?:voucher|credit)\b"
    named = {
        number.replace(",", "") for policy in policies for pair in re.findall(near, policy.text) for number in pair
    }
    return bool(sums & named)


def choose_relation(text: str, clause: str, context: Context) -> OfferRelation:
    """Whether the words put an offer in the place of an earlier one, or on top of it."""
    if search("addition", text):
        return "addition"
    if search("raise", clause) or search("raise", context.opening):
        return "raise"
    return "addition" if search("addition", context.lead) else "new"


def choose_policy(text: str, policies: Sequence[PolicyView]) -> str | None:
    """The policy that an entitlement rests on: the one that gives something and shares most words with it."""
    giving = [policy for policy in policies if policy.entitlement_kind is not None]
    heard = set(re.findall(r"[a-z]{4,}", text.lower()))
    ranked = [
        (len(heard & set(re.findall(r"[a-z]{4,}", f"{policy.title} {policy.text}".lower()))), policy)
        for policy in giving
    ]
    return max(ranked, key=lambda pair: pair[0])[1].policy_id if ranked else None


def price_in_kind(offer: Offer) -> Offer:
    """An offer in kind with its worth by the table, where its words do not say it."""
    if offer.kind != "goodwill_non_cash" or offer.amount_usd is not None:
        return offer
    said = offer.quote or offer.description
    for entry in load_words()["in_kind"]:
        found = re.search(compile_words(tuple(entry["words"])), said)
        if found:
            usd: float | None = entry.get("usd")
            count = count_units(said, found, usd) if usd is not None else None
            return replace(offer, amount_usd=round(usd * count, 2) if usd is not None and count else None)
    return offer


def count_units(text: str, found: re.Match[str], usd: float) -> float | None:
    """How many of a thing a text names; None for points and miles without a number."""
    number = re.search(r"(\d[\d,.]*)(k)?\s*(?:[\w-]+\s){0,3}$", text[: found.end()].rsplit(maxsplit=1)[0] + " ")
    if number is None:
        return 1.0 if usd >= 1 else None
    return float(number.group(1).replace(",", "").rstrip(".") or 0) * (1000 if number.group(2) else 1)
