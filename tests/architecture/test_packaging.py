"""An installation that is no checkout has every file that the packages read."""

import tomllib

from tests.conftest import ROOT


def test_what_is_no_module_is_packaged() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    for package, patterns in tool["setuptools"]["package-data"].items():
        packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
        files = {path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        assert {path for path in files if path.suffix != ".py"} <= packaged
