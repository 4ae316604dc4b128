"""A run that is marked as released, and what is measured against it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from evals import compare
from evals.gates import NoWorse
from evals.released import last_released, mark_released, unmark_released
from evals.report import Report
from evals.run import Order, run_order
from evals.runner import Limits
from evals.statistics import Difference, Slice
from evals.suite import Outcome, Sample, Suite, Value
from graph.errors import InputError
from serving.cli.app import app
from tests.evals.small_suite import Echo, options, suite

GATES = """
[[small]]
metric = "echoed"
min = 0
compared = "value"

[[small]]
metric = "echoed"
worse = "lower"

[[small]]
metric = "length"
worse = "higher"
margin = 0.5
"""


class Releases:
    """Runs of the suite `small`, of which so many samples are right."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        (folder / "gates.toml").write_text(GATES, "utf-8")
        monkeypatch.setattr(compare, "load_suite", lambda name: self.suite)
        self.suite: Suite = suite(Echo())

    def run(self, right: int, *, count: int = 60, length: int = 20, name: str = "run") -> Report:
        """Scores are those of the moment of a run, so a run's rightness is told by its outcomes."""

        class Told(Echo):
            async def ask(self, sample: Sample) -> Outcome:
                return {"right": int(sample.id) < right, "length": length}

        def echoed(sample: Sample, outcome: Outcome) -> dict[str, Value]:
            return {"echoed": outcome["right"], "length": outcome["length"]}

        echo = Told(version=f"{right} {length}")
        self.suite = replace(suite(echo, count), scorers=(echoed,))
        order = Order(
            suite=self.suite,
            options=options(self.folder),
            folder=self.folder / name,
            limit=None,
            seed=0,
            limits=Limits(),
            gates=self.folder / "gates.toml",
            released=self.folder / "released",
        )
        return run_order(order, Console(quiet=True))

    def states(self, report: Report) -> list[str]:
        return [each.state for each in report.verdict.checked]


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Releases:
    return Releases(tmp_path, monkeypatch)


def test_without_a_released_run_the_thresholds_gate_and_the_rest_is_not_measured(
    releases: Releases,
) -> None:
    report = releases.run(60)
    assert releases.states(report) == ["passed", "not measured", "not measured"]
    assert "no run is marked as released" in str(report.verdict.checked[1])
    assert report.verdict.passed


@pytest.mark.parametrize(
    ("right", "length", "states"),
    [
        (60, 20, ["passed", "passed", "passed"]),
        (56, 20, ["passed", "passed", "passed"]),  # four changes of 60 may be chance
        (30, 20, ["passed", "failed", "passed"]),
        (60, 29, ["passed", "passed", "passed"]),  # inside the margin
        (60, 31, ["passed", "passed", "failed"]),
        (60, 5, ["passed", "passed", "passed"]),  # better
    ],
)
def test_a_run_that_is_surely_worse_than_the_released_one_fails(
    right: int, length: int, states: list[str], releases: Releases
) -> None:
    releases.run(60)
    mark_released(releases.folder / "run", releases.folder / "released")
    report = releases.run(right, length=length)
    assert releases.states(report) == states
    assert report.verdict.passed is ("failed" not in states)
    told = json.loads((releases.folder / "run" / "run.json").read_text("utf-8"))["released"]
    assert told["run"].endswith("0001")
    assert {each["metric"] for each in told["differences"]} == {"echoed", "length"}
    assert "Since the last released run" in (releases.folder / "run" / "report.md").read_text()


def test_too_few_samples_in_common_are_told(releases: Releases) -> None:
    releases.run(60)
    mark_released(releases.folder / "run", releases.folder / "released")
    report = releases.run(0, count=8)
    assert releases.states(report) == ["passed", "not measured", "not measured"]
    why = "samples in common with the released run, 20 are needed"
    assert report.verdict.checked[1].why.endswith(why)


def test_a_mark_can_be_taken_back(releases: Releases) -> None:
    folder = releases.folder / "released"
    releases.run(60)
    first = mark_released(releases.folder / "run", folder)
    second = mark_released(releases.folder / "run", folder)
    assert last_released(folder, "small") == second
    assert unmark_released("small", folder) == (second, first)
    assert unmark_released("small", folder) == (first, None)
    with pytest.raises(InputError, match="no run of small is marked"):
        unmark_released("small", folder)


def test_a_run_that_failed_is_marked_only_on_purpose(releases: Releases) -> None:
    folder = releases.folder / "released"
    releases.run(60)
    mark_released(releases.folder / "run", folder)
    assert not releases.run(0, name="worse").verdict.passed
    with pytest.raises(InputError, match="failed its gates"):
        mark_released(releases.folder / "worse", folder)
    assert mark_released(releases.folder / "worse", folder, although_failed=True).name == "0002"


def test_the_command_marks_shows_and_takes_back(releases: Releases) -> None:
    releases.run(60)
    run, folder = str(releases.folder / "run"), str(releases.folder / "released")

    def said(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["evals", "released", "--released", folder, *arguments])
        return done.exit_code, done.stdout.replace("\n", "")

    assert said(run) == (0, f"released: {folder}/small/0001")
    assert said()[1].startswith(f"small: {folder}/small/0001, a run of 20")
    assert said("--undo", "small")[1].endswith("now released: none")
    assert said("--undo", "small")[0] == said(str(releases.folder))[0] == 2
    assert said(run, "--undo", "small")[0] == 2


@pytest.mark.parametrize(
    ("low", "high", "worse", "margin", "holds"),
    [
        (-0.3, -0.1, "lower", 0.0, False),
        (-0.3, 0.0, "lower", 0.0, True),
        (-0.3, -0.1, "higher", 0.0, True),
        (0.1, 0.3, "higher", 0.0, False),
        (0.1, 0.3, "higher", 0.2, True),
        (0.11, 0.3, "higher", 0.2, False),
        (None, None, "lower", 0.0, True),
    ],
)
def test_a_worsening_counts_where_the_whole_interval_is_worse(
    low: float | None, high: float | None, worse: str, margin: float, holds: bool
) -> None:
    change = Difference("seconds", Slice("handbook"), 0.5, 0.6, 0.1, low, high, 40)
    gate = NoWorse.model_validate({"metric": "seconds", "worse": worse, "margin": margin})
    assert gate.holds(change) is holds
