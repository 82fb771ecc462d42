"""What decides a model's answers beside the items: which models are asked for which task, and how.

Belongs here: that description, which goes into the key under which a step's result is reused. Not here: asking.
"""

from collections.abc import Sequence

from servicebench_data.models.endpoints import find_endpoint
from servicebench_data.models.options import ModelOptions
from servicebench_data.settings import Settings

_ASKED_BY = ("model_max_tries", "model_temperature", "model_max_output_tokens", "model_parameters")


def describe_asking(settings: Settings, tasks: Sequence[str]) -> dict[str, object] | None:
    """Models of each task and how they are asked; None where no model is set.

    Raises:
        OptionsError: A model cannot be asked as it is named.
    """
    if not settings.model:
        return None
    options = ModelOptions.from_settings(settings)
    asked = {task: [(name, find_endpoint(name).identity) for name in options.list_models(task)] for task in tasks}
    return {"asked": asked, **{name: getattr(settings, name) for name in _ASKED_BY}}
