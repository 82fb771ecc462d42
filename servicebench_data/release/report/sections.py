"""The order of the report: its sections, and the figures in them with their words.

Belongs here: which function draws which figure, and joining it with the words (`sections.yaml`). Not here: drawing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from servicebench_data.release.report.figure import Draw, Spec
from servicebench_data.release.report.figures import conditions, course, goodwill, journey, justice, trust

WORDS = Path(__file__).parent / "sections.yaml"

DRAW: Mapping[str, Draw] = {
    "leaderboard": justice.draw_leaderboard,
    "paired_tests": justice.draw_paired_tests,
    "justice_by_industry": justice.draw_by_industry,
    "quality_and_goodwill": goodwill.draw_quality_and_goodwill,
    "first_offer": goodwill.draw_first_offer,
    "coverage": goodwill.draw_coverage,
    "severity_goodwill": goodwill.draw_severity_goodwill,
    "cost": goodwill.draw_cost,
    "strategies": conditions.draw_strategies,
    "disclosure": conditions.draw_disclosure,
    "styles": conditions.draw_styles,
    "severity": conditions.draw_severity,
    "outcomes": course.draw_outcomes,
    "cumulative_outcomes": course.draw_cumulative,
    "coverage_by_turn": course.draw_coverage_by_turn,
    "length": course.draw_length,
    "words": course.draw_words,
    "journey_map": journey.draw_journey,
    "category_extremes": journey.draw_extremes,
    "judges": justice.draw_judges,
    "judge_advantage": justice.draw_advantage,
    "self_preference": trust.draw_self_preference,
    "calibrated": trust.draw_calibrated,
    "length_effect": trust.draw_length_effect,
    "padding_effect": trust.draw_padding_effect,
    "variance": trust.draw_variance,
    "run_to_run": trust.draw_run_to_run,
    "realism": course.draw_realism,
    "simulator_faults": course.draw_faults,
    "invalid": course.draw_invalid,
}


@dataclass(frozen=True)
class Section:
    """Figures that answer a question together."""

    name: str
    title: str
    lead: str
    figures: Sequence[Spec]


def read_sections() -> tuple[Section, ...]:
    """The sections as the file has them."""
    entries = cast("list[dict[str, Any]]", yaml.safe_load(WORDS.read_text(encoding="utf-8")))
    return tuple(
        Section(entry["name"], entry["title"], entry["lead"], read_figures(entry["figures"])) for entry in entries
    )


def read_figures(entries: Sequence[dict[str, Any]]) -> list[Spec]:
    """The figures of a section."""
    return [Spec(**entry, draw=DRAW[entry["name"]]) for entry in entries]


SECTIONS = read_sections()
