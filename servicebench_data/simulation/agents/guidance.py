"""Advice in an agent's prompt: worked cases from outside the experiment, handling steps, both, or none.

Belongs here: choosing the cases and writing the advice. Not here: the prompt that it stands in (`model.py`).

Cases come from the training side of the released scenarios. None is of a scenario that the experiment plays, or of one
that shares its cluster (near-duplicates, one author's dialogues), so that no answer is given away.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from schemas.experiment import Guidance
from schemas.scenarios import Scenario
from servicebench_data.models.prompts import fill
from servicebench_data.simulation.agents.case import find_stems
from servicebench_data.simulation.agents.texts import read_text
from servicebench_data.simulation.views import Parts

CASES = 2  # more of them crowd out the case at hand


class WorkedCase(NamedTuple):
    """A case as the advice tells it."""

    opening: str
    events: str
    severity: str
    remedy: str
    owed: str
    goodwill: str


@dataclass(frozen=True)
class Adviser:
    """Writes advice for the conversations of one experiment.

    Attributes:
        pool: Parts of scenarios that cases may be taken from.
        played: Scenarios that the experiment plays.
    """

    pool: Sequence[Parts]
    played: Sequence[Scenario]

    @cached_property
    def usable(self) -> tuple[Parts, ...]:
        """The pool's training side without what the experiment plays and what is near to it, by id."""
        ids = {scenario.scenario_id for scenario in self.played}
        clusters = {scenario.cluster_id for scenario in self.played}
        fitting = (
            parts
            for parts in self.pool
            if parts.scenario.split == "train"
            and parts.scenario.scenario_id not in ids
            and parts.scenario.cluster_id not in clusters
        )
        return tuple(sorted(fitting, key=lambda parts: parts.scenario.scenario_id))

    @cached_property
    def stems(self) -> Mapping[str, frozenset[str]]:
        """Stems of each usable opening, by scenario."""
        return {parts.scenario.scenario_id: find_stems(parts.scenario.opening) for parts in self.usable}

    def advise(self, guidance: Guidance, scenario: Scenario) -> str:
        """The advice for a scenario; empty for none."""
        cases = self.pick(scenario) if guidance in {"case", "case_and_procedure"} else []
        worked = [fill(read_text("guidance"), {"cases": [work_out(parts) for parts in cases]})] if cases else []
        steps = [read_text("procedure")] if guidance in {"procedure", "case_and_procedure"} else []
        return "\n\n".join([*worked, *steps])

    def pick(self, scenario: Scenario) -> list[Parts]:
        """The nearest cases: of the category, then of the stage, then of the industry; by shared words, then by id."""
        wanted = find_stems(scenario.opening)
        near = [parts for parts in self.usable if parts.scenario.industry == scenario.industry]
        return sorted(near, key=lambda parts: self.measure(parts.scenario, scenario, wanted))[:CASES]

    def measure(self, case: Scenario, scenario: Scenario, wanted: frozenset[str]) -> tuple[bool, bool, float, str]:
        """How far a case is from a scenario; the least comes first."""
        words = self.stems[case.scenario_id]
        shared = len(words & wanted) / max(len(words | wanted), 1)
        return case.category_id != scenario.category_id, case.stage_id != scenario.stage_id, -shared, case.scenario_id


def work_out(parts: Parts) -> WorkedCase:
    """A scenario as a case that was settled well: what was wanted was done, and goodwill was in proportion."""
    wish, scenario = parts.expectation, parts.scenario
    remedy = [
        f"{wish.action.rstrip('.')}.",
        wish.explanation and f"To be explained: {wish.explanation}",
        wish.apology and f"Apology: {wish.apology}",
    ]
    return WorkedCase(
        opening=scenario.opening,
        events=" ".join(scenario.events.split()),
        severity=scenario.severity,
        remedy=" ".join(part for part in remedy if part),
        owed="; ".join(list_owed(parts)),
        goodwill=tell_goodwill(wish.compensation_min_usd, wish.compensation_max_usd),
    )


def list_owed(parts: Parts) -> Iterable[str]:
    """What the policies give."""
    for policy in parts.policies:
        if policy.entitlement_kind is not None and policy.entitlement_kind != "information":
            limit = f" up to USD {policy.entitlement_limit_usd:g}" if policy.entitlement_limit_usd else ""
            yield f"{policy.entitlement_kind}{limit} ({policy.title})"


def tell_goodwill(least: float, most: float) -> str:
    """A range of goodwill in words."""
    if most <= 0:
        return "none was called for."
    return f"USD {least:g} to {most:g}." if least > 0 else f"none was needed; up to USD {most:g} was welcome."
