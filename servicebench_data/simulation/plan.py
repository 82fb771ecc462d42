"""Which conversations an experiment consists of.

Belongs here: choosing scenarios and styles, ids and seeds. Not here: how a conversation goes (`loop.py`).

Nothing depends on what else is in the plan, as far as that can be: another agent leaves the ids and seeds of all other
conversations as they are, and each agent meets the same scenarios in the same styles with the same seeds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

from schemas.experiment import STYLES, Experiment, Selection
from schemas.scenarios import Scenario
from schemas.simulation import DisclosureMode, Style
from servicebench_data.simulation.chance import digest, draw_seed, make_id
from servicebench_data.simulation.experiment import ExperimentError, LoadedExperiment, suggest

#: The lists of a selection, and what of a scenario must be in them.
KEYS: Mapping[str, Callable[[Scenario], str]] = {
    "industries": attrgetter("industry"),
    "categories": attrgetter("category_id"),
    "severities": attrgetter("severity"),
    "scenario_ids": attrgetter("scenario_id"),
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A conversation to be held.

    Attributes:
        conversation_id: Its id.
        scenario_id: Scenario that is played.
        agent: Agent, by name.
        customer: Customer simulator, by name.
        style: How the customer communicates.
        disclosure: How facts come out.
        repeat: Number of the repeat, from 0.
        seed: Seed of the first attempt; the same for each agent.
    """

    conversation_id: str
    scenario_id: str
    agent: str
    customer: str
    style: Style
    disclosure: DisclosureMode
    repeat: int
    seed: int


def plan_conversations(loaded: LoadedExperiment, scenarios: Sequence[Scenario]) -> list[Planned]:
    """All conversations of an experiment over its chosen scenarios, sorted by id."""
    spec = loaded.spec
    styles = assign_styles(spec, [scenario.scenario_id for scenario in scenarios])
    modes = dict.fromkeys(spec.disclosure)
    cells = product(spec.agents, spec.customers, modes, range(spec.repeats), styles.items())
    planned = [
        plan_one(loaded, (agent.name, customer.name, scenario, style, disclosure, repeat))
        for agent, customer, disclosure, repeat, (scenario, given) in cells
        for style in given
    ]
    return sorted(planned, key=lambda entry: entry.conversation_id)


def plan_one(loaded: LoadedExperiment, what: tuple[str, str, str, Style, DisclosureMode, int]) -> Planned:
    """One conversation of an agent with a customer, by scenario, style, disclosure and repeat."""
    agent, customer, scenario, style, disclosure, repeat = what
    return Planned(
        conversation_id=make_id("c", loaded.experiment_id, *what),
        scenario_id=scenario,
        agent=agent,
        customer=customer,
        style=style,
        disclosure=disclosure,
        repeat=repeat,
        seed=draw_seed("conversation", loaded.spec.seed, scenario, style, repeat),
    )


def select_scenarios(selection: Selection, scenarios: Iterable[Scenario], seed: int) -> list[Scenario]:
    """The scenarios that a selection chooses, sorted by id.

    With a limit each category gives one, then each that has more a second one, and so on; which ones is drawn by
    hashes, so that a further scenario displaces at most one.

    Raises:
        ExperimentError: It names a scenario that is not there, or chooses none.
    """
    known = {scenario.scenario_id: scenario for scenario in scenarios}
    unknown = sorted(set(selection.scenario_ids) - set(known))
    if unknown:
        raise ExperimentError(
            f"scenario {unknown[0]!r} is not released in this home; {suggest(unknown[0], sorted(known))} Name ids from "
            "the table `scenario`."
        )
    chosen = [scenario for scenario in known.values() if is_chosen(selection, scenario)]
    if not chosen:
        raise ExperimentError(
            f"none of the {len(known)} released scenarios is chosen; widen `scenarios`, or build a release first."
        )
    drawn = draw_evenly(chosen, seed)[: selection.limit]
    return sorted(drawn, key=lambda scenario: scenario.scenario_id)


def is_chosen(selection: Selection, scenario: Scenario) -> bool:
    """Whether a scenario meets all that a selection asks for."""
    asked = ((getattr(selection, key), read(scenario)) for key, read in KEYS.items())
    is_on_side = selection.split in {None, scenario.split}
    return is_on_side and all(not wanted or value in wanted for wanted, value in asked)


def find_shortfalls(selection: Selection, scenarios: Iterable[Scenario]) -> list[str]:
    """What a selection asks for and the released scenarios do not give, in words; empty where they give all of it."""
    chosen = [scenario for scenario in scenarios if is_chosen(selection, scenario)]
    there = {key: {read(scenario) for scenario in chosen} for key, read in KEYS.items()}
    found = [
        f"`scenarios.{key}` names {name!r}, of which no released scenario is chosen"
        for key, values in there.items()
        for name in dict.fromkeys(getattr(selection, key))
        if name not in values
    ]
    if selection.limit is not None and len(chosen) < selection.limit:
        found.append(f"`scenarios.limit` is {selection.limit}, and only {len(chosen)} are there")
    return found


def draw_evenly(scenarios: Iterable[Scenario], seed: int) -> list[Scenario]:
    """Scenarios in an order whose every beginning is spread evenly over the categories."""
    by_category: dict[tuple[str, str], list[tuple[str, Scenario]]] = defaultdict(list)
    for scenario in scenarios:
        lot = digest("selection", seed, scenario.scenario_id)
        by_category[scenario.industry, scenario.category_id].append((lot, scenario))
    ranked = [
        (rank, lot, scenario)
        for group in by_category.values()
        for rank, (lot, scenario) in enumerate(sorted(group, key=lambda entry: entry[0]))
    ]
    return [scenario for _, _, scenario in sorted(ranked, key=lambda entry: entry[:2])]


def assign_styles(spec: Experiment, scenario_ids: Sequence[str]) -> Mapping[str, Sequence[Style]]:
    """Styles of each scenario's customer."""
    if spec.styles == "balanced":
        return {scenario: (style,) for scenario, style in balance_styles(scenario_ids, spec.seed).items()}
    styles = STYLES if spec.styles == "all" else tuple(dict.fromkeys(spec.styles))
    return dict.fromkeys(scenario_ids, styles)


def balance_styles(scenario_ids: Iterable[str], seed: int) -> dict[str, Style]:
    """One style for each scenario, no style given more than once more often than another.

    A scenario keeps the style that its hash draws where it can; the least movable part of each surplus moves.
    """
    lots = {scenario: digest("style", seed, scenario) for scenario in scenario_ids}
    drawn: dict[Style, list[str]] = {style: [] for style in STYLES}
    for scenario in sorted(lots, key=lots.__getitem__):
        drawn[STYLES[int(lots[scenario][-8:], 16) % len(STYLES)]].append(scenario)
    places = share_places(drawn, len(lots))
    spare = sorted((entry for style in STYLES for entry in drawn[style][places[style] :]), key=lots.__getitem__)
    given: dict[str, Style] = {scenario: style for style in STYLES for scenario in drawn[style][: places[style]]}
    gaps: Iterator[Style] = (style for style in STYLES for _ in range(places[style] - len(drawn[style])))
    given.update(zip(spare, gaps, strict=True))
    return given


def share_places(drawn: Mapping[Style, Sequence[str]], total: int) -> dict[Style, int]:
    """How many scenarios each style gets; the odd ones go where most were drawn."""
    least, odd = divmod(total, len(STYLES))
    fullest = sorted(STYLES, key=lambda style: (-len(drawn[style]), style))
    return {style: least + (rank < odd) for rank, style in enumerate(fullest)}
