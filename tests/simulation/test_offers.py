"""Offers in an agent's words: what is one, of which kind, how much, and what takes the place of what."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.offers import FOLDER, add, is_same, list_policies, pair_off
from schemas.simulation import OfferRow
from servicebench_data.simulation.book import OfferBook
from servicebench_data.simulation.goodwill import sum_goodwill
from servicebench_data.simulation.offer_amounts import choose_sums, find_sums, read_words
from servicebench_data.simulation.offers import price_in_kind, read_offers
from servicebench_data.simulation.turns import AgentTurn, Offer, PolicyView

Read = list[tuple[str, float | None, str]]
MEALS = PolicyView("meals", "Meals", "A delay of 3 hours gives a meal voucher of USD 12.", "voucher", 12.0)
INFORMS = PolicyView("informs", "Answers", "A complaint gets an answer within a day.", "information", None)


def read(message: str, *policies: PolicyView) -> Read:
    return [(offer.kind, offer.amount_usd, offer.relation) for offer in read_offers(message, policies)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("We'd be happy to send you a $40 gift card for the mix-up.", [("goodwill_cash", 40, "new")]),
        ("Your refund of $88 has been processed.", [("entitlement", 88, "new")]),
        ("You will be reimbursed up to $180 for the hotel.", [("entitlement", 180, "new")]),
        ("We've rebooked you on the 7:10 tomorrow.", [("entitlement", None, "new")]),
        ("I will look into the case and send a replacement for the box.", [("entitlement", None, "new")]),
        ("I'll look into this and refund you $40 today.", [("entitlement", 40, "new")]),
        ("Dessert is on us next time.", [("goodwill_non_cash", None, "new")]),
        ("As a one-time exception, I'm waiving the $200 change fee.", [("goodwill_cash", 200, "new")]),
        ("Would you accept a $75 travel voucher?", [("goodwill_cash", 75, "new")]),
        ("Okay, I'll raise it to $90.", [("goodwill_cash", 90, "raise")]),
        ("I've bumped your credit from $25 to $60.", [("goodwill_cash", 60, "raise")]),
        ("I'm adding another $20 in credit.", [("goodwill_cash", 20, "addition")]),
        ("Fifty dollars is on its way to you by e-gift card.", [("goodwill_cash", 50, "new")]),
        ("We extend to you a credit of between $20 and $30.", [("goodwill_cash", 30, "new")]),
        ("You get $25 in credit for each of the four of you.", [("goodwill_cash", 100, "new")]),
        (
            "I can offer you either a $25 credit or 2,000 miles, whichever you prefer.",
            [("goodwill_cash", 25, "new"), ("goodwill_non_cash", None, "alternative")],
        ),
        (
            "You can choose between a $50 voucher and a refund of $80.",
            [("goodwill_cash", 50, "new"), ("entitlement", 80, "alternative")],
        ),
        (
            "- Refund of the seat fee ($28)\n- 3,000 miles",
            [("entitlement", 28, "new"), ("goodwill_non_cash", None, "new")],
        ),
        (
            "I'm refunding the $12.99 and I'm also sending a free meal voucher.",
            [("entitlement", 12.99, "new"), ("goodwill_non_cash", None, "new")],
        ),
    ],
)
def test_an_offer_is_read_with_kind_amount_and_relation(message: str, expected: Read) -> None:
    assert read(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "I can look into a credit for the delay once you've landed.",
        "I will look into the matter and provide you with an update.",
        "I will look into this and provide more information about a refund.",
        "I'll look into the issue and see if a refund is possible.",
        "I will look into the issue and offer you a refund if it is still possible.",
        "Let me see whether we can do something about the $60 fee.",
        "We may be able to refund the $18.",
        "I can't give you a refund of $40.",
        "My colleague offered you a $75 credit on Tuesday.",
        "You paid $340 for the night.",
        "Passengers who are denied boarding may receive up to $1,550.",
        "If the scan shows that it was our error, you will be refunded in full.",
        "Did the $45 charge ever drop off your statement?",
        "I have escalated your request for a $500 refund to the claims team.",
        "Is there a figure that would make this right?",
        "",
    ],
)
def test_a_hedge_a_denial_a_report_a_rule_and_a_question_are_no_offer(message: str) -> None:
    assert read(message) == []


def test_a_voucher_that_a_policy_names_is_owed() -> None:
    message = "A $12 meal voucher is in your app."
    assert read(message) == [("goodwill_cash", 12, "new")]
    assert read(message, INFORMS, MEALS) == [("entitlement", 12, "new")]
    assert read_offers(message, [INFORMS, MEALS])[0].policy_id == "meals"


@pytest.mark.parametrize("half", ["dev", "judge"])
def test_nine_of_ten_labelled_offers_are_read_and_nine_of_ten_that_are_read_are_labelled(half: str) -> None:
    entries = yaml.safe_load((FOLDER / f"{half}.yaml").read_text(encoding="utf-8"))
    rates = [pair_off(entry, read_offers(entry["message"], list_policies(entry)), is_same) for entry in entries]
    total = add(rates)
    assert total.found >= 0.9 * total.labelled
    assert total.found >= 0.9 * total.read


@given(st.text(max_size=300))
def test_every_quote_stands_in_the_message(message: str) -> None:
    assert all(offer.quote and offer.quote in message for offer in read_offers(message))


@given(st.integers(1, 900), st.sampled_from(["I've added a ${} credit to your account.", "You'll get a ${} voucher."]))
def test_any_amount_is_read_as_it_stands(amount: int, form: str) -> None:
    assert [offer.amount_usd for offer in read_offers(form.format(amount))] == [float(amount)]


@given(st.integers(1, 500), st.sampled_from(["I've added a ${} credit.", "We are sending you a ${} gift card."]))
def test_a_denied_amount_is_never_an_offer(amount: int, form: str) -> None:
    said = form.format(amount)
    assert read_offers(said)
    assert read_offers(f"My manager said that {said[0].lower()}{said[1:]}") == ()
    assert read_offers(f"If it is approved, {said[0].lower()}{said[1:]}") == ()


@pytest.mark.parametrize(
    ("text", "usd"),
    [("one hundred and fifty dollars", 150), ("twenty-five bucks", 25), ("a thousand dollars", 1000), ("$1.5k", 1500)],
)
def test_sums_in_words_are_read(text: str, usd: float) -> None:
    assert [amount.usd for amount in find_sums(f"You get {text} from us.")] == [usd]


def test_words_and_totals() -> None:
    assert read_words("two hundred and five") == 205
    assert [amount.usd for amount in choose_sums("$30 per night for 3 nights ($90)")] == [90]
    assert [amount.usd for amount in choose_sums("the drink ($4.25) and the meal ($11.75): $16.00")] == [16]


def price(words: str) -> float | None:
    return price_in_kind(Offer("goodwill_non_cash", "new", None, None, words)).amount_usd


def test_goodwill_in_kind_is_worth_what_the_table_says() -> None:
    assert price("5,000 bonus miles") == 50
    assert price("a free dinner") == 15
    assert price("some bonus miles") is None
    assert price("a bouquet") is None
    said = Offer("goodwill_non_cash", "new", 25.0, None, "2,500 points, which count as $25")
    assert price_in_kind(said) == said


def make_row(place: int, amount: float | None, **given: object) -> OfferRow:
    return OfferRow.model_validate({
        "conversation_id": "c", "message_index": place, "offer_index": 0, "kind": "goodwill_cash", "relation": "new",
        "raises_offer": None, "amount_usd": amount, "policy_id": None, "description": "a credit", "quote": "",
        "read_from": "structure", "mismatch": None, "is_over_limit": False, **given,
    })  # fmt: skip


def enter(*offers: Offer, policies: Sequence[PolicyView] = ()) -> tuple[OfferBook, list[OfferRow]]:
    """A book with one message's offers, and their rows."""
    book = OfferBook("c", 200.0)
    return book, book.enter(AgentTurn("Take your pick.", offers, has_structure=True), policies, 1)


