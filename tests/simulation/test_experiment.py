"""Reading experiment files: what is refused and in which words, and what the digest depends on."""

import json
from pathlib import Path
from typing import Any

import pytest

from servicebench_data.industries import load_industry
from servicebench_data.simulation.experiment import ExperimentError, describe_experiment, load_experiment
from servicebench_data.simulation.provenance import describe_playing, digest_prompts
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
        ({**SMALL, "agents": [{"name": "a", "script": "jusst"}]}, "unknown value 'jusst'; did you mean `just`?"),
        (
            {**SMALL, "styles": ["passive_wram"]},
            "`styles.0`: unknown value 'passive_wram'; did you mean `passive_warm`?",
        ),
        ({**SMALL, "styles": "balance"}, "`styles`: unknown value 'balance'; did you mean `balanced`?"),
        ({**SMALL, "disclosure": ["full"]}, "`disclosure.0`: unknown value 'full'; known are `progressive`, `full_"),
        (
            {**SMALL, "scenarios": {"industries": ["airline", "hotels"]}},
            "industries.1`: unknown value 'hotels'; did you ",
        ),
        ({**SMALL, "scenarios": {"industries": ["zzz"]}}, "known are `airline`, `hotel`"),
        (
            {**SMALL, "scenarios": {"categories": ["delayed_bagage"]}},
            "unknown value 'delayed_bagage'; did you mean `de",
        ),
        ({**SMALL, "scenarios": {"categories": ["zzz"]}}, "unknown value 'zzz'; known are `"),
        ({**SMALL, "scenarios": {"severities": ["hihg"]}}, "unknown value 'hihg'; did you mean `high`?"),
        ({**SMALL, "scenarios": {"split": "evaluate"}}, "unknown value 'evaluate'; did you mean `evaluation`?"),
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


@pytest.mark.parametrize(
    "given",
    [
        {"api_base": "https://team:pa55word@service/v1"},
        {"api_base": "https://service/v1?token=pa55word"},
        {"parameters": {"api_key": "pa55word"}},
        {"parameters": {"extra_body": {"auth": [{"api_key": "pa55word"}]}}},
    ],
)
def test_what_is_published_holds_no_key(tmp_path: Path, given: dict[str, Any]) -> None:
    agent = {"name": "ours", "model": "openai/x"}
    with pytest.raises(ExperimentError, match=r"`agents\.0\..*published") as caught:
        load_experiment(write_yaml(tmp_path / "bad.yaml", {**SMALL, "agents": [{**agent, **given}]}))
    assert "pa55word" not in str(caught.value)
    harmless = {**agent, "api_base": "http://127.0.0.1:8099/v1", "parameters": {"top_p": 0.9}}
    load_experiment(write_yaml(tmp_path / "good.yaml", {**SMALL, "agents": [harmless]}))


@pytest.mark.parametrize("key", ["agents", "customers", "styles", "disclosure"])
def test_a_list_that_nothing_can_be_played_without_is_never_empty(tmp_path: Path, key: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        load_experiment(write_yaml(tmp_path / "bad.yaml", {**SMALL, key: []}))
    assert str(caught.value).count("`") == 2, "one problem"
    assert f"`{key}`: List should have at least 1 item" in str(caught.value)


def test_a_category_is_one_of_the_industries_that_are_named(tmp_path: Path) -> None:
    ids = {name: {category.id for category in load_industry(name).journey.categories} for name in ("airline", "hotel")}
    chosen = {"industries": ["airline"], "categories": [min(ids["airline"]), min(ids["hotel"] - ids["airline"])]}
    path = write_yaml(tmp_path / "one.yaml", {**SMALL, "scenarios": chosen})
    with pytest.raises(ExperimentError, match=r"`scenarios\.categories\.1`: unknown value"):
        load_experiment(path)
    write_yaml(path, {**SMALL, "scenarios": {**chosen, "industries": ["airline", "hotel"]}})
    assert load_experiment(path).spec.scenarios.categories == chosen["categories"]


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
    loaded = load_experiment(write_yaml(tmp_path / "one.yaml", SMALL))
    row, playing = describe_experiment(loaded), describe_playing(loaded, 45, {"model_temperature": 0.1})
    assert json.loads(row.definition)["turn_cap"] == 20
    assert {row.experiment_id, playing.experiment_id} == {"one"}
    assert {"python", "litellm", "rules", "servicebench-data"} <= set(json.loads(playing.versions))
    assert "none" not in json.loads(playing.versions).values()
    assert {"simulation/customer/customer.md", "simulation/agents/conduct.md"} <= set(
        json.loads(playing.prompts_sha256)
    )
    assert (playing.turn_cap, playing.settings, playing.endpoints) == (45, "{}", "[]")


def test_what_was_played_is_told_from_another_judge_and_title(tmp_path: Path) -> None:
    path, digests = tmp_path / "one.yaml", list[str]()
    for more in ({}, {"title": "Another.", "judges": []}, {"seed": 7}):
        loaded = load_experiment(write_yaml(path, {**SMALL, **more}))
        digests.append(describe_playing(loaded, 20, {}).played_sha256)
    assert digests[0] == digests[1] != digests[2]
