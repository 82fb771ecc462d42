"""What an agent's message wants to know: questions and demands for information, clause by clause.

Belongs here: which stretches ask the customer for something, and which only look like it. Not here: which fact would
answer (`asking.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from servicebench_data.simulation.gate.examples import KINDS, OPEN
from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.reader import bears
from servicebench_data.simulation.gate.sentences import Sentence


@dataclass(frozen=True)
class Request:
    """A stretch of a message that asks the customer for information.

    Attributes:
        text: Its words in one spelling.
        quote: The stretch as it stands in the message.
    """

    text: str
    quote: str


def find_requests(sentences: Sequence[Sentence]) -> list[Request]:
    """All questions and demands for information, in order, piece by piece."""
    return [request for sentence in sentences for request in read_sentence(sentence)]


def read_sentence(sentence: Sentence) -> Iterator[Request]:
    """The requests of a sentence; an entry of a list asks where the words before the list do."""
    if has("questions.recital", sentence.text):
        return
    start = 0 if sentence.is_item and is_demanding(sentence.lead) else find_start(sentence)
    if start is not None:
        yield from split_request(sentence, start)


def find_start(sentence: Sentence) -> int | None:
    """Where a sentence begins to ask; None where it does not."""
    text = sentence.text
    if has("questions.fragment", text) and (sentence.is_question or not has("questions.says", text.split(",")[0])):
        return 0
    starts = [find_demand(text), find_need(text), find_question(sentence)]
    return min((start for start in starts if start is not None), default=0 if sounds_asking(text) else None)


def sounds_asking(text: str) -> bool:
    """Whether a text asks in a form that no pattern knows."""
    return bears(text, "checks_facts", is_agreed=True) and any(bears(text, label) for label in (OPEN, *KINDS))


def find_demand(text: str) -> int | None:
    """Where a text tells the customer to give information: not a bare channel, not what the company itself gives."""
    for match in pattern("questions.demand").finditer(text):
        rest = pattern("questions.purpose").sub("", text[match.end() :])
        if has("questions.by_channel", match["verb"]) and has("questions.channel", rest):
            continue
        is_joined = match.group().lstrip(" ,").startswith("and")
        if has("questions.towards", rest) or (is_joined and has("questions.own_deed", text[: match.start()])):
            continue
        return match.start("verb")
    return None


def find_need(text: str) -> int | None:
    """Where a text says what is needed; the whole of it where that comes last, as in "... would be helpful"."""
    need = pattern("questions.need").search(text)
    if need is None:
        return None
    return 0 if need.group().startswith(("would", "help", "useful", "good", "is", "are")) else need.start()


def find_question(sentence: Sentence) -> int | None:
    """Where a sentence begins to be a question, with its mark or without."""
    if sentence.is_question:
        found = pattern("questions.asks").search(sentence.text)
        return found.start() if found else 0
    return 0 if has("questions.opens", sentence.text) and not has("questions.told", sentence.text) else None


def is_demanding(text: str) -> bool:
    """Whether words that lead into a list ask for its entries."""
    if not text or has("questions.own_list", text):
        return False
    asks = "?" in text or find_demand(text) is not None
    return asks or has("questions.need", text) or has("questions.list_lead", text)


def split_request(sentence: Sentence, start: int) -> Iterator[Request]:
    """The pieces of a sentence from where it asks, without courtesies and what wants no answer."""
    cuts = [match.span() for match in pattern("questions.split").finditer(sentence.text, start)]
    begins = [start, *(end for _, end in cuts)]
    ends = [*(begin for begin, _ in cuts), len(sentence.text)]
    for begin, end in zip(begins, ends, strict=True):
        piece = sentence.text[begin:end]
        if piece.strip(" ?.,!-") and not is_no_request(piece):
            yield Request(piece.strip(), sentence.quote(begin, end))


def is_no_request(text: str) -> bool:
    """Whether a piece is a tag, a courtesy, or a question that wants no answer."""
    return any(has(name, text) for name in ("questions.tag", "questions.courtesy", "questions.rhetoric"))
