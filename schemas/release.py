"""Records of the release group: what a published build is made of.

Belongs here: the build and its steps. Not here: views, which are SQL files beside the code that publishes them.
"""

from datetime import datetime
from typing import ClassVar

from pydantic import Field

from schemas.records import Count, Digest, Id, Record, Table


class Build(Record):
    """One row per build that this file holds: exactly one."""

    table: ClassVar = Table("build", "release", ("build_id",), is_partitioned=False)

    build_id: Id = Field(description="Id of the build: its time and the first digits of its content digest.")
    built_at: datetime = Field(description="When it was published, UTC.")
    source: Id = Field(description="`sample` for the bundled fictional posts, `posts` for registered real ones.")
    config_json: str = Field(description="The resolved settings as JSON, without secrets.")
    config_sha256: Digest = Field(description="SHA-256 of that JSON.")
    input_sha256s: list[str] = Field(description="SHA-256 of each input file.")
    content_sha256: Digest = Field(description="SHA-256 over the released scenarios' content hashes and all tables.")
    made_by: Id = Field(description="`offline`, or the model that wrote the scenarios.")
    license: Id = Field(description="Licence that applies to the scenarios.")
    product_version: Id = Field(description="Version of this product.")
    python_version: Id = Field(description="Version of Python.")
    duckdb_version: Id = Field(description="Version of DuckDB that wrote the file.")
    library_versions: list[str] = Field(description="name==version of each library that can change a result.")


class BuildStep(Record):
    """One row per table and industry of the build: what went in, what came out, what failed and why."""

    table: ClassVar = Table("build_step", "release", ("step", "industry", "outcome"), is_partitioned=False)

    position: Count = Field(description="Place of the step in the pipeline, from 0.")
    step: Id = Field(description="Step: posts, dialogues, screening, coding, release_grade, candidates, scenarios.")
    industry: Id = Field(description="Industry, or `all` where the step comes before industries are told apart.")
    outcome: Id = Field(description="`made`, or the reason for which rows left the pipeline here.")
    row_count: Count = Field(description="Rows with that outcome; over the outcomes they sum to the rows that came in.")
