"""The rubric of justice as a file: dimensions, items, anchors, caps.

Belongs here: the form of `rubric.yaml` and what must hold within it. Not here: its text
(`servicebench_data/judging/rubric.yaml`), or how scores are made of it.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.industry import Slug
from schemas.judging import Dimension
from schemas.records import Strict

Point = Annotated[int, Field(ge=1, le=5, strict=True)]
Text = Annotated[str, Field(min_length=1)]


class RubricEntry(Strict):
    """One thing that a judge looks at."""

    question: Text = Field(description="What the judge is asked.")
    quotes: Literal["agent", "either"] = Field(description="Whose words can show it.")
    quoted_from: Point = Field(
        default=3, description="From this score on it needs a quote; higher where 3 says of nothing that it is there."
    )
    anchors: dict[Point, Text] = Field(min_length=5, max_length=5, description="What each of 1 to 5 means.")


class Cap(Strict):
    """The most that a dimension can reach while one of its items is low."""

    item: Slug
    at_most: Point = Field(description="The cap holds where the item's score is this or lower.")
    cap: Point = Field(description="Highest score of the dimension then.")
    why: Text


class RubricDimension(Strict):
    """A dimension of justice."""

    question: Text
    items: dict[Slug, RubricEntry] = Field(min_length=1)
    caps: list[Cap] = Field(default_factory=list[Cap])

    @model_validator(mode="after")
    def check_caps(self) -> Self:
        """Caps name items of this dimension."""
        unknown = sorted({cap.item for cap in self.caps} - set(self.items))
        if unknown:
            raise ValueError(f"caps name {unknown}, which are no items; the items are {sorted(self.items)}")
        return self


class Rubric(Strict):
    """The rubric."""

    version: int = Field(ge=1, description="Raised whenever scores by the old and the new text may not be compared.")
    rounding: Literal["half_up"] = Field(description="How the mean of a dimension's items becomes a whole number.")
    dimensions: dict[Dimension, RubricDimension] = Field(min_length=3, max_length=3)


class RealismQuestion(Strict):
    """One thing that a person is asked about the simulated customer."""

    question: Text = Field(description="What the person is asked.")
    anchors: dict[Point, Text] = Field(min_length=5, max_length=5, description="What each of 1 to 5 means.")


class RealismQuestions(Strict):
    """What people are asked about the simulated customer."""

    version: int = Field(ge=1, description="Raised whenever questions are added, left out or worded anew.")
    questions: dict[Annotated[Slug, Field(pattern=r"^realism_[a-z_]+$")], RealismQuestion] = Field(min_length=1)
