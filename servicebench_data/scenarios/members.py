"""The valid candidates as duplicates, draw and diversity see them: whose they are, and what they tell without values.

Belongs here: reading them, and taking out of a text what only tells one case from another of the same plot. Not here:
what follows from two texts being alike.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from servicebench_data.embeddings import prepare_text
from servicebench_data.industries import list_brand_words, load_industry
from servicebench_data.journeys.arrays import Embedder, Vectors

QUERY = (Path(__file__).parent / "members.sql").read_text(encoding="utf-8")
_NUMBER = re.compile(r"\d\S*")


@dataclass(frozen=True, slots=True)
class Member:
    """A valid candidate.

    Attributes:
        scenario_id: The scenario.
        industry: Its industry.
        category_id: Its category.
        fact_count: Facts of its customer.
        customer_id: Digest of its customer.
        customer_text: The customer's side of its dialogue.
        told: Opening and told background without brands, values and numbers; empty where no word is left.
    """

    scenario_id: str
    industry: str
    category_id: str
    fact_count: int
    customer_id: str
    customer_text: str
    told: str

    @property
    def cell(self) -> tuple[str, str]:
        """Industry and category."""
        return self.industry, self.category_id


def list_members(connection: duckdb.DuckDBPyConnection) -> list[Member]:
    """Valid candidates in the order of their ids.

    Args:
        connection: A database with the views that `members.sql` names.

    Raises:
        ValueError: A candidate's dialogue is not there.
    """
    rows = connection.execute(QUERY).fetchall()
    missing = [row[0] for row in rows if row[4] is None]
    if missing:
        raise ValueError(
            f"scenario {missing[0]!r} has no dialogue; build candidates and dialogues from the same posts."
        )
    brands = find_brands({row[1] for row in rows})
    return [make_member(row, brands[row[1]]) for row in rows]


def make_member(row: tuple[Any, ...], brands: Sequence[str]) -> Member:
    """The member of a row of `members.sql`."""
    *known, text, values = row
    return Member(*known, told=tell_plainly(text, values, brands))


def find_brands(industries: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Brand words by industry."""
    return {name: list_brand_words(load_industry(name)) for name in industries}


def tell_plainly(text: str, values: Iterable[str], brands: Sequence[str]) -> str:
    """A text without brands, the given values and numbers: what is left is the same for two cases of one plot."""
    for value in sorted(values, key=lambda value: (-len(value), value)):
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", text)
    plain = " ".join(_NUMBER.sub(" ", prepare_text(text, brands)).split())
    return plain if any(letter.isalpha() for letter in plain) else ""


def embed_members(members: Sequence[Member], embedder: Embedder) -> Vectors:
    """A unit vector of what each member tells; zeros where no word is left."""
    filled = [place for place, member in enumerate(members) if member.told]
    found = embedder([members[place].told for place in filled]) if filled else np.zeros((0, 1), dtype=np.float32)
    vectors = np.zeros((len(members), found.shape[1]), dtype=np.float32)
    vectors[filled] = found
    return vectors
