"""Cleaning and masking: what goes, what stays, and that tokens are stable within a dialogue."""

from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servicebench_data.dialogues.hints import build_hints, list_wide_references
from servicebench_data.dialogues.lexicon import PLACE_NOUNS, PLACE_OPENINGS
from servicebench_data.dialogues.masking import Search, Searcher
from servicebench_data.dialogues.names import INTRODUCTIONS
from servicebench_data.dialogues.references import EVERY, find_references
from servicebench_data.dialogues.spans import choose_spans
from tests.dialogues.helpers import ACCOUNTS, AIR, SHOP, Built, build, make_row

C = "501"
ENGINE = duckdb.connect()


def clean(folder: Path, customer: str, account: str = "Sorry") -> tuple[str, str]:
    """Text of a customer's post and of its answer."""
    built = build([make_row(1, C, customer), make_row(2, AIR, account, 1)], folder)
    return built.turns[0]["text"], built.turns[1]["text"]


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("rain &amp; wind &lt;3 &quot;ok&quot; it&#39;s &amp;lt;b&amp;gt;", 'rain & wind <3 "ok" it\'s &lt;b&gt;'),
        ("caf&eacute; &#x2019; &#8364;5 AT&T &copy=1", "café ’ €5 AT&T &copy=1"),
        ("we donâ€™t fly from MÃ¡laga â€“ really", "we don’t fly from Málaga – really"),
        ("zero\u200bwidth no\u00a0break \ufeffmark", "zerowidth no break mark"),
        ("family 👨\u200d👩\u200d👧 and ❤\ufe0f", "family 👨\u200d👩\u200d👧 and ❤\ufe0f"),
        ("see https://t.co/AbC123, and www.example.com/x", "see [link] and [link]"),
        (f"@{AIR} @{SHOP} .@115714 where is it", "where is it"),
        (f"thanks @{AIR} and @askmerriwell for nothing", f"thanks @{AIR} and @askmerriwell for nothing"),
        ("two  blanks\r\n\r\nand  lines \t end ", "two blanks\nand lines end"),
        ("a token [booking-1] or [link] of my own", "a token (booking-1) or (link) of my own"),
        ("Smith - Jo from London ^XY -KC", "Smith - [person-1] from London ^XY -KC"),
        ("🙄🙄", "🙄🙄"),
        (f"@{AIR}", ""),
    ],
)
def test_text_of_customers(tmp_path: Path, raw: str, cleaned: str) -> None:
    assert clean(tmp_path, raw)[0] == cleaned


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("@501 We are sorry. ^AB", "We are sorry."),
        ("@501 We are sorry *TMT", "We are sorry"),
        ("@501 We are sorry. -KC", "We are sorry."),
        ("@501 We are sorry /AY", "We are sorry"),
        ("@501 We are sorry!-Sabi", "We are sorry!"),
        ("@501 We are sorry – Oona", "We are sorry"),
        ("@501 We are sorry. ^AB https://t.co/x1", "We are sorry. [link]"),
        ("@501 We are sorry. TBW", "We are sorry."),
        ("@501 We are sorry. Please DM", "We are sorry. Please DM"),
        ("@501 Send us a DM - Thanks", "Send us a DM - Thanks"),
        ("@501 Wi-Fi is off", "Wi-Fi is off"),
        ("@501 Thanks for flying - Brightwing", "Thanks for flying - Brightwing"),
    ],
)
def test_signatures_of_accounts(tmp_path: Path, raw: str, cleaned: str) -> None:
    built = build([make_row(1, C, "late"), make_row(2, AIR, raw, 1)], tmp_path)
    assert built.turns[1]["text"] == cleaned
    assert (built.turns[1]["signature"] is not None) == ("sorry" in raw and "Please" not in raw)


