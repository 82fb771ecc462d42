"""The task of a judge: what it is asked, the form of its answer, and why an answer is refused.

Belongs here: prompt, answer, checks. Not here: what the judge sees (`view.py`), rows (`judging.py`).

The form of an answer follows from the rubric: a field for each dimension, in it one for each item, so that no item can
be left out and none can be made up. A judge never gives a dimension's score; code makes it of the items.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from schemas.judging import Dimension
from schemas.records import Strict
from schemas.rubric import Point
from servicebench_data.judging.quotes import Found, locate_quote
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric, tell_rubric
from servicebench_data.judging.view import JudgeView, tell_transcript
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import Item, Task

PROMPT = Path(__file__).parent / "judge.md"
MAX_QUOTES = 2
MAX_REASONS = 12
#: A judge's answer: its form is made from the rubric.
JudgeAnswer = BaseModel


class ItemAnswer(Strict):
    """What a judge says of an item."""

    # The score comes first: the form of what follows depends on it.
    score: Point = Field(description="1 to 5, by the item's anchors.")
    quotes: list[str] = Field(max_length=MAX_QUOTES, description="Words of the transcript that show it.")


@cache
def make_item_answer(quoted_from: int) -> type[ItemAnswer]:
    """The record of an item that needs a quote from a score on; where endpoints enforce schemas, they enforce that."""
    config = ConfigDict(json_schema_extra=partial(split_form, quoted_from))
    fields = {"__module__": __name__, "__doc__": ItemAnswer.__doc__, "model_config": config}
    return type(f"ItemAnswer{quoted_from}", (ItemAnswer,), fields)


def split_form(quoted_from: int, schema: dict[str, Any]) -> None:
    """Make two forms of an item's: low scores with or without quotes, and the others with at least one."""
    low = {key: schema.pop(key) for key in ("type", "properties", "required", "additionalProperties")}
    high = copy.deepcopy(low)
    low["properties"]["score"]["maximum"] = quoted_from - 1
    high["properties"]["score"]["minimum"] = quoted_from
    high["properties"]["quotes"]["minItems"] = 1
    schema["anyOf"] = [low, high]


@cache
def make_answer(dimensions: tuple[Dimension, ...]) -> type[JudgeAnswer]:
    """The record of an answer on some dimensions."""
    fields: dict[str, Any] = {name: (make_part(name), ...) for name in dimensions}
    return create_model("JudgeAnswer", __base__=Strict, **fields)


def make_part(name: Dimension) -> type[BaseModel]:
    """The record of a dimension: the reason, then each item."""
    dimension = find_rubric().spec.dimensions[name]
    reason = Annotated[str, Field(min_length=1, max_length=1200, description="What decided it, in two sentences.")]
    fields: dict[str, Any] = {
        "reason": (reason, ...),
        **{item_id: (make_item_answer(item.quoted_from), ...) for item_id, item in dimension.items.items()},
    }
    return create_model(f"{name.capitalize()}Answer", __base__=Strict, **fields)


@cache
def make_task(dimensions: tuple[Dimension, ...] = DIMENSIONS) -> Task[JudgeAnswer]:
    """The task of judging some dimensions in one call."""
    return Task("judge", load_prompt(PROMPT), make_answer(dimensions))


def make_item(view: JudgeView, scenario_id: str, dimensions: tuple[Dimension, ...] = DIMENSIONS) -> Item[JudgeAnswer]:
    """What to ask about a conversation; the ledger forgets it by its scenario."""
    rubric = find_rubric().spec
    variables = {
        "rubric": tell_rubric(rubric, dimensions),
        "loss": view.loss,
        "events": view.events,
        "transcript": tell_transcript(view),
    }
    check, trim = partial(find_reasons, view, dimensions), partial(trim_answer, view, dimensions)
    return Item(scenario_id, variables, check, trim=trim)


def read_parts(
    answer: JudgeAnswer, dimensions: Sequence[Dimension]
) -> Iterator[tuple[Dimension, str, Mapping[str, ItemAnswer]]]:
    """Each dimension of an answer with its reason and its items."""
    for name in dimensions:
        part = cast("BaseModel", getattr(answer, name))
        items = {item: getattr(part, item) for item in find_rubric().spec.dimensions[name].items}
        yield name, cast("str", getattr(part, "reason")).strip(), items  # noqa: B009  (the form is made at run time)


def find_reasons(view: JudgeView, dimensions: tuple[Dimension, ...], answer: JudgeAnswer) -> list[str]:
    """Why an answer is refused, in words for the model."""
    return list(dict.fromkeys(check_answer(view, dimensions, answer)))[:MAX_REASONS]


def check_answer(view: JudgeView, dimensions: tuple[Dimension, ...], answer: JudgeAnswer) -> Iterator[str]:
    """What the form does not see: quotes that are not there or another's, and scores without evidence."""
    for name, _, items in read_parts(answer, dimensions):
        for item_id, item in items.items():
            where = f"{name}.{item_id}"
            found = list_evidence(view, name, item_id, item)
            yield from (f"{where}: {entry}" for entry in found if isinstance(entry, str))
            if not item.quotes and item.score >= find_rubric().spec.dimensions[name].items[item_id].quoted_from:
                yield f"{where}: a score of {item.score} needs a quote: copy words that show it, or score lower."


def trim_answer(view: JudgeView, dimensions: tuple[Dimension, ...], answer: JudgeAnswer) -> JudgeAnswer:
    """An answer without the quotes that do not count."""
    kept = answer.model_dump()
    for name, _, items in read_parts(answer, dimensions):
        for item_id, item in items.items():
            found = zip(item.quotes, list_evidence(view, name, item_id, item), strict=True)
            kept[name][item_id]["quotes"] = [quote for quote, entry in found if isinstance(entry, Found)]
    return make_answer(dimensions).model_validate(kept)


def list_evidence(view: JudgeView, name: Dimension, item_id: str, item: ItemAnswer) -> list[Found | str]:
    """Where the quotes of an item stand, or why one does not count."""
    side = find_rubric().spec.dimensions[name].items[item_id].quotes
    return [locate_quote(view.transcript, quote, side) for quote in item.quotes]
