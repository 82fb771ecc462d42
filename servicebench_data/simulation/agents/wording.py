"""Choosing the words of a scripted agent: by hash, and none twice while another fits.

Belongs here: phrases and how one is chosen. Not here: what is said when (`scripted.py`), or what a case gives
(`case.py`).
"""

import hashlib
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from servicebench_data.simulation.agents.case import Case, list_values
from servicebench_data.simulation.agents.questions import list_questions
from servicebench_data.simulation.agents.topics import Question, load

OWNERS = (
    "Dana", "Priya", "Marcus", "Elif", "Tomas", "Grace", "Noor", "Ben", "Ines", "Kofi", "Maya", "Luca", "Hana", "Joel",
)  # fmt: skip
DEADLINES = (
    "within 24 hours", "by noon tomorrow", "by the end of tomorrow", "by 6 pm tomorrow", "within two working days",
)  # fmt: skip
ENDS = ".!?:"


@dataclass
class Speaker:
    """Says the moves of one message.

    Attributes:
        case: The case.
        seed: Decides what is left to chance.
        figures: Further values that phrases may say.
        said: Sentences of this message so far.
    """

    case: Case
    seed: str
    figures: Mapping[str, str]
    said: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._questions = list_questions(self.case)
        self._values = {**list_values(self.case), **self.figures, **self._choose_names()}

    def say(self, move: str) -> Question | str | None:
        """Say a move in words that fit and were not said before.

        Returns:
            The question that was asked with it, its words where it asks none, or None where no phrase fits.
        """
        question = self._questions[0] if self._questions else None
        values = {**self._values, **self._vary(move)} | ({"question": question.text} if question else {})
        phrases = [phrase for phrase in load("phrases")[move] if find_names(phrase) <= set(values)]
        if not phrases:
            return None
        phrase = self._choose(move, phrases)
        self.said.append(phrase.format(**values))
        self._spend(phrase)
        if question and "question" in find_names(phrase):
            return self._questions.pop(0)
        return self.said[-1]

    def _choose(self, move: str, phrases: Sequence[str]) -> str:
        """The first phrase, in an order by hash, that has not been used; the least recent where all have been."""
        earlier = "\n".join((*self.case.mine, *self.said))
        ordered = shuffle(phrases, f"{self.seed}|{move}")
        return min(ordered, key=lambda phrase: find_last(phrase, earlier))

    def _spend(self, phrase: str) -> None:
        """What quotes the customer is said once in a message."""
        for name in find_names(phrase) & {"quote", "fresh", "wish"}:
            self._values.pop(name, None)

    def _vary(self, move: str) -> dict[str, str]:
        """The harm and the step in words that change from move to move."""
        topic, earlier = self.case.topic, "\n".join((*self.case.mine, *self.said)).lower()
        bore = min(shuffle(topic.bore, f"{self.seed}|bore|{move}"), key=lambda text: earlier.count(text.lower()))
        harm = min(shuffle(topic.harm, f"{self.seed}|harm|{move}"), key=lambda text: earlier.count(text.lower()))
        step = min(shuffle(topic.step, f"{self.seed}|step"), key=lambda text: earlier.count(text.lower()))
        return {"harm": harm, "Harm": harm[0].upper() + harm[1:], "bore": bore, "step": step}

    def _choose_names(self) -> dict[str, str]:
        """Owner and deadline, the same in all messages of a conversation."""
        source = f"{self.case.view.brand}|{self.case.customer[0] if self.case.customer else ''}"
        deadline = shuffle(DEADLINES, f"{source}|deadline")[0]
        owner = shuffle(OWNERS, f"{source}|owner")[0]
        return {"owner": owner, "deadline": deadline, "Deadline": deadline[0].upper() + deadline[1:]}


def find_names(phrase: str) -> set[str]:
    """Names of the values that a phrase needs."""
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


def find_last(phrase: str, earlier: str) -> int:
    """Where a phrase's longest fixed stretch stands last in what was said; -1 where nowhere."""
    fixed = max((part for part, _, _, _ in string.Formatter().parse(phrase)), key=len)
    return earlier.rfind(fixed.strip()) if fixed.strip(f" {ENDS}") else -1


def shuffle(entries: Iterable[str], source: str) -> list[str]:
    """Entries in an order that follows from a text alone."""
    return sorted(entries, key=lambda entry: hashlib.sha256(f"{source}|{entry}".encode()).digest())
