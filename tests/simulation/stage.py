"""A small scenario and simple players, for tests of the loop and its parts.

Belongs here: rows in the shape of real ones, and players that follow a script. Not here: the product's own rules.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from schemas.experiment import Experiment
from schemas.scenarios import BackgroundSentence, CasePolicy, Disclosure, Expectation, Fact, Scenario
from schemas.simulation import Flag
from servicebench_data.simulation.experiment import LoadedExperiment
from servicebench_data.simulation.turns import (
    AgentTurn,
    AgentView,
    CustomerTurn,
    CustomerView,
    GateReading,
    KnownFact,
    Offer,
    Opening,
)
from servicebench_data.simulation.views import Parts

OPENING = "My bag did not arrive in Oslo on Monday and nobody tells me anything."
FACTS: tuple[tuple[str, str, str | None, Disclosure, bool], ...] = (
    ("f1", "My bag did not arrive in Oslo on Monday.", "Monday", "opening", False),
    ("f2", "My flight was [flight-7].", "[flight-7]", "when_asked", False),
    ("f3", "I paid $64 for clothes at the airport.", "$64", "when_asked", True),
    ("f4", "My wedding ring is in that bag.", None, "when_heard", True),
)
KINDS = {"f1": "date", "f2": "flight_number", "f3": "amount", "f4": "impact"}


def make_fact(entry: tuple[str, str, str | None, Disclosure, bool], scenario_id: str) -> Fact:
    fact_id, statement, value, disclosure, is_customer_only = entry
    return Fact.model_validate({
        "industry": "airline", "scenario_id": scenario_id, "made_by": "offline", "fact_id": fact_id,
        "kind": KINDS.get(fact_id, "event"), "statement": statement, "value": value, "post_id": "1",
        "quote": statement, "turn_index": 0 if disclosure == "opening" else 2, "disclosure": disclosure,
        "is_customer_only": is_customer_only, "is_inferred": False,
    })  # fmt: skip


def make_scenario(scenario_id: str = "s0001", **given: Any) -> Scenario:
    return Scenario.model_validate({
        "industry": "airline", "scenario_id": scenario_id, "made_by": "offline", "dialogue_id": f"d{scenario_id}",
        "account": "BrightwingAir", "is_sample": True, "stage_id": "baggage", "category_id": "delayed_baggage",
        "severity": "medium", "opening": OPENING, "events": "1. The bag did not arrive.",
        "background": "I am a customer.", "expectation": "The bag.", "case_record": "Bags: 1\nStatus: on time",
        "goodwill_limit_usd": 200.0, "split": "evaluation", "cluster_id": "k1", "inclusion_probability": 1.0,
        "content_sha256": "0" * 64, "map_version": 1, "rules_version": "1", "seed": 1, "cost_usd": None,
        "post_ids": ["1"], "edited_parts": [], "accepted_failures": [], **given,
    })  # fmt: skip


def make_parts(
    scenario: Scenario | None = None, facts: Sequence[tuple[str, str, str | None, Disclosure, bool]] = FACTS
) -> Parts:
    scenario = scenario or make_scenario()
    shared = {"industry": "airline", "scenario_id": scenario.scenario_id, "made_by": "offline"}
    sentences = [
        {"sentence_index": 0, "topic": "identity", "text": "I am a customer.", "fact_ids": [], "disclosure": "opening"},
        *(
            {
                "sentence_index": index, "topic": "experience", "text": statement, "fact_ids": [fact_id],
                "disclosure": disclosure,
            }
            for index, (fact_id, statement, _, disclosure, _) in enumerate(facts, start=1)
        ),
    ]  # fmt: skip
    wish = {
        "explanation": None, "action": "The customer would accept a delivery of the bag.", "apology": "an apology",
        "compensation_min_usd": 0.0, "compensation_max_usd": 50.0, "insult": "A form letter.", "is_loss_money": False,
        "post_ids": [], "is_inferred": True,
    }  # fmt: skip
    policy = {
        "policy_id": "interim", "title": "Interim expenses", "text": "We reimburse essentials up to USD 100.",
        "entitlement_kind": "reimbursement", "entitlement_limit_usd": 100.0,
    }  # fmt: skip
    return Parts(
        scenario=scenario,
        facts=tuple(make_fact(entry, scenario.scenario_id) for entry in facts),
        background=tuple(
            BackgroundSentence.model_validate({**shared, **entry, "is_inferred": False}) for entry in sentences
        ),
        expectation=Expectation.model_validate({**shared, **wish}),
        policies=(CasePolicy.model_validate({**shared, **policy}),),
    )


def load(tmp_path: Path, **given: Any) -> LoadedExperiment:
    """An experiment with two scripted agents, and what is given."""
    agents = [{"name": "just", "script": "just"}, {"name": "cold", "script": "cold"}]
    spec = Experiment.model_validate({"title": "A try.", "agents": agents, "repeats": 1, **given})
    return LoadedExperiment("try", spec, tmp_path)


def write_yaml(path: Path, content: Mapping[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(dict(content)), encoding="utf-8")
    return path


@dataclass
class LineAgent:
    """Says its lines one after the other, the last one again and again.

    Attributes:
        lines: Messages, or whole turns.
        views: What it was shown.
        scopes: What its answers were kept under.
    """

    lines: Sequence[str | AgentTurn]
    views: list[AgentView] = field(default_factory=list[AgentView])
    scopes: list[str] = field(default_factory=list[str])

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:  # noqa: ARG002
        self.views.append(view)
        self.scopes.append(scope)
        await asyncio.sleep(0)
        line = self.lines[min(len(self.views), len(self.lines)) - 1]
        return AgentTurn(line, has_structure=True) if isinstance(line, str) else line


Answer = Callable[[CustomerView, int, Sequence[str]], CustomerTurn]


@dataclass
class TestCustomer:
    """Answers by a function of the view, the number of the call, and the complaints."""

    __test__ = False

    answer: Answer
    views: list[CustomerView] = field(default_factory=list[CustomerView])
    seeds: list[int] = field(default_factory=list[int])

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        self.views.append(view)
        self.seeds.append(seed)
        await asyncio.sleep(0)
        return self.answer(view, len(self.views), complaints)


def tell_all(view: CustomerView, number: int, _: Sequence[str]) -> CustomerTurn:
    """Tells whatever may be told, and agrees or leaves where that is open."""
    told = " ".join(fact.statement for fact in view.may_tell)
    ids = tuple(fact.fact_id for fact in view.may_tell)
    if view.may_accept:
        return CustomerTurn(f"All right, that settles it for me. {told}".strip(), ids, "accept")
    if view.is_last_straw:
        return CustomerTurn(f"I have had enough of this, I am done here. {told}".strip(), ids, "leave")
    return CustomerTurn(told or f"No: {ramble(number)}.", ids, "continue")


def ramble(number: int) -> str:
    """Words that no other number shares."""
    return " ".join(spell(number * 100 + place) for place in range(8))


def spell(number: int) -> str:
    """A number as a word that no other number shares, so that messages differ."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number)) * 3


