"""What a scripted agent makes of a case: topic, quotes, record, rule, what is owed, goodwill in proportion.

Belongs here: reading the agent's view, and nothing beyond it. Not here: what is said about it (`wording.py`), or when
(`scripted.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from servicebench_data.scenarios import cues
from servicebench_data.scenarios.canonical import read_hours, read_usd
from servicebench_data.scenarios.extraction import extract_values
from servicebench_data.scenarios.sentences import split_sentences
from servicebench_data.scenarios.vocabulary import COMMON, split_words, stem
from servicebench_data.simulation.agents.topics import Topic, count_matches, list_topics
from servicebench_data.simulation.turns import AgentView, PolicyView

NOTHING_ON_FILE = {"", "(nothing on file)"}
CAUSE = re.compile(r"cause|reason|type of charge", re.IGNORECASE)
#: By which words a rule gives what its policy is for.
GIVING = {
    "refund": r"refund|return|reversed|gets back|has the whole",
    "reimbursement": r"reimburse|paid|owed|covered|pay back|at our cost",
    "replacement": r"replace|remade|exchange|sent again",
    "rebooking": r"rebook|placed|moved|move the",
    "repair": r"repair|replace",
    "credit": r"credit|points|honoured",
    "voucher": r"voucher",
}
#: What a customer says about the talk and not about the case; quoting it back would be hollow.
HOLLOW = re.compile(
    r"good enough|what about|\b(?:thanks?|please|hello|hi|hey|sorry|answer|reply|question|told you|"
    r"you (?:ask|said|say|keep))",
    re.IGNORECASE,
)
#: How a customer says what would put it right, and when it names nothing.
WISH = re.compile(
    r"\b(?:I|we)(?:'d| would| do)? (?:\w+ )?(?:expect|want|need|like|suppose|hope|wish|ask)\b|"
    r"\bwould (?:\w+ )?(?:be|help|do|make)\b",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:something definite|anything definite|(?:a|clear|concrete|next) (?:\w+ )?(?:step|action)|what will|decision|"
    r"end this|get back|main thing|accept|think about|taken seriously|need (?:you to )?hear|from me|grateful|calmer)\b",
    re.IGNORECASE,
)
GRAVE = re.compile(
    r"\b(?:clinic|hospital|ambulance|injur\w+|bites|blood|bleeding|burn(?:ed|t|s)|fractur\w+)\b", re.IGNORECASE
)
#: A rule that holds only from some length of time on; the first such length in its text counts.
THRESHOLD = re.compile(
    r"\b(?:from|more than|longer than|later than|over|beyond|past)\b[\w\s]{0,30}?\b\d+ (?:minutes|hours|days)\b",
    re.IGNORECASE,
)
PRICED = {"refund", "reimbursement", "credit", "voucher"}
#: Shares of the limit that a case of low, middling and high weight is worth in goodwill.
SHARES = (0.1, 0.25, 0.6)
LONGEST_QUOTE = 16  # words
LONGEST_WISH = 30  # words


@dataclass(frozen=True)
class Owed:
    """What a policy gives the customer as of right."""

    policy: PolicyView
    amount_usd: float | None
    words: str


@dataclass(frozen=True)
class Case:
    """A case as far as the agent knows it at one turn.

    Attributes:
        view: What the agent sees.
    """

    view: AgentView

    @cached_property
    def customer(self) -> tuple[str, ...]:
        """What the customer said, message by message."""
        return tuple(said.text for said in self.view.said if said.role == "customer")

    @cached_property
    def mine(self) -> tuple[str, ...]:
        """What the agent said."""
        return tuple(said.text for said in self.view.said if said.role == "agent")

    @cached_property
    def words(self) -> str:
        """All that the customer said."""
        return "\n".join(self.customer)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The record's fields that hold something, by title."""
        pairs = (line.partition(": ") for line in self.view.case_record.splitlines() if ": " in line)
        return {title: value for title, _, value in pairs if value.strip() not in NOTHING_ON_FILE}

    @cached_property
    def topic(self) -> Topic:
        """The topic whose words occur most often in what the customer said first."""
        opening = self.customer[0] if self.customer else ""
        scored = [(count_matches(topic, opening), topic) for topic in list_topics(self.view.industry)]
        return max(scored, key=lambda pair: pair[0])[1]

    @cached_property
    def policy(self) -> PolicyView | None:
        """The policy that shares most words with what the customer said, the first of equals."""
        heard = find_stems(self.words)
        scored = [(len(heard & find_stems(f"{policy.title} {policy.text}")), policy) for policy in self.view.policies]
        return max(scored, key=lambda pair: pair[0])[1] if scored else None

    @cached_property
    def rule(self) -> str | None:
        """The sentence of that policy that fits the case best."""
        if self.policy is None:
            return None
        heard, giving = find_stems(self.words), GIVING.get(self.policy.entitlement_kind or "", "(?!)")
        rules = [part.strip() for part in re.split(r"(?<=[.;])\s+(?=[A-Z])", self.policy.text) if len(part.split()) > 5]
        scored = [(len(heard & find_stems(rule)) + 3 * bool(re.search(giving, rule)), rule) for rule in rules]
        return max(scored, key=lambda pair: pair[0])[1].rstrip(".;") + "." if scored else self.policy.text

    @cached_property
    def loss_usd(self) -> float | None:
        """What the customer is out of, by the record, else by the largest amount that the customer names."""
        on_file = [value for title, value in self.fields.items() if "amount" in title.lower()]
        amounts = list(find_amounts(on_file)) or list(find_amounts(self.customer))
        return max(amounts, default=None) if cues.is_about_money(self.words) or on_file else None

    @cached_property
    def owed(self) -> Owed | None:
        """What the policy gives; None where it gives nothing, or the case falls short of its threshold."""
        policy = self.policy
        if policy is None or policy.entitlement_kind in {None, "information"} or self.falls_short(policy):
            return None
        amount = choose_amount(policy, self.loss_usd)
        return Owed(policy, amount, tell_owed(policy, amount))

    def falls_short(self, policy: PolicyView) -> bool:
        """Whether a length of time is known and is below the one that the policy asks for."""
        threshold = THRESHOLD.search(policy.text)
        known = max(find_hours([*self.customer, *self.fields.values()]), default=0.0)
        least = max(find_hours([threshold.group() if threshold else ""]), default=0.0)
        return 0 < known < least

    @cached_property
    def goodwill_usd(self) -> float:
        """Goodwill in proportion, within the limit; more where money is lost that no policy returns."""
        limit = self.view.goodwill_limit_usd
        amount = round_to_five(limit * SHARES[self.weight])
        if self.owed is None and self.loss_usd and cues.is_money_loss(self.words):
            amount = max(amount, round_to_five(0.75 * self.loss_usd))
        return min(amount, limit)

    @cached_property
    def weight(self) -> int:
        """How grave the case is, by what the customer said: 0 to 2."""
        text = self.words
        if cues.is_dangerous(text) or cues.is_abused(text) or GRAVE.search(text):
            return 2
        return int(cues.is_vulnerable(text) or cues.is_practical(text) or (self.loss_usd or 0) >= 75)

    def cut_back(self, exchanges: int) -> "Case":
        """The case as it stood when the agent wrote its message of that number, from 0."""
        return Case(replace(self.view, said=self.view.said[: 2 * exchanges + 1]))


