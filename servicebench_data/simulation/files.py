"""Experiments' files in a home: where they lie, taking one in, and finding them again.

Belongs here: the folder and what is copied into it. Not here: what a file says (`experiment.py`).
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from servicebench_data.lake.store import Lake, digest_file, digest_json
from servicebench_data.simulation.experiment import ExperimentError, LoadedExperiment, load_experiment


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


def register_experiment(lake: Lake, path: Path) -> LoadedExperiment:
    """Check an experiment's file and copy it, with the prompts and modules that it names, into the home.

    Raises:
        ExperimentError: It is not as it must be, or another experiment's file has the same name.
    """
    loaded = load_experiment(path)
    folder = locate_experiments(lake)
    if path.resolve().parent == folder.resolve():
        return loaded
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in list_companions(loaded):
        copy_companion(source, folder / name)
    shutil.copyfile(path, folder / path.name)
    return load_experiment(folder / path.name)


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


def copy_companion(source: Path, target: Path) -> None:
    """Copy a file; one of the same name and another text stays.

    Raises:
        ExperimentError: There is another one.
    """
    if target.exists() and digest_file(target) != digest_file(source):
        raise ExperimentError(
            f"the home has another file {target.name!r}, which an experiment may use; give yours another name, or "
            f"remove {str(target)!r}."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def digest_experiment(loaded: LoadedExperiment) -> str:
    """Digest of what an experiment's file says and of what it brings along."""
    return digest_json([loaded.sha256, sorted((name, digest_file(path)) for name, path in list_companions(loaded))])


def digest_playing(loaded: LoadedExperiment) -> str:
    """Digest of what conversations are played by: all of it but for the title and what is judged by whom."""
    spec = loaded.spec.model_copy(update={"title": "", "judges": [], "padding_test": 0})
    return digest_experiment(replace(loaded, spec=spec))
