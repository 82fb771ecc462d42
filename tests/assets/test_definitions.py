"""The graph as a whole: what it holds, how it hangs together, what it costs to load."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from servicebench_data.industries import list_industries
from servicebench_data.lake.tables import RECORDS
from servicebench_data.settings import Settings

HEAVY = [
    "torch", "bertopic", "umap", "hdbscan", "sklearn", "litellm", "great_expectations", "sentence_transformers",
    "matplotlib",
]  # fmt: skip

PLAYED_FROM = "background case_policy expectation fact scenario"
JUDGED_FROM = "conversation declared_act expectation fact message rubric_item scenario"
MEASURED_FROM = (
    "conversation experiment fact fact_disclosure judgment message offer padded_score rating rubric_item scenario score"
)
MEASURED = [
    "agent_contrast", "agent_measure", "category_ranking", "cumulative_outcome", "customer_realism", "judge_advantage",
    "judge_calibration", "judge_consistency", "judge_status", "judge_validity", "justice_calibrated_to_people",
    "length_effect", "padding_effect", "rater_agreement", "run_to_run", "self_preference", "variance_component",
]  # fmt: skip
DEPENDENCIES = {
    "background": "coding dialogue screening turn",
    "build": "build_step",
    "build_step": "agent_contrast agent_measure background candidate case_field case_policy category category_ranking "
    "coding coding_change conversation cumulative_outcome customer_realism declared_act dialogue embedding event "
    "expectation experiment fact fact_disclosure fact_opening gate_flag grounding_failure judge_advantage "
    "judge_calibration judge_consistency judge_status judge_validity judgment justice_calibrated_to_people "
    "length_effect message near_duplicate offer padded_score padding_effect playing post quarantined_post "
    "rater_agreement rating recoding rubric_item run_to_run scenario scenario_decision scenario_diversity score "
    "screening self_preference severity simulator_fault stage sub_score task_failure topic topic_change topic_member "
    "turn variance_component",
    "candidate": "coding dialogue screening turn",
    "case_field": "coding dialogue screening turn",
    "case_policy": "coding dialogue screening turn",
    "category": "",
    "coding": "category dialogue embedding screening topic topic_member",
    "coding_change": "category dialogue embedding screening topic topic_member",
    "conversation": PLAYED_FROM,
    "declared_act": PLAYED_FROM,
    "dialogue": "post",
    "embedding": "dialogue screening",
    "event": "coding dialogue screening turn",
    "expectation": "coding dialogue screening turn",
    "experiment": "scenario",
    "fact": "coding dialogue screening turn",
    "fact_disclosure": PLAYED_FROM,
    "fact_opening": PLAYED_FROM,
    "gate_flag": PLAYED_FROM,
    "grounding_failure": "coding dialogue screening turn",
    "judgment": JUDGED_FROM,
    "message": PLAYED_FROM,
    "near_duplicate": "background candidate case_field case_policy category dialogue event expectation fact severity "
    "turn",
    "offer": PLAYED_FROM,
    "padded_score": JUDGED_FROM,
    "playing": PLAYED_FROM,
    "post": "",
    "quarantined_post": "",
    "rating": "message",
    "recoding": "category dialogue embedding screening topic topic_member",
    "report": "build",
    "rubric_item": "",
    "scenario": "background candidate case_field case_policy category dialogue event expectation fact severity turn",
    "scenario_decision": "coding dialogue screening turn",
    "scenario_diversity": "background candidate dialogue fact scenario",
    "score": JUDGED_FROM,
    "screening": "dialogue",
    "severity": "coding dialogue screening turn",
    "simulator_fault": PLAYED_FROM,
    "stage": "",
    "sub_score": JUDGED_FROM,
    "task_failure": "coding dialogue screening turn",
    "topic": "dialogue embedding screening",
    "topic_change": "dialogue embedding screening",
    "topic_member": "dialogue embedding screening",
    "turn": "post",
    "writing_plan": "coding dialogue screening turn",
    **dict.fromkeys(MEASURED, MEASURED_FROM),
}


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> dg.Definitions:
    return build_definitions(Settings.load({}, home=tmp_path_factory.mktemp("home")))


def test_assets_and_their_dependencies_are_as_listed(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    found = {
        node.key.to_user_string(): " ".join(sorted(key.to_user_string() for key in node.parent_keys))
        for node in graph.asset_nodes
    }
    assert found == DEPENDENCIES


def test_every_table_has_an_asset_with_group_description_owner_and_blocking_check(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    checked = {key.asset_key.to_user_string() for key in graph.asset_check_keys}
    for record in RECORDS:
        node = graph.get(dg.AssetKey(record.table.name))
        assert node.group_name == record.table.group
        assert (node.description or "").startswith("One row per")
        assert node.owners
        assert record.table.name in checked or record.table.group == "release"
        assert (node.partitions_def is not None) == record.table.is_partitioned
    assert "build_step" in checked


def test_the_tables_of_one_step_are_checked_in_one_step(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for definition in definitions.assets or ():
        assert isinstance(definition, dg.AssetsDefinition)
        keys = {key for key in graph.asset_check_keys if key.asset_key in definition.keys}
        contracts = {key for key in keys if key.name.endswith("_contract")}
        steps = [checks for checks in definitions.asset_checks or () if contracts & set(checks.check_keys)]
        assert len(steps) == (1 if contracts else 0)
        assert all(set(checks.check_keys) == contracts for checks in steps)


def test_partitions_are_the_industry_folders(definitions: dg.Definitions) -> None:
    node = definitions.resolve_asset_graph().get(dg.AssetKey("dialogue"))
    assert node.partitions_def is not None
    assert list(node.partitions_def.get_partition_keys()) == list_industries()


def test_tables_of_an_experiment_are_partitioned_by_experiment_and_left_out_of_the_build(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    played = {record.table.name for record in RECORDS if record.table.per == "experiment"}
    assert played
    for name in played:
        assert isinstance(graph.get(dg.AssetKey(name)).partitions_def, dg.DynamicPartitionsDefinition)
    made = {
        job: {key.to_user_string() for key in definitions.resolve_job_def(job).asset_layer.executable_asset_keys}
        for job in ("scenario_build", "experiment_run")
    }
    assert not played & made["scenario_build"]
    assert made["experiment_run"] == played | {"rubric_item", "build_step", "build", "report"}


def test_schedule_and_sensor_are_on(definitions: dg.Definitions) -> None:
    assert definitions.resolve_schedule_def("weekly_build").default_status is dg.DefaultScheduleStatus.RUNNING
    for sensor in ("posts_folder", "experiments_folder"):
        assert definitions.resolve_sensor_def(sensor).default_status is dg.DefaultSensorStatus.RUNNING


def test_loading_the_definitions_is_light() -> None:
    code = f"import sys; import assets.definitions; print([name for name in {HEAVY!r} if name in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    loaded = done.stdout.strip()
    assert loaded == "[]"


def test_the_repository_loads_as_the_code_server_loads_it(definitions: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(definitions)
    assert [job.name for job in definitions.get_repository_def().get_all_jobs()]
