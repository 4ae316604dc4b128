"""What a gate lets through, and what it stops."""

from pathlib import Path

import pytest

from evals.gates import GATES, Gate, check_names, judge, read_gates
from evals.registry import load_suite, suite_names
from evals.runner import Limits, run
from evals.statistics import Figure, Slice, figures
from evals.suite import Result
from graph.errors import ConfigError
from tests.evals.small_suite import Echo, options, result, suite

EN = Slice("handbook", "en", "far")
KO = Slice("handbook", "ko", "far")
RESULTS = [result("1", "far", "en"), result("2", "far", "ko")]
FIGURES = [
    Figure("refused", EN, 0.95, 0.90, 0.98, 100),
    Figure("refused", KO, 0.90, 0.85, 0.94, 100),
]


@pytest.mark.parametrize(
    ("gate", "state"),
    [
        (Gate(metric="refused", min=0.9, compared="value"), "passed"),
        (Gate(metric="refused", min=0.92, compared="value"), "failed"),
        (Gate(metric="refused", min=0.92, language="en", compared="value"), "passed"),
        (Gate(metric="refused", min=0.92, language="ko", compared="value"), "failed"),
        (Gate(metric="refused", min=0.92, language="en", compared="low"), "failed"),
        (Gate(metric="refused", min=0.92, language="ko", compared="high"), "passed"),
        (Gate(metric="refused", max=0.9, compared="low"), "passed"),
        (Gate(metric="refused", max=0.9, compared="high"), "failed"),
        (Gate(metric="refused", min=0.5, kind="near", compared="value"), "failed"),
        (Gate(metric="refused", min=0.5, corpus="squad2_dev", compared="value"), "not measured"),
        (Gate(metric="calls", max=0, asked="agent", compared="value"), "not measured"),
        (Gate(metric="calls", max=0, asked="parts", compared="value"), "failed"),
    ],
)
def test_a_gate_compares_what_it_says(gate: Gate, state: str) -> None:
    passing = Gate(metric="refused", min=0.0, compared="value")
    verdict = judge([gate, passing], RESULTS, FIGURES)
    assert verdict.checked[0].state == state
    assert verdict.passed == (state != "failed")


@pytest.mark.parametrize("value", [float("nan"), None])
def test_what_is_unknown_passes_no_gate(value: float | None) -> None:
    figure = Figure("refused", EN, float("nan"), value, value, 1)
    gate = Gate(metric="refused", min=0.0, compared="low")
    assert not judge([gate], RESULTS, [figure]).passed


def test_a_gate_that_finds_nothing_to_compare_says_so() -> None:
    (checked,) = judge([Gate(metric="calls", max=0, compared="value")], RESULTS, FIGURES).checked
    assert str(checked) == "failed: calls (everywhere): at most 0; this run has no such figure"


def test_a_run_without_samples_fails() -> None:
    verdict = judge([], [], [])
    assert not verdict.passed
    assert verdict.problems == ("no sample was asked",)


def test_a_run_with_an_error_fails_whatever_its_gates_say() -> None:
    failed = Result(RESULTS[0].sample, None, {}, "RuntimeError: no", 0.0)
    verdict = judge([], [failed, RESULTS[1]], FIGURES)
    assert verdict.problems == ("1 of 2 samples failed with an error",)
    assert not verdict.passed


def test_a_run_that_no_gate_is_about_fails() -> None:
    gate = Gate(metric="refused", min=0.5, corpus="squad2_dev", compared="value")
    assert not judge([gate], RESULTS, FIGURES).passed


async def test_a_suite_with_a_broken_target_fails_its_gate(tmp_path: Path) -> None:
    echo = Echo(broken=frozenset(str(number) for number in range(20)))
    small, given = suite(echo), options(tmp_path)
    done = await run(small, small.dataset(given), given, tmp_path, Limits())
    gate = Gate(metric="echoed", min=0.0, compared="value")
    verdict = judge([gate], done.results, figures(small.metrics, done.results))
    assert verdict.checked[0].state == "failed"
    assert verdict.problems == ("20 of 20 samples failed with an error",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[small]]\nmetric = "echoed"\ncompared = "value"', "needs min, max or both"),
        ('[[small]]\nmetric = "echoed"\nmin = 1', "compared"),
        ('[[small]]\nmetric = "echoed"\nmin = 1\ncompared = "middle"', "compared"),
        ('[[small]]\nmetric = "echoed"\nmin = 1\ncompared = "low"\nkinds = "far"', "kinds"),
        ("[[small]", "cannot be read"),
    ],
)
def test_a_wrong_file_of_gates_is_told(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "gates.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=message):
        read_gates(file)


@pytest.mark.parametrize(
    "gate",
    [
        Gate(metric="ehcoed", min=0.5, compared="value"),
        Gate(metric="echoed", corpus="handbuch", min=0.5, compared="value"),
    ],
)
def test_a_gate_on_a_name_that_the_suite_does_not_have_is_an_error(gate: Gate) -> None:
    with pytest.raises(ConfigError, match="the suite small has no"):
        check_names([gate], suite(Echo()))


def test_the_gates_of_this_project_name_what_its_suites_have() -> None:
    gates = read_gates(GATES)
    assert set(gates) <= set(suite_names())
    for name, of_suite in gates.items():
        check_names(of_suite, load_suite(name))


@pytest.mark.parametrize("name", suite_names())
def test_a_suite_is_named_like_its_module(name: str) -> None:
    assert load_suite(name).name == name
