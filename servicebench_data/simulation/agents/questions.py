"""What is still worth asking in a case.

Belongs here: leaving out what is known or was asked. Not here: the questions (`topics.yaml`, `questions.yaml`).
"""

import re
from collections.abc import Mapping
from typing import Any

from servicebench_data.simulation.agents.case import Case
from servicebench_data.simulation.agents.topics import Question, fits, load


def list_questions(case: Case) -> list[Question]:
    """What is worth asking, the topic's own questions first: nothing that is on file, said, or asked before."""
    asked = "\n".join(case.mine)
    own = [question for question in case.topic.ask if not is_known(case, question.about)]
    general = [
        Question(entry["about"], entry["text"])
        for entry in load("questions")
        if fits(case.view.industry, entry.get("industries", ())) and not is_known(case, entry["about"])
    ]
    taken: dict[str, Question] = {}
    for question in (*own, *general):
        taken.setdefault(question.about, question)
    return [question for question in taken.values() if question.text not in asked]


def is_known(case: Case, about: str) -> bool:
    """Whether the record or the customer has a fact of this kind already."""
    known_as: Mapping[str, Mapping[str, Any]] = {entry["about"]: entry for entry in load("questions")}
    entry = known_as.get(about, {})
    titles = [title.lower() for title in case.fields]
    on_file = any(word in title for word in entry.get("on_file", ()) for title in titles)
    known = entry.get("known")
    return on_file or bool(known and re.search(known, case.words, re.IGNORECASE))
