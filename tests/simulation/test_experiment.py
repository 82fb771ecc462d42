"""Reading experiment files: what is refused and in which words, and what the digest depends on."""

import json
from pathlib import Path
from typing import Any

import pytest

from servicebench_data.simulation.experiment import (
    ExperimentError,
    describe_experiment,
    digest_prompts,
    load_experiment,
)
from tests.simulation.stage import write_yaml

SMALL: dict[str, Any] = {"title": "A try.", "agents": [{"name": "just", "script": "just"}]}


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    loaded = load_experiment(write_yaml(tmp_path / "first-try.yaml", SMALL))
    assert loaded.experiment_id == "first-try"
    assert (loaded.spec.turn_cap, loaded.spec.customers[0].name, loaded.spec.disclosure) == (
        20,
        "rules",
        ["progressive"],
    )


def test_the_digest_is_of_what_the_file_says_not_of_how_or_where(tmp_path: Path) -> None:
    one = load_experiment(write_yaml(tmp_path / "one.yaml", SMALL))
    said = load_experiment(write_yaml(tmp_path / "two.yaml", {**SMALL, "turn_cap": 20, "styles": "all"}))
    other = load_experiment(write_yaml(tmp_path / "three.yaml", {**SMALL, "turn_cap": 21}))
    assert one.sha256 == said.sha256 != other.sha256


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({**SMALL, "turncap": 3}, "unknown key `turncap`; did you mean `turn_cap`?"),
        ({**SMALL, "agents": [{"name": "a", "modle": "x"}]}, "unknown key `agents.0.modle`; did you mean `model`?"),
        ({**SMALL, "scenarios": {"limits": 3}}, "unknown key `scenarios.limits`; did you mean `limit`?"),
        ({**SMALL, "judges": [{"zzzz": 1}]}, "unknown key `judges.0.zzzz`; known are `name`, `model`"),
        ({**SMALL, "customers": [{"name": "a", "max_token": 9}]}, "did you mean `max_tokens`?"),
        ({**SMALL, "agents": [{"name": "a"}]}, "`agents.0`: agent 'a' needs exactly one of `script`"),
        ({**SMALL, "agents": []}, "`agents`: List should have at least 1 item"),
        ({**SMALL, "styles": "some"}, "`styles"),
        ({**SMALL, "agents": [*SMALL["agents"], *SMALL["agents"]]}, "repeated: ['just']"),
        ({"agents": SMALL["agents"]}, "`title`: Field required"),
        ([1], "`the file`: Input should be a valid dictionary"),
    ],
)
def test_what_is_wrong_is_said_with_place_and_remedy(tmp_path: Path, content: Any, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ExperimentError) as caught:
        load_experiment(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith("Mend the file and run it again.")


def test_what_is_no_file_no_yaml_and_no_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="there is no experiment"):
        load_experiment(tmp_path / "none.yaml")
    path = tmp_path / "broken.yaml"
    path.write_text("agents: [", encoding="utf-8")
    with pytest.raises(ExperimentError, match="not valid YAML"):
        load_experiment(path)
    with pytest.raises(ExperimentError, match="lower-case letters"):
        load_experiment(write_yaml(tmp_path / "My Experiment.yaml", SMALL))


def test_a_prompt_that_an_agent_brings_along_is_found_and_enters_the_record(tmp_path: Path) -> None:
    content = {**SMALL, "agents": [{"name": "ours", "model": "openai/x", "system_prompt": "ours.md"}]}
    path = write_yaml(tmp_path / "own.yaml", content)
    with pytest.raises(ExperimentError, match=r"ours\.md"):
        load_experiment(path)
    (tmp_path / "ours.md").write_text("Be kind.", encoding="utf-8")
    before = digest_prompts(load_experiment(path))
    (tmp_path / "ours.md").write_text("Be brief.", encoding="utf-8")
    after = digest_prompts(load_experiment(path))
    assert before["ours.md"] != after["ours.md"]


def test_the_row_says_what_results_depend_on(tmp_path: Path) -> None:
    row = describe_experiment(load_experiment(write_yaml(tmp_path / "one.yaml", SMALL)))
    assert json.loads(row.definition)["turn_cap"] == 20
    assert {"python", "litellm", "rules"} <= set(json.loads(row.versions))
    assert row.experiment_id == "one"
