"""Where the pages lie.

Belongs here: choosing experiments and writing their pages. Not here: what is in a page.
"""

from collections.abc import Sequence
from pathlib import Path

from servicebench_data.lake.store import Lake, LakeError, write_atomically
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.release.report.page import write_report
from servicebench_data.release.report.reading import ReportError, list_experiments

FOLDER = "reports"


def write_reports(
    lake: Lake, experiment: str | None = None, target: Path | None = None, *, must_be: bool = False
) -> list[Path]:
    """Write the pages of the published file's experiments; returns their paths. Pages of others leave the home.

    Args:
        lake: The home's lake.
        experiment: Only this one; else all.
        target: Where to write the page of a single experiment; by default its name in the home's folder of reports.
        must_be: Whether a file without experiments is an error.

    Raises:
        LakeError: Nothing has been published.
        ReportError: There is no such experiment, none at all, or several for one page.
    """
    path = lake.home / FILE_NAME
    if not path.exists():
        raise LakeError(f"{str(path)!r} does not exist yet; run `servicebench run FILE --sample` first.")
    known = list_experiments(path)
    if must_be and not known:
        raise ReportError(f"{str(path)!r} holds no experiment to report on; play one with `servicebench run FILE`.")
    wanted = [experiment] if experiment else known
    if target and len(wanted) > 1:
        raise ReportError(f"--out names one page, and there are {len(wanted)} experiments; name one with --experiment.")
    pages = [write_page(path, name, target or lake.home / FOLDER / f"{name}.html") for name in wanted]
    remove_pages(lake.home / FOLDER, keep=known)
    return pages


def remove_pages(folder: Path, keep: Sequence[str]) -> None:
    """Remove pages of experiments that are no longer published: they may quote what was to be forgotten."""
    for page in folder.glob("*.html"):
        if page.stem not in keep:
            page.unlink()


def write_page(path: Path, experiment: str, target: Path) -> Path:
    """Write an experiment's page."""
    write_atomically(target, write_report(path, experiment))
    return target
