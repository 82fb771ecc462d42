"""What a sentence reveals beyond its values: staff statements, impacts, vulnerability, danger, privacy.

Belongs here: cue patterns and yes-or-no questions about one sentence. Not here: what follows from them.
"""

import re

_STAFF = (
    r"(?:they|staff|[\w-]+ ?(?:agents?|attendants?|reps?|representatives?|managers?|supervisors?|drivers?|"
    r"clerks?|desk|crew|employees?|associates?|cashiers?|pilots?|captain|service)|agents?|manager|"
    r"supervisor|driver|crew|pilot|captain|cashier|employee|representative|receptionist|she|he|the (?:guy|lady|"
    r"woman|man|person|app|website))"
)
_STATEMENT = re.compile(
    rf"\b(?:{_STAFF}) (?:just |then |also |even |now |had |have |has |finally |all |both |is |are |was |were )"
    rf"*(?:told|said|says|saying|claimed|claims|promised|insisted|insists|assured|informed|stated|admitted|"
    rf"advised|explained|keeps? (?:saying|telling)|kept (?:saying|telling)|telling)\b"
    r"|\b(?:was|were|been|being|am|are|got) (?:just |then |also |now |only |first |later )*(?:told|informed|"
    r"assured|promised|advised)\b|\btold (?:me|us|my|him|her)\b|\baccording to\b",
    re.IGNORECASE,
)
_EMOTION = re.compile(
    r"\b(?:frustrat\w+|angry|anger|disappoint\w+|upset|furious|livid|cry(?:ing)?|cried|tears?|scared|terrif\w+|"
    r"afraid|stress\w*|exhausted|humiliat\w+|embarrass\w+|anxious|anxiety|disgust\w+|"
    r"heartbroken|devastated|fed up|tired of|sick of|annoy\w+|unhappy|sad|worried|worry|desperate\w*|shaken|"
    r"trauma\w*|nightmare|horrif\w+|insult\w+|disrespect\w+|outraged?|appalled|shocked|not (?:happy|pleased|"
    r"impressed)|"
    r"lost (?:all )?(?:trust|faith|patience)|patience (?:is|are|was)|let down|ashamed|helpless|hate|pissed|at "
    r"(?:my|our) wit'?s end|ruin\w+ (?:my|our|the))\b",
    re.IGNORECASE,
)
_PRACTICAL = re.compile(
    r"\b(?:(?:miss|missed|missing|miss out on) (?:\w+ ){0,3}?(?:connection|connecting|flight|meetings?|wedding|"
    r"funeral|birthday|class|exam|appointment|interview|work|dinner|event|game|concert|show|train|bus|cruise|"
    r"party|events|jobs?|holiday|thanksgiving|christmas|reunion|ceremony)|"
    r"late (?:for|to) (?:\w+ ){0,2}?(?:work|meetings?|class|wedding|school|appointment|interview|flight|"
    r"airport|event)|stuck|stranded|sle(?:ep|pt|eping) (?:on|in|at)|on the floor|no (?:clothes|clothing|food|"
    r"water|heat|sleep|medication|toiletries)|"
    r"(?:my|our|the) (?:\w+ )?(?:kids?|children|baby|infant|son|daughter|mother|mom|mum|father|dad|wife|"
    r"husband|grandmother|grandma|toddler|fianc[eé]e?|boyfriend|girlfriend|family|parents)|years? old|months? "
    r"old|"
    r"medication|medicine|insulin|wheelchair|pregnant|disab\w+|hungry|starving|in the (?:cold|rain|snow|heat|"
    r"dark)|out of pocket|cost (?:me|us)|had to (?:buy|pay|rent|take|walk|sleep|cancel|drive|throw|leave|miss|"
    r"go|wait|stand|sit)|"
    r"wast(?:ed|ing) (?:my|our|\w+ (?:hours|days))|lost (?:a |my |our )?(?:day|job|wages|night|whole)|wedding|"
    r"funeral|honeymoon|vacation|birthday|anniversary|surgery|hospital|emergency|sick|ill|injur\w+|hurt|"
    r"without (?:my|our|a|any) (?:\w+ )?(?:bags?|luggage|clothes|car|phone|food|room|money|water|medication)|"
    r"cannot (?:work|sleep|eat|travel|sit)|need (?:it|them|my \w+) (?:for|by|to))\b",
    re.IGNORECASE,
)
_INTIMATE = re.compile(
    r"\b(?:medication|medicine|insulin|sick (?:mother|mom|mum|father|dad|child|kid|son|daughter|wife|husband|"
    r"parent)|dying|died|death|passed away|funeral|cancer|chemo|surgery|hospital|pregnant|miscarriage|disab\w+|"
    r"anxiety|depress\w+|ptsd|autis\w+|divorce|broke and|cannot afford|lost my job|panic attacks?|crying|cried|"
    r"in tears|humiliat\w+|assault\w*|harass\w*)\b",
    re.IGNORECASE,
)
_DANGER = re.compile(
    r"\b(?:(?<!app )(?<!site )(?<!system )(?<!page )(?<!keeps )crash(?:ed|ing)? (?:into|the car|his|her|at|on)|"
    r"(?:driver|car|cab|uber|lyft|taxi|vehicle|he|she) crash\w*|car crash|"
    r"(?:hit|struck|rear[- ]?ended|ran into) (?:the|a|another|our|my|their|someone's) (?:\w+ )?(?:car|truck|"
    r"vehicle|wall|pole|"
    r"curb|bike|cyclist|pedestrian|bus)|collision|whiplash|strained|sprain\w*|fractur\w*|concussion|urgent care|"
    r"seizure|"
    r"chest pains?|chok(?:ed|ing)|needles?|gas leak|carbon monoxide|mice|infest\w*|lice|fleas?|worms?|larva\w*|"
    r"hazard\w*|fell asleep|reckless\w*|speeding|wrong side of the road|locked (?:me|us|them) in|followed (?:me|"
    r"the customer|"
    r"her|him|them)|groped|touched (?:me|the customer|her|him|them)|grabbed|stalk\w*|sexual\w*|accident|injur\w+|"
    r"hurt|bleed\w*|hit my head|unsafe|danger\w*|(?:on|caught|a) fire|fire (?:alarm|in|broke|started)|"
    r"smoke (?:in|from|filled|alarm)|threaten\w*|"
    r"assault\w*|attack\w*|harass\w*|drunk|weapon|gun|knife|food poison\w*|poison\w*|vomit\w*|throw(?:ing)? up|"
    r"threw up|"
    r"got sick|made (?:me|us|my \w+) sick|allerg\w+|glass in|choke\w*|raw (?:chicken|meat)|undercooked|mold\w*|"
    r"mould\w*|bed ?bugs?|cockroach\w*|roach\w*|rats?|maggots?|burn(?:ed|t) (?:my|me|his|her)|electr\w+ shock|"
    r"swerv\w+|"
    r"ran (?:a |the )?red light|texting while|asleep at the wheel|emergency room|ambulance|police)\b",
    re.IGNORECASE,
)
_VULNERABLE = re.compile(
    r"\b(?:bab(?:y|ies)|infants?|toddlers?|(?:small|young|little) (?:kids?|children|child|girl|boy)|kids?|"
    r"children|my (?:son|daughter)|\d+ ?(?:-| )?(?:yr|year|month)s?(?:-| )?old|elderly|grand(?:mother|father|"
    r"ma|pa)|wheelchair|disab\w+|blind|deaf|"
    r"pregnant|medication|insulin|diabet\w+|asthma|epilep\w*|legally blind|service (?:dog|animal)|"
    r"special assistance|crutches|surgery|cancer|hospital|funeral|sick (?:mother|mom|mum|"
    r"father|dad|child)|autis\w+|unaccompanied|alone at night|veteran|oxygen)\b",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"\b(?:wheelchair|disab\w+|blind|deaf|pregnant|medications?|medicine|insulin|diabet\w+|asthma|epilep\w*|oxygen|cancer|surgery|"
    r"elderly|newborn|infants?|unaccompanied|autis\w+|crutches|allerg\w+|hospital)\b",
    re.IGNORECASE,
)
_ABUSE = re.compile(
    r"\b(?:harass\w*|racis\w+|racial\w*|discriminat\w+|slurs?|assault\w*|groped|sexual\w*|threaten\w*|homophob\w*|sexis\w+|"
    r"(?:refused|denied) (?:\w+ ){0,4}?(?:wheelchair|service dog|guide dog|service animal))\b",
    re.IGNORECASE,
)
_DIGNITY = re.compile(
    r"\b(?:rude\w*|yell\w*|scream\w*|shout\w*|laughed at|insult\w*|humiliat\w+|embarrass\w+|disrespect\w*|"
    r"racis\w+|discriminat\w+|kicked (?:me|us|him|her|off|out)|swore at|cursed? (?:at|me)|hung up on|"
    r"condescend\w+|accus\w+|lied to|swear\w*|sarcas\w*|slur|"
    r"mocked|called me|blam\w+ me|threw (?:me|us) (?:off|out)|treated (?:me|us|like))\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:charg\w+|overcharg\w+|refund\w*|paid|pay|paying|money|cost|costs|fee|fees|fare|price|bill\w*|"
    r"debit\w*|deposit|credit card|reimburse\w*|bank|stole|stolen|fraud\w*|scam\w*|out of pocket|gift card|"
    r"voucher)\b",
    re.IGNORECASE,
)
_MONEY_LOSS = re.compile(
    r"\b(?:(?:over|double |twice |wrongly |incorrectly |falsely )?charg(?:ed|ing|es?) (?:me|us|my|twice|for|"
    r"double|an?|extra|more|\$|the|[$£€\d])|(?:was|been|got|being|were) (?:over|double |wrongly )?(?:charged|"
    r"billed|debited)|overcharg\w+|double[- ]charg\w+|(?:want|need|get|give|gave|owe|owed|where is|no|not|"
    r"never|received?|"
    r"issue|denied?|denies|refus\w+|waiting (?:for|on)) (?:\w+ ){0,3}?(?:refund\w*|money back|reimburse\w*)|"
    r"refund me|money back|have to pay|had to (?:pay|buy|rent)|cost (?:me|us)|out of pocket|fraud\w*|scam\w*|"
    r"stole\w*|"
    r"paid (?:\w+ ){0,3}?(?:for|extra)|paid [$£€]?\d+|charged [$£€]?\d+|false charges?|(?:cancellation|"
    r"cleaning|change|baggage) fee)\b",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\b(?:taxi|cab ride|(?:my|our) (?:\w+ )?(?:kids?|son|daughter|wife|husband|mother|mom|mum|father|dad|"
    r"family|baby|friends?|boss|job|house|home|doctor|boyfriend|girlfriend|fianc[eé]e?|parents|sister|brother)|"
    r"at work|meeting|wedding|"
    r"funeral|birthday|audition|exam|interview|party|concert|shift|doctor|hospital|had to (?:buy|rent|take|"
    r"walk|sleep|drive)|out of pocket|cost me|slept|hungry|plan(?:s|ned|ning)|vacation|honeymoon|feel|felt|"
    r"another (?:airline|store|hotel|company|place)|competitors?|"
    r"spent (?:\w+ ){0,3}?(?:on|trying|getting)|drove|walked|walking|been trying|nobody|no one|years? old|"
    r"months? old|loyal|exhausted)\b",
    re.IGNORECASE,
)


def is_staff_statement(text: str) -> bool:
    """Whether the sentence reports what someone of the company said."""
    return _STATEMENT.search(text) is not None


def is_emotional(text: str) -> bool:
    """Whether it tells a feeling."""
    return _EMOTION.search(text) is not None


def is_practical(text: str) -> bool:
    """Whether it tells what the failure did to the customer's plans, body, work or family."""
    return _PRACTICAL.search(text) is not None


def is_intimate(text: str) -> bool:
    """Whether it is of a kind that people tell only when they feel taken seriously."""
    return _INTIMATE.search(text) is not None


def is_dangerous(text: str) -> bool:
    """Whether somebody's health or safety was at stake."""
    return _DANGER.search(text) is not None


def is_vulnerable(text: str) -> bool:
    """Whether it names somebody who needs particular care."""
    return _VULNERABLE.search(text) is not None


def is_dependent(text: str) -> bool:
    """Whether it names somebody whom illness, disability, age or pregnancy makes depend on others."""
    return _DEPENDENT.search(text) is not None


def is_abused(text: str) -> bool:
    """Whether somebody was harassed, threatened or discriminated against."""
    return _ABUSE.search(text) is not None


def is_undignified(text: str) -> bool:
    """Whether somebody was treated without respect."""
    return _DIGNITY.search(text) is not None


def is_about_money(text: str) -> bool:
    """Whether money is mentioned."""
    return _MONEY.search(text) is not None


def is_money_loss(text: str) -> bool:
    """Whether it says that the customer is out of money."""
    return _MONEY_LOSS.search(text) is not None


def speaks_of_money(text: str) -> bool:
    """Whether money is mentioned, or its loss."""
    return is_about_money(text) or is_money_loss(text)


def is_unseen(text: str) -> bool:
    """Whether it happened where the company's systems have no eyes."""
    return _UNSEEN.search(text) is not None or is_emotional(text)
