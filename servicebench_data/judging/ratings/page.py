"""The annotation page: conversations one at a time, the questions, scores by key, saved as it goes, exported as CSV.

Belongs here: the page's data. Not here: how it looks and acts (`rating.html`, `rating.css`, `rating.js`).

A rater sees what a judge sees (`show_judge`): loss, events and transcript, the agent's names masked; neither agent nor
condition, style, end, offer limit or any score. So both rate the same thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.simulation import Conversation
from servicebench_data.judging.cases import READ_OF_EXPERIMENT, READ_OF_SCENARIOS, gather_cases
from servicebench_data.judging.ratings.choosing import choose_conversations, find_begun, find_done, order_for
from servicebench_data.judging.ratings.incoming import NEEDED, OPTIONAL
from servicebench_data.judging.ratings.questions import Question, find_question_ids, list_questions
from servicebench_data.judging.ratings.store import pick_latest, read_ratings
from servicebench_data.judging.ratings.transcripts import digest_transcript
from servicebench_data.judging.screening import screen
from servicebench_data.judging.view import Case, show_judge
from servicebench_data.lake.store import Lake
from servicebench_data.review.cells import ReviewError
from servicebench_data.review.html import SHARED, assemble_page

TEMPLATE = Path(__file__).parent / "rating"
#: First what a row is about, then the answers, then what goes with them.
COLUMNS = (NEEDED[0], OPTIONAL[0], NEEDED[1], *find_question_ids(), *OPTIONAL[1:])
INTRO = (
    "Read the conversation, then answer each question with 1 to 5. You rate what the agent did for this customer, not "
    "who it might be; and at the end, how real the customer seems. Rate alone, and do not go back to make scores even."
)


@dataclass(frozen=True)
class Assignment:
    """What one person is asked to rate.

    Attributes:
        experiment_id: The experiment.
        rater: The person, where it is known; else the page asks for the name.
        cases: The conversations in the person's order.
        done: How many of the draw the person has rated already.
    """

    experiment_id: str
    rater: str
    cases: Sequence[Case]
    done: int


@dataclass(frozen=True)
class Draw:
    """How much is drawn.

    Attributes:
        sample: Conversations that everybody is asked to rate.
        limit: The most that one page holds.
        seed: Seed of draw and order.
    """

    sample: int
    limit: int
    seed: int


def read_cases(lake: Lake, experiment_id: str) -> list[Case]:
    """All conversations of an experiment, with their scenarios.

    Raises:
        ReviewError: There is no such experiment in the lake.
        CaseError: The scenarios have been built anew since.
    """
    known = lake.partitions(Conversation)
    if experiment_id not in known:
        there = ", ".join(known) or "none"
        fault = f"no experiment {experiment_id!r} has been run in this home; there is {there}."
        raise ReviewError([f"{fault} Run it first: servicebench run FILE."])
    played = {record: lake.read(record, experiment_id) for record in READ_OF_EXPERIMENT}
    scenarios = {
        record: pa.concat_tables([lake.read(record, key) for key in lake.partitions(record)])
        for record in READ_OF_SCENARIOS
    }
    return gather_cases({**played, **scenarios})


def assign(lake: Lake, experiment_id: str, cases: Sequence[Case], rater: str, draw: Draw) -> Assignment:
    """Choose what a person is to rate next.

    Args:
        lake: The home's lake.
        experiment_id: The experiment.
        cases: All its conversations.
        rater: The person; empty where unknown.
        draw: How much.
    """
    open_cases = {case.conversation.conversation_id: case for case in cases if can_be_rated(case)}
    digests = {name: digest_transcript(case.messages) for name, case in open_cases.items()}
    latest = list(pick_latest(read_ratings(lake, experiment_id)).values())
    conversations = [case.conversation for case in open_cases.values()]
    chosen = choose_conversations(conversations, find_begun(latest, digests), count=draw.sample, seed=draw.seed)
    done = find_done(latest, digests, rater) & set(chosen) if rater else set[str]()
    left = order_for(rater, [name for name in chosen if name not in done], draw.seed)[: draw.limit]
    return Assignment(experiment_id, rater, [open_cases[name] for name in left], len(done))


def can_be_rated(case: Case) -> bool:
    """Whether a judge would be asked about it."""
    return screen(case.conversation, case.messages) is None


def write_rating_page(assignment: Assignment) -> str:
    """The page; every text on it is untrusted and is shown as text."""
    data = {
        "title": f"Rate conversations: {assignment.experiment_id}",
        "experiment": assignment.experiment_id,
        "rater": assignment.rater,
        "intro": INTRO,
        "columns": COLUMNS,
        "questions": [describe_question(entry) for entry in list_questions()],
        "conversations": [describe_case(case) for case in assignment.cases],
    }
    return assemble_page(str(data["title"]), TEMPLATE, data, before=[SHARED])


def describe_question(question: Question) -> dict[str, Any]:
    """A question for the script."""
    return {
        "id": question.question_id,
        "about": question.asks_about,
        "title": question.title,
        "question": question.question,
        "helps": [
            {
                "title": entry.title,
                "question": entry.question,
                "anchors": [entry.anchors[point] for point in sorted(entry.anchors)],
            }
            for entry in question.helps
        ],
    }


def describe_case(case: Case) -> dict[str, Any]:
    """A conversation for the script: what a judge sees of it, its id and digest."""
    view = show_judge(case)
    return {
        "id": case.conversation.conversation_id,
        "sha256": digest_transcript(case.messages),
        "loss": list(dict.fromkeys(line.removeprefix("- ") for line in view.loss.splitlines())),
        "events": view.events.splitlines(),
        "transcript": [[line.role, line.text] for line in view.transcript],
    }
