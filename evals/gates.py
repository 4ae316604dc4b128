"""Thresholds that a run must keep, from `gates.toml`.

A gate names a metric, and where it should not stand for all of them, a corpus, a language and a
kind. It compares each figure that it stands for: `compared` says whether with the figure itself, or
with a bound of its 95% interval. A gate without a figure fails, unless its corpus is none of this
run's, or `asked` says that runs of this kind do not have it. So do a run without samples, one with
an error, and one that none of its gates is about.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from evals.statistics import Figure
from evals.suite import Result, Suite
from graph.errors import ConfigError
from graph.evidence import Frozen

GATES = Path(__file__).parent / "gates.toml"


class Gate(Frozen):
    metric: str
    corpus: str = ""
    language: str = ""
    kind: str = ""
    min: float | None = None
    max: float | None = None
    compared: Literal["value", "low", "high"] = Field(
        description="the figure, or the lower or upper bound of its interval"
    )

    asked: Literal["either", "parts", "agent"] = Field(
        default="either", description="the whole agent (--engine), or parts of it"
    )

    @model_validator(mode="after")
    def _has_a_threshold(self) -> "Gate":
        if self.min is None and self.max is None:
            raise ValueError("a gate needs min, max or both")
        return self

    def covers(self, figure: Figure) -> bool:
        part = figure.slice
        return self.metric == figure.metric and all(
            wanted in ("", found)
            for wanted, found in (
                (self.corpus, part.corpus),
                (self.language, part.language),
                (self.kind, part.kind),
            )
        )

    def holds(self, figure: Figure) -> bool:
        """Not for what is unknown: a bound that there is none of, or a NaN."""
        value = getattr(figure, self.compared)
        if value is None:
            return False
        above = self.min is None or value >= self.min
        below = self.max is None or value <= self.max
        return bool(above and below)

    def __str__(self) -> str:
        where = " ".join(part for part in (self.corpus, self.language, self.kind) if part)
        bounds = [f"at least {self.min:g}"] if self.min is not None else []
        bounds += [f"at most {self.max:g}"] if self.max is not None else []
        subject = self.metric if self.compared == "value" else f"{self.compared} of {self.metric}"
        return f"{subject} ({where or 'everywhere'}): {' and '.join(bounds)}"


@dataclass(frozen=True, slots=True)
class Checked:
    gate: Gate
    state: Literal["passed", "failed", "not measured"]
    figures: tuple[Figure, ...]

    def __str__(self) -> str:
        why = "" if self.figures or self.state != "failed" else "; this run has no such figure"
        return f"{self.state}: {self.gate}{why}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problems` are what fails a run besides its gates."""

    checked: tuple[Checked, ...]
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.problems and all(each.state != "failed" for each in self.checked)


def read_gates(path: Path) -> Mapping[str, tuple[Gate, ...]]:
    """By suite. Raises `ConfigError` that says what is wrong with the file."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        return TypeAdapter(dict[str, tuple[Gate, ...]]).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {where}: {first['msg']}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def check_names(gates: Sequence[Gate], suite: Suite) -> None:
    """A gate on a metric or corpus that the suite does not have would never fail. Raises
    `ConfigError`."""
    metrics = {metric.name for metric in suite.metrics}
    for gate in gates:
        if gate.metric not in metrics:
            known = ", ".join(sorted(metrics))
            raise ConfigError(f"the suite {suite.name} has no metric {gate.metric!r}, but {known}")
        if gate.corpus and gate.corpus not in suite.corpora:
            known = ", ".join(suite.corpora)
            raise ConfigError(f"the suite {suite.name} has no corpus {gate.corpus!r}, but {known}")


def judge(
    gates: Sequence[Gate],
    results: Sequence[Result],
    found: Sequence[Figure],
    *,
    engine: bool = False,
) -> Verdict:
    """`engine` says that the whole agent was asked."""
    corpora = {result.sample.corpus for result in results}
    asked = ("either", "agent" if engine else "parts")
    checked = []
    for gate in gates:
        covered = tuple(figure for figure in found if gate.covers(figure))
        if gate.asked not in asked or (gate.corpus and gate.corpus not in corpora):
            checked.append(Checked(gate, "not measured", ()))
        else:
            holds = bool(covered) and all(gate.holds(figure) for figure in covered)
            checked.append(Checked(gate, "passed" if holds else "failed", covered))
    problems = []
    if not results:
        problems.append("no sample was asked")
    if errors := sum(result.error is not None for result in results):
        problems.append(f"{errors} of {len(results)} samples failed with an error")
    if checked and all(each.state == "not measured" for each in checked):
        problems.append("none of the suite's gates is about this run")
    return Verdict(tuple(checked), tuple(problems))