CREDIT = Offer("goodwill_cash", "new", 40.0, None, "goodwill credit")
REFUND = Offer("entitlement", "new", None, None, "full refund")
#: Messages that offer nothing, whatever else they name.
IDLE = (
    "I am so sorry about this. I have looked at your file.",
    "Your file shows a charge of $40, and you asked for a full refund.",
    "I can't give you a refund, nor a goodwill credit of $40.",
    "I can look into a goodwill credit of $40 for you.",
    "Did you ask for a full refund?",
    "If the scan shows that it was our error, you will get a $40 credit.",
)


def declare(message: str, *offers: Offer, book: OfferBook | None = None, place: int = 1) -> tuple[OfferBook, Any]:
    """A book with a message and what it declares, and kind, figure and mismatch of each row."""
    book = book or OfferBook("c", 200.0)
    rows = book.enter(AgentTurn(message, offers, has_structure=True), (), place)
    return book, [(row.kind, row.amount_usd, row.mismatch) for row in rows]


@pytest.mark.parametrize(
    ("message", "asked", "is_heard"),
    [
        ("Yes.", "I want a full refund. Yes or no?", True),
        ("Of course! I'm sorry that it took so long.", "Could you give me a full refund?", True),
        ("I've arranged that for you.", "Could you give me a full refund?", True),
        ("Yes, I understand your frustration.", "Could you give me a full refund?", False),
        ("Yes. I will look into it.", "Could you give me a full refund?", False),
        ("Yes, I can't do that.", "Could you give me a full refund?", False),
        ("Yes.", "Will somebody call me back?", False),
        ("Yes.", "I want a full refund.", False),
        ("Have I done that for you?", "Could you give me a full refund?", False),
    ],
)
def test_a_yes_to_the_customers_question_says_what_was_asked(message: str, asked: str, is_heard: bool) -> None:
    book = OfferBook("c", 200.0)
    (row,) = book.enter(AgentTurn(message, (replace(REFUND, amount_usd=88.0),), has_structure=True), (), 1, asked)
    assert row.mismatch == ("figure" if is_heard else "unsaid")
    assert row.quote in message
    assert [(offer.amount_usd, offer.description) for offer in book.heard.offers] == [(None, asked)] * is_heard


