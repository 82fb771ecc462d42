import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.simulation import Flag, OfferKind
from servicebench_data.simulation.customer.acceptance import Move, find_missing, is_explained, is_lowball, name_kinds
from servicebench_data.simulation.customer.feeling import Table, begin, react
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.turns import Offer, Wish

CONSTANTS = load_constants()
HEARD: dict[Flag, str] = {"acknowledges_harm": "x", "apologises": "x", "checks_facts": "x"}
PATH: dict[Flag, str] = {"offers_path": "x"}


def wish(action: str = "The customer would accept a refund of the seat fee.", **given_: object) -> Wish:
    base = {"explanation": None, "apology": None, "min_usd": 0.0, "max_usd": 75.0, "insult": "A form letter.",
            "is_loss_money": False}  # fmt: skip
    return Wish(action=action, **{**base, **given_})  # type: ignore[arg-type]


FULL = wish(explanation="Why.", apology="An apology.", is_loss_money=True, min_usd=40.0)


def offer(amount: float | None, kind: OfferKind = "goodwill_cash", description: str = "credit") -> Offer:
    return Offer(kind, "new", amount, None, description)


def test_all_that_is_wanted_is_needed() -> None:
    assert find_missing(FULL, [], []) == ("hearing", "action", "explanation", "apology", "money")
    moves = [
        Move("I am sorry that you had to stand for six hours. Which flight was it?", HEARD),
        Move("It happened because the seat map was not updated.", {}),
        Move("I have refunded the fee to your card.", PATH),
    ]
    assert find_missing(FULL, moves, [offer(40.0)]) == ()
    assert find_missing(FULL, moves, [offer(39.0)]) == ("money",)
    assert find_missing(FULL, moves, [offer(None, "entitlement", "refund of the fee")]) == ()
    assert find_missing(FULL, moves, [offer(None, "entitlement", "a meal")]) == ("money",)


def test_paying_alone_is_never_enough() -> None:
    moves = [Move("Here are $500 for you, enjoy!", PATH)] * 5
    assert "hearing" in find_missing(wish(), moves, [offer(500.0)])
    assert "hearing" in find_missing(FULL, moves, [offer(500.0)])


WANTED = "The customer would accept {}."


@pytest.mark.parametrize(
    ("action", "meets", "fails"),
    [
        ("rebooking without charge", "I have rebooked you on the next flight.", "We sent a meal voucher."),
        ("a refund of the seat fee", "The fee goes back to your card: a refund.", "Here are 5,000 miles."),
        ("an offer to send the missing items", "The hinges ship tonight.", "We gave feedback to the store."),
        ("an offer to move to a quiet or working room", "The desk moves you to another room.", "Enjoy the bar."),
        ("tracing and home delivery", "I opened a trace and a courier brings it.", "Your status is extended."),
        ("a named owner and date for an answer", "I will write to you by Friday.", "Have a voucher."),
        ("an offer to restore access after identity check", "I have unlocked your account.", "We sent a coupon."),
        ("having it gold-plated", "I have had it gold-plated.", "We painted it."),
    ],
)
def test_the_promise_has_to_be_of_the_wished_kind(action: str, meets: str, fails: str) -> None:
    heard = Move("When was it?", HEARD)
    assert "action" not in find_missing(wish(WANTED.format(action)), [heard, Move(meets, PATH)], [])
    assert "action" in find_missing(wish(WANTED.format(action)), [heard, Move(fails, PATH)], [])
    assert "action" in find_missing(wish(WANTED.format(action)), [heard, Move(meets, {})], [])


@pytest.mark.parametrize("vague", ["We will look into a refund.", "I cannot refund that.", "Do you want a refund?"])
def test_what_is_vague_refused_or_asked_promises_nothing(vague: str) -> None:
    assert "action" in find_missing(wish(), [Move("When?", HEARD), Move(vague, PATH)], [])


def test_an_explanation_or_an_apology_that_is_wished_for_is_met_by_being_given() -> None:
    explain = wish("The customer would accept an explanation of the cause.")
    assert find_missing(explain, [Move("It was due to a crew shortage. When?", {**HEARD, **PATH})], []) == ()
    assert [kind.name for kind in name_kinds("The customer would accept an apology and miles.")] == ["credit"]
    assert find_missing(wish("The customer would accept a personal apology."), [Move("I am sorry.", HEARD)], []) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The delay was caused by a broken door.", True),
        ("It took so long because nobody was at the desk.", True),
        ("The reason on file is a missing part.", True),
        ("I do not know the reason yet, but I have asked the station and you will get the answer in writing.", True),
        ("I do not know the reason.", False),
        ("Was it because of the weather?", False),
        ("We will find out and look into it.", False),
        ("Thank you for your patience.", False),
    ],
)
def test_what_explains(text: str, expected: bool) -> None:
    assert is_explained(text) is expected


FLAG_SETS = st.dictionaries(
    st.sampled_from(["acknowledges_harm", "apologises", "checks_facts", "offers_path"]), st.just("x")
)
TEXTS = st.sampled_from(
    ["I have refunded it.", "Because a part failed.", "Thanks.", "Which seat was it?", "We are sorry."]
)
MOVES = st.lists(st.builds(Move, TEXTS, FLAG_SETS), max_size=5)


@given(MOVES, st.builds(Move, TEXTS, FLAG_SETS), st.lists(st.floats(0, 200), max_size=2))
def test_a_further_message_takes_nothing_back(moves: list[Move], further: Move, amounts: list[float]) -> None:
    standing = [offer(amount) for amount in amounts]
    assert set(find_missing(FULL, [*moves, further], standing)) <= set(find_missing(FULL, moves, standing))


def test_a_lowball_needs_a_loss_of_money_and_an_offer() -> None:
    assert is_lowball(FULL, [offer(10.0)], [offer(10.0)], CONSTANTS)
    assert not is_lowball(FULL, [], [], CONSTANTS)
    assert not is_lowball(FULL, [offer(30.0)], [offer(30.0)], CONSTANTS)
    assert not is_lowball(wish(), [offer(1.0)], [offer(1.0)], CONSTANTS)


def test_a_customer_who_could_agree_never_leaves_and_an_angry_one_does_not_agree() -> None:
    feeling = begin("assertive_cold", "high", CONSTANTS)
    done = Move(
        "I am sorry that you stood for hours. I have refunded the fee. It broke because of frost.", {**HEARD, **PATH}
    )
    table = Table(wish(), [done], [], [])
    calm = react(feeling, table, "assertive_cold", CONSTANTS)
    assert (calm.may_accept, calm.exit, calm.missing) == (True, None, ())
    idle = Move("Noted.", {"provokes": "x"})
    for count in range(1, 9):
        feeling = react(feeling, Table(wish(), [idle] * count, [], []), "assertive_cold", CONSTANTS)
        if feeling.is_last_straw:
            break
    assert feeling.exit == "third_party"
    assert not feeling.may_accept
    angry = react(
        begin("passive_warm", "high", CONSTANTS),
        Table(wish(), [Move(done.text, {**HEARD, **PATH, "provokes": "x"})], [], []),
        "passive_warm",
        CONSTANTS,
    )
    assert (angry.missing, angry.may_accept) == ((), False)