STAYS = [
    "flight AA1234 and B6 123, BW 31, flight 1234",
    "paid $1,234.56, 1500000 pesos, $12345678 and 50000 miles",
    "on 12/25/2017, 2017-10-31, 20171031, 4 March at 10:30-11:45",
    "from Charlotte to Paris, France, via John Wayne Airport",
    "room 1204, gate B12, seat 12A, 24/7, iPhone7, A321neo, 98%",
    "earned 40k Miles and award miles, landed in Mia on Jan 5, ty",
    "WORST AIRLINE EVER PLEASE REFUND",
    "my booking RUINED my day, order 2 pizzas",
    "BW 2290 to San Diego",
    "San Francisco, San Juan and San Antonio, then Santa Barbara, Santa Rosa and Santo Domingo",
    "Saint Paul to St. Thomas, St George or st. John",
    "Port Elizabeth to Prince George via Fort Wayne, Lake Charles, New Martin and Mount Laura",
    "flying from San Juan",
    "late into John Wayne airport and George Bush Intercontinental",
    "your store on Martin Luther King Blvd, the one by Alice Springs",
    "left at Jordan airport",
]


@pytest.mark.parametrize("text", STAYS)
def test_facts_stay(tmp_path: Path, text: str) -> None:
    assert clean(tmp_path, text) == (text, "Sorry")


MASKED = {
    "phone": [
        "212-555-0143", "(212) 555-0143", "+44 20 7946 0018", "07700 900123", "1-800-221-1212", "212.555.0143",
        "1-800-FLY-BRIGHT", "01-800-555-0146",
    ],
    "email": ["jo.bloggs+air@mail.example.com", "jo at gmail dot com", "__email__"],
    "booking": [
        "confirmation number GHXKTW", "Confirmation GHXKTW", "“Record Locator” is ZKXEFV", "PNR: abc123", "K3XQ9T",
        "booking ref QX7TPL", "ticket 0062345678901",
    ],
    "order": ["order MW-4471902", "tracking 1Z999AA10123456784", "order #88123", "112-1234567-1234567", "1017000018"],
    "loyalty": ["SkyMiles # is 9876543210", "RR#20320161105", "loyalty no. BW20448817"],
    "case": ["case 00123456", "Ref#1-25700012345", "claim number AIRBW02407442", "reference number: 88123"],
    "card": ["4111 1111 1111 1111"],
    "user": ["@some_body", "@115712"],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in MASKED.items() for value in values])
def test_values_become_tokens_of_their_kind(tmp_path: Path, kind: str, value: str) -> None:
    text = clean(tmp_path, f"hello, {value} is what I have")[0]
    assert f"[{kind}-1]" in text
    assert value.rsplit(maxsplit=1)[-1].strip("#:") not in text


@pytest.mark.parametrize(
    ("role", "text", "masked"),
    [
        ("account", "Hi Sarah, thanks for waiting", "Hi [person-1], thanks for waiting"),
        ("account", "Glad we could help, Wael!", "Glad we could help, [person-1]!"),
        (
            "account",
            "Kelli, we will see you there. Thanks, Will!",
            "[person-1], we will see you there. Thanks, [person-2]!",
        ),
        ("account", "Jack, we see it. See Jack", "[person-1], we see it. See Jack"),
        ("account", "See you in Dallas, Texas. Thanks, all!", "See you in Dallas, Texas. Thanks, all!"),
        ("account", "Hi there. Unfortunately, no. Will you wait?", "Hi there. Unfortunately, no. Will you wait?"),
        ("customer", "My name is Xiomara Teller, row 2", "My name is [person-1], row 2"),
        ("customer", "MY NAME IS MICHAEL and i spoke to sarah", "MY NAME IS [person-1] and i spoke to [person-2]"),
        ("customer", "I am Xiomara Teller. xiomara, not TELLER", "I am [person-1]. [person-1], not [person-1]"),
        ("customer", "Mr. O'Brien and Dave's bag", "Mr. [person-1] and [person-2]'s bag"),
        ("customer", "I'm Odalys Fennimore. I'm Furious", "I'm [person-1]. I'm Furious"),
        ("customer", "your agent Mark at the desk. Mark my words", "your agent [person-1] at the desk. Mark my words"),
        ("customer", "Christmas in Austin with Brightwing", "Christmas in Austin with Brightwing"),
        ("customer", "My name is San Martin, row 2", "My name is San [person-1], row 2"),
        ("customer", "I am flying as passenger Sarah Park", "I am flying as passenger [person-1] Park"),
        ("customer", "on 5th St. Sarah told me", "on 5th St. [person-1] told me"),
        ("customer", "at your Harlow St Sarah told me", "at your Harlow St [person-1] told me"),
        ("account", "Thanks Saint-John, we see it", "Thanks [person-1], we see it"),
        ("account", "Thanks, Prince George!", "Thanks, Prince [person-1]!"),
        ("account", "Sarah, airport staff will help", "[person-1], airport staff will help"),
        ("customer", "Diego rebooked me to San Diego", "[person-1] rebooked me to San Diego"),
        (
            "customer",
            "Antonio sent me to san antonio, thanks antonio",
            "[person-1] sent me to san antonio, thanks [person-1]",
        ),
        ("customer", "My name is San Diego. Not San Diego!", "My name is San [person-1]. Not San Diego!"),
    ],
)
def test_names(tmp_path: Path, role: str, text: str, masked: str) -> None:
    texts = clean(tmp_path, *(("late", text) if role == "account" else (text,)))
    assert texts[role == "account"] == masked


