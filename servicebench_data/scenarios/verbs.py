"""English verb forms that the rewriting needs: past tense, and whether a word can be a finite verb.

Belongs here: word forms. Not here: whose verb it is or what the sentence says (`rewriting`).
"""

import re
from functools import cache

from servicebench_data.scenarios.wordlists import word_set

# base past [participle]; only verbs that occur in complaints. Where the participle is missing it equals the past.
_IRREGULAR = """
be was been|become became become|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought
|build built
|buy bought|catch caught|choose chose chosen|come came come|cost cost|cut cut|deal dealt|do did done|draw drew drawn
|drink drank drunk
|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget
forgot forgotten
|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|have had|hear heard|hide
hid hidden|hit hit
|hold held|hurt hurt|keep kept|know knew known|land landed|lay laid|lead led|leave left|lend lent|let let|lie lied
|lose lost|make made
|mean meant|meet met|pay paid|put put|quit quit|read read|ride rode ridden|ring rang rung|rise rose risen|run ran run
|say said|see saw seen
|sell sold|send sent|set set|shake shook shaken|shut shut|sit sat|sleep slept|smell smelled|speak spoke spoken|spend
spent|spill spilled
|split split|stand stood|steal stole stolen|stick stuck|swear swore sworn|sweep swept|swim swam swum|take took taken
|teach taught
|tear tore torn|tell told|think thought|throw threw thrown|understand understood|upset upset|wake woke woken|wear
wore worn|win won
|write wrote written|overcharge overcharged|rebook rebooked|cancel cancelled|withdraw withdrew withdrawn|redo redid
redone
"""
_REGULAR = """
accept accuse add advise agree allow answer apologise apologize apply appear argue arrive ask assure attempt attend
avoid beg board book bump
call care carry cause change charge check claim clean close collect complain complete confirm contact continue cook
count cover crash create
damage decide decline delay delete deliver demand deny depart deserve direct disappear discover divert drag drop dump
email empty end enter
escalate exchange expect experience explain expire fail file fill finish fix flag follow force format forward
guarantee handle happen hate help
honor honour hope ignore include inform insist insult issue join kick lack last laugh leak like live load lock log
look love mail manage
mark mention mess miss mistake move need notice notify offer open order pack park pass pick place plan play post
prefer present prevent print
process promise provide pull purchase push qualify reach realise realize receive recommend record redeem refund
refuse register reject
release remain remember remind remove rent repair repeat replace reply report request require reschedule reserve
resolve respond return ruin
scan schedule scream search seat seem separate serve ship shout show sign smoke snap sort sound start stain starve
state stay step stop
stress submit suffer suggest supply swap switch talk text threaten touch track transfer travel treat trick try turn
update upgrade use
verify visit vomit trust interact list guess wonder spoil mishandle misplace shove slam strain slip injure harass
hire blame wait walk want warn waste watch weigh wish work worry yell
"""
_AUXILIARIES = word_set(
    "am is are was were be been being have has had do does did can could will would shall should may might must cannot"
)
_VOWEL_STEM = re.compile(r"[^aeiou][aeiou][bdgmnpt]$")
_DOUBLING = word_set("stop drop ship plan grab beg chat cancel refer occur admit permit skip slip trip book") - {"book"}


def _read_irregular() -> dict[str, tuple[str, str]]:
    entries = [entry.split() for entry in _IRREGULAR.replace("\n", " ").split("|")]
    return {parts[0]: (parts[1], parts[-1]) for parts in entries if parts}


IRREGULAR = _read_irregular()
BASES = frozenset(IRREGULAR) | frozenset(_REGULAR.split())
_AMBIGUOUS_PAST = frozenset(
    {"cut", "put", "hit", "set", "let", "cost", "quit", "read", "shut", "split", "hurt", "upset"}
)


@cache
def make_past(base: str) -> str:
    """Past tense of a verb's base form, irregular where it is known, else by the spelling rules."""
    if base in IRREGULAR:
        return IRREGULAR[base][0]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ied"
    if base in _DOUBLING and _VOWEL_STEM.search(base):
        return base + base[-1] + "ed"
    return base + "ed"


def _third_person(base: str) -> str:
    if base in {"have", "do", "go", "be"}:
        return {"have": "has", "do": "does", "go": "goes", "be": "is"}[base]
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z")) else "s")


THIRD_TO_BASE = {_third_person(base): base for base in sorted(BASES)}
PASTS = frozenset(make_past(base) for base in BASES) | {"canceled", "lied", "learned", "booked", "spilt", "smelt"}
PARTICIPLES = frozenset(forms[1] for forms in IRREGULAR.values()) | frozenset(
    make_past(base) for base in _REGULAR.split()
) | {"got", "canceled", "cancelled", "showed", "shown"}  # fmt: skip


def is_finite(word: str) -> bool:
    """Whether a lower-case word can be a finite verb: an auxiliary, a known past, or a known third person."""
    return word in _AUXILIARIES or word in PASTS or word in THIRD_TO_BASE or word.endswith("n't")


def is_past(word: str) -> bool:
    """Whether a lower-case word is a past form."""
    return word in PASTS or word in {"was", "were", "had", "did"}


def is_auxiliary(word: str) -> bool:
    """Whether a lower-case word is an auxiliary or modal."""
    return word in _AUXILIARIES


def is_base(word: str) -> bool:
    """Whether a lower-case word is a known base form that differs from its past."""
    return word in BASES and word not in _AMBIGUOUS_PAST and word != "be"


def _make_gerund(base: str) -> str:
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return {"lie": "lying"}.get(base, base[:-1] + "ing")
    if base in _DOUBLING or base in {
        "get",
        "put",
        "cut",
        "hit",
        "let",
        "set",
        "sit",
        "run",
        "forget",
        "begin",
        "quit",
        "shut",
        "swim",
        "win",
    }:
        return base + base[-1] + "ing"
    return base + "ing"


GERUND_TO_BASE = {_make_gerund(base): base for base in sorted(BASES)} | {"cancelling": "cancel", "canceling": "cancel"}
