"""How many planted faults the grounding checks find, and how many faithful parts they flag.

    python benchmarks/grounding.py [--smoke] [--half develop|judge] [--missed]

The bank (`faults/*.yaml`) holds invented dialogues with good parts, and for each the planted variants: a fault that a
rule can see, one that only the meaning gives away (`blind`), or a faithful rewording (`clean`); the unchanged parts
count as clean too. A fault is found when a failure that the unchanged parts do not have names the offending words. The
rules were developed on one half of the dialogues, first judged on the other, mended, and confirmed on two dialogues
that were written after that. Prints recall by kind and the share of
clean variants flagged, each with its 95% Wilson interval, and what gets past. `--smoke` takes every fifth variant.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from scipy.stats import binomtest

from schemas.scenarios import BackgroundSentence, CaseFieldRow, CasePolicy, Event, Expectation, Fact, Severity
from servicebench_data.industries import load_industries
from servicebench_data.scenarios.assembly import make_candidate
from servicebench_data.scenarios.background import latest_disclosure
from servicebench_data.scenarios.case_record import list_policies
from servicebench_data.scenarios.grounding import check_parts
from servicebench_data.scenarios.parts import Knowledge, Parts, Source, prepare
from servicebench_data.scenarios.reading import SourceTurn

BANK = Path(__file__).resolve().parent / "faults"
WHERE = {"events": "events", "facts": "facts", "background": "background", "record": "case_fields"}
Half = Literal["develop", "judge", "confirm"]
Verdict = Literal["fault", "blind", "clean"]
Flags = frozenset[tuple[str, str, str]]


@dataclass(frozen=True)
class Variant:
    """One change to the good parts of a dialogue.

    Attributes:
        dialogue: Id of the dialogue.
        half: Half of the bank.
        verdict: What the checks should say.
        kind: Kind of fault, or of rewording.
        span: Offending words; empty for a clean one.
        new: Failures that the unchanged parts do not have.
    """

    dialogue: str
    half: Half
    verdict: Verdict
    kind: str
    span: str
    new: Flags

    @property
    def is_found(self) -> bool:
        """Whether a failure names the offending words, or half of them; any failure for a clean variant."""
        return bool(self.new) if not self.span else any(overlap(self.span, found) for _, _, found in self.new)


class Maker:
    """Makes the parts of one dialogue of the bank."""

    def __init__(self, industry: str, entry: dict[str, Any]) -> None:
        self.entry = entry
        self.knowledge = load_knowledge()[industry]
        account = next(account.handle for account in self.knowledge.industry.accounts.accounts if account.is_sample)
        self.source = Source(entry["id"], account, entry["category"], make_turns(entry["turns"]))
        self.stamp: dict[str, Any] = {"industry": industry, "scenario_id": self.source.scenario_id, "made_by": "bank"}

    def locate(self, quote: str | None, role: str | None = None) -> tuple[int, list[str]]:
        """Turn and posts of a quote."""
        for turn in self.source.turns:
            start = turn.text.find(quote) if quote and role in {None, turn.role} else -1
            if start >= 0:
                return turn.turn_index, turn.find_posts(start, start + len(quote or ""))
        raise ValueError(f"dialogue {self.entry['id']!r} has no turn with {quote!r}; mend the bank.")

    def make_event(self, index: int, row: dict[str, Any]) -> Event:
        """An event; inferred where it has no quote."""
        quote = row.get("quote")
        posts = self.locate(quote)[1] if quote else []
        rest: dict[str, Any] = {
            "when_text": row.get("when"),
            "quote": quote,
            "post_ids": posts,
            "is_inferred": quote is None,
        }
        return Event(event_index=index, actor=row["actor"], text=row["text"], **rest, **self.stamp)

    def make_fact(self, index: int, row: dict[str, Any]) -> Fact:
        """A fact with its quote in a customer's turn."""
        turn, posts = self.locate(row["quote"], "customer")
        return Fact(
            fact_id=f"f{index + 1}",
            kind=row["kind"],
            statement=row["statement"],
            value=row.get("value"),
            post_id=posts[0],
            quote=row["quote"],
            turn_index=turn,
            disclosure=row.get("disclosure", "opening"),
            is_customer_only=row.get("only", False),
            is_inferred=False,
            **self.stamp,
        )

    def make_sentence(self, index: int, row: dict[str, Any], facts: Sequence[Fact]) -> BackgroundSentence:
        """A sentence; it comes out with the last of its facts."""
        told = [fact for fact in facts if fact.fact_id in row["facts"]]
        return BackgroundSentence(
            sentence_index=index,
            topic=row["topic"],
            text=row["text"],
            fact_ids=row["facts"],
            disclosure=latest_disclosure(told, row["topic"]),
            is_inferred=not told,
            **self.stamp,
        )

    def make_field(self, row: dict[str, Any]) -> CaseFieldRow:
        """A field of the record; stale where it names the cause."""
        form = {field.id: field for field in self.knowledge.industry.case_record.fields}
        field, stale = form[row["field"]], row.get("stale")
        rest: dict[str, Any] = {
            "is_stale": stale is not None,
            "stale_cause": stale,
            "fact_id": row.get("fact"),
            "post_ids": [],
        }
        shown = row.get("shown", row["truth"])
        return CaseFieldRow(
            field_id=field.id, title=field.title, type=field.type, shown=shown, truth=row["truth"], **rest, **self.stamp
        )

    def make_policy(self, row: dict[str, Any]) -> CasePolicy:
        """A policy that stands in no book."""
        rest: dict[str, Any] = {
            "title": row["title"],
            "text": row["text"],
            "entitlement_kind": None,
            "entitlement_limit_usd": None,
        }
        return CasePolicy(policy_id=row["id"], **rest, **self.stamp)

    def make_expectation(self, row: dict[str, Any]) -> Expectation:
        """The expectation; inferred where the customer asks for nothing."""
        asked = row.get("asked")
        return Expectation(
            explanation=row["explanation"],
            action=row["action"],
            apology=row["apology"],
            compensation_min_usd=row["min"],
            compensation_max_usd=row["max"],
            insult=row["insult"],
            is_loss_money=row["money"],
            post_ids=self.locate(asked)[1] if asked else [],
            is_inferred=asked is None,
            **self.stamp,
        )

    def make_parts(self) -> Parts:
        """The good parts."""
        facts = [self.make_fact(index, row) for index, row in enumerate(self.entry["facts"])]
        return Parts(
            candidate=make_candidate(self.source, self.knowledge, facts, None),
            events=[self.make_event(index, row) for index, row in enumerate(self.entry["events"])],
            severity=Severity(**self.entry["severity"], **self.stamp),
            facts=facts,
            background=[self.make_sentence(index, row, facts) for index, row in enumerate(self.entry["background"])],
            expectation=self.make_expectation(self.entry["expectation"]),
            case_fields=[self.make_field(row) for row in self.entry["record"]],
            case_policies=list_policies(self.knowledge.industry, self.source.category_id, self.source.scenario_id),
        )

    def add(self, parts: Parts, name: str, row: dict[str, Any]) -> Parts:
        """The parts with one more row."""
        if name == "events":
            return replace(parts, events=[*parts.events, self.make_event(len(parts.events), row)])
        if name == "background":
            sentence = self.make_sentence(len(parts.background), row, parts.facts)
            return replace(parts, background=[*parts.background, sentence])
        if name == "policies":
            return replace(parts, case_policies=[*parts.case_policies, self.make_policy(row)])
        return replace(parts, case_fields=[*parts.case_fields, self.make_field(row)])

    def change(self, parts: Parts, where: str, value: Any) -> Parts:
        """The parts with one value changed; the fields of a record that is right show the truth."""
        name, *steps = where.split(".")
        if steps == ["+"]:
            return self.add(parts, name, value)
        if name in {"severity", "expectation"}:
            return replace(parts, **{name: getattr(parts, name).model_copy(update={steps[0]: value})})
        field = {**WHERE, "policies": "case_policies"}[name]
        rows, index = list(getattr(parts, field)), int(steps[0])
        update: dict[str, Any] = {steps[1]: value}
        if name == "record" and steps[1] == "truth":
            update["shown"] = value
        rows[index] = rows[index].model_copy(update=update)
        return replace(parts, **{field: rows})

    def flag(self, parts: Parts) -> Flags:
        """What the checks find."""
        failures = check_parts(parts, self.source, self.knowledge)
        return frozenset((failure.part, failure.check, failure.span) for failure in failures)

    def run(self) -> Iterator[Variant]:
        """The unchanged parts, then every variant."""
        good = self.make_parts()
        known = self.flag(good)
        name, half = self.entry["id"], self.entry["half"]
        yield Variant(name, half, "clean", "unchanged", "", known)
        for verdict, kind, where, value, span in self.entry["variants"]:
            yield Variant(name, half, verdict, kind, span, self.flag(self.change(good, where, value)) - known)


