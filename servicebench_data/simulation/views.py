"""A scenario's parts, and the views of them that customer and agent see.

Belongs here: reading parts, and what goes into a view. Not here: which facts are out (`disclosing.py`), the view of
the judge (`judging`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import pyarrow as pa

from schemas.records import Record
from schemas.scenarios import BackgroundSentence, CasePolicy, Expectation, Fact, PartRecord, Scenario
from schemas.simulation import Style
from servicebench_data.industries import load_industry
from servicebench_data.lake.arrow import keep_rows, to_records
from servicebench_data.scenarios.parts import Knowledge, prepare
from servicebench_data.simulation.customer.feeling import Feeling
from servicebench_data.simulation.disclosing import FactLedger
from servicebench_data.simulation.turns import AgentView, CustomerView, KnownFact, PolicyView, Said, Wish

R = TypeVar("R", bound=PartRecord)

#: What a conversation is played from.
READ: tuple[type[Record], ...] = (Scenario, Fact, BackgroundSentence, Expectation, CasePolicy)


@dataclass(frozen=True)
class Parts:
    """What a conversation is played from.

    Attributes:
        scenario: The released scenario.
        facts: Facts of the customer in the order of the source.
        background: Sentences of the background, in order.
        expectation: What would put it right.
        policies: Policies that apply.
    """

    scenario: Scenario
    facts: tuple[Fact, ...]
    background: tuple[BackgroundSentence, ...]
    expectation: Expectation
    policies: tuple[CasePolicy, ...]


def read_parts(tables: Mapping[type[Record], pa.Table], scenarios: Iterable[Scenario]) -> dict[str, Parts]:
    """Parts of some scenarios, by id."""
    wanted = list(scenarios)
    ids = [scenario.scenario_id for scenario in wanted]
    facts = group_rows(Fact, tables, ids)
    sentences = group_rows(BackgroundSentence, tables, ids)
    expectations = group_rows(Expectation, tables, ids)
    policies = group_rows(CasePolicy, tables, ids)
    return {
        scenario.scenario_id: Parts(
            scenario,
            tuple(sorted(facts[scenario.scenario_id], key=order_facts)),
            tuple(sorted(sentences[scenario.scenario_id], key=lambda row: row.sentence_index)),
            expectations[scenario.scenario_id][0],
            tuple(sorted(policies[scenario.scenario_id], key=lambda row: row.policy_id)),
        )
        for scenario in wanted
    }


def group_rows(record: type[R], tables: Mapping[type[Record], pa.Table], ids: Iterable[str]) -> dict[str, list[R]]:
    """Rows of some scenarios, by scenario."""
    rows: dict[str, list[R]] = defaultdict(list)
    for row in to_records(record, keep_rows(tables[record], "scenario_id", ids)):
        rows[row.scenario_id].append(row)
    return rows


def order_facts(fact: Fact) -> tuple[int, str]:
    """Facts are numbered in the order of the source, and 10 comes after 9."""
    return len(fact.fact_id), fact.fact_id


def know_facts(facts: Iterable[Fact]) -> tuple[KnownFact, ...]:
    """Facts as the harness knows them."""
    return tuple(
        KnownFact(
            fact_id=fact.fact_id,
            kind=fact.kind,
            statement=fact.statement,
            value=fact.value,
            disclosure=fact.disclosure,
            is_customer_only=fact.is_customer_only,
            is_inferred=fact.is_inferred,
        )
        for fact in facts
    )


def make_wish(expectation: Expectation) -> Wish:
    """What would put it right, as the customer feels it."""
    return Wish(
        action=expectation.action,
        explanation=expectation.explanation,
        apology=expectation.apology,
        min_usd=expectation.compensation_min_usd,
        max_usd=expectation.compensation_max_usd,
        insult=expectation.insult,
        is_loss_money=expectation.is_loss_money,
    )


def show_customer(
    parts: Parts, ledger: FactLedger, style: Style, said: Iterable[Said], feeling: Feeling
) -> CustomerView:
    """What the customer sees: nothing of the company's record, and no fact that is still closed."""
    told, may_tell = ledger.told, ledger.may_tell
    open_ids = {fact.fact_id for fact in (*told, *may_tell)}
    return CustomerView(
        brand=name_brand(parts.scenario),
        style=style,
        told=told,
        may_tell=may_tell,
        background=tuple(row.text for row in parts.background if open_ids.issuperset(row.fact_ids)),
        wish=make_wish(parts.expectation),
        said=tuple(said),
        attitude=feeling.state.attitude,
        patience=feeling.state.patience,
        may_accept=feeling.may_accept,
        is_last_straw=feeling.is_last_straw,
        missing=feeling.missing,
        exit=feeling.exit,
    )


def show_agent(parts: Parts, guidance: str, said: Iterable[Said]) -> AgentView:
    """What the agent sees: the record as it is on file, the policies, the limit, and what was said."""
    return AgentView(
        brand=name_brand(parts.scenario),
        industry=load_industry(parts.scenario.industry).accounts.title,
        case_record=parts.scenario.case_record,
        policies=tuple(show_policy(policy) for policy in parts.policies),
        goodwill_limit_usd=parts.scenario.goodwill_limit_usd,
        guidance=guidance,
        said=tuple(said),
    )


def show_policy(policy: CasePolicy) -> PolicyView:
    """A policy as the agent reads it."""
    return PolicyView(
        policy_id=policy.policy_id,
        title=policy.title,
        text=policy.text,
        entitlement_kind=policy.entitlement_kind,
        entitlement_limit_usd=policy.entitlement_limit_usd,
    )


def name_brand(scenario: Scenario) -> str:
    """The company that a scenario is about."""
    return list_brands(scenario.industry).name_brand(scenario.account)


@cache
def list_brands(industry: str) -> Knowledge:
    """An industry's knowledge, prepared once."""
    return prepare(load_industry(industry))
