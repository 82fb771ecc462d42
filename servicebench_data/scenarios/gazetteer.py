"""Places: airport codes, cities, and the patterns by which people name a store, gate, terminal or resort.

Belongs here: which stretch of a text names a place. Not here: other values (`extraction`). Airports and their cities
come from the `airportsdata` package (MIT licence); what is listed here are hubs, short names and words that look like
places and are not.
"""

import re
from functools import cache

import airportsdata

from servicebench_data.scenarios.wordlists import word_set

_HUBS = word_set(
    "ATL AUS BDL BNA BOS BUF BUR BWI CDG CHI CLE CLT CMH CVG DAL DCA DEN DFW DTW EWR FCO FLL FRA GRU HKG HNL HOU "
    "IAD IAH ICN IND "
    "JAX JFK LAS LAX LGA LGB LHR LGW MAN MCI MCO MDW MEM MEX MIA MKE MSP MSY MUC NRT OAK OKC OMA ONT ORD PBI "
    "PDX PHL PHX PIT PVD RDU RIC RNO "
    "ROC RSW SAN SAT SDF SEA SFO SJC SJU SLC SMF SNA STL SYR TPA TUL TUS YYZ YVR YUL AMS BTR CUN "
)
# Codes that are also English words or common short forms are never read as airports in lower case.
_LOWER_HUBS = frozenset(code.lower() for code in _HUBS) - word_set(
    "den las mia man mem mex mke msy oak ont pit sat sea sun van aus chi ind mad dal bos bur san ric rno tul syr cun"
)
_NOT_CODES = word_set(
    "THE AND FOR NOT YOU ARE ALL CAN WTF SMH APP CEO FAQ TSA USA FYI ETA PDF DAY BAD GET GOT HAS HAD WAS OUT NOW "
    "NEW OFF OLD ONE TWO WHY WHO HOW "
    "HIM HER HIS ITS LOL OMG BUT ANY ASK BAG BIG BOY CAR CUT DID END EVE EAT FAR FEW FIX FLY FUN GUY HEY JOB "
    "LET LIE LOT LOW MAD MAN MAY MEN MOM "
    "DAD NEV OFA OUR OWN PAY PER PUT RUN SAD SAY SEE SET SHE SIT SON TOO TRY USE WAY WEB WIN YES YET VIP INC "
    "LLC DOB PIN SMS GPS PNR ATM SSN TBH "
    "IDK BTW IMO FFS THX PLZ PLS ETC AAA AKA BBQ ESP FAA FBI GOD HRS MIN MON TUE WED THU FRI SAT SUN JAN FEB "
    "MAR APR JUN JUL AUG SEP OCT NOV DEC "
    "RED ROW ADD AGO AIR ACT DUE NON PRE POS REP CAB FEE TAX MAP RIP DOG CAT KID TEN SIX WON ODD"
)
_CITY_NAMES = """
NYC|LA|DC|SF|KC|SLC|Vegas|Philly|London|Glasgow|Leeds|Paris|Rome|Dubai|Geneva|Manchester|Birmingham|Edinburgh|Mexico
City|Bangkok|Delhi
|Mumbai|Bangalore|Chennai|Brooklyn|Manhattan|Queens|Bronx|Hollywood|Chicago|Denver|Boston|Seattle|Miami|Austin|Dallas|Houston|Atlanta|Orlando
|Tampa|Phoenix|Detroit|Portland|Nashville|Memphis|Charlotte|Baltimore|Philadelphia|Pittsburgh|Cleveland|Cincinnati|Columbus|Indianapolis
|Milwaukee|Minneapolis|St Louis|St. Louis|Kansas City|San Diego|San Francisco|San Jose|Los Angeles|Las Vegas|New York
|New Orleans|Washington
|Salt Lake City|Sacramento|Oakland|LaGuardia|La Guardia|Heathrow|Gatwick|O'Hare|Newark|Midway|Logan|Reagan|Dulles
|Hawaii|Honolulu|Toronto
|Montreal|Vancouver|America|Europe|Australia|Germany|Frankfurt|Spain|Italy|France|England|Scotland|Ireland|Canada|Mexico|India|Japan|China
|Brazil|Jamaica|Bahamas|Caribbean|Cancun|Puerto Rico|Costa Rica|Dominican Republic|Texas|Florida|California|Ohio
|Michigan|Georgia|Virginia
|Alabama|Tennessee|Kentucky|Louisiana|Arizona|Nevada|Utah|Colorado|Oregon|Illinois|Indiana|Wisconsin|Minnesota|Iowa|Missouri|Kansas|Oklahoma
|Nebraska|Pennsylvania|New Jersey|Connecticut|Massachusetts|Maryland|Delaware|North Carolina|South Carolina|New
Mexico|New Hampshire|Vermont
|Maine|Idaho|Montana|Alaska|Jersey|Amsterdam|Barcelona|Madrid|Lisbon|Dublin|Belfast|Cardiff|Liverpool|Nottingham|Sheffield|Newcastle
"""
_KNOWN = frozenset(" ".join(name.split()) for name in _CITY_NAMES.split("|"))
_NOT_PLACES = word_set(
    "I A The And But Not No So We You They He She It My Your Our Their This That These Those What Why When Where "
    "How Who Was Is Are Still Just Now "
    "Then There Here Customer Service Support Flight Airport English Spanish Twitter Facebook Instagram Google "
    "Gmail Email App Website Apple Android "
    "Paypal PayPal Visa Amex Mastercard Gold Silver Platinum Diamond Monday Tuesday Wednesday Thursday Friday "
    "Saturday Sunday January February March "
    "April May June July August September October November December Christmas Thanksgiving Halloween Easter "
    "First Business Economy Comfort Main "
    "God Hell Please Thanks Thank Hi Hello Hey Dear Ok Okay Yes Yeah Wow Really Mr Mrs Ms Dr DM DMs Uber Lyft "
    "Amazon Never Nothing Someone People "
    "Gate Terminal Row Seat Group Zone All Can Could Would Will Have Has Had Do Does Did If Only Every "
    "Everyone Any Once Today Tonight Tomorrow "
    "Yesterday Rapid Rewards SkyMiles Honors Sky Club Basic Premium Select Priority Prime Eats Pool Line "
    "Lounge TV Black Wifi WiFi Fee Miles"
)
_STATES = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|"
    "W[AIVY]|UK"
)
_CODE = re.compile(r"(?<![\w@#&.'-])[A-Z]{3}(?![\w'’])")
_ROUTE = re.compile(r"\b[A-Z]{3}(?:\s?(?:-+|/|to|>)\s?[A-Z]{3})+\b")
_LOWER = re.compile(rf"(?i:\b(?:from|to|at|in|via|into|for|of|through)\s)({'|'.join(sorted(_LOWER_HUBS))})\b")
_PREPOSITION = re.compile(
    r"(?i:\b(?:from|to|at|in|via|into|near|of|through|out|for|leaving|between|and|&|@)\s(?:the\s)?)$"
)
_CAPITALS = re.compile(r"(?<![\w@#'’\[])(?:St\. )?[A-Z][A-Za-z'’]+(?:[ -][A-Z][A-Za-z'’]+){0,3}")
_STATE_AFTER = re.compile(rf",? (?:{_STATES})\b")
_SITES = re.compile(
    r"(?i:\b(?:in|at|from|to|near|by|the|your|my)\s)(?:the |your |my )?"
    r"((?:[A-Z][\w'’]+|\d+(?:st|nd|rd|th))(?:[ -](?:of|[A-Z][\w'’]+|\d+(?:st|nd|rd|th))){0,3} "
    r"(?i:airport|store|location|restaurant|hotel|branch|station|mall|resort|inn|drive[- ]?thru|street|st|ave|"
    r"avenue|road|rd|blvd|terminal))\b"
)
_GATES = re.compile(
    r"\b(?:gates? (?:[a-z]-?\d{1,3}|\d{1,3}[a-z]?)(?: ?(?:and|&|,|/|to) ?[a-z]?\d{1,3}\b)?|terminal (?:\d|"
    r"[a-h])|concourse [a-h])\b(?! ?(?:hours?|hrs?|min))",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:international|intercontinental|intl|ntl|national|regional|municipal|metropolitan|airport)\b"
)
_LOCATIVE = re.compile(r"(?i:\b(?:in|at|near)\s(?:the\s)?)$")
Span = tuple[int, int]


