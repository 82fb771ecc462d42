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

DEPENDENCIES = {
    "background": "coding dialogue screening turn",
    "build": "build_step",
    "build_step": "background candidate case_field case_policy category coding dialogue embedding event expectation "
    "fact grounding_failure post quarantined_post recoding scenario screening severity stage task_failure topic "
    "topic_member turn",
    "candidate": "coding dialogue screening turn",
    "case_field": "coding dialogue screening turn",
    "case_policy": "coding dialogue screening turn",
    "category": "",
    "coding": "category dialogue embedding screening topic topic_member",
    "dialogue": "post",
    "embedding": "dialogue screening",
    "event": "coding dialogue screening turn",
    "expectation": "coding dialogue screening turn",
    "fact": "coding dialogue screening turn",
    "grounding_failure": "coding dialogue screening turn",
    "post": "",
    "quarantined_post": "",
    "recoding": "category dialogue embedding screening topic topic_member",
    "scenario": "background candidate case_field case_policy category dialogue event expectation fact severity turn",
    "screening": "dialogue",
    "severity": "coding dialogue screening turn",
    "stage": "",
    "task_failure": "coding dialogue screening turn",
    "topic": "dialogue embedding screening",
    "topic_member": "dialogue embedding screening",
    "turn": "post",
    "writing_plan": "coding dialogue screening turn",
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


def test_partitions_are_the_industry_folders(definitions: dg.Definitions) -> None:
    node = definitions.resolve_asset_graph().get(dg.AssetKey("dialogue"))
    assert node.partitions_def is not None
    assert list(node.partitions_def.get_partition_keys()) == list_industries()


def test_schedule_and_sensor_are_on(definitions: dg.Definitions) -> None:
    assert definitions.resolve_schedule_def("weekly_build").default_status is dg.DefaultScheduleStatus.RUNNING
    assert definitions.resolve_sensor_def("posts_folder").default_status is dg.DefaultSensorStatus.RUNNING


def test_loading_the_definitions_is_light() -> None:
    code = f"import sys; import assets.definitions; print([name for name in {HEAVY!r} if name in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    loaded = done.stdout.strip()
    assert loaded == "[]"


def test_the_repository_loads_as_the_code_server_loads_it(definitions: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(definitions)
    assert [job.name for job in definitions.get_repository_def().get_all_jobs()]
