"""A model by script: a loopback server that answers as OpenAI does, with what the offline rules make of the dialogue.

Belongs here: the rules' parts as answers of the five tasks, and the server. Not here: tests.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from servicebench_data.scenarios import cues
from servicebench_data.scenarios.assembly import build_parts
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source
from servicebench_data.scenarios.reading import SourceTurn, read_turns
from servicebench_data.scenarios.writing.drafts import Draft, begin
from servicebench_data.scenarios.writing.quotes import number_turns
from servicebench_data.scenarios.writing.severity import number_events
from tests.models.server import Server, complete

CHANCE = Chance(1, 0.1)
Answer = dict[str, Any]
#: Changes an answer: task, how often it was asked of this item before, the answer; None for one that is no JSON.
Spoil = Callable[[str, int, Answer], Answer | None]


def find_turn(source: Source, post_id: str) -> SourceTurn:
    return next(turn for turn in source.turns if post_id in turn.post_ids)


def answer_events(parts: Parts, source: Source) -> Answer:
    return {
        "events": [
            {
                "turn": find_turn(source, event.post_ids[0]).turn_index,
                "quote": event.quote,
                "is_inferred": False,
                "when_text": None,
                "actor": event.actor,
                "text": event.text,
            }
            for event in parts.events
        ]
    }


def answer_severity(parts: Parts) -> Answer:
    assert parts.severity is not None
    return {"drivers": parts.severity.drivers, "level": parts.severity.level, "reason": parts.severity.reason}


def answer_background(parts: Parts, brand: str) -> Answer:
    facts = [
        {
            "fact_id": fact.fact_id,
            "turn": fact.turn_index,
            "quote": fact.quote,
            "is_inferred": False,
            "kind": fact.kind,
            "value": fact.value,
            "statement": f"My {fact.kind.replace('_', ' ')} is {fact.value}." if fact.value else fact.statement,
            "is_customer_only": fact.is_customer_only,
            "disclosure": fact.disclosure,
        }
        for fact in parts.facts
    ]
    sentences = [
        {"fact_ids": [fact["fact_id"]], "topic": "experience", "text": fact["statement"]}
        for fact in {fact["statement"]: fact for fact in facts}.values()
    ]
    identity = {"fact_ids": [], "topic": "identity", "text": f"I am a customer of {brand}."}
    return {"facts": facts, "sentences": [identity, *sentences]}


def answer_expectation(parts: Parts, source: Source, knowledge: Knowledge) -> Answer:
    row = parts.expectation
    assert row is not None
    asked = [
        {"turn": reading.turn.turn_index, "quote": reading.quote}
        for reading in read_turns(source.turns, knowledge.brands, knowledge.company)
        if reading.kind in {"request", "question"} and set(reading.post_ids) & set(row.post_ids)
    ]
    names = ("action", "explanation", "apology", "is_loss_money", "compensation_min_usd", "compensation_max_usd")
    return {"requests": asked[:6], **{name: getattr(row, name) for name in names}, "insult": row.insult}


def answer_case_record(parts: Parts, source: Source) -> Answer:
    facts = {fact.fact_id: fact for fact in parts.facts}
    fields: list[Answer] = []
    for row in parts.case_fields:
        turn = find_turn(source, row.post_ids[0])
        fact = facts.get(row.fact_id or "")
        quote = fact.quote if fact else turn.text
        if quote is None or cues.is_intimate(quote) or turn.text.endswith("?"):
            continue
        fields.append(
            {
                "field_id": row.field_id,
                "turn": turn.turn_index,
                "quote": quote,
                "truth": row.truth,
                "fact_id": None,
            }
        )
    return {"fields": fields}


@dataclass
class Script:
    """What the server knows, and what it was asked.

    Attributes:
        answers: Answers by task and what the prompt shows of the dialogue.
        spoil: Changes answers.
        calls: Requests by task.
        bodies: All requests.
    """

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    spoil: Spoil = field(default=lambda _task, _times, answer: answer)
    calls: dict[str, int] = field(default_factory=dict)
    bodies: list[Answer] = field(default_factory=list)
    asked: dict[tuple[str, str], int] = field(default_factory=dict)

    def learn(self, sources: Iterable[Source], knowledge: Knowledge, rate: float = 0.0) -> None:
        """Prepare the answers for dialogues of which the rules make all parts."""
        for source in sources:
            parts = build_parts(source, knowledge, seed=CHANCE.seed, stale_rate=rate)
            draft = begin(source, knowledge, CHANCE)
            whole = number_turns(source.turns, is_company_quoted=True)
            marked = number_turns(source.turns, draft.opening)
            self.answers["events", number_turns(draft.opening)] = answer_events(parts, source)
            if parts.severity is None:
                continue
            self.answers["severity", show_events(draft, parts)] = answer_severity(parts)
            self.answers["background", marked] = answer_background(parts, draft.brand)
            self.answers["expectation", marked] = answer_expectation(parts, source, knowledge)
            self.answers["case_record", whole] = answer_case_record(parts, source)

    def learn_codings(self, dialogues: pa.Table, codings: pa.Table) -> None:
        """Prepare for doubtful codings the answers that leave them as they are."""
        coded = dict(zip(codings["dialogue_id"].to_pylist(), codings["category_id"].to_pylist(), strict=True))
        for row in dialogues.select(["dialogue_id", "customer_text"]).to_pylist():
            category = coded.get(row["dialogue_id"])
            quote = row["customer_text"].split("\n")[0] if category else None
            self.answers["category", row["customer_text"]] = {"category_id": category, "quote": quote}

    def reply(self, body: Answer) -> str:
        """The answer to a request; the task is told by the schema that it asks for."""
        text = "\n".join(str(message["content"]) for message in body["messages"])
        task = find_task(text)
        shown = re.search(r"<(turns|events|customer_text)>\n(.*?)\n</\1>", body["messages"][1]["content"], re.DOTALL)
        assert shown is not None
        key = (task, shown.group(2))
        times = self.asked.get(key, 0)
        self.asked[key] = times + 1
        self.calls[task] = self.calls.get(task, 0) + 1
        self.bodies.append(body)
        # What was made of an answer in part is another question than the script learnt.
        known = self.answers.get(key) or (choose_first(body) if task == "category" else None)
        answer = self.spoil(task, times, json.loads(json.dumps(known))) if known is not None else None
        return "I would rather not." if answer is None else json.dumps(answer)


def choose_first(body: Answer) -> Answer:
    """The first of the listed categories, for a text that the script did not learn, with its first words."""
    listed = re.search(r"^- (\w+) \(", body["messages"][0]["content"], re.MULTILINE)
    shown = re.search(r"<customer_text>\n(\S+)", body["messages"][1]["content"])
    assert listed is not None
    assert shown is not None
    return {"category_id": listed.group(1), "quote": shown.group(1)}


def show_events(draft: Draft, parts: Parts) -> str:
    """The events as the severity prompt shows them; the script leaves their time out."""
    events = [event.model_copy(update={"when_text": None}) for event in parts.events]
    return number_events(replace(draft, parts=replace(parts, events=events)))


def find_task(text: str) -> str:
    """The task of a prompt, by its first words."""
    marks = {
        "category": "You code complaints",
        "events": "You reconstruct what happened",
        "severity": "You rate how grave",
        "background": "You prepare the role",
        "expectation": "You work out what would put",
        "case_record": "You fill in the record",
    }
    return next(task for task, mark in marks.items() if mark in text)


@contextmanager
def serve(script: Script) -> Generator[str]:
    """The base URL of a server that answers by a script."""
    with Server(lambda asked: complete(script.reply(asked.body))) as server:
        yield server.base
