"""Reads the industry folders that experts edit into checked records.

Belongs here: finding, parsing and validating `schemas/industries/<industry>/`. Not here: what the files may hold
(`schemas/industry.py`).
"""

from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

import schemas
from schemas.industry import Industry

INDUSTRIES_FOLDER = Path(schemas.__file__).parent / "industries"
FILES = ("accounts", "journey", "case_record", "policies")


class IndustryError(ValueError):
    """An industry folder that cannot be used; the message names the file, the entry and the remedy."""


def list_industries(folder: Path = INDUSTRIES_FOLDER) -> list[str]:
    """Names of the industries, sorted: the sub-folders that hold an accounts file."""
    return sorted(path.parent.name for path in folder.glob("*/accounts.yaml"))


@cache
def load_industry(name: str, folder: Path = INDUSTRIES_FOLDER) -> Industry:
    """Read and check one industry, once in a process.

    Args:
        name: Name of its folder.
        folder: Where the industry folders lie.

    Raises:
        IndustryError: A file is missing, is no YAML, or does not hold what it must.
    """
    parts = {part: read_yaml(folder / name / f"{part}.yaml") for part in FILES}
    try:
        return Industry.model_validate({"id": name, **parts})
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors()[:5])
        raise IndustryError(f"industry {name!r}: {problems}. Mend the files in {folder / name}.") from error


@cache
def load_industries() -> tuple[Industry, ...]:
    """All industries of the product, by name."""
    return tuple(load_industry(name) for name in list_industries())


def read_yaml(path: Path) -> dict[str, Any]:
    """Parse a YAML file whose top level is a mapping.

    Raises:
        IndustryError: The file is missing or is not such a file.
    """
    if not path.is_file():
        raise IndustryError(
            f"{path} is missing; an industry folder holds {', '.join(f'{part}.yaml' for part in FILES)}."
        )
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise IndustryError(f"{path} is not valid YAML: {error}. Mend it at the place named.") from error
    if not isinstance(content, dict):
        raise IndustryError(f"{path} must hold a mapping at its top level; see another industry's file for the form.")
    return cast("dict[str, Any]", content)


def list_brand_words(industry: Industry) -> list[str]:
    """Handles, brands and aliases of the industry's accounts, longest first: what is taken out before embedding."""
    words = {
        word for account in industry.accounts.accounts for word in (account.handle, account.brand, *account.aliases)
    }
    return sorted(words, key=lambda word: (-len(word), word))
