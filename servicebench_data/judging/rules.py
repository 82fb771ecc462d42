"""The rule engine: scores from the acts that an agent declared, and from nothing else.

Belongs here: reading acts by `rules.yaml`. Not here: the rubric's caps and means (`rubric.py`), rows (`judging.py`).

An agent that declares none is not scored: what is read from wording alone is no score of justice. The engine is
deterministic and labelled `offline` everywhere; `ORDER.md` says in which order it must put the scripted agents, and
why.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

import yaml

from schemas.judging import Dimension
from schemas.simulation import ActKind, DeclaredAct
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric

FILE = Path(__file__).parent / "rules.yaml"
KINDS: frozenset[str] = frozenset(get_args(ActKind))
#: Why an agent without acts has no score.
ABSTAINS = "the agent declares no acts, and wording alone is no evidence of justice; name a model as judge."

_TEST = re.compile(r"(?P<not>!?)(?P<kind>[a-z_]+)(?::(?P<about>[a-z_]+)|>=(?P<count>\d+)|<(?P<group>[a-z_]+))?")


@dataclass(frozen=True)
class ActTest:
    """A test of a conversation's acts.

    Attributes:
        kind: Act that it is about.
        about: What the act must be about; empty for anything.
        least: How often it must be declared.
        before: Acts, none of which may be declared in an earlier message, or the same one.
        is_denied: Whether the test holds where the rest does not.
    """

    kind: str
    about: str
    least: int
    before: frozenset[str]
    is_denied: bool


@dataclass(frozen=True)
class Line:
    """A score, and the tests that all must hold for it."""

    score: int
    tests: tuple[ActTest, ...]


Rules = Mapping[Dimension, Mapping[str, Sequence[Line]]]


@cache
def load_rules() -> Rules:
    """Read the rules once.

    Raises:
        ValueError: They name an act that does not exist, leave an item of the rubric out, or leave a case open.
    """
    content: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    groups = {name: frozenset(kinds) for name, kinds in content["groups"].items()}
    rules: Rules = {
        name: {
            item: [Line(line[0], tuple(read_test(test, groups) for test in line[1:])) for line in lines]
            for item, lines in content[name].items()
        }
        for name in DIMENSIONS
    }
    for name, dimension in find_rubric().spec.dimensions.items():
        open_items = [item for item in dimension.items if item not in rules[name] or rules[name][item][-1].tests]
        if open_items or set(rules[name]) != set(dimension.items):
            raise ValueError(f"the rules of {name!r} do not settle {open_items} of the rubric; mend {FILE.name!r}.")
    return rules


def read_test(text: str, groups: Mapping[str, frozenset[str]]) -> ActTest:
    """A test from its words.

    Raises:
        ValueError: It is none, or names an act that does not exist.
    """
    found = _TEST.fullmatch(text)
    if not found or found["kind"] not in KINDS or (found["group"] and found["group"] not in groups):
        raise ValueError(f"the rules hold {text!r}, which is no test of acts; mend {FILE.name!r}.")
    before = groups[found["group"]] if found["group"] else frozenset[str]()
    return ActTest(found["kind"], found["about"] or "", int(found["count"] or 1), before, bool(found["not"]))


def holds(test: ActTest, acts: Sequence[DeclaredAct]) -> bool:
    """Whether a test holds on a conversation's acts."""
    places = [act.message_index for act in acts if act.kind == test.kind and test.about in ("", act.about)]
    bounds = [act.message_index for act in acts if act.kind in test.before]
    is_met = len(places) >= test.least and (not bounds or min(places) < min(bounds))
    return is_met != test.is_denied


def score_acts(acts: Sequence[DeclaredAct]) -> Mapping[Dimension, Mapping[str, int]]:
    """The score of each item of the rubric."""
    return {
        name: {
            item: next(line.score for line in lines if all(holds(test, acts) for test in line.tests))
            for item, lines in items.items()
        }
        for name, items in load_rules().items()
    }


def tell_acts(acts: Sequence[DeclaredAct]) -> str:
    """What was declared, for a person: each act once, in the order in which it came first."""
    return ", ".join(dict.fromkeys(act.kind.replace("_", " ") for act in acts))
