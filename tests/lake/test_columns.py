"""The one reading of a record's fields: what a table can hold is read whole, anything else is refused."""

from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field

from schemas.records import Count, Digest, Id, Record, Share, Table
from servicebench_data.lake.columns import read_columns


def test_bounds_lengths_and_patterns_are_read_through_annotations() -> None:
    class Sample(Record):
        table: ClassVar = Table("sample", "release", ("a",))
        a: Id = Field(description="An id.")
        b: Share | None = Field(description="A share.")
        c: list[Literal["x", "y"]] = Field(min_length=1, max_length=3, description="A list.")
        d: float = Field(gt=0, le=1, description="Open below.")
        e: Digest = Field(description="A digest.")

    a, b, c, d, e = read_columns(Sample)
    assert (a.type, a.min_length, a.max_length, a.is_nullable, a.is_list) == (str, 1, 200, False, False)
    assert (b.type, b.lower, b.upper, b.is_nullable, b.is_lower_open) == (float, 0, 1, True, False)
    assert (c.is_list, c.choices, c.min_length, c.max_length) == (True, ("x", "y"), 1, 3)
    assert (d.lower, d.is_lower_open, d.upper) == (0, True, 1)
    assert e.pattern == r"^[0-9a-f]{64}$"


class Inner(BaseModel):
    """A type that no table column can hold."""


@pytest.mark.parametrize(
    "annotation",
    [
        int | str,
        int | str | None,
        dict[str, int],
        list[list[str]],
        Inner,
        list[Id],
        list[str | None],
        Literal[1, 2],
        Literal["a", 1],
        tuple[str, str],
        Annotated[int, Field(lt=3)],
        Annotated[int, Field(multiple_of=2)],
        Annotated[Count, Field(ge=1)],
    ],
    ids=str,
)
def test_what_a_table_cannot_hold_is_refused_with_the_fields_name(annotation: object) -> None:
    odd = type(
        "Odd",
        (Record,),
        {"__annotations__": {"field": annotation}, "field": Field(description="Odd."), "__module__": __name__},
    )
    with pytest.raises(TypeError, match=r"Odd\.field"):
        read_columns(odd)


def test_a_field_without_description_is_refused() -> None:
    class Bare(Record):
        table: ClassVar = Table("bare", "release", ("a",))
        a: str

    with pytest.raises(TypeError, match=r"Bare\.a has no description"):
        read_columns(Bare)
