"""Assembles the graph.

Belongs here: the list of what there is. Not here: any of it.
"""

import dagster as dg

from assets import (
    automation,
    dialogues,
    diversity,
    journeys,
    judging,
    measures,
    planning,
    release,
    scenarios,
    simulation,
)
from assets.checks import make_contracts
from assets.product import make_resources
from servicebench_data.settings import Settings


def build_definitions(settings: Settings) -> dg.Definitions:
    """Fresh definitions whose resource has the given settings as its defaults.

    Args:
        settings: Settings of the builds.
    """
    groups = (dialogues, journeys, scenarios, diversity, simulation, judging, measures, planning, release)
    assets = dg.load_assets_from_modules(groups)
    contracts = [make_contracts(asset) for asset in assets if isinstance(asset, dg.AssetsDefinition)]
    return dg.Definitions(
        assets=assets,
        asset_checks=[
            *(contract for contract in contracts if contract),
            *journeys.CHECKS,
            *scenarios.CHECKS,
            *judging.CHECKS,
            *measures.CHECKS,
            *release.CHECKS,
        ],
        jobs=[automation.make_job(), automation.make_plan_job(), automation.make_experiment_job()],
        schedules=[automation.weekly_build],
        sensors=[automation.posts_folder, automation.experiments_folder],
        resources=make_resources(settings),
        executor=dg.in_process_executor,
    )


defs = build_definitions(Settings.load())
