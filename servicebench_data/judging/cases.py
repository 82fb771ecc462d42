"""What is judged, gathered from the tables of an experiment and its scenarios.

Belongs here: from tables to cases. Not here: what a judge sees of one (`view.py`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.records import Record
from schemas.scenarios import Expectation, Fact, Scenario
from schemas.simulation import Conversation, DeclaredAct, MessageRow
from servicebench_data.judging.view import Case
from servicebench_data.lake.arrow import keep_rows, to_records
from servicebench_data.simulation.views import order_facts

#: What judging reads: of the experiment, and of the scenarios that it plays.
READ_OF_EXPERIMENT: tuple[type[Record], ...] = (Conversation, MessageRow, DeclaredAct)
READ_OF_SCENARIOS: tuple[type[Record], ...] = (Scenario, Fact, Expectation)

Tables = Mapping[type[Record], pa.Table]


class CaseError(ValueError):
    """Tables that do not belong together; the message names what is missing and the remedy."""


def gather_cases(tables: Tables) -> list[Case]:
    """All conversations with their messages and scenarios, in the order of their ids.

    Raises:
        CaseError: A conversation's scenario is not there.
    """
    conversations = sorted(to_records(Conversation, tables[Conversation]), key=lambda row: row.conversation_id)
    ids = sorted({row.scenario_id for row in conversations})
    scenarios = {row.scenario_id: row for row in to_records(Scenario, keep_rows(tables[Scenario], "scenario_id", ids))}
    missing = next((name for name in ids if name not in scenarios), None)
    if missing:
        raise CaseError(f"scenario {missing!r} of a conversation is not released any more; run the experiment again.")
    messages: dict[str, list[MessageRow]] = defaultdict(list)
    for row in to_records(MessageRow, tables[MessageRow]):
        messages[row.conversation_id].append(row)
    facts = group_facts(tables[Fact], ids)
    wishes = to_records(Expectation, keep_rows(tables[Expectation], "scenario_id", ids))
    is_money = {row.scenario_id: row.is_loss_money for row in wishes}
    return [
        Case(
            conversation=row,
            messages=tuple(sorted(messages[row.conversation_id], key=lambda entry: entry.message_index)),
            scenario=scenarios[row.scenario_id],
            facts=tuple(facts[row.scenario_id]),
            is_loss_money=is_money.get(row.scenario_id, False),
        )
        for row in conversations
    ]


def group_facts(table: pa.Table, scenario_ids: Sequence[str]) -> Mapping[str, Sequence[Fact]]:
    """Facts of some scenarios, in the order of the source."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    for row in sorted(to_records(Fact, keep_rows(table, "scenario_id", scenario_ids)), key=order_facts):
        facts[row.scenario_id].append(row)
    return facts


def group_acts(tables: Tables) -> Mapping[str, Sequence[DeclaredAct]]:
    """Declared acts of each conversation, in their order."""
    acts: dict[str, list[DeclaredAct]] = defaultdict(list)
    rows = to_records(DeclaredAct, tables[DeclaredAct])
    for row in sorted(rows, key=lambda entry: (entry.message_index, entry.act_index)):
        acts[row.conversation_id].append(row)
    return acts