@cache
def load_knowledge() -> dict[str, Knowledge]:
    """All industries by id."""
    industries = tuple(load_industries())
    return {
        industry.id: prepare(industry, tuple(other for other in industries if other.id != industry.id))
        for industry in industries
    }


def make_turns(posts: Iterable[tuple[str, str]]) -> tuple[SourceTurn, ...]:
    """Turns from posts; consecutive posts of one role are one turn."""
    turns: list[SourceTurn] = []
    for number, (role, text) in enumerate(posts):
        if turns and turns[-1].role == role:
            last = turns.pop()
            posts_of, offsets = (*last.post_ids, f"p{number}"), (*last.post_offsets, len(last.text) + 1)
            turns.append(SourceTurn(last.turn_index, role, f"{last.text}\n{text}", posts_of, offsets))
        else:
            turns.append(SourceTurn(len(turns), role, text, (f"p{number}",), (0,)))
    return tuple(turns)


def run_bank(folder: Path = BANK) -> list[Variant]:
    """All variants of the bank with what the checks found in them."""
    found: list[Variant] = []
    for path in sorted(folder.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            found += Maker(path.stem, entry).run()
    return found


def overlap(span: str, found: str) -> bool:
    """Whether one holds the other, or what was found holds half of the words of the span."""
    span, found = span.lower(), found.lower()
    words = span.split()
    return bool(found) and (
        span in found or found in span or 2 * sum(word in found.split() for word in words) >= len(words)
    )


def estimate(hits: int, total: int) -> str:
    """A share with its 95% Wilson interval."""
    if not total:
        return "none"
    low, high = binomtest(hits, total).proportion_ci(method="wilson")
    return f"{hits:4}/{total:<4} {hits / total:6.1%} [{low:6.1%}, {high:6.1%}]"


def print_table(variants: Sequence[Variant], half: Half) -> None:
    """Print recall by kind and the share of clean variants flagged, for one half."""
    print(f"\nhalf: {half}")
    for verdict, title in (("fault", "faults found"), ("blind", "of meaning alone, found"), ("clean", "clean flagged")):
        rows = [row for row in variants if row.half == half and row.verdict == verdict]
        print(f"  {title:25}{estimate(sum(row.is_found for row in rows), len(rows))}")
        for kind in sorted({row.kind for row in rows}):
            of_kind = [row for row in rows if row.kind == kind]
            print(f"    {kind:23}{estimate(sum(row.is_found for row in of_kind), len(of_kind))}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="take every fifth variant only")
    parser.add_argument("--half", choices=("develop", "judge", "confirm"), help="one half only")
    parser.add_argument("--missed", action="store_true", help="name what was missed or wrongly flagged")
    options = parser.parse_args()
    variants = run_bank()[:: 5 if options.smoke else 1]
    halves: list[Half] = [options.half] if options.half else ["develop", "judge", "confirm"]
    for half in halves:
        print_table(variants, half)
        wrong = [row for row in variants if row.half == half and row.is_found != (row.verdict != "clean")]
        for row in wrong if options.missed else []:
            print(f"  {row.verdict:6}{row.kind:20}{row.dialogue:18}{row.span!r:30}{sorted(row.new)}")


if __name__ == "__main__":
    main()
