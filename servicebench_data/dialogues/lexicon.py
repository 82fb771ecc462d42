"""Words that decide whether a capitalised word is a person's name.

Belongs here: lists of words and how brands add to them. Not here: how they are used (`names.py`).
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from servicebench_data.dialogues.accounts import CareAccount

# Words that stand capitalised where a name could stand.
COMMON_WORDS = frozenset(
    """
    a about absolutely account actually additionally after afternoon again agent ah airport all alright already
    also always am amazing an and angry annoyed another any anyone anything anytime anyway apologies app are as
    at aw awe awesome aww back bad bag bags bank because been before best beyond bit booking both bot boy bring
    but by bye call can cancelled cannot care cheers christmas come company complaint concerned congrats
    congratulations correct could currently customer day days dear delayed delivery did didn dm do does don done
    dude each easter either email enjoy especially evening ever every everybody everyone everything excellent
    exactly facebook family fantastic finally fine first flight folk folks follow following food for friend
    friends from frustrated furious further gate gentleman gentlemen get getting give glad go god going good
    goodness gosh got great greetings guess guest guests guy guys had haha half halloween hang happy has hate
    have having he hear hello help her here hey hi him his hiya hm hmm holidays holy hopefully hotel how however
    hun i if in incorrect indeed instagram instead is isn it its just keep kind know ladies lady last late later
    latest least let like lol lost lots love luckily lunch ma maam madam make many maybe me member merry message
    miss missed missing mom monday more moreover morning most mr mrs ms much my need never new news next nice
    night no none nope not nothing now of off oh ok okay old on once one only ooh open or order other otherwise
    ouch our ours out outstanding over perfect perhaps period phone please pleased pm poor possibly pretty quick
    quite really received refund regards regrettably regretfully regular reply right sad sadly safe said same
    saturday say see seems send seriously service shall she should since sir sirs so some someone something soon
    sorry sounds staff stay still such sunday super supervisor support sure sweet take team tell terrible thank
    thanks that thats the their them then there these they things think this those though three thursday thx
    tickets till time tmrw to today tomorrow tonight too totally travel traveler travellers trip true truly
    trust try tuesday tweet tweeps twitter two uh um understandable understood unfortunate unfortunately unhappy
    until up update upset us very via wait was we website wednesday week weekend weekends welcome well went were
    what when where which while who whole why wifi will wishes with without wonderful woo woohoo worst would wow
    yay yea yeah year years yep yes yesterday yet yikes you your yours youre january february march april may
    june july august september october november december monday friday spring summer autumn winter thanksgiving
    english spanish french german american british canadian chat captain crew driver pilot manager reservations
    rewards honors executive platinum gold silver elite economy business regional international national central
    north south east west st street road avenue station terminal inn suites resort spa plaza airlines airways
    air county university hospital store stores restaurant grill cafe cafeteria premium basic main first
    internet android iphone apple google alexa siri paypal visa mastercard amex chase
    """.split()  # noqa: SIM905
)

PLACES = frozenset(
    """
    alabama alaska albany albuquerque alberta america amsterdam anchorage arizona arkansas asia athens atlanta
    auckland austin australia austria bahamas bali baltimore bangkok barbados barcelona beijing belfast belgium
    berlin bermuda birmingham boise boston brazil brighton brisbane bristol brooklyn brussels buffalo burbank
    cairo calgary california canada cancun cardiff caribbean carolina charleston charlotte chicago chile china
    cincinnati cleveland colombia colorado columbus connecticut copenhagen cork cuba curacao dakota dallas
    dayton delaware delhi denver detroit dominican dubai dublin dubrovnik dulles durham ecuador edinburgh
    edmonton egypt england europe fargo finland florence florida fort frankfurt france fresno gatwick geneva
    georgia germany ghana glasgow greece greenville guam guatemala haiti halifax hamburg harrisburg hartford
    havana hawaii heathrow helsinki hobby hollywood honduras honolulu houston hungary iceland idaho illinois
    india indiana indianapolis indonesia iowa ireland israel istanbul italy jackson jacksonville jamaica jakarta
    japan jersey jerusalem kansas kentucky kenya kona korea lagos laguardia lansing laredo leeds lima lincoln
    lisbon liverpool london louis louisiana louisville lubbock luton luxembourg madison madrid maine malaysia
    malta manchester manhattan manila marseille maryland massachusetts maui mauritius melbourne memphis mexico
    miami michigan midway milan milwaukee minneapolis minnesota mississippi missouri mobile montana montreal
    morocco moscow mumbai munich myrtle nairobi naples nashville nassau nebraska netherlands nevada newark
    newcastle nigeria norfolk norway nottingham oakland ohio oklahoma omaha ontario oregon orlando osaka oslo
    ottawa oxford pakistan palm panama paris pensacola pennsylvania peru philadelphia philippines phoenix
    pittsburgh poland portland portugal prague providence quebec queens raleigh reno reykjavik richmond rico
    rochester rome russia sacramento salt san santa santiago savannah scotland seattle seoul shanghai sheffield
    singapore southampton spain spokane stansted stockholm sweden switzerland sydney syracuse tacoma taipei
    tampa tennessee texas thailand tokyo toledo toronto tucson tulsa turkey uganda ukraine utah vancouver vegas
    venezuela venice vermont vienna vietnam virginia wales warsaw washington wichita wisconsin wyoming york
    yorkshire zealand zurich uk usa uae
    """.split()  # noqa: SIM905
)

# Words that make the capitalised words before them a place or a thing.
PLACE_NOUNS = frozenset(
    """
    airport airways airlines street st road rd avenue ave boulevard blvd drive lane square park county city
    beach island islands bay lake river station terminal hotel inn suites resort hospital university college
    school center centre store mall church stadium bridge international field pier harbor harbour house court
    plaza parkway pkwy highway hwy freeway expressway springs falls heights arbor arena theatre theater museum
    memorial regional intercontinental
    """.split()  # noqa: SIM905
)
# Those of them that do so in small letters, too: no verb or thing that a sentence about a person goes on with.
SMALL_PLACE_NOUNS = ("airport", "street", "road", "avenue", "boulevard", "blvd", "parkway", "freeway", "highway")
# Words that make the given name behind them a place; the first ones in small letters, too.
SMALL_PLACE_OPENINGS = ("san", "santa", "santo", "st", "saint")
PLACE_OPENINGS = (
    "Sainte", "Ste", "São", "Sao", "Port", "Puerto", "Fort", "Ft", "Prince", "Lake", "Mount", "Mt", "Los", "Las", "El",
    "New", "Cape", "Corpus", "Ciudad", "Villa",
)  # fmt: skip
BRAND_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")


class GivenNames(NamedTuple):
    """Given names by how sure they are: plain ones, and ones that are also words, places or brands."""

    plain: frozenset[str]
    ambiguous: frozenset[str]


@cache
def load_given_names() -> GivenNames:
    """Read the list of given names."""
    text = (files(__package__ or __name__) / "given_names.yaml").read_text(encoding="utf-8")
    content: dict[str, str] = yaml.safe_load(text)
    return GivenNames(frozenset(content["plain"].split()), frozenset(content["ambiguous"].split()))


def list_brand_words(accounts: Sequence[CareAccount]) -> frozenset[str]:
    """Return the words of the accounts' handles and brands in lower case: never names of people."""
    parts = [BRAND_PART.findall(text) for account in accounts for text in (account.handle, *account.words)]
    whole = [text.lower() for account in accounts for text in (account.handle, *account.words)]
    return frozenset([part.lower() for found in parts for part in found if len(part) > 1] + whole)
