"""Reads an experiment's file, and says what its results depend on.

Belongs here: parsing, errors in words, digests and versions. Not here: the form of the file (`schemas/experiment.py`),
which conversations come of it (`plan.py`).
"""

import difflib
import hashlib
import json
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast, get_args

import yaml
from pydantic import BaseModel, ValidationError

import servicebench_data
from schemas.experiment import AgentSpec, Experiment
from schemas.simulation import ExperimentRow
from servicebench_data.lake.store import digest_folders
from servicebench_data.models.prompts import FRONT
from servicebench_data.simulation.chance import digest

PACKAGE = Path(servicebench_data.__file__).parent
GROUPS = ("simulation", "judging")
LIBRARIES = ("servicebench", "pydantic", "litellm", "jinja2", "duckdb", "pyarrow")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,80}")
MOST_PROBLEMS = 8

Place = Sequence[int | str]


class ExperimentError(ValueError):
    """A file that is no experiment; the message names file, place and remedy."""


@dataclass(frozen=True)
class LoadedExperiment:
    """An experiment with its name.

    Attributes:
        experiment_id: Name of its file without the ending.
        spec: What the file says, defaults filled in.
        folder: Folder of the file; prompt files are found from there.
    """

    experiment_id: str
    spec: Experiment
    folder: Path

    @property
    def definition(self) -> str:
        """What the file says as canonical JSON, defaults filled in."""
        return json.dumps(self.spec.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)

    @property
    def sha256(self) -> str:
        """Digest of the definition; the file's name is no part of it."""
        return hashlib.sha256(self.definition.encode()).hexdigest()

    def find_prompt(self, agent: AgentSpec) -> Path | None:
        """The prompt file that an agent brings along.

        Raises:
            ExperimentError: There is none.
        """
        if agent.system_prompt is None:
            return None
        path = self.folder / agent.system_prompt
        is_within = path.resolve().is_relative_to(self.folder.resolve())
        if not is_within or not path.is_file():
            raise ExperimentError(
                f"experiment {self.experiment_id!r}: agent {agent.name!r} names the prompt file "
                f"{agent.system_prompt!r}, which is no file in {str(self.folder)!r}; put it there and write its path "
                "from there."
            )
        return path


def load_experiment(path: Path) -> LoadedExperiment:
    """Read an experiment's file.

    Raises:
        ExperimentError: It is missing, is no YAML, or does not hold what it must.
    """
    if not NAME.fullmatch(path.stem):
        raise ExperimentError(
            f"the file {path.name!r} names its experiment {path.stem!r}; use lower-case letters, digits, `-` and `_`."
        )
    content = read_yaml(path)
    try:
        spec = Experiment.model_validate(content)
    except ValidationError as error:
        problems = [describe_problem(cast("dict[str, Any]", entry)) for entry in error.errors(include_url=False)]
        listed = "; ".join(problems[:MOST_PROBLEMS])
        raise ExperimentError(f"experiment {str(path)!r}: {listed}. Mend the file and run it again.") from error
    loaded = LoadedExperiment(path.stem, spec, path.parent)
    for agent in spec.agents:
        loaded.find_prompt(agent)
    return loaded


def read_yaml(path: Path) -> object:
    """What a YAML file holds.

    Raises:
        ExperimentError: It cannot be read.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except FileNotFoundError:
        raise ExperimentError(f"there is no experiment {str(path)!r}; name an existing YAML file.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ExperimentError(f"experiment {str(path)!r} is not valid YAML: {error}. Mend it there.") from error


def describe_problem(entry: dict[str, Any]) -> str:
    """One problem in words: where, what, and for an unknown key the nearest known one."""
    place: Place = entry["loc"]
    where = ".".join(str(part) for part in place) or "the file"
    if entry["type"] != "extra_forbidden":
        return f"`{where}`: {entry['msg'].removeprefix('Value error, ')}"
    known = list_keys(Experiment, place[:-1])
    near = difflib.get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(f'`{name}`' for name in known)}"
    return f"unknown key `{where}`; {hint}"


def list_keys(model: type[BaseModel], place: Place) -> list[str]:
    """Keys that are known at a place of the file."""
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = next(find_models(model.model_fields[part].annotation), model)
    return list(model.model_fields)


def find_models(annotation: object) -> Iterator[type[BaseModel]]:
    """Records that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from find_models(part)


def describe_experiment(loaded: LoadedExperiment) -> ExperimentRow:
    """The experiment's row: what the file says, and all else that its results depend on."""
    return ExperimentRow(
        experiment_id=loaded.experiment_id,
        experiment_sha256=loaded.sha256,
        title=loaded.spec.title,
        definition=loaded.definition,
        prompts_sha256=json.dumps(digest_prompts(loaded), sort_keys=True),
        constants_sha256=digest_constants(),
        versions=json.dumps(list_versions(), sort_keys=True),
        seed=loaded.spec.seed,
    )


def digest_prompts(loaded: LoadedExperiment) -> dict[str, str]:
    """Digest of each prompt file by its name: the bundled ones, and those that the experiment brings along."""
    bundled = {
        path.relative_to(PACKAGE).as_posix(): path for group in GROUPS for path in (PACKAGE / group).rglob("*.md")
    }
    own = {agent.system_prompt or "": loaded.find_prompt(agent) for agent in loaded.spec.agents}
    texts = {name: path.read_text(encoding="utf-8") for name, path in sorted(bundled.items())}
    prompts = {name: text for name, text in texts.items() if FRONT.match(text)}
    prompts.update((name, path.read_text(encoding="utf-8")) for name, path in sorted(own.items()) if path)
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in prompts.items()}


def digest_constants() -> str:
    """Digest of the simulator's data files: patience, phrases, tables of worth."""
    files = sorted((PACKAGE / "simulation").rglob("*.yaml"))
    return digest([(path.name, path.read_text(encoding="utf-8")) for path in files])


def list_versions() -> dict[str, str]:
    """Versions of the libraries, and a digest of the code that plays."""
    found = {name: find_version(name) for name in LIBRARIES}
    code = digest_folders(*(PACKAGE / group for group in GROUPS))
    return {"python": platform.python_version(), **found, "rules": code[:12]}


def find_version(library: str) -> str:
    """Version of a library; `none` where it is not installed."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"