SEARCHER = Searcher(ACCOUNTS)
NAMES = st.sampled_from(sorted(SEARCHER.names.plain))


@given(st.sampled_from([*PLACE_OPENINGS, "San", "st.", "St", "Saint", "SANTA"]), NAMES, st.booleans())
def test_a_given_name_behind_the_opening_of_a_place_stays(opening: str, name: str, is_account: bool) -> None:
    text = f"from Reno to {opening} {name.capitalize()} at noon"
    assert SEARCHER.search(text, Search(is_account, EVERY, True, False), {}) == []


@given(st.sampled_from(sorted(PLACE_NOUNS)), NAMES, st.sampled_from(["", "Wayne ", "Luther King ", "F. Kennedy "]))
def test_a_given_name_before_the_noun_of_a_place_stays(noun: str, name: str, between: str) -> None:
    text = f"it was near {name.capitalize()} {between}{noun.capitalize()}"
    assert SEARCHER.search(text, Search(False, EVERY, True, False), {}) == []


@given(st.sampled_from(INTRODUCTIONS), NAMES, st.sampled_from(["San ", "Prince ", ""]), st.booleans())
def test_a_name_that_is_introduced_is_masked_whatever_stands_around(
    introduction: str, name: str, before: str, is_account: bool
) -> None:
    text = f"it was{introduction} {before}{name.capitalize()} Park"
    found = SEARCHER.search(text, Search(is_account, EVERY, True, False), {})
    assert found[-1].end == len(text) - len(" Park")


def build_story(folder: Path) -> Built:
    """A dialogue in which the same people and numbers come up again."""
    rows = [
        make_row(1, "jo_501", f"@{AIR} booking QX7TPL, I'm Odalys Fennimore, call 212-555-0143 or (212) 555-0143"),
        make_row(2, AIR, "@jo_501 Hi Odalys, we have QX7TPL. Ms. Fennimore, is it? -Sabi", 1, minute=1),
        make_row(
            3, "jo_501", f"@{AIR} @pal_9 yes. sabi said so, odalys asked @pal_9 for K3XQ9T (jo_501 here)", 2, minute=2
        ),
        make_row(4, AIR, "@jo_501 Thanks, @jo_501! ^TM", 3, minute=3),
        make_row(5, AIR, "@jo_501 Anything else? -Sabi", 4, minute=4),
    ]
    return build(rows, folder)


def test_tokens_are_stable_within_the_dialogue(tmp_path: Path) -> None:
    built = build_story(tmp_path)
    assert [turn["text"] for turn in built.turns] == [
        "booking [booking-1], I'm [person-1], call [phone-1] or [phone-1]",
        "Hi [person-1], we have [booking-1]. Ms. [person-1], is it?",
        "yes. [person-2] said so, [person-1] asked [user-1] for [booking-2] ([customer] here)",
        "Thanks, [customer]!\nAnything else?",
    ]
    assert [turn["signature"] for turn in built.turns] == [None, "[person-2]", None, "[person-3]"]
    assert built.dialogues[0]["mask_count"] == 8
    assert built.counts.masked == {"booking": 2, "customer": 1, "person": 3, "phone": 1, "user": 1}