WORDS: Mapping[Flag, str] = {
    "acknowledges_harm": "distressing",
    "apologises": "sorry",
    "checks_facts": "checked",
    "offers_path": "courier",
    "provokes": "your fault",
}


@dataclass
class WordGate:
    """Sees a flag where its word is, and opens a fact where its id is named: `f2?`."""

    words: Mapping[Flag, str] = field(
        default_factory=lambda: {
            "acknowledges_harm": "distressing",
            "apologises": "sorry",
            "checks_facts": "checked",
            "offers_path": "courier",
            "provokes": "your fault",
        }
    )
    seen: list[Sequence[KnownFact]] = field(default_factory=list[Sequence[KnownFact]])

    async def read(self, message: str, closed: Sequence[KnownFact], attempt: int = 0) -> GateReading:  # noqa: ARG002
        self.seen.append(closed)
        await asyncio.sleep(0)
        flags: dict[Flag, str] = {flag: word for flag, word in self.words.items() if word in message}
        opened = [fact for fact in closed if f"{fact.fact_id}?" in message]
        return GateReading(flags, tuple(Opening(fact.fact_id, "asked", f"{fact.fact_id}?") for fact in opened))


def offer(amount: float | None, **given: Any) -> Offer:
    return Offer(**{"kind": "goodwill_cash", "relation": "new", "amount_usd": amount, "policy_id": None,
                    "description": "goodwill", **given})  # fmt: skip