def list_values(case: Case) -> dict[str, str]:
    """What phrases may say of a case; what the case does not have is not there."""
    record = "; ".join(f"{title}: {value}" for title, value in list(case.fields.items())[:4])
    cause = next((f"{title.lower()}, {value}" for title, value in case.fields.items() if CAUSE.search(title)), "")
    quoted = case.mine
    values = {
        "brand": case.view.brand,
        "quote": pick_quote(case.customer[:1], quoted),
        "fresh": pick_quote(case.customer[1:][-1:], quoted),
        "wish": pick_wish(case.customer[1:], quoted),
        "record": record,
        "cause": cause,
        "title": case.policy.title if case.policy else "",
        "rule": case.rule or "",
        "owed": case.owed.words if case.owed else "",
    }
    absent = {f"no_{name}": "" for name in ("record", "cause") if not values[name]}
    return {name: value for name, value in values.items() if value} | absent


def choose_amount(policy: PolicyView, loss: float | None) -> float | None:
    """The amount of what is owed: the loss up to the limit, or the limit of a fixed voucher or credit."""
    limit = policy.entitlement_limit_usd
    if policy.entitlement_kind in {"voucher", "credit"}:
        return limit
    if policy.entitlement_kind not in PRICED or loss is None:
        return None
    return min(loss, limit) if limit is not None else loss


