"""Settings come from defaults, the environment and what is given, in this order, and are refused before any work."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from servicebench_data.settings import NOT_PUBLIC, Settings, SettingsError


def test_defaults_need_no_environment() -> None:
    settings = Settings.load({})
    assert settings.home == Path.cwd() / ".servicebench"
    assert (settings.release_size, settings.stale_rate, settings.keep_builds) == (2500, 0.1, 3)
    assert settings.source == "posts"


def test_the_environment_overrules_defaults_and_is_overruled_by_what_is_given() -> None:
    environment = {"SERVICEBENCH_RELEASE_SIZE": "12", "SERVICEBENCH_SEED": "7", "PATH": "/bin", "OTHER_SEED": "1"}
    settings = Settings.load(environment, release_size=5, threads=None)
    assert (settings.release_size, settings.seed, settings.threads) == (5, 7, 2)


def test_a_variable_that_is_empty_is_not_set() -> None:
    """An empty home would be the folder that the command happens to run in."""
    assert Settings.load({"SERVICEBENCH_HOME": "", "SERVICEBENCH_SEED": ""}) == Settings.load({})


def test_the_process_environment_is_what_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICEBENCH_SEED", "99")
    assert Settings.load().seed == 99


def test_the_home_is_absolute_and_a_tilde_is_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert Settings.load({}, home="~/kept").home == tmp_path / "kept"
    assert Settings.load({}, home="kept").home == tmp_path / "kept"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("relase_size", "did you mean 'release_size'"),
        ("seeds", "did you mean 'seed'"),
        ("qqq", "the settings are home,"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(name: str, hint: str) -> None:
    for load in ({"environment": {f"SERVICEBENCH_{name.upper()}": "1"}}, {"environment": {}, name: 1}):
        with pytest.raises(SettingsError, match=rf"unknown setting '{name}'; {hint}"):
            Settings.load(**load)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("release_size", 0),
        ("release_size", "many"),
        ("release_size", 1.5),
        ("evaluation_share", 0),
        ("evaluation_share", 1),
        ("stale_rate", 1.01),
        ("stale_rate", float("nan")),
        ("goodwill_limit_usd", -1),
        ("goodwill_limit_usd", float("inf")),
        ("memory_gb", float("inf")),
        ("memory_gb", 0.1),
        ("threads", 0),
        ("keep_builds", 0),
        ("min_topic_dialogues", 9),
        ("source", "twitter"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=rf"setting '{name}' is "):
        Settings.check({name: value})
    with pytest.raises(SettingsError, match=rf"setting '{name}' is "):
        Settings.load({f"SERVICEBENCH_{name.upper()}": str(value)})


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings.load({}).seed = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_the_public_part_is_what_decides_the_result() -> None:
    first = Settings.load({}, home="a", threads=1, memory_gb=1, keep_builds=1).public()
    assert first == Settings.load({}, home="b", threads=8, memory_gb=8, keep_builds=8).public()
    assert set(first) == set(Settings.model_fields) - NOT_PUBLIC


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
