"""Experiments' files in a home: where they lie, taking one in, and finding them again.

Belongs here: the folder and what is copied into it. Not here: what a file says (`experiment.py`).
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from schemas.simulation import Conversation
from servicebench_data.lake.store import Lake, digest_file, digest_json, write_atomically
from servicebench_data.simulation.experiment import ExperimentError, LoadedExperiment, load_experiment

#: File of the folder that says where the others came from.
ORIGINS = "origins.json"


def locate_experiments(lake: Lake) -> Path:
    """Folder of the home's experiments; a file that is put there is taken up like one that is run by hand."""
    return lake.home / "experiments"


def list_experiments(lake: Lake) -> dict[str, Path]:
    """The home's experiment files by name, sorted."""
    return {path.stem: path for path in sorted(locate_experiments(lake).glob("*.yaml"))}


def find_experiment(lake: Lake, name: str) -> LoadedExperiment:
    """An experiment of the home.

    Raises:
        ExperimentError: There is none, or its file is not as it must be.
    """
    known = list_experiments(lake)
    if name not in known:
        raise ExperimentError(
            f"the home has no experiment {name!r}; run `servicebench run FILE`, or put {name}.yaml into "
            f"{str(locate_experiments(lake))!r}."
        )
    return load_experiment(known[name])


def register_experiment(
    lake: Lake, path: Path, *, may_replace: bool = False, tell: Callable[[str], None] | None = None
) -> LoadedExperiment:
    """Check an experiment's file and copy it, with the prompts and modules that it names, into the home.

    What was copied from the same place before is an earlier version of it. A file of its name from another place is
    another one, and stays where something may have been played from it.

    Args:
        lake: The home's lake.
        path: The file.
        may_replace: Whether it takes the place of another one all the same.
        tell: Told in words of each other file whose place is taken.

    Raises:
        ExperimentError: It is not as it must be, or would take the place of another file that was played from.
    """
    loaded = load_experiment(path)
    folder = locate_experiments(lake)
    if path.resolve().parent == folder.resolve():
        return loaded
    files = {**dict(list_companions(loaded)), path.name: path}
    origins = read_origins(folder)
    others = [name for name, source in files.items() if is_other(folder, name, source, origins)]
    is_played = lake.find(Conversation, loaded.experiment_id) is not None
    kept = [name for name in others if (name != path.name or is_played) and not may_replace]
    if kept:
        raise ExperimentError(
            f"the home has another {kept[0]!r}, from {tell_origin(folder, kept[0], origins)}, and conversations may "
            "rest on it; give yours another name, or run it with --replace, which puts it in that one's place."
        )
    for name in others:
        if tell:
            tell(f"{str(files[name])!r} replaces the home's {name!r}, from {tell_origin(folder, name, origins)}.")
    copy_files(folder, files)
    return load_experiment(folder / path.name)


def is_other(folder: Path, name: str, source: Path, origins: Mapping[str, str]) -> bool:
    """Whether the home has a file of a name, with another text, that did not come from the same place."""
    target = folder / name
    if not target.exists() or digest_file(target) == digest_file(source):
        return False
    return origins.get(name) != describe_origin(folder, source)


def describe_origin(folder: Path, source: Path) -> str:
    """Where a file comes from, seen from the home, so that both can be moved together."""
    return os.path.relpath(source.resolve(), folder.resolve())


def tell_origin(folder: Path, name: str, origins: Mapping[str, str]) -> str:
    """Where a file of the home came from, for a person."""
    return repr(str((folder / origins[name]).resolve())) if name in origins else "a place that is not known"


def read_origins(folder: Path) -> dict[str, str]:
    """Where the home's files came from, by name; none for those that were put there by hand."""
    path = folder / ORIGINS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def copy_files(folder: Path, files: Mapping[str, Path]) -> None:
    """Copy files into the home by their names there, and write down where they came from."""
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)
    new = {name: describe_origin(folder, source) for name, source in files.items()}
    write_atomically(folder / ORIGINS, json.dumps({**read_origins(folder), **new}, indent=2, sort_keys=True))


def list_companions(loaded: LoadedExperiment) -> Iterator[tuple[str, Path]]:
    """Prompts that an experiment brings along, and modules of functions that lie beside it, by their paths from it."""
    for agent in loaded.spec.agents:
        source = loaded.find_prompt(agent)
        if source is not None and agent.system_prompt is not None:
            yield agent.system_prompt, source
        if agent.callable is not None:
            name = f"{agent.callable.partition(':')[0].replace('.', '/')}.py"
            if (loaded.folder / name).is_file():
                yield name, loaded.folder / name


def digest_experiment(loaded: LoadedExperiment) -> str:
    """Digest of what an experiment's file says and of what it brings along."""
    return digest_json([loaded.sha256, sorted((name, digest_file(path)) for name, path in list_companions(loaded))])


def digest_playing(loaded: LoadedExperiment) -> str:
    """Digest of what conversations are played by: all of it but for the title and what is judged by whom."""
    spec = loaded.spec.model_copy(update={"title": "", "judges": [], "padding_test": 0})
    return digest_experiment(replace(loaded, spec=spec))
