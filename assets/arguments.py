"""Arguments that several commands take.

Belongs here: their names, help and checks. Not here: any command.
"""

from pathlib import Path
from typing import Annotated

import typer

from servicebench_data.industries import IndustryError, list_industries

Home = Annotated[Path | None, typer.Option("--home", help="Folder of everything that is kept; default .servicebench.")]


def find_industry(name: str) -> str:
    """The industry asked for.

    Raises:
        IndustryError: There is no such industry.
    """
    known = list_industries()
    if name not in known:
        raise IndustryError(f"unknown industry {name!r}; the industries are {', '.join(known)}.")
    return name
