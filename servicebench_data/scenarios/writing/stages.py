"""The five tasks in their order, and running them over the dialogues of an industry.

Belongs here: order, what is still worth a call, and the version of all prompts. Not here: any one task.
"""

from collections.abc import Callable, Sequence
from typing import Any

from servicebench_data.journeys.settling import TASK as CATEGORY_TASK
from servicebench_data.lake.store import digest_json
from servicebench_data.models.asking import describe_asking
from servicebench_data.models.options import ModelOptions, OptionsError
from servicebench_data.models.task import Door, Outcome, Progress
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source
from servicebench_data.scenarios.writing.background import BACKGROUND
from servicebench_data.scenarios.writing.case_record import CASE_RECORD
from servicebench_data.scenarios.writing.drafts import Draft, begin, finish, note_omissions, take_answer, take_failure
from servicebench_data.scenarios.writing.events import EVENTS
from servicebench_data.scenarios.writing.expectation import EXPECTATION
from servicebench_data.scenarios.writing.severity import SEVERITY
from servicebench_data.scenarios.writing.stage import Stage
from servicebench_data.settings import Settings

#: Each leans on those before it: severity on the events alone, the expectation on both.
STAGES: tuple[Stage[Any], ...] = (EVENTS, SEVERITY, BACKGROUND, EXPECTATION, CASE_RECORD)
#: Changes whenever what is checked or made of an answer changes; the prompts bring their own digests.
CHECKS_VERSION = 5
#: Tasks of other groups that the same settings name.
OTHER_TASKS = (CATEGORY_TASK,)


def name_version() -> str:
    """Version of prompts and checks, as scenarios carry it."""
    digests = [(stage.task.name, stage.task.prompt.digest) for stage in STAGES]
    return f"prompts-{CHECKS_VERSION}-{digest_json(digests)[:12]}"


def describe_writing(settings: Settings) -> dict[str, object] | None:
    """What decides the scenarios beside the dialogues: the model and how it is asked; None where rules make them.

    Raises:
        OptionsError: The model cannot be asked as it is named, or a task is named that does not exist.
    """
    names = [stage.task.name for stage in STAGES]
    asking = describe_asking(settings, names)
    if asking is None:
        return None
    unknown = sorted(set(ModelOptions.from_settings(settings).task_models) - {*names, *OTHER_TASKS})
    if unknown:
        known = ", ".join([*OTHER_TASKS, *names])
        raise OptionsError(f"setting 'model_tasks' names task {unknown[0]!r}; the tasks are {known}.")
    return {"version": name_version(), **asking}


def write_parts(
    sources: Sequence[Source],
    knowledge: Knowledge,
    chance: Chance,
    doorway: Door,
    progress: Callable[[str], Progress] | None = None,
) -> list[Parts]:
    """All parts of many dialogues, in their order, written by a model task by task.

    Args:
        sources: The dialogues.
        knowledge: Their industry.
        chance: Seed and rate of the stale fields.
        doorway: Asks the model.
        progress: Gives the callback that follows a task, by the task's name.
    """
    drafts = [begin(source, knowledge, chance) for source in sources]
    for stage in STAGES:
        drafts = run_stage(stage, drafts, doorway, progress(stage.task.name) if progress else None)
    version = name_version()
    return [finish(draft, version) for draft in drafts]


def run_stage(
    stage: Stage[Any], drafts: Sequence[Draft], doorway: Door, progress: Progress | None = None
) -> list[Draft]:
    """The drafts after one task, run over all that are still worth a call."""
    places = [place for place, draft in enumerate(drafts) if draft.is_open]
    if not places:
        return list(drafts)
    outcomes = doorway.run(stage.task, [stage.make_item(drafts[place]) for place in places], progress)
    done = list(drafts)
    for place, outcome in zip(places, outcomes, strict=True):
        done[place] = take_outcome(stage, drafts[place], outcome)
    return done


def take_outcome(stage: Stage[Any], draft: Draft, outcome: Outcome[Any]) -> Draft:
    """The draft after one task."""
    if outcome.answer is None:
        return take_failure(draft, stage.task.name, outcome)
    parts = stage.add(draft, outcome.answer, outcome.model)
    return take_answer(note_omissions(draft, stage.task.name, outcome), parts, outcome, stage.settle(parts))