@pytest.mark.parametrize("message", IDLE)
@pytest.mark.parametrize(
    "declared", [CREDIT, REFUND, replace(REFUND, amount_usd=40.0), replace(CREDIT, amount_usd=500)]
)
def test_what_a_message_does_not_say_is_written_down_and_not_heard(message: str, declared: Offer) -> None:
    book, rows = declare(message, declared)
    assert rows == [(declared.kind, declared.amount_usd, "unsaid")]
    assert (book.new, book.heard.offers) == ((), ())
    assert book.made.offers


@pytest.mark.parametrize(
    ("message", "declared", "row", "heard"),
    [
        ("I have credited $40 to your account.", CREDIT, ("goodwill_cash", 40, None), 40),
        ("It's yours: $40 as a credit, and no strings.", CREDIT, ("goodwill_cash", 40, None), 40),
        ("I have put a goodwill credit on your account.", CREDIT, ("goodwill_cash", 40, "figure"), None),
        ("I have put a $500 credit on your account.", CREDIT, ("goodwill_cash", 500, "figure"), 500),
        ("You'll get $25, and $15 more for the wait.", CREDIT, ("goodwill_cash", 40, None), 40),
        ("You get a $500 credit.", replace(CREDIT, amount_usd=None), ("goodwill_cash", 500, "figure"), 500),
        ("I have refunded you in full.", REFUND, ("entitlement", None, None), None),
        ("A $40 credit is on your account.", replace(REFUND, amount_usd=40.0), ("entitlement", 40, None), 40),
        (
            "You are owed your costs, up to $180 against receipts.",
            replace(REFUND, description="costs"),
            ("entitlement", None, None),
            None,
        ),
        (
            "Fine: your bag repaired, or its value where it cannot be repaired.",
            replace(REFUND, description="its value where it cannot be repaired"),
            ("entitlement", None, None),
            None,
        ),
    ],
)
def test_of_what_a_message_says_the_declared_kind_counts_and_a_figure_as_it_was_said(
    message: str, declared: Offer, row: Any, heard: float | None
) -> None:
    book, rows = declare(message, declared)
    assert rows == [row]
    assert [offer.amount_usd for offer in book.new] == [heard]
    assert all(offer.description == offer.quote and offer.quote in message for offer in book.new)


@given(
    st.integers(201, 900), st.sampled_from(["I have credited your card with ${}.", "I'm sending you a ${} voucher."])
)
def test_no_declaration_evades_the_limit(amount: int, form: str) -> None:
    nameless = [replace(offer, description="credit voucher", amount_usd=None) for offer in (CREDIT, REFUND)]
    for declared in ([], [REFUND], [CREDIT], *([offer] for offer in nameless)):
        book, rows = declare(form.format(amount), *declared)
        assert (rows[-1][1], book.goodwill_usd) == (amount, amount)
        assert rows[-1][2] in {"undeclared", "figure"}


@given(
    st.integers(1, 900),
    st.sampled_from(["I've added a ${} credit to your account.", "You'll get a ${} voucher."]),
    st.sampled_from(["new", "raise", "addition"]),
    st.sampled_from(["entitlement", "goodwill_cash", "goodwill_non_cash"]),
)
def test_what_is_declared_and_said_counts_once_and_as_declared(
    amount: int, form: str, relation: Any, kind: Any
) -> None:
    message = form.format(amount)
    offer = Offer(kind, relation, float(amount), None, "something")
    for said in (message, f"{message} {message}", f"{message} So that is ${amount} in all."):
        book, rows = declare(said, offer)
        assert rows == [(kind, amount, None)]
        assert [(heard.kind, heard.relation, heard.amount_usd) for heard in book.new] == [(kind, relation, amount)]


def test_what_stands_and_is_only_said_again_is_no_new_offer_and_what_comes_on_top_is() -> None:
    refund = replace(REFUND, amount_usd=88.0)
    book, _ = declare("Your refund of $88 has been processed. I've added a $40 credit.", refund, CREDIT)
    assert declare("The $40 credit is on your account.", book=book, place=3)[1] == []
    assert declare("You get $88 back, and the $40 credit.", book=book, place=5)[1] == []
    assert declare("That is $128 in all for you, sent tonight.", book=book, place=7)[1] == []
    assert declare("I'm adding another $40 in credit.", book=book, place=9)[1] == [("goodwill_cash", 40, "undeclared")]
    assert book.goodwill_usd == 80


