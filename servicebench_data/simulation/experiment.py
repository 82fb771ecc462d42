"""Reads an experiment's file.

Belongs here: parsing, and errors in words. Not here: the form of the file (`schemas/experiment.py`), which
conversations come of it (`plan.py`), what else these depend on (`provenance.py`).
"""

import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import yaml
from pydantic import BaseModel, ValidationError

from schemas.experiment import AgentSpec, Experiment, Selection
from schemas.simulation import ExperimentRow
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.models.options import may_hold_key

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,80}")
#: In an address: a name before the host, or a query.
ROOM_FOR_KEY = re.compile(r"//[^/]*@|\?")
MOST_PROBLEMS = 8
#: Most known names that a message lists where none is near.
MOST_KNOWN = 16

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
        entries = cast("list[dict[str, Any]]", error.errors(include_url=False))
        raise refuse(path, [describe_problem(entry) for entry in entries if not is_of_other_form(entry)]) from error
    if problems := [*find_unknown(spec.scenarios), *find_keys(spec)]:
        raise refuse(path, problems)
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


def refuse(path: Path, problems: Sequence[str]) -> ExperimentError:
    """The error of a file with problems."""
    listed = "; ".join(problems[:MOST_PROBLEMS])
    return ExperimentError(f"experiment {str(path)!r}: {listed}. Mend the file and run it again.")


def is_of_other_form(entry: Mapping[str, Any]) -> bool:
    """Whether a problem is that a value does not have the other form that it may have: a list is no name."""
    is_form = is_form_name(entry["loc"][-1] if entry["loc"] else "")
    return is_form and entry["type"] == ("literal_error" if isinstance(entry["input"], list) else "list_type")


def is_form_name(part: int | str) -> bool:
    """Whether a part of a place names one of the forms that a value may have, and no key."""
    return isinstance(part, str) and part.startswith(("list[", "literal["))


def describe_problem(entry: Mapping[str, Any]) -> str:
    """One problem in words: where, what, and for an unknown key or value the nearest known one."""
    place: Place = entry["loc"]
    where = ".".join(str(part) for part in place if not is_form_name(part)) or "the file"
    if entry["type"] == "extra_forbidden":
        return f"unknown key `{where}`; {suggest(str(place[-1]), list_keys(Experiment, place[:-1]))}"
    if entry["type"] == "literal_error" and isinstance(entry["input"], str):
        known = re.findall("'([^']+)'", entry["ctx"]["expected"])
        return f"`{where}`: unknown value {entry['input']!r}; {suggest(entry['input'], known)}"
    return f"`{where}`: {entry['msg'].removeprefix('Value error, ')}"


def suggest(given: str, known: Sequence[str]) -> str:
    """The nearest of what is known, or what there is where nothing is near."""
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean `{near[0]}`?"
    more = f" and {len(known) - MOST_KNOWN} more" if len(known) > MOST_KNOWN else ""
    return f"known are {', '.join(f'`{name}`' for name in known[:MOST_KNOWN])}{more}"


def find_unknown(selection: Selection) -> Iterator[str]:
    """What a selection names that no journey map knows, in words; a category must be one of an industry it names."""
    industries = [name for name in list_industries() if name in selection.industries] or list_industries()
    maps = [load_industry(name).journey for name in industries] if selection.categories else []
    named: dict[str, tuple[Sequence[str], Sequence[str]]] = {
        "industries": (selection.industries, list_industries()),
        "categories": (selection.categories, sorted({category.id for entry in maps for category in entry.categories})),
    }
    for key, (given, known) in named.items():
        for place, name in enumerate(given):
            if name not in known:
                yield f"`scenarios.{key}.{place}`: unknown value {name!r}; {suggest(name, known)}"


def find_keys(spec: Experiment) -> Iterator[str]:
    """Where a file may hold a key, in words: what it says is published."""
    for place, agent in enumerate(spec.agents):
        if ROOM_FOR_KEY.search(agent.api_base or ""):
            yield f"`agents.{place}.api_base` has room for a key, and is published; set ENDPOINT_API_KEY instead"
        for name, value in agent.parameters.items():
            if may_hold_key(name, value):
                yield f"`agents.{place}.parameters.{name}` may be a key, and is published; set it in the environment"


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
    """The experiment's row."""
    return ExperimentRow(
        experiment_id=loaded.experiment_id,
        experiment_sha256=loaded.sha256,
        title=loaded.spec.title,
        definition=loaded.definition,
        seed=loaded.spec.seed,
    )
