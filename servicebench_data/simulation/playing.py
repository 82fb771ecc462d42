"""An experiment's conversations: chosen, cast, held.

Belongs here: from an experiment and the scenarios' tables to the conversations' tables. Not here: Dagster, files.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

import pyarrow as pa

from schemas.records import Record
from schemas.scenarios import Scenario
from schemas.simulation import Playing
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.models.doorway import ITEMS_PER_PLACE, Doorway, run_loop
from servicebench_data.processes import share_out
from servicebench_data.simulation.agents.guidance import Adviser
from servicebench_data.simulation.capping import hold_to_the_end
from servicebench_data.simulation.casting import Company, list_targets, needs_ledger
from servicebench_data.simulation.experiment import LoadedExperiment
from servicebench_data.simulation.loop import Scene, play
from servicebench_data.simulation.plan import Planned, find_shortfalls, plan_conversations, select_scenarios
from servicebench_data.simulation.provenance import describe_playing
from servicebench_data.simulation.recording import Played
from servicebench_data.simulation.running import Progress, Standing, Tables, play_all
from servicebench_data.simulation.tables import join_tables, make_tables
from servicebench_data.simulation.views import read_parts

#: Guidance that shows worked cases from the training side.
TAKES_CASES = frozenset({"case", "case_and_procedure"})


def hold_conversations(
    loaded: LoadedExperiment,
    tables: Mapping[type[Record], pa.Table],
    open_doorway: Callable[[], AbstractContextManager[Doorway]],
    *,
    settings: Mapping[str, object] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Tables:
    """Tables of all conversations of an experiment, and of what they were played by.

    Args:
        loaded: The experiment.
        tables: The scenarios' tables; see `views.READ`.
        open_doorway: Gives the way to models; not called where rules and scripts do everything.
        settings: Settings that decide how models are asked, to be written down; see `casting.pick_decisive`.
        processes: Processes that share what rules and scripts do.
        progress: Told how the run stands as conversations end.

    Raises:
        ExperimentError: No scenario is chosen, or a player cannot be had.
    """
    company = gather(loaded, tables)
    if needs_ledger(loaded.spec):
        with open_doorway() as doorway:
            made, cap = hold_to_the_end(company, partial(hold_company, doorway=doorway, progress=progress))
    else:
        made, cap = hold_to_the_end(company, partial(hold_offline, processes=processes, progress=progress))
    return {**made, Playing: from_records(Playing, [describe_playing(loaded, cap, settings or {})])}


def hold_offline(company: Company, processes: int, progress: Progress | None = None) -> Tables:
    """Tables of all conversations of rules and scripts, which wait for nobody and have no part in each other."""
    standing = Standing(len(company.planned))
    tables: list[Tables] = []
    for portion in share_out(partial(play_portion, company), company.planned, processes):
        tables.append(make_tables(portion))
        for played in portion:
            standing.note(played)
        if progress:
            progress(standing)
    return join_tables(tables)


def play_portion(company: Company, planned: Sequence[Planned]) -> list[Played]:
    """Some of a company's conversations, one after another."""
    return run_loop(play_in_turn(replace(company, planned=planned).set_scenes(None)))


async def play_in_turn(scenes: Iterable[Scene]) -> list[Played]:
    """Play scenes one after another."""
    return [await play(scene) for scene in scenes]


def hold_company(company: Company, doorway: Doorway, progress: Progress | None = None) -> Tables:
    """Tables of all conversations of a company whose models are asked over a doorway."""
    return run_loop(play_with(company, doorway, progress))


async def play_with(company: Company, doorway: Doorway, progress: Progress | None) -> Tables:
    """Hold conversations over a session of the doorway."""
    places = math.ceil(doorway.options.concurrency * ITEMS_PER_PLACE)
    async with doorway.open_session(list_targets(company.loaded.spec)) as session:
        return await play_all(company.set_scenes(session), len(company.planned), places, progress)


def explain_selection(loaded: LoadedExperiment, tables: Mapping[type[Record], pa.Table]) -> list[str]:
    """What an experiment asks for and the released scenarios do not give, in words."""
    return find_shortfalls(loaded.spec.scenarios, to_records(Scenario, tables[Scenario]))


def gather(loaded: LoadedExperiment, tables: Mapping[type[Record], pa.Table]) -> Company:
    """An experiment with the scenarios that it chooses."""
    spec, released = loaded.spec, to_records(Scenario, tables[Scenario])
    scenarios = select_scenarios(spec.scenarios, released, spec.seed)
    takes_cases = any(agent.guidance in TAKES_CASES for agent in spec.agents)
    pool = [scenario for scenario in released if scenario.split == "train"] if takes_cases else []
    adviser = Adviser(tuple(read_parts(tables, pool).values()), scenarios)
    return Company(loaded, read_parts(tables, scenarios), plan_conversations(loaded, scenarios), adviser, spec.turn_cap)