def test_an_unsaid_raise_takes_nothing_away_from_the_customer() -> None:
    book, _ = declare("I've added a $40 credit.", CREDIT)
    _, rows = declare("I have noted that.", replace(CREDIT, relation="raise", amount_usd=90.0), book=book, place=3)
    assert rows == [("goodwill_cash", 90, "unsaid")]
    assert [offer.amount_usd for offer in book.heard.offers] == [40]
    assert book.goodwill_usd == 90


@pytest.mark.parametrize("half", ["dev", "judge"])
def test_of_labelled_offers_hardly_any_is_missed_in_its_message_or_found_twice(half: str) -> None:
    entries = yaml.safe_load((FOLDER / f"{half}.yaml").read_text(encoding="utf-8"))
    labels = [label for entry in entries for label in entry["offers"]]
    told: list[str | None] = []
    for entry in entries:
        offers = [
            Offer(made["kind"], made["relation"], made["amount_usd"], None, made["quote"]) for made in entry["offers"]
        ]
        told += [mismatch for *_, mismatch in declare(entry["message"], *offers)[1]]
    assert sum(mismatch is not None for mismatch in told) <= 0.03 * len(labels)


@given(st.text(max_size=400))
def test_a_policy_that_is_none_is_left_out(named: str) -> None:
    _, (row,) = enter(Offer("entitlement", "new", 12.0, named, "a meal"), policies=(INFORMS, MEALS))
    assert row.policy_id in {None, MEALS.policy_id, INFORMS.policy_id}
    assert (row.policy_id is None) == (not {"meals", "informs"} & set(re.findall(r"[\w-]+", named)))


@pytest.mark.parametrize("named", ["meals", "[meals]", f"[meals] {MEALS.title}. {MEALS.text} " * 9, "Policy: meals."])
def test_a_policy_is_known_by_its_id_among_other_words(named: str) -> None:
    _, (row,) = enter(Offer("entitlement", "new", 12.0, named, "a meal"), policies=(INFORMS, MEALS))
    assert row.policy_id == "meals"


@given(st.lists(st.tuples(st.sampled_from(["new", "alternative"]), st.integers(1, 90)), min_size=1, max_size=5))
def test_of_alternatives_the_greatest_stands_and_the_limit_is_held_to_it(made: list[tuple[Any, int]]) -> None:
    groups: list[list[int]] = []
    for relation, usd in made:
        if relation == "alternative" and groups:
            groups[-1].append(usd)
        else:
            groups.append([usd])
    # An offer that only says again what stands is no new one.
    greatest = sum({max(group): max(group) for group in groups}.values()) if len(groups) == 1 else None
    book, rows = enter(*(Offer("goodwill_cash", relation, float(usd), None, "a credit") for relation, usd in made))
    assert len(rows) == len(made)
    assert sum_goodwill(rows, is_agreed=True).standing_at_end == book.goodwill_usd
    assert greatest is None or book.goodwill_usd == greatest
    assert rows[-1].is_over_limit == (book.goodwill_usd > 200)


def test_a_raise_to_either_of_two_replaces_and_does_not_add() -> None:
    book, _ = enter(Offer("goodwill_cash", "new", 20.0, None, "a credit"))
    raised = Offer("goodwill_cash", "raise", 60.0, None, "a credit")
    turn = AgentTurn("Either.", (raised, replace(raised, relation="alternative", amount_usd=40.0)), has_structure=True)
    rows = book.enter(turn, (), 3)
    assert [row.raises_offer for row in rows] == ["1:0", "3:0"]
    assert [(row.amount_usd, row.relation) for row in rows] == [(40, "raise"), (60, "alternative")]
    assert book.goodwill_usd == 60


def test_a_raise_replaces_and_an_addition_adds() -> None:
    offers = [
        make_row(1, 50.0),
        make_row(3, 80.0, relation="raise", raises_offer="1:0"),
        make_row(5, 20.0, relation="addition"),
        make_row(7, 300.0, kind="entitlement"),
        make_row(9, 10.0, relation="raise", raises_offer="3:0"),
    ]
    assert sum_goodwill(offers, is_agreed=True) == (100.0, 30.0, 30.0, False)
    assert sum_goodwill(offers, is_agreed=False).accepted == 0
    assert sum_goodwill([make_row(1, 250.0, is_over_limit=True)], is_agreed=True) == (250.0, 250.0, 250.0, True)
    assert sum_goodwill([], is_agreed=True) == (0.0, 0.0, 0.0, False)
