"""Words that checks compare: people, things, opposites, and stems that make "refused" equal "refuse".

Belongs here: words and their groups. Not here: what follows from them.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from servicebench_data.scenarios.wordlists import word_set

_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|\d+(?:[.,:]\d+)*|\$", re.IGNORECASE)
_IRREGULAR = {
    form: base
    for base, forms in {
        "leave": "left leaves leaving", "lose": "lost loses losing loss", "come": "came", "get": "got gotten",
        "give": "gave given", "take": "took taken", "tell": "told", "say": "said", "go": "went gone",
        "send": "sent", "write": "wrote written", "drive": "drove driven", "ring": "rang rung", "run": "ran",
        "pay": "paid", "buy": "bought", "keep": "kept", "break": "broke broken", "sleep": "slept", "sit": "sat",
        "stand": "stood", "find": "found", "fall": "fell fallen", "hold": "held", "hang": "hung",
        "throw": "threw thrown", "speak": "spoke spoken", "make": "made", "meet": "met", "hear": "heard",
        "feel": "felt", "bring": "brought", "catch": "caught", "show": "shown", "steal": "stole stolen",
        "forget": "forgot forgotten", "bite": "bit bitten", "ride": "rode ridden", "sell": "sold", "spend": "spent",
        "swear": "swore sworn", "see": "saw seen", "know": "knew known", "choose": "chose chosen", "eat": "ate eaten",
        "fly": "flew flown", "think": "thought", "win": "won", "wear": "wore worn", "build": "built",
        "begin": "began begun", "drink": "drank drunken", "wake": "woke woken", "lie": "lied lying",
    }.items()
    for form in forms.split()
}  # fmt: skip
_PASTS = frozenset(form for form in _IRREGULAR if not form.endswith(("s", "ing"))) | word_set("cut hit put shut quit")
_ENDINGS = re.compile(r"(?:ies|ied|ying|ing|ed|es|(?<!s)s|e|y)$")

#: People by what they are to the customer or the company; words of one line mean the same.
_PEOPLE = """
manager|managers|mgr|mgrs; supervisor|supervisors; director|directors; driver|drivers; courier|couriers
pilot|pilots|captain; attendant|attendants|attend|fa|fas|steward|stewardess; cashier|cashiers
receptionist|receptionists; concierge; housekeeper|housekeepers; maid|maids|cleaner|cleaners
waiter|waiters|waitress|server|servers; chef|chefs|cook|cooks; guard|guards; pharmacist
technician|technicians|engineer|mechanic; dispatcher|dispatchers; owner; bellman|porter; valet; bartender|barista
doctor|doctors|physician|pediatrician; nurse|nurses; lawyer|lawyers|attorney; police|officer|officers|cop|cops
teacher; boss; neighbor|neighbour|neighbors|neighbours; wife|wives; husband; son|sons|boy|boys
daughter|daughters|girl|girls; mother|mom|mum|mama|mommy; father|dad|daddy|papa; brother|brothers; sister|sisters
uncle; aunt|auntie; grandmother|grandma|granny|nana; grandfather|grandpa|granddad; cousin|cousins; nephew; niece
girlfriend|girlfriends|gf; boyfriend|boyfriends|bf; fiance|fiancé; fiancee|fiancée; partner|spouse
roommate|flatmate; colleague|coworker; crew; baby|babies|infant|newborn; toddler; friend|friends; handler|handlers
interpreter; journalist
"""
_OBJECTS = """
suitcase|luggage|bag|bags|baggage|suitcases|carry-on|carryon; phone|cell|cellphone|mobile|iphone|smartphone|handset
tv|television|televisions|telly; couch|sofa; fridge|refrigerator; lamp|lamps|light|lights; mirror|mirrors
heater|heating|radiator|heat; fan|fans; stroller|pram|buggy|pushchair; crib|cot; bassinet; mattress|mattresses
pillow|pillows; blanket|blankets; towel|towels; chair|chairs; desk|desks; table|tables; wardrobe|closet; dresser
microwave|microwaves; oven|stove; toaster; kettle; blender; vacuum|hoover; washer; dryer; dishwasher
laptop|laptops|computer|notebook|macbook; tablet|ipad; camera|cameras; headphones|earphones|earbuds|airpods
charger|chargers; console|xbox|playstation; guitar|guitars; violin; drone; watch|watches; ring|rings
necklace|jewelry; wallet|wallets; purse|handbag; backpack|rucksack; passport|passports; umbrella; jacket|jackets
coat|coats; dress|dresses; shirt|shirts|tshirt; jeans|pants|trousers; shoes|shoe|sneakers; boots; hat|cap; gloves
glasses|sunglasses; toy|toys; doll|dolls; bike|bikes|bicycle; scooter; helmet; tent; wheelchair|wheelchairs
crutches; walker; diapers|nappies; formula; pizza|pizzas; burger|burgers|cheeseburger; taco|tacos; burrito|burritos
nachos; quesadilla; fries; salad|salads; sandwich|sandwiches; soup; sushi; pasta; nuggets; wings
coffee|latte|espresso|cappuccino; tea; lemonade; juice; soda|coke|cola|pepsi|sprite; beer|beers; wine; milk
milkshake|shake; cake|cakes; cookie|cookies; steak; rice; bacon; eggs|egg; sushi; noodles; donut|donuts|doughnut
bagel|bagels
"""
_OPPOSITES = """
agree accept allow approve permit consent|refuse deny reject decline; find|lose mislay misplace
open reopen|close shut; early earlier|late; long longer|short shorter; checkin|checkout; turnon|turnoff
right correct|wrong incorrect; sober|drunk; stay remain|leave; before|after; work|break fail; lock|unlock
return|keep; start begin|stop; hot|cold; full|empty; clean|dirty filthy; cheap|expensive; safe|unsafe dangerous
buy|sell; win|lose; increase raise|decrease lower reduce; credit refund|charge; arrive|depart; upgrade|downgrade
polite kind friendly courteous helpful|rude yell shout insult mock ignore scream laugh hung; upstairs|downstairs
high higher|low lower; big bigger|small smaller; better|worse; more|less fewer; fresh|stale rotten; loud|quiet
fast quick|slow; first|last; remember|forget; answer|ignore; new|old used; free|paid
"""
#: Words too common to tell anything by themselves.
COMMON = word_set(
    "the and for with that this those these there here from into onto about over under again still just only even "
    "also then than them they their have had has was were been being are did does not but you your our ours his her "
    "hers she him its who which what when where why how all any some more most much many very too out off back down "
    "after before because while until would could should will can may might must customer customers company one two "
    "get got give gave going went come came make made take took tell told said say asked ask want wanted need needed "
    "time times day days week weeks month hour hours minute minutes way thing things something anything nothing "
    "nobody someone somebody anyone now ever never always yet ago since already later really first last next other "
    "another same each every own few both between through without within during against like around another us we "
    "me my mine it is as at by in of on or so to up if an am be do go he no"
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """What the forms of a word share, by the plainest rules."""
    word = word.lower().replace("’", "'").removesuffix("'s").strip("'")
    base = _IRREGULAR.get(word, word)
    if len(base) > 3:
        base = _ENDINGS.sub("", base, count=1)
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sle":
        base = base[:-1]
    return base.rstrip("e") if len(base) > 3 else base


@lru_cache(maxsize=4096)
def stem_words(text: str) -> frozenset[str]:
    """Stems of the words of a text."""
    return frozenset(stem(word) for word in split_words(text))


@lru_cache(maxsize=4096)
def stem_telling(text: str) -> frozenset[str]:
    """Stems of the words of a text that say something."""
    return frozenset(stem(word) for word in split_words(text) if word not in COMMON)


def is_past(word: str) -> bool:
    """Whether a word looks like a verb in the past."""
    return word in _PASTS or (len(word) > 4 and word.endswith("ed"))


def split_words(text: str) -> list[str]:
    """Words and numbers of a text in lower case."""
    return list(_split_words(text))


@lru_cache(maxsize=4096)
def _split_words(text: str) -> tuple[str, ...]:
    """The split itself; a text is held against many others."""
    return tuple(match.group().lower().replace("’", "'") for match in _WORD.finditer(text))


def _group(lines: str) -> dict[str, str]:
    groups = [entry.split("|") for line in lines.strip().splitlines() for entry in line.split(";")]
    return {word.strip(): words[0].strip() for words in groups for word in words if word.strip()}


PEOPLE = _group(_PEOPLE)
OBJECTS = _group(_OBJECTS)


def _oppose(lines: str) -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    opposed: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for entry in (entry for line in lines.strip().splitlines() for entry in line.split(";")):
        left, right = (frozenset(stem(word) for word in side.split()) for side in entry.split("|"))
        for mine, others in ((left, right), (right, left)):
            for name in mine:
                opposed.setdefault(name, []).append((mine, others))
    return opposed


#: By stem: the words on its side and those on the other.
OPPOSED = _oppose(_OPPOSITES)
#: More general words for people, which also stand for the special ones.
GENERAL = {
    "baby": word_set("son daughter toddler"),
    "partner": word_set("wife husband girlfriend boyfriend fiance fiancee"),
    "friend": word_set("girlfriend boyfriend"),
}


def find_strangers(text: str, known: Iterable[str], groups: dict[str, str]) -> list[str]:
    """Words of a group's list that no known word means."""
    found = dict.fromkeys(word.removesuffix("'s") for word in split_words(text))
    named = [word for word in found if word in groups]
    meant = {groups[word] for word in known if word in groups} if named else set[str]()
    return [word for word in named if groups[word] not in meant and not GENERAL.get(groups[word], frozenset()) & meant]