def tell_owed(policy: PolicyView, amount: float | None) -> str:
    """What is owed, as a noun phrase."""
    cap = f", up to {tell_usd(policy.entitlement_limit_usd)}" if policy.entitlement_limit_usd else ""
    money = tell_usd(amount) if amount is not None else ""
    phrases = {
        "refund": f"a refund of {money}" if money else "a refund of what you paid for it",
        "reimbursement": f"a reimbursement of {money}" if money else f"your costs back against receipts{cap}",
        "replacement": "a replacement at no cost to you",
        "rebooking": "a new booking at no extra cost",
        "repair": f"the repair of it, or its value where it cannot be repaired{cap}",
        "credit": f"a credit of {money}" if money else "the credit that the rule provides",
        "voucher": f"a voucher of {money}" if money else "the voucher that the rule provides",
    }
    return phrases[str(policy.entitlement_kind)]


def tell_usd(amount: float | None) -> str:
    """An amount as people write it."""
    value = amount or 0.0
    return f"${value:,.0f}" if value == int(value) else f"${value:,.2f}"


def round_to_five(amount: float) -> float:
    """The nearest multiple of five, at least five for anything above nothing."""
    return max(5.0, 5.0 * round(amount / 5)) if amount > 0 else 0.0


def find_amounts(texts: Sequence[str]) -> Iterator[float]:
    """Amounts in texts, in US dollars."""
    for text in texts:
        for value in extract_values(text):
            if value.kind == "amount" and (usd := read_usd(value.canonical)) > 0:
                yield round(usd, 2)


def find_hours(texts: Sequence[str]) -> Iterator[float]:
    """Lengths of time in texts, in hours."""
    for text in texts:
        for value in extract_values(text):
            if value.kind == "duration" and (hours := read_hours(value.canonical)) > 0:
                yield hours


def pick_quote(messages: Sequence[str], quoted: Sequence[str]) -> str:
    """The customer's own words: the first telling sentence of a length to quote that has not been quoted yet."""
    sentences = [sentence.text for message in messages for sentence in split_sentences(message)]
    plain = [re.sub(r"[\"“”]|@\w+|https?://\S+|\[link\]", "", text).strip(" .,;:!-") for text in sentences]
    fitting = [text for text in plain if 3 <= len(text.split()) <= LONGEST_QUOTE and not text.endswith("?")]
    fresh = [text for text in fitting if not any(text in message for message in quoted)]
    return next((text for text in fresh if is_telling(text) and not WISH.search(text)), "")


def is_telling(text: str) -> bool:
    """Whether a sentence tells something of the case: a value, what staff said, what it led to."""
    tells = bool(extract_values(text)) or cues.is_practical(text) or cues.is_staff_statement(text)
    return (tells or cues.is_vulnerable(text)) and not HOLLOW.search(text)


def pick_wish(messages: Sequence[str], quoted: Sequence[str]) -> str:
    """What the customer says would put it right, in its words; nothing that was taken up already."""
    sentences = [sentence.text.strip(" .,;:!-") for message in messages for sentence in split_sentences(message)]
    wishes = [text for text in sentences if WISH.search(text) and not VAGUE.search(text) and '"' not in text]
    fresh = [text for text in wishes if not any(text in message for message in quoted)]
    return next((text for text in reversed(fresh) if 4 <= len(text.split()) <= LONGEST_WISH), "")


def find_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that say something."""
    return frozenset(stem(word) for word in split_words(text) if word not in COMMON and len(word) > 2)
