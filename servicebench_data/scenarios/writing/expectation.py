"""The task that says what would put it right for the customer, and what would be an insult.

Belongs here: what is asked and checked, and the row. Not here: what the company owes (`case_record.py`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from schemas.industry import Category
from schemas.scenarios import Expectation
from schemas.writing import ExpectationAnswer
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.grounding import check_expectation
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.quotes import Quoted, locate, number_turns
from servicebench_data.scenarios.writing.reasons import check_length, check_third_person, explain_faults
from servicebench_data.scenarios.writing.severity import number_events
from servicebench_data.scenarios.writing.stage import Stage, accept, make_task

#: An apology that the customer would make.
_REVERSED = re.compile(
    r"\bcustomer (?:(?:wants|wishes|would like|hopes|has) to )?"
    r"(?:apologi[sz]es?|(?:express|offer|make)(?:es|s)? (?:\w+ )?apolog\w+)",
    re.IGNORECASE,
)


def describe(draft: Draft) -> Mapping[str, str]:
    """Variables of the prompt."""
    severity = draft.parts.severity
    return {
        "company": draft.knowledge.company,
        "brand": draft.brand,
        "category": describe_category(draft.knowledge.categories[draft.source.category_id]),
        "turns": number_turns(draft.source.turns, draft.opening),
        "events": number_events(draft),
        "severity": f"{severity.level}: {severity.reason}" if severity else "not rated",
    }


def describe_category(category: Category) -> str:
    """A category of the journey map, as experts wrote it."""
    return (
        f"The complaint is of the category {category.name}: {category.definition}\n"
        f"Remedies that companies offer in such cases: {'; '.join(category.remedies)}."
    )


def check(draft: Draft, answer: ExpectationAnswer) -> Iterator[str]:
    """Why the expectation is refused."""
    for number, item in enumerate(answer.requests, 1):
        quoted = locate(f"request {number}", draft.turns, item.turn, item.quote)
        if isinstance(quoted, str):
            yield quoted
    texts = {
        "the action": answer.action,
        "the explanation": answer.explanation,
        "the apology": answer.apology,
        "the insult": answer.insult,
    }
    for where, text in texts.items():
        if text is not None:
            yield from check_third_person(where, text)
            yield from check_length(where, text)
    if answer.apology and (found := _REVERSED.search(answer.apology)):
        yield f"the apology is the company's to make, not the customer's: mend \"{found.group()}\"."
    is_loss, least = settle_money(draft, answer)
    if is_loss and least == 0:
        yield "is_loss_money is true, so compensation_min_usd must be above 0; or is_loss_money is false."
    rows = add(draft, answer, "unknown")
    known = draft.gather([*(turn.text for turn in draft.source.turns), *list_remedies(draft)])
    yield from explain_faults("the expectation", check_expectation(rows, draft.source, draft.knowledge, known))


def list_remedies(draft: Draft) -> list[str]:
    """What the map says of the category's remedies; an inferred action may use these words."""
    return draft.knowledge.categories[draft.source.category_id].remedies


def trim(draft: Draft, answer: ExpectationAnswer) -> ExpectationAnswer:
    """The expectation with those requests alone that the customer made; without any it is inferred."""
    kept = [item for item in answer.requests if isinstance(locate("", draft.turns, item.turn, item.quote), Quoted)]
    return answer.model_copy(update={"requests": kept})


def settle_money(draft: Draft, answer: ExpectationAnswer) -> tuple[bool, float]:
    """Whether money is lost, and the least that is needed: nothing where the customer speaks of no money."""
    said = " ".join(turn.text for turn in draft.source.turns if turn.role == "customer")
    is_loss = answer.is_loss_money and cues.speaks_of_money(said)
    return is_loss, answer.compensation_min_usd if is_loss else 0.0


def add(draft: Draft, answer: ExpectationAnswer, made_by: str) -> Parts:
    """The parts with the expectation."""
    found = [locate("", draft.turns, item.turn, item.quote) for item in answer.requests]
    posts = [post for quoted in found if isinstance(quoted, Quoted) for post in quoted.post_ids]
    is_loss, least = settle_money(draft, answer)
    row = Expectation(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by,
        explanation=strip(answer.explanation),
        action=answer.action.strip(),
        apology=strip(answer.apology),
        compensation_min_usd=least,
        compensation_max_usd=answer.compensation_max_usd,
        insult=answer.insult.strip(),
        is_loss_money=is_loss,
        post_ids=list(dict.fromkeys(posts)),
        is_inferred=not answer.requests,
    )
    return replace(draft.parts, expectation=row)


def strip(text: str | None) -> str | None:
    """A text without blank ends; nothing where it is empty."""
    return (text or "").strip() or None


EXPECTATION = Stage(make_task("expectation", ExpectationAnswer), describe, check, add, accept, trim)