@cache
def _load_airports() -> dict[str, tuple[str, str]]:
    """City and name by code."""
    return {code: (entry["city"], entry["name"]) for code, entry in airportsdata.load("IATA").items()}


@cache
def _load_cities() -> frozenset[str]:
    cities = {city for city, _ in _load_airports().values()}
    return frozenset(city for city in cities if len(city) > 3 and city.isascii()) | _KNOWN


def is_airport_code(word: str) -> bool:
    """Whether an upper-case word of three letters is an airport code that is no common word."""
    return word not in _NOT_CODES and word in _load_airports()


def name_airport(code: str) -> frozenset[str]:
    """What an airport is called, in lower case: "lhr" is "london" and "heathrow" and both; nothing if it is no code."""
    if not is_airport_code(code.upper()):
        return frozenset()
    city, name = (entry.lower() for entry in _load_airports()[code.upper()])
    own = " ".join(_GENERIC.sub(" ", name.replace(city, " ") if city else name).split()).strip("-")
    return frozenset(entry for entry in (city, *city.split("-"), own, f"{city} {own}".strip()) if entry)


def find_places(text: str, not_places: frozenset[str] = frozenset()) -> list[Span]:
    """Stretches that name a place, without overlaps, in order.

    Args:
        text: Any text.
        not_places: Capitalised words that are no places here.
    """
    shouting = sum(letter.isupper() for letter in text) > 0.6 * max(1, sum(letter.isalpha() for letter in text))
    found = [match.span() for match in _GATES.finditer(text)]
    found += [
        match.span(1)
        for match in _SITES.finditer(text)
        if match.group(1).split()[0] not in _NOT_PLACES and not _names_brand(match.group(1), not_places)
    ]
    found += _find_codes(text, is_shouting=shouting)
    if not shouting:
        found += _find_names(text, not_places)
    return drop_overlaps(found)


