"""Finding names of people in a text.

Belongs here: the contexts in which a capitalised word is a name. Word lists are `lexicon.py`; numbers and handles are
`references.py`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from servicebench_data.dialogues.lexicon import COMMON_WORDS, PLACE_NOUNS, PLACES, load_given_names
from servicebench_data.dialogues.spans import Span

NAME = r"(?:[A-Z]['’])?[A-Z][a-zà-öø-ÿ]+(?:[-'’]?[A-Z][a-zà-öø-ÿ]+)?"
INITIAL = r"(?:\s[A-Z]\.?(?=\s))?"
END = r"(?=\s*(?:[,.!?:;)&…]|$|[-–—*^]|\n|and\b))"
# A title or an introduction: what follows is a name, whatever it is.
INTRODUCED = re.compile(
    r"(?i:\b(?:my name is|my name[’']s|name is|names? ?: ?|passengers? ?: ?|passenger names? ?:? ?|guest name:? ?|in the name of"
    r"|under the name(?: of)?|booked under|mrs?\.?|ms\.?|miss|mx\.?|dr\.?|capt(?:ain|\.)?|sincerely,?|yours,?|signed,?)\s+)"
    rf"({NAME}{INITIAL}(?:\s{NAME})?)"
)
# A greeting: a name follows when the sentence pauses behind it.
GREETED = re.compile(
    r"(?i:\b(?:hi|hello|hey|dear|hiya|hola|aloha|howdy|good (?:morning|afternoon|evening|day)|thanks|thank you|thx|ty|cheers"
    rf"|sorry|welcome|congrats|congratulations|regards|best|love|yes|no|ok|okay)[,!]?\s+)({NAME}(?:\s{NAME})?){END}"
)
# An account speaks to its customer by name after a comma.
ADDRESSED = re.compile(rf"(?<=[a-z0-9'’\]]), ({NAME})(?=\s*(?:[.!?…]|$|[-–—*^]))")
SPOKEN_OF = re.compile(
    r"(?i:\b(?:spoke (?:to|with)|speaking (?:to|with)|talked (?:to|with)|talking (?:to|with)|chatted with|agent|rep|manager|supervisor"
    rf"|(?:named|called)|by the name of|this is|i am|i[’']?m|it[’']?s)\s+)({NAME}(?:\s{NAME})?)"
)
LOWER = re.compile(
    r"(?i:\b(?:my name is|my name[’']s|name is|hi|hello|hey|dear|hiya|thanks|thank you|thx|cheers|regards|mr\.?|mrs\.?|ms\.?"
    r"|spoke (?:to|with)|talked (?:to|with)|chatted with|agent|rep|(?:named|called)|this is|i am|i[’']?m),?\s+)([a-z]{3,})\b"
)
WORD = re.compile(rf"\b({NAME}){INITIAL}(?:\s({NAME}))?")
PLACE_BEFORE = re.compile(r"(?i:\b(?:in|at|to|from|near|via|the|san|santa|st\.?|fort|port|lake|new|mount)\s)$")


@dataclass(frozen=True)
class NameFinder:
    """Finds names in posts about certain brands.

    Attributes:
        brands: Words of brands in lower case, which are no names.
    """

    brands: frozenset[str]

    def find(self, text: str, *, is_account: bool, known: Mapping[str, str]) -> Iterator[Span]:
        """Yield names, the surest first; `known` are words that other posts of the dialogue showed to be names."""
        for match in INTRODUCED.finditer(text):
            yield from self.accept(match, is_sure=True)
        for match in GREETED.finditer(text):
            yield from self.accept(match, is_sure=True)
        if is_account:
            for match in ADDRESSED.finditer(text):
                yield from self.accept(match, is_sure=match.group(1).lower() not in PLACES)
        for match in SPOKEN_OF.finditer(text):
            yield from self.accept(match, is_sure=False, is_ambiguous_fine=True)
        yield from self.find_words(text)
        for match in LOWER.finditer(text):
            if is_lower_name(match.group(1)):
                yield Span(match.start(1), match.end(1), "person", match.group(1))
        if known:
            yield from find_known(text, known)

    def accept(self, match: re.Match[str], *, is_sure: bool, is_ambiguous_fine: bool = False) -> Iterator[Span]:
        """Yield the name that a context's match holds, if it is one."""
        words = match.group(1).split()
        first = words[0].lower()
        names = load_given_names()
        is_given = first in names.plain or ((is_sure or is_ambiguous_fine) and first in names.ambiguous)
        if not is_given and (not is_sure or self.is_no_name(first)):
            return
        end = match.end(1)
        while len(words) > 1 and self.is_no_name(words[-1].lower()):
            end -= len(words.pop()) + 1
        yield Span(match.start(1), end, "person", first)

    def find_words(self, text: str) -> Iterator[Span]:
        """Yield given names wherever they stand capitalised, with the surname behind."""
        plain = load_given_names().plain
        for match in WORD.finditer(text):
            first = match.group(1).lower()
            if first in plain and first not in self.brands and first not in COMMON_WORDS and first not in PLACES:
                surname = match.group(2)
                if surname and surname.lower() in PLACE_NOUNS:
                    continue
                is_whole = surname is not None and not self.is_no_name(surname.lower())
                yield Span(match.start(1), match.end(2) if is_whole else match.end(1), "person", first)

    def is_no_name(self, word: str) -> bool:
        """Tell whether a word in lower case is known to be something else than a name."""
        return word in COMMON_WORDS or word in self.brands or word in PLACES or word in PLACE_NOUNS


def is_lower_name(word: str) -> bool:
    """Tell whether a word in lower case is a name behind a greeting or an introduction."""
    return word in load_given_names().plain and word not in COMMON_WORDS and word not in PLACES and len(word) > 2


def find_known(text: str, known: Mapping[str, str]) -> Iterator[Span]:
    """Yield the words that are known to be names in this dialogue, as the person whose name they are part of."""
    for match in re.finditer(r"[A-Za-zÀ-ÿ'’_0-9]+", text):
        word = match.group().lower().removesuffix("'s").removesuffix("’s")
        if word in known:
            yield Span(match.start(), match.start() + len(word), "person", known[word])
