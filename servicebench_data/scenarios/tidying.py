"""Makes written speech plain: no handles, hashtags, links, emoji, text speak, shouting or contractions.

Belongs here: spelling and surface. Not here: person and tense (`rewriting`), or what to keep (`sentences`).
"""

import re
import unicodedata
from collections.abc import Mapping
from re import Match

from servicebench_data.scenarios import gazetteer
from servicebench_data.scenarios.verbs import PARTICIPLES, is_finite
from servicebench_data.scenarios.wordlists import word_set

_SPEECH = {
    "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "plse": "please", "thx": "thanks",
    "thnx": "thanks", "thks": "thanks",
    "ty": "thanks", "tix": "tickets", "tkt": "ticket", "flt": "flight", "flts": "flights", "hrs": "hours",
    "hr": "hour", "mins": "minutes",
    "min": "minutes", "wks": "weeks", "wk": "week", "yrs": "years", "yr": "year", "cuz": "because",
    "coz": "because", "cos": "because",
    "bc": "because", "b/c": "because", "w/": "with", "w": "with", "w/o": "without", "wo": "without", "&": "and",
    "+": "and", "y'all": "you",
    "yall": "you", "ya'll": "you", "gonna": "going to", "wanna": "want to", "gotta": "have to", "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tonite": "tonight", "yday": "yesterday", "abt": "about", "ppl": "people", "acct": "account",
    "appt": "appointment", "msg": "message",
    "msgs": "messages", "rep": "representative", "reps": "representatives", "mgr": "manager", "svc": "service",
    "cust": "customer",
    "serv": "service", "srvc": "service", "im": "I am", "ive": "I have", "id": "ID", "ill": "ill",
    "dont": "do not", "cant": "cannot",
    "didnt": "did not", "doesnt": "does not", "isnt": "is not", "wasnt": "was not", "couldnt": "could not",
    "wouldnt": "would not",
    "wont": "will not", "havent": "have not", "hasnt": "has not", "hadnt": "had not", "werent": "were not",
    "arent": "are not",
    "shouldnt": "should not", "theyre": "they are", "theyve": "they have", "youre": "you are", "youve": "you have",
    "weve": "we have", "thats": "that is",
    "theres": "there is", "whats": "what is", "bday": "birthday", "conf": "confirmation", "info": "information",
    "i": "I", "tho": "though",
    "thru": "through", "alot": "a lot", "every1": "everyone", "b4": "before", "gr8": "great",
    "atm": "at the moment", "asap": "as soon as possible",
    "bf": "boyfriend", "gf": "girlfriend", "fa": "flight attendant", "fas": "flight attendants",
    "cs": "customer service", "flight#": "flight",
    "wouldve": "would have", "couldve": "could have", "shouldve": "should have", "hes": "he is", "shes": "she is",
    "dosnt": "does not", "dosent": "does not", "doesn": "does not", "amp": "and", "frm": "from", "bec": "because",
    "becuz": "because", "y": "why", "theyd": "they would", "youd": "you would", "thy": "they",
    "recieved": "received", "recieve": "receive", "definately": "definitely", "seperate": "separate",
    "luggages": "luggage",
}  # fmt: skip
_FILLERS = re.compile(
    r"\b(?:lo+l+|lmao|rofl|omg|smh|wtf|ffs|tbh|imo|imho|idk|btw|fyi|af|haha+|hehe+|ugh+|argh+|meh|wow|yikes|geez|"
    r"jeez|sheesh|smdh|tf|rn|ngl|fml|jfc|"
    r"f+u+c+k+(?:ing|in|ed|s)?|f[*#@!]+(?:k?ing|k)?|fk|shit+y?|bull ?shit|bs|damn(?:ed)?|dammit|goddamn|bloody|"
    r"freaking|frickin[g']?|fricking|effing|eff'?n|friggin[g']?|"
    r"ass|a\*\*|hell(?= ?[,.!]|$)|crappy|literally|honestly|seriously|actually|basically|obviously|apparently|"
    r"absolutely|totally|kinda|sorta|(?<!even )though(?=\s*(?:[.,!?]|$))|(?<=you )guys|(?<=all )guys|"
    r"please note|fwiw|jk)\b[*]*|f\*+\w*|s\*+t\b",
    re.IGNORECASE,
)
_ACRONYMS = word_set(
    "USA UK US UAE NYC TSA ID TV ATM PIN DVD SMS GPS VIP CEO DC LA SF PR PC IT HR ER ICU NICU BBQ AC KFC IHG AA "
    "SWA UPS USPS FAA CST EST PST PDT EDT PM AM "
    "RR FA QR XL HBO BMW IRS RV DNA PS PDF URL EU ASAP VISA MCO NICU CBP TSA GMT ETA I"
)
_COMMON_SHORT = word_set(
    "no it my is so to we do me at on in of or up us if be go he by an as am the and for not you are all can why "
    "who how was out now new off old one two has had get got did end any ask bad big but day far few "
    "fix fly fun let lie lot low may our own pay per put run sad say see set she sit too try use way yes yet "
    "her him his bag min hrs hr mad far day guy ass mess bus car man men"
)
_NAMED_DAY = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|"
    r"october|november|december|christmas|thanksgiving|easter)\b"
)
_RELATIVE = re.compile(
    r"(?<=\bmy )(boyfriend|girlfriend|wife|husband|son|daughter|mother|mom|mum|father|dad|friend|sister|brother|kid)s"
    r"(?= (?:plane|flight|bag|luggage|seat|ticket|name|phone|order|room|car|birthday|wheelchair|account))",
    re.IGNORECASE,
)
_SMILEY = re.compile(r"(?<!\w)[:;=8][-o^']?[)(\]\[/\\|DPp3*]+(?!\w)|<3|\^_+\^|-_+-|¯\\_.*_/¯")
_LINK = re.compile(r"\[link\]|<link>|https?://\S+|\bt\.co/\S+|\bwww\.\S+", re.IGNORECASE)
_TAIL_TAGS = re.compile(
    r"(?<!\bin)(?<!\bthe)(?<!\bto)(?<!\bof)(?<!\bso)(?<!\bvery)(?<!\ba)(?:\s*#\w+)+\s*(?=$|[.!?…]\s*$)"
)
_HEAD_TAGS = re.compile(r"^(?:\s*#[A-Za-z]\w*)+\s+(?=[A-Z\[@$\d])")
_WORD_TAG = re.compile(r"#([A-Za-z][a-z]+|[A-Z]{2,4})\b(?!\w)")
_TAG = re.compile(r"#[A-Za-z]\w*")
_QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "…": "...",
        "–": "-",
        "—": "-",
        "\u00a0": " ",
        "‼": "!",
        "⁉": "?",
        "`": "'",
    }
)
_CONTRACTIONS = [
    (re.compile(r"\bcan't\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\bain't\b", re.IGNORECASE), "is not"),
    (re.compile(r"\b(\w+)n't\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(I)'m\b", re.IGNORECASE), "I am"),
    (re.compile(r"\b(you|we|they|who)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(\w+)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(I|you|he|she|it|we|they|that|there|who)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\blet's\b", re.IGNORECASE), "let us"),
]
#: What may stand between a short auxiliary and its verb.
_BETWEEN = r"(?: (?:not|only|just|never|already|now|still|even|also|always|finally|since|all|both))*"
_IS_HAS = re.compile(
    r"\b(he|she|it|that|there|here|what|who|how|where|when|why|everything|nothing|nobody|someone|everyone|this)"
    rf"'s\b({_BETWEEN})(?: (\w+)(?= (me|us|my|our|him|them|it|his|her|their|your)\b)?)?",
    re.IGNORECASE,
)
#: Participles that go with "has" rather than with "is".
_AFTER_HAS = word_set("been had got gone taken become come arrived happened")
_HAD_WOULD = re.compile(rf"\b(I|you|he|she|it|we|they|who|there)'d\b({_BETWEEN})(?: (\w+))?", re.IGNORECASE)
#: A brand that the masking hid, where the sentence does without it; a model leaves the brackets out or introduces it.
_HIDDEN_NAME = re.compile(
    r"(?<=\bmy )\[user-\d+\] (?=\w)|(?<=\byour )\[user-\d+\] (?=\w)|(?<=\ban )\[user-\d+\] (?=\w)|"
    r"(?<=\bthe )\[user-\d+\] (?=\w)|(?<=\bour )\[user-\d+\] (?=\w)|(?<=\ba )\[user-\d+\] (?=\w)|"
    r",? (?:because of|from|with|by|on|at|via|through|for|in) (?:my |the |an? |another )?"
    r"(?:(?:user|account|person|company|business)(?: named| called)? )?(?:\[user-\d+\]|\buser-\d+\b)"
    r"(?=[.,!?]|\s*$|\s+(?:and|but|so|because|on|in|at|for|from|with|when|to|who|that|is|was|since|as|due|almost|about)\b)",
    re.IGNORECASE,
)
_SLIPS: list[tuple[re.Pattern[str], str]] = [
    (_HIDDEN_NAME, ""),
    (re.compile(r"\byour guys'?s?\b", re.IGNORECASE), "your"),
    (re.compile(r"\byou all\b", re.IGNORECASE), "you"),
    (re.compile(r"\bto (late|much|many|little|expensive)\b", re.IGNORECASE), r"too \1"),
    (re.compile(r"\bits (?=(?:a|an|the|not|been|so|just|still|now|only|my|like|too|very|over|almost)\b)"), "it is "),
    (re.compile(r"\bIts (?=(?:a|an|the|not|been|so|just|still|now|only|my|like|too|very|over|almost)\b)"), "It is "),
    (re.compile(r"\b(?:it|It) is been\b"), "it has been"),
    (re.compile(r"\byour (?=(?:going|not|still|just|supposed|trying)\b)", re.IGNORECASE), "you are "),
    (re.compile(r"\bget your (bag|suitcase)\b", re.IGNORECASE), r"get a \1"),
    (re.compile(r"(?<=\d )It(?= \w)"), "it"),
    (re.compile(r"\bU\.S\.(?:A\.)?"), "US"),
    (re.compile(r"\bflight attend\b", re.IGNORECASE), "flight attendant"),
    (re.compile(r"(?<= )cause (?=(?:my|our|your|the|of|they|we|it)\b)"), "because "),
    (re.compile(r"\b([Tt]he|[Tt]o|[Aa]|[Mm]y|[Ii]n) \1\b"), r"\1"),
    (re.compile(r"\b(needs?|wants?|going|try|trying|able|supposed) 2 (?=[a-z]+(?<!s)\b)", re.IGNORECASE), r"\1 to "),
]
_TOKEN = re.compile(r"\[[a-z]+-?\d*\]|[\w$£€#@%](?:[\w'’./:%$£€+-]*[\w/%$£€+#])?|[&+](?=\s)")


