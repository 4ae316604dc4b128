"""Which runs are marked as released: what later runs of their suite are compared with.

    FOLDER/SUITE/0001/run.json, results.jsonl, report.md

A folder with the highest number is the last released run. Marking copies a run's files there, so
that the run's own folder may be used again; taking a mark back removes the last copy, and the one
before counts again. FOLDER may be kept under version control, or by a CI's cache.
"""

import json
import shutil
from pathlib import Path

from evals.compare import suite_of
from evals.report import MARKDOWN, RESULTS, RUN
from graph.errors import InputError

KEPT = (RUN, RESULTS, MARKDOWN)


def last_released(folder: Path, suite: str) -> Path | None:
    marked = _marked(folder, suite)
    return marked[-1] if marked else None


def mark_released(run: Path, folder: Path, *, although_failed: bool = False) -> Path:
    """The copy that is now the last released run of its suite. Raises `InputError` where the folder
    holds no finished run, or one that failed."""
    suite = suite_of(run)
    if not (_told(run).get("passed") or although_failed):
        raise InputError(
            f"the run in {run} failed its gates, so that later runs would be measured against a "
            "failure; add --although-failed to mark it nevertheless"
        )
    last = last_released(folder, suite)
    copy = folder / suite / f"{int(last.name) + 1 if last else 1:04}"
    partial = copy.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name in KEPT:
        try:
            shutil.copyfile(run / name, partial / name)
        except FileNotFoundError as error:
            raise InputError(f"{run} lacks {name}: run the suite once more") from error
    return partial.rename(copy)


def unmark_released(suite: str, folder: Path) -> tuple[Path, Path | None]:
    """The run whose mark was taken back, and the one that counts again. Raises `InputError` where
    no run is marked."""
    marked = _marked(folder, suite)
    if not marked:
        raise InputError(f"no run of {suite} is marked as released in {folder}")
    shutil.rmtree(marked[-1])
    return marked[-1], marked[-2] if len(marked) > 1 else None


def released_runs(folder: Path) -> list[Path]:
    """The last one of each suite."""
    suites = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return [last for suite in suites if (last := last_released(folder, suite))]


def started(run: Path) -> str:
    """Day and time."""
    return str(_told(run).get("started", "unknown"))


def _marked(folder: Path, suite: str) -> list[Path]:
    marked = (path for path in (folder / suite).glob("[0-9]*") if path.name.isdecimal())
    return sorted(marked, key=lambda path: int(path.name))


def _told(run: Path) -> dict[str, object]:
    return dict(json.loads((run / RUN).read_text("utf-8")))
