"""What an experiment's conversations depend on beside its file, as it stands when they are held.

Belongs here: digests, versions, and the row that is written with the conversations. Not here: what the file says
(`experiment.py`).
"""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from schemas.simulation import Playing
from servicebench_data.lake.store import digest_file, digest_folders
from servicebench_data.models.endpoints import Endpoint, find_endpoint
from servicebench_data.simulation.casting import list_targets
from servicebench_data.simulation.chance import digest
from servicebench_data.simulation.experiment import LoadedExperiment
from servicebench_data.simulation.files import digest_playing

FOLDER = Path(__file__).parent
LIBRARIES = ("servicebench-data", "pydantic", "litellm", "jinja2", "duckdb", "pyarrow")


def describe_playing(loaded: LoadedExperiment, turn_cap: int, settings: Mapping[str, Any]) -> Playing:
    """The row of an experiment whose conversations were just held.

    Args:
        loaded: The experiment.
        turn_cap: The cap that was in force at the end.
        settings: Settings that decide how models are asked; see `casting.pick_decisive`.
    """
    endpoints = [find_endpoint(*target) for target in list_targets(loaded.spec)]
    return Playing(
        experiment_id=loaded.experiment_id,
        played_sha256=digest_playing(loaded),
        turn_cap=turn_cap,
        settings=write_json(settings if endpoints else {}),
        endpoints=write_json([[endpoint.model, tell_place(endpoint)] for endpoint in endpoints]),
        prompts_sha256=write_json(digest_prompts(loaded)),
        constants_sha256=digest_constants(),
        versions=write_json(list_versions()),
    )


def write_json(value: object) -> str:
    """A value as JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def tell_place(endpoint: Endpoint) -> str:
    """Where a model is asked; of an address that is no provider's own the digest, which names no machine."""
    if endpoint.is_default or endpoint.road == "local":
        return endpoint.identity
    return f"sha256:{hashlib.sha256(endpoint.identity.encode()).hexdigest()}"


def digest_prompts(loaded: LoadedExperiment) -> dict[str, str]:
    """Digest of each prompt file by its name: the bundled ones, and those that the experiment brings along."""
    bundled = {path.relative_to(FOLDER.parent).as_posix(): path for path in FOLDER.rglob("*.md") if path.stem.islower()}
    own = {agent.system_prompt or "": loaded.find_prompt(agent) for agent in loaded.spec.agents}
    return {name: digest_file(path) for name, path in [*bundled.items(), *own.items()] if path}


def digest_constants() -> str:
    """Digest of the simulator's data files: patience, phrases, tables of worth."""
    return digest([(path.name, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.rglob("*.yaml"))])


def list_versions() -> dict[str, str]:
    """Versions of the libraries, and a digest of the code that plays."""
    found = {name: find_version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), **found, "rules": digest_folders(FOLDER)[:12]}


def find_version(library: str) -> str:
    """Version of a library; `none` where it is not installed."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"