def tidy(text: str, brands: Mapping[str, str]) -> str:
    """Plain English spelling of a stretch of a post; what cannot be spelt out is left for the checks to refuse.

    Args:
        text: A sentence of a masked turn.
        brands: Brand by lower-case handle, for known care accounts.
    """
    text = drop_symbols(_LINK.sub(" ", text.translate(_QUOTES)))
    text = name_brands(text, brands)
    text = _TAG.sub(" ", _WORD_TAG.sub(r"\1", _HEAD_TAGS.sub("", _TAIL_TAGS.sub("", text))))
    text = _SMILEY.sub(" ", text)
    text = spell_out(text)
    text = re.sub(r"\b[a-z]+[A-Z][A-Za-z]*\b", _calm_mixed, calm_capitals(text))
    text = expand_contractions(text)
    text = _NAMED_DAY.sub(lambda match: match.group().capitalize(), re.sub(r"(?<=[a-z] )A(?= [a-z])", "a", text))
    text = _FILLERS.sub(" ", text)
    text = re.sub(
        r"\b(this|in the|yesterday|tomorrow) am\b", lambda match: f"{match.group(1)} morning", text, flags=re.IGNORECASE
    )
    text = _mend_slips(_RELATIVE.sub(r"\1's", _complete_because(text)))
    return clean_punctuation(text)


