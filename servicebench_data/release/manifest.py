"""What a build says about itself.

Belongs here: filling the `Build` record. Not here: writing it.
"""

import json
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from schemas.release import Build
from servicebench_data.lake.store import digest_json

LIBRARIES = (
    "bertopic", "duckdb", "ftfy", "hdbscan", "jinja2", "litellm", "numpy", "pandas", "pyarrow", "pydantic",
    "scikit-learn", "sentence-transformers", "torch", "transformers", "umap-learn",
)  # fmt: skip
LICENSES = {
    "sample": "Apache-2.0 (fictional posts, written for this product)",
    "posts": "CC BY-NC-SA 4.0 where the posts come from Customer Support on Twitter; else that of your posts",
}


def describe_build(
    config: dict[str, Any], inputs: Iterable[str], scenarios: Iterable[str], *, tables: Iterable[str], made_by: str
) -> Build:
    """The build's record.

    Args:
        config: Resolved settings without secrets; its `source` decides the licence.
        inputs: SHA-256 of each input file.
        scenarios: Content hashes of the released scenarios, in order.
        tables: SHA-256 of each table's file, in order.
        made_by: `offline`, or the model's name.
    """
    at = datetime.now(UTC)
    inputs, scenarios, tables = sorted(inputs), list(scenarios), list(tables)
    digest = digest_json([config, inputs, tables])
    return Build(
        build_id=name_build(at, digest),
        built_at=at,
        source=config["source"],
        config_json=canonical(config),
        config_sha256=digest_json(config),
        input_sha256s=inputs,
        content_sha256=digest_json([scenarios, tables]),
        made_by=made_by,
        license=LICENSES[config["source"]],
        product_version=version("servicebench-data"),
        python_version=platform.python_version(),
        duckdb_version=version("duckdb"),
        library_versions=[f"{name}=={version(name)}" for name in LIBRARIES],
    )


def name_build(at: datetime, digest: str) -> str:
    """Id of a build: sorts by time, and tells builds of one second apart."""
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%S}-{digest[:8]}"


def canonical(config: dict[str, Any]) -> str:
    """Settings as JSON that is the same for equal settings."""
    return json.dumps(config, sort_keys=True)