def _find_codes(text: str, *, is_shouting: bool) -> list[Span]:
    on_route = {start for route in _ROUTE.finditer(text) for start in range(route.start(), route.end())}
    found = [
        match.span()
        for match in _CODE.finditer(text)
        if is_airport_code(match.group())
        and (
            (match.group() in _HUBS and not is_shouting)
            or match.start() in on_route
            or (_PREPOSITION.search(text, 0, match.start()) is not None and not is_shouting)
        )
    ]
    return found + [match.span(1) for match in _LOWER.finditer(text)]


def _find_names(text: str, not_places: frozenset[str]) -> list[Span]:
    found: list[Span] = []
    for match in _CAPITALS.finditer(text):
        found += _read_name(text, match.start(), match.group(), not_places)
    return found


def _read_name(text: str, start: int, words: str, not_places: frozenset[str]) -> list[Span]:
    parts = words.split(" ")
    offset = start
    while parts:
        for size in range(len(parts), 0, -1):
            name = " ".join(parts[:size])
            if name not in _NOT_PLACES and not _names_brand(name, not_places) and _is_place(text, offset, name):
                return [(offset, _extend_by_state(text, offset + len(name)))]
        offset += len(parts[0]) + 1
        parts = parts[1:]
    return []


def _names_brand(name: str, not_places: frozenset[str]) -> bool:
    """Whether a name begins with a word that is no place here, also in the possessive."""
    return re.sub(r"['’]s?$", "", name.split(" ", 1)[0]) in not_places


def _is_place(text: str, start: int, name: str) -> bool:
    if name in _KNOWN:
        return True
    first = name.split(" ", maxsplit=1)[0]
    if first in _NOT_PLACES or len(name) < 3:
        return False
    if _STATE_AFTER.match(text, start + len(name)) is not None:
        return True
    before = text[max(0, start - 14) : start]
    if name in _load_cities():
        return " " in name or _PREPOSITION.search(before) is not None
    return _LOCATIVE.search(before) is not None and all(
        word[1:].islower() and word not in _NOT_PLACES for word in name.split(" ")
    )


def _extend_by_state(text: str, end: int) -> int:
    match = _STATE_AFTER.match(text, end)
    return end if match is None else match.end()


def drop_overlaps(spans: list[Span]) -> list[Span]:
    """Spans in order, without any that overlaps an earlier or, from the same start, a longer one."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda entry: (entry[0], -entry[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