def leave_out_names(text: str) -> str:
    """The text without the names that masking hid, where it does without them; else as it was."""
    return clean_punctuation(shorter) if (shorter := _HIDDEN_NAME.sub("", text)) != text else text


def _mend_slips(text: str) -> str:
    """Common slips of spelling that would be taken for another word."""
    for pattern, right in _SLIPS:
        text = pattern.sub(right, text)
    return text


def _complete_because(text: str) -> str:
    """Put the "of" into "because flight delays", where no verb follows."""
    head, found, rest = text.rpartition("because ")
    if (
        found
        and not rest.startswith("of ")
        and rest
        and not any(is_finite(word) for word in re.findall(r"[a-z']+", rest.lower()))
    ):
        return f"{head}because of {rest}"
    return text


def drop_symbols(text: str) -> str:
    """The text without emoji, variation selectors and other pictures."""
    kept = (
        letter
        if letter.isascii() or unicodedata.category(letter) not in {"So", "Sk", "Cs", "Cf", "Mn", "Co", "Cn", "Me"}
        else (" " if unicodedata.category(letter) not in {"Mn", "Me"} else "")
        for letter in text
    )
    return "".join(kept)


def name_brands(text: str, brands: Mapping[str, str]) -> str:
    """Known handles replaced by their brand's name; others stay, and no sentence with one is presentable."""
    return re.sub(r"@(\w+)", lambda match: brands.get(match.group(1).lower(), match.group()), text)


def spell_out(text: str) -> str:
    """Text speak in full words."""
    return _TOKEN.sub(_spell_word, text)