def test_planted_values_are_in_no_table(tmp_path: Path) -> None:
    built = build_story(tmp_path)
    text = str([built.turns, built.dialogues, built.quarantine, built.loaded, built.counts]).lower()
    for planted in ("jo_501", "odalys", "fennimore", "sabi", "pal_9", "qx7tpl", "k3xq9t", "0143"):
        assert planted not in text


def test_a_name_found_once_is_masked_in_all_posts_of_its_dialogue_only(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "late"),
        make_row(2, AIR, "Hi Quillon, which flight?", 1, minute=1),
        make_row(3, C, "quillon here, BW12", 2, minute=2),
        make_row(10, "777", "a quillon is part of a sword"),
        make_row(11, AIR, "Indeed", 10),
    ]
    texts = [turn["text"] for turn in build(rows, tmp_path).turns]
    assert "[person-1] here, BW12" in texts
    assert "a quillon is part of a sword" in texts


PIECES = st.sampled_from(
    [value for values in MASKED.values() for value in values]
    + STAYS
    + [
        "Hi Sarah,",
        "my name is Xiomara",
        "thanks, dave",
        "I'm Odalys Fennimore",
        "spoke to Mark",
        ", Wael.",
        "Dr. Who",
        "JOHN",
    ]
)


@settings(max_examples=60)
@given(st.lists(PIECES, min_size=1, max_size=4), st.booleans())
def test_hints_miss_nothing_that_a_search_finds(pieces: list[str], is_account: bool) -> None:
    text = " ".join(pieces)
    hints = build_hints()
    patterns = {f"p{place}": hint for place, hint in enumerate([*hints, *list_wide_references()])}
    query = "SELECT " + ", ".join(f"regexp_matches($text, ${name})" for name in patterns)
    matches = ENGINE.execute(query, {"text": text, **patterns}).fetchall()[0]
    handle, reference, given_name, context, account_context, unusual, *wide = matches
    names = SEARCHER.names
    found = list(find_references(text, frozenset()))
    assert handle or reference or not found
    wanted = sum(1 << place for place, matches in enumerate(wide) if matches)
    assert list(find_references(text, frozenset(), wanted)) == found
    assert (
        given_name
        or context
        or (is_account and account_context)
        or not list(names.find(text, is_account=is_account, known={}))
    )
    assert unusual or not list(names.find_unusual(text))


LONE = [
    "Hi Sarah.",
    "Thanks, Mike!",
    "Chris, we see it",
    "ask Laura at gate 4",
    "Laura's bag",
    "Sarah Miller",
    "Jennifer-Ann",
    "Off to San Diego",
    "in St. Thomas",
    "on 5th St. Thomas",
    "at John Wayne airport",
    "at Martin Luther King Blvd",
]


@pytest.mark.parametrize("rest", ["", "We are sorry.", "In Dallas, Texas!", "Tom too.", "sarah?", "Hi Wael, ok"])
@pytest.mark.parametrize("lone", LONE)
def test_posts_that_the_engine_cuts_are_cut_as_by_the_search(tmp_path: Path, lone: str, rest: str) -> None:
    text = f"{lone} {rest}".strip()
    found = SEARCHER.search(text, Search(True, EVERY, True, False), {})
    masked, end, numbers = "", 0, dict[str, int]()
    for span in found:
        masked += text[end : span.start] + f"[person-{numbers.setdefault(span.value, len(numbers) + 1)}]"
        end = span.end
    assert clean(tmp_path, "late", text)[1] == masked + text[end:]


@given(st.lists(PIECES, min_size=1, max_size=5))
def test_spans_never_overlap_and_are_in_order(pieces: list[str]) -> None:
    text = " ".join(pieces)
    spans = SEARCHER.search(text, Search(True, EVERY, True, True), {})
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert choose_spans(spans) == spans
