"""Words that the flags share: what tells of no case in particular, and what turns words round.

Belongs here: word lists and yes-or-no questions about one sentence. Not here: any flag.
"""

from servicebench_data.scenarios.vocabulary import COMMON, split_words, stem
from servicebench_data.scenarios.wordlists import word_set
from servicebench_data.simulation.gate.lexicon import has

#: Words by which a company speaks to anybody, and bare names of kinds of failure.
BOILER = COMMON | word_set("""
    sorry apologise apologies apology apologised sincerely sincere deeply truly really very much so please accept
    regret forgive inconvenience inconvenienced trouble issue issues problem problems experience experienced
    situation matter matters bother delay delays delayed cancellation cancelled cancel order orders service services
    concern concerns complaint feedback disappointment incident understand understanding know see hear hearing learn
    aware imagine appreciate thank thanks patience contact contacting reaching frustration frustrating frustrated
    frustrate upset upsetting annoyed annoying disappointed disappointing angry stress stressful stressed feel
    feeling feelings feels felt sound sounds sounded awful terrible horrible bad sad rotten hard difficult tough
    unpleasant unfortunate unfortunately hope hello dear sir madam hi hey oh guest member passenger client regards
    team caused cause causing may might truly completely totally absolutely fully right reason entitled wish like
    happened happen happens happening occurred great good best happy help assist assistance today moment look
    looking into things mean means expect expected expectations value important care share shared pass passed kind
    flight okay fun quite rather bit lot just simply certainly definitely indeed must can cannot well yes no not nor
    never always everyone anyone anybody nobody people person friend hun love lovely bless heart yours faithfully
    warm warmly gosh goodness ugh yikes aww aw wow honest honestly reading message messages words note enquiry
""")
_BOILER_STEMS = frozenset(stem(word) for word in BOILER)


def list_matters(text: str) -> list[str]:
    """Stems of the words that tell of this case, each once."""
    words = (word for word in split_words(text) if len(word) > 2 or word[0].isdigit())
    stems = (stem(word) for word in words if word not in BOILER)
    return list(dict.fromkeys(name for name in stems if name not in _BOILER_STEMS))


def is_conditional(text: str) -> bool:
    """Whether words stand under a condition: "if you were inconvenienced"."""
    return has("wording.conditional", text)


def is_sarcastic(text: str) -> bool:
    """Whether words are such as nobody means."""
    return has("wording.sarcasm", text)