def _spell_word(match: Match[str]) -> str:
    word = match.group()
    full = _SPEECH.get(word.lower())
    if full is None and word.lower().startswith("w/") and word[2:].isalpha():
        return f"with {word[2:]}"
    if full is None or (
        word.lower() in {"id", "w", "conf", "r", "min", "hr", "hrs", "cs", "i"} and word.isupper() and word != "U"
    ):
        return word
    return full[0].upper() + full[1:] if word[0].isupper() and len(word) > 1 and not word.isupper() else full


def calm_capitals(text: str) -> str:
    """Shouted words in lower case; abbreviations, codes and short names in upper case stay."""
    words = [match.group() for match in re.finditer(r"[A-Za-z']{2,}", text)]
    shouted = [word for word in words if word.isupper() and word not in _ACRONYMS]
    is_shouting = len(shouted) > 2 and 2 * len(shouted) > len(words)
    return re.sub(
        r"(?<![\w\[@#.])[A-Z][A-Z']+(?!\w*\d)\b", lambda match: _calm_word(match, is_shouting=is_shouting), text
    )


def _calm_mixed(match: Match[str]) -> str:
    word = match.group()
    return word if word.startswith(("i", "e")) and word[1:2].isupper() else word.lower()


def _calm_word(match: Match[str], *, is_shouting: bool) -> str:
    word = match.group()
    before, after = match.string[: match.start()], match.string[match.end() :]
    if word in _ACRONYMS or re.match(r"[\d-]", after) or re.search(r"[\d]$", before):
        return word
    if len(word) == 3 and gazetteer.is_airport_code(word) and not (is_shouting and word not in before):
        return word
    if len(word) <= 3 and not is_shouting and word.lower() not in _COMMON_SHORT:
        return word
    if len(word) == 2 and (before.rstrip().endswith(",") or re.match(r" ?#?\d", after)):
        return word
    return word.lower()


_AFTER_IS = frozenset({"not", "been", "a", "an", "the", "got", "had", "here", "there", "gone"})


def expand_contractions(text: str) -> str:
    """Contracted pronouns and negations in full; possessives stay."""
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    text = _IS_HAS.sub(_expand_s, text)
    return _HAD_WOULD.sub(_expand_d, text)


def _expand_s(match: Match[str]) -> str:
    owner, between, word = match.group(1), match.group(2), match.group(3) or ""
    following = word.lower()
    is_verb = following.endswith("ing") or following in _AFTER_IS | _AFTER_HAS or between
    if owner.lower().endswith(("one", "body")) and not is_verb:
        return match.group()  # "someone's bag" is a possessive
    is_done = following in PARTICIPLES and match.group(4) is not None
    verb = "has" if following in _AFTER_HAS or is_done else "is"
    return f"{owner} {verb}{between}{' ' + word if word else ''}"


def _expand_d(match: Match[str]) -> str:
    following = (match.group(3) or "").lower()
    is_perfect = (following in PARTICIPLES or following.endswith("ted")) and following not in {
        "come",
        "become",
        "run",
        "put",
        "cut",
        "let",
        "set",
        "cost",
        "hit",
    }
    auxiliary = "had" if is_perfect or following == "better" else "would"
    return f"{match.group(1)} {auxiliary}{match.group(2)}{' ' + match.group(3) if match.group(3) else ''}"


def clean_punctuation(text: str) -> str:
    """Single marks, no stray symbols, no blanks before marks."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\*([\w' ]+)\*", r"\1", text)
    text = re.sub(r"(?<=\s)[-_~^|*\\•]+(?=\s|$)|^[\s\-_~^|>*.,:;!\\•]+|[~^|*\\•_]", " ", text)
    text = re.sub(r"\s*\.{2,}\s*", ", ", text)
    text = re.sub(r"\s+([,.;:!?)])", r"\1", text)
    text = re.sub(r"[!]+(?=\))", "", text)
    text = re.sub(r"[!]+", ".", text)
    text = re.sub(r"([,;:])(?:\s*[,;:])+", r"\1", text)
    text = re.sub(r"\(\W*\)|\"\s*\"", " ", text)
    text = re.sub(r"(?<!\w)'|'(?!\w)", "", text)
    text = re.sub(r",(?=\s*(?:[.?]|$))", "", text)
    text = re.sub(r"([.?])(?:\s*[.,;:])+", r"\1", text)
    return re.sub(r"\s+", " ", text).strip(" ,;:-")


def starts_finite(text: str) -> bool:
    """Whether a text begins with a finite verb in lower case, whose subject is then what stood before it.

    Handles that open a post are gone from a turn's text, so one that is left at the head of a sentence may be its
    subject.
    """
    word = re.sub(r"^(?:still|just|never|always|also|now|even) ", "", text.lstrip(" ,")).split(" ", 1)[0]
    return (
        word.islower()
        and is_finite(word)
        and word not in {"been", "being", "do", "did", "can", "could", "would", "will", "are", "have", "should"}
    )
