"""Two runs of one suite, side by side."""

import json
from pathlib import Path
from typing import Any

from evals.outcomes import Record
from evals.questions import read_rows
from evals.registry import load_suite
from evals.report import RESULTS, RUN
from evals.runner import score
from evals.statistics import Difference, differences
from evals.suite import Result, Sample, Suite
from graph.errors import InputError


def compare_runs(a: Path, b: Path) -> list[Difference]:
    """Scores are computed anew, so that both runs have today's. Raises `InputError` where a folder
    holds no run, or they are of two suites."""
    names = [suite_of(folder) for folder in (a, b)]
    if names[0] != names[1]:
        raise InputError(f"{a} is a run of {names[0]}, {b} one of {names[1]}")
    suite = load_suite(names[0])
    return differences(suite.metrics, stored_results(suite, a), stored_results(suite, b))


def suite_of(folder: Path) -> str:
    """The suite that a finished run is of. Raises `InputError` where the folder holds none."""
    try:
        return str(json.loads((folder / RUN).read_text("utf-8"))["suite"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder} holds no finished run") from error


def stored_results(suite: Suite, folder: Path) -> list[Result]:
    """The outcomes of a finished run, with today's scores. Raises `InputError`."""
    return list(score(suite, [_stored(row) for row in read_rows(folder / RESULTS)]))


def _stored(row: dict[str, Any]) -> tuple[Sample, Record]:
    sample = Sample(**row["sample"])
    return sample, Record("", sample.id, row["outcome"], row["error"], row["seconds"])
