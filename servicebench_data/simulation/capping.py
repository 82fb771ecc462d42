"""The most exchanges of a conversation, raised for all where too many reach it.

Belongs here: when it is raised, how far, and taking the longer conversations in. Not here: holding them (`playing.py`).

Nobody in a conversation knows of the cap, so that those which ended before it are the same under a higher one; only
those which reached it are held again, and what models said in them stands in the ledger.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import cast

import pyarrow as pa

from schemas.experiment import Experiment
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.lake.arrow import keep_rows
from servicebench_data.simulation.casting import Company
from servicebench_data.simulation.running import Tables
from servicebench_data.simulation.tables import join_tables

#: Share of an agent's conversations that may reach the cap.
CAPPED_SHARE = 0.05
GROWTH = 1.5
#: Highest cap where the experiment names none, in caps.
WIDEST = 3


def hold_to_the_end(company: Company, hold: Callable[[Company], Tables]) -> tuple[Tables, int]:
    """Tables of a company's conversations, under the lowest cap that few enough reach, and that cap.

    Args:
        company: The company.
        hold: Holds the conversations that a company has planned.
    """
    cap, highest = company.turn_cap, find_highest(company.loaded.spec)
    tables = hold(company)
    while cap < highest and (capped := find_capped(tables[Conversation])):
        cap = min(highest, math.ceil(cap * GROWTH))
        again = [planned for planned in company.planned if planned.conversation_id in capped]
        tables = join_tables([drop(tables, capped), hold(replace(company, planned=again, turn_cap=cap))])
    return tables, cap


def find_highest(spec: Experiment) -> int:
    """The cap above which an experiment's cap is not raised."""
    return spec.turn_cap * WIDEST if spec.turn_cap_limit is None else spec.turn_cap_limit


def find_capped(conversations: pa.Table) -> frozenset[str]:
    """Conversations that reached the cap, where they are too many of any agent's; none where they are not."""
    rows = conversations.select(["conversation_id", "agent", "end"]).to_pylist()
    held = Counter(row["agent"] for row in rows)
    reached = {row["conversation_id"]: row["agent"] for row in rows if row["end"] == "turn_cap"}
    is_often = any(count > CAPPED_SHARE * held[agent] for agent, count in Counter(reached.values()).items())
    return frozenset(reached if is_often else ())


def drop(tables: Tables, ids: Collection[str]) -> dict[type[Record], pa.Table]:
    """The tables without some conversations."""
    known = cast("list[str]", tables[Conversation]["conversation_id"].to_pylist())
    kept = [name for name in known if name not in ids]
    return {record: keep_rows(table, "conversation_id", kept) for record, table in tables.items()}
