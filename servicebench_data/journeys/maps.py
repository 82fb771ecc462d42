"""Journey maps as tables, and the texts of a map that the head learns from.

Belongs here: what a map says, as rows. Not here: reading the files (`servicebench_data/industries.py`) or learning from
the texts (`head.py`).
"""

import hashlib
import json

import pyarrow as pa

from schemas.industry import Category, Industry
from schemas.journeys import CategoryRow, StageRow
from servicebench_data.lake.arrow import from_records


def list_stages(industry: Industry) -> pa.Table:
    """Table `stage` of an industry, in the order of the journey."""
    rows = [
        StageRow(
            industry=industry.id, stage_id=stage.id, position=place, name=stage.name, description=stage.description
        )
        for place, stage in enumerate(industry.journey.stages, start=1)
    ]
    return from_records(StageRow, rows)


def list_categories(industry: Industry) -> pa.Table:
    """Table `category` of an industry, in the map's order."""
    stages = map_stages(industry)
    rows = [
        CategoryRow(
            industry=industry.id,
            category_id=category.id,
            stage_id=stages[category.id],
            position=place,
            name=category.name,
            definition=category.definition,
            includes=category.includes,
            excludes=[f"{entry.what} (use {entry.instead})" for entry in category.excludes],
            map_version=industry.journey.version,
        )
        for place, category in enumerate(industry.journey.categories, start=1)
    ]
    return from_records(CategoryRow, rows)


def map_stages(industry: Industry) -> dict[str, str]:
    """Stage of each category, in the map's order."""
    return {category.id: stage.id for stage in industry.journey.stages for category in stage.categories}


def list_phrases(category: Category) -> list[str]:
    """What the map says of a category besides the examples: name, definition, inclusions, failures, cues."""
    return [
        category.name,
        category.definition,
        *category.includes,
        *category.failures,
        *category.cues,
    ]


def digest_map(industry: Industry) -> str:
    """SHA-256 of everything in the map, so that an edit of it makes a new head."""
    content = json.dumps(industry.journey.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()
