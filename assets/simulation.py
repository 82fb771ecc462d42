"""Assets of the simulation group: an experiment, and the conversations that it consists of.

Belongs here: gathering what conversations are played from, and showing how they went. Not here: any rule of a
conversation.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import dagster as dg
import pyarrow as pa

from assets.product import ProductBase, find_payer
from assets.progress import StandingLog
from assets.steps import Made, Results, Step, describe_step, run_step, tabulate
from schemas.records import Record
from schemas.scenarios import Candidate, Scenario
from schemas.simulation import Conversation, ExperimentRow, Playing, SimulatorFault
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.generations import list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.simulation.casting import describe_asking, name_model, pick_decisive
from servicebench_data.simulation.ending import is_final
from servicebench_data.simulation.experiment import describe_experiment
from servicebench_data.simulation.files import digest_experiment, digest_playing, find_experiment
from servicebench_data.simulation.outcomes import SHORTFALL, count_ends, count_faults
from servicebench_data.simulation.playing import explain_selection, hold_conversations
from servicebench_data.simulation.tables import MADE
from servicebench_data.simulation.views import READ

CODE = ("simulation", "simulation.py", "experiment.py")
#: Apart from the conversations, so that another judge leaves these as they are.
EXPERIMENT = Step((ExperimentRow,), (Scenario,), CODE)
SIMULATION = Step((*MADE, Playing), READ, CODE)


@dg.multi_asset(**describe_step(EXPERIMENT))
def experiments(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """What an experiment's file says."""
    lake = product.lake
    yield from run_step(
        context,
        product,
        EXPERIMENT,
        lambda name: Made({ExperimentRow: write_experiment(lake, name)}),
        extra=lambda name: digest_experiment(find_experiment(lake, name)),
    )


def write_experiment(lake: Lake, name: str) -> pa.Table:
    """The experiment's row."""
    return from_records(ExperimentRow, [describe_experiment(find_experiment(lake, name))])


@dg.multi_asset(**describe_step(SIMULATION))
def conversations(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """An experiment's conversations, turn by turn; what the ledger holds is not asked for again."""
    industries = list_sources(product.lake, Scenario, Candidate)
    yield from run_step(
        context,
        product,
        SIMULATION,
        lambda name: hold(context, product, name, industries),
        extra=lambda name: describe(product, name),
        over=industries,
        show=partial(show_outcomes, product.lake),
    )


def describe(product: ProductBase, name: str) -> list[object]:
    """What decides the conversations beside scenarios and code."""
    loaded = find_experiment(product.lake, name)
    return [digest_playing(loaded), describe_asking(loaded.spec, product.settings)]


def hold(context: dg.AssetExecutionContext, product: ProductBase, name: str, industries: Sequence[str]) -> Made:
    """Hold the conversations; those that a cap or a silent endpoint cut short are taken up again next time."""
    loaded, scenarios = find_experiment(product.lake, name), read_scenarios(product.lake, industries)
    missing = explain_selection(loaded, scenarios)
    for what in missing:
        context.log.warning(what)
    made = hold_conversations(
        loaded,
        scenarios,
        lambda: product.make_doorway_for(name_model(loaded.spec), find_payer(context.run)),
        settings=pick_decisive(product.settings),
        processes=product.settings.threads,
        progress=StandingLog(context.log.info, f"conversations of {name}"),
    )
    return Made(made, {SHORTFALL: "; ".join(missing)} if missing else {}, is_final=is_final(made[Conversation]))


def read_scenarios(
    lake: Lake, industries: Sequence[str], records: Iterable[type[Record]] = READ
) -> dict[type[Record], pa.Table]:
    """Tables of the released scenarios and of their parts, over all industries."""
    return {
        record: pa.concat_tables([lake.read(record, key) for key in lake.choose_partitions(record, industries)])
        for record in records
    }


def show_outcomes(lake: Lake, partitions: Sequence[str]) -> Mapping[str, Any]:
    """Ends by agent and faults of the simulators, of the last experiment of the run."""
    ends = count_ends(lake.read(Conversation, partitions[-1]))
    faults = count_faults(lake.read(SimulatorFault, partitions[-1]))
    return {
        "ends": dg.MetadataValue.md(tabulate(ends, list(ends[0]))),
        "simulator faults": dg.MetadataValue.md(tabulate(faults, list(faults[0])) if faults else "none"),
    }
