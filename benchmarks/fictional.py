"""Small fictional scenarios for benchmarks of conversations, made without any build; or those of a home's last build.

Belongs here: scenarios and holding one conversation over them by rules. Not here: what is measured.

The cases are those of `gate/scenarios.yaml`; what their customers wish follows from the journey map's remedies, as it
does for scenarios that the offline rules make.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from schemas.experiment import AgentSpec, CustomerSpec, Script
from schemas.industry import Category
from schemas.records import Record
from schemas.scenarios import BackgroundSentence, CasePolicy, Expectation, Fact, Level, Scenario
from schemas.simulation import Style
from servicebench_data.industries import load_industry
from servicebench_data.lake.arrow import to_records
from servicebench_data.scenarios.remedies import tell_remedy
from servicebench_data.simulation.agents.scripted import ScriptedAgent
from servicebench_data.simulation.attempt import Cast, Scene
from servicebench_data.simulation.chance import draw_seed, make_id
from servicebench_data.simulation.customer.rules import RuleCustomer
from servicebench_data.simulation.gate.rules import RulesGate
from servicebench_data.simulation.loop import play
from servicebench_data.simulation.patience import Constants
from servicebench_data.simulation.plan import Planned
from servicebench_data.simulation.recording import Played
from servicebench_data.simulation.views import READ, Parts, read_parts

CASES = Path(__file__).parent / "gate" / "scenarios.yaml"
SCRIPTS: tuple[Script, ...] = ("just", "cold", "premature_payer", "evader", "over_promiser")
LEVELS: tuple[Level, ...] = ("low", "medium", "high")
HOPES: dict[Level, float] = {"low": 25.0, "medium": 75.0, "high": 150.0}
#: Remedies of each category that somebody wishes for.
WISHES = 3


def list_parts(home: Path | None = None, limit: int | None = None) -> list[Parts]:
    """Scenarios of a home's lake, drawn by hash; without a home the fictional ones, one for each of their wishes."""
    parts = read_home(home) if home else list(make_all())
    drawn = sorted(parts, key=lambda entry: make_id("draw", entry.scenario.scenario_id))
    return drawn[:limit]


def read_home(home: Path) -> list[Parts]:
    """Released scenarios of a home."""
    tables = {record: read_table(home, record) for record in READ}
    return list(read_parts(tables, to_records(Scenario, tables[Scenario])).values())


def read_table(home: Path, record: type[Record]) -> Any:
    """A table of a lake, all partitions together."""
    folder = home / "lake" / record.table.name
    return pq.read_table(sorted(folder.rglob("*.parquet")))


def make_all() -> Iterator[Parts]:
    """The fictional scenarios, the severities in turn."""
    cases: list[dict[str, Any]] = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    number = 0
    for case in cases:
        category = next(
            entry for entry in load_industry(case["industry"]).journey.categories if entry.id == case["category"]
        )
        for remedy in category.remedies[:WISHES]:
            yield make_parts(case, category, remedy, LEVELS[number % len(LEVELS)])
            number += 1


def make_parts(case: dict[str, Any], category: Category, remedy: str, severity: Level) -> Parts:
    """One fictional scenario, whose customer wishes for one of the category's remedies."""
    scenario_id = make_id("s", case["id"], remedy)
    shared = {"industry": case["industry"], "scenario_id": scenario_id, "made_by": "offline"}
    facts = [
        Fact.model_validate({**shared, **entry, "post_id": "p", "quote": entry["statement"], "turn_index": 0,
                             "is_inferred": False})
        for entry in case["facts"]
    ]  # fmt: skip
    sentences = [
        BackgroundSentence(**shared, sentence_index=number, topic="experience", text=fact.statement,
                           fact_ids=[fact.fact_id], disclosure=fact.disclosure, is_inferred=False)
        for number, fact in enumerate(facts)
    ]  # fmt: skip
    policies = load_industry(case["industry"]).policies.policies
    rows = [
        CasePolicy(
            **shared, policy_id=policy.id, title=policy.title, text=policy.text,
            entitlement_kind=policy.entitlement.kind if policy.entitlement else None,
            entitlement_limit_usd=policy.entitlement.limit_usd if policy.entitlement else None,
        )
        for policy in policies
        if category.id in policy.applies_to
    ]  # fmt: skip
    scenario = make_scenario(case, shared, severity, facts)
    return Parts(scenario, tuple(facts), tuple(sentences), wish_for(shared, remedy, severity), tuple(rows))


def wish_for(shared: dict[str, Any], remedy: str, severity: Level) -> Expectation:
    """What would put it right, by the same definitions as the offline rules."""
    is_money = "refund" in remedy or "reimburs" in remedy
    is_light = severity == "low"
    return Expectation(
        **shared,
        explanation=None if is_light else "What went wrong, and why nobody put it right sooner.",
        action=tell_remedy(remedy),
        apology=None if is_light else "An apology that names what happened and takes responsibility for it.",
        compensation_min_usd=round(HOPES[severity] / 3, 2) if is_money else 0.0,
        compensation_max_usd=HOPES[severity],
        insult="A scripted reply that ignores what was said.",
        is_loss_money=is_money,
        post_ids=[],
        is_inferred=True,
    )


def make_scenario(case: dict[str, Any], shared: dict[str, Any], severity: Level, facts: list[Fact]) -> Scenario:
    """The row of a fictional scenario; its record holds what the company can know."""
    known = [f"{fact.kind.replace('_', ' ').capitalize()}: {fact.value}" for fact in facts if is_on_file(fact)]
    account = next(entry for entry in load_industry(case["industry"]).accounts.accounts if entry.is_sample)
    return Scenario(
        **shared, dialogue_id=f"d{case['id']}", account=account.handle, is_sample=True, stage_id="stage",
        category_id=case["category"], severity=severity, opening=case["opening"], events="1. It happened.",
        background="I am a customer.", expectation="See its parts.",
        case_record="\n".join(known) or "Nothing on file.", goodwill_limit_usd=200.0, split="evaluation",
        cluster_id=case["id"], inclusion_probability=1.0, content_sha256="0" * 64, map_version=1, rules_version="1",
        seed=1, cost_usd=None, post_ids=["p"], edited_parts=[], accepted_failures=[],
    )  # fmt: skip


def is_on_file(fact: Fact) -> bool:
    """Whether the company's record holds a fact."""
    return fact.value is not None and not fact.is_customer_only and fact.disclosure == "opening"


@dataclass(frozen=True)
class Setting:
    """How a conversation is held by rules."""

    script: Script
    style: Style
    constants: Constants
    seed: int = 0


def hold(parts: Parts, setting: Setting) -> Played:
    """A conversation of a scripted agent with the rule-based customer."""
    cast = Cast(
        agent=ScriptedAgent(setting.script),
        agent_spec=AgentSpec(name=setting.script, script=setting.script),
        customer=RuleCustomer(),
        customer_spec=CustomerSpec(),
        gate=RulesGate(),
        gate_model=None,
        constants=setting.constants,
        turn_cap=20,
    )
    scenario_id = parts.scenario.scenario_id
    planned = Planned(
        conversation_id=make_id("c", scenario_id, setting.script, setting.style, setting.seed),
        scenario_id=scenario_id,
        agent=setting.script,
        customer="rules",
        style=setting.style,
        disclosure="progressive",
        repeat=0,
        seed=draw_seed(scenario_id, setting.style, setting.seed),
    )
    return asyncio.run(play(Scene(planned, "benchmark", parts, cast)))
