"""What a run must keep, from `gates.toml`: thresholds, and no worsening since the last release.

Each gate names a metric, and where it should not stand for all of them, a corpus, a language and a
kind.

A `Gate` compares each figure that it stands for with a threshold: `compared` says whether the
figure itself, or a bound of its 95% interval. Without a figure it fails, unless its corpus is none
of this run's, or `asked` says that runs of this kind do not have it.

A `NoWorse` compares with the run that is marked as released (`evals.released`), over the samples
that both have. It fails where the whole interval of the difference is worse, and is not measured
where there is no such run, or too little of it.

A run fails as well without samples, with an error, with questions that are unreviewed drafts, and
where none of its thresholds is about it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from evals.statistics import MIN_PAIRS, Difference, Figure
from evals.suite import Result, Suite
from graph.errors import ConfigError
from graph.evidence import Frozen

GATES = Path(__file__).parent / "gates.toml"


class _OfMetric(Frozen):
    metric: str
    corpus: str = ""
    language: str = ""
    kind: str = ""

    def covers(self, figure: Figure | Difference) -> bool:
        part = figure.slice
        return self.metric == figure.metric and all(
            wanted in ("", found)
            for wanted, found in (
                (self.corpus, part.corpus),
                (self.language, part.language),
                (self.kind, part.kind),
            )
        )

    @property
    def where(self) -> str:
        parts = (part for part in (self.corpus, self.language, self.kind) if part)
        return " ".join(parts) or "everywhere"


class Gate(_OfMetric):
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
            raise ValueError("a gate needs min, max or both; or else worse")
        return self

    def holds(self, figure: Figure) -> bool:
        """Not for what is unknown: a bound that there is none of, or a NaN."""
        value = getattr(figure, self.compared)
        if value is None:
            return False
        above = self.min is None or value >= self.min
        below = self.max is None or value <= self.max
        return bool(above and below)

    def __str__(self) -> str:
        bounds = [f"at least {self.min:g}"] if self.min is not None else []
        bounds += [f"at most {self.max:g}"] if self.max is not None else []
        subject = self.metric if self.compared == "value" else f"{self.compared} of {self.metric}"
        return f"{subject} ({self.where}): {' and '.join(bounds)}"


class NoWorse(_OfMetric):
    worse: Literal["lower", "higher"] = Field(description="the direction that is a worsening")
    margin: float = Field(
        default=0.0, ge=0, description="share of the released figure that a worsening may have"
    )

    def holds(self, change: Difference) -> bool:
        """Fails only what is surely worse; a difference inside the noise is none."""
        borne = self.margin * abs(change.a)
        if change.low is None or change.high is None:
            return True
        return change.high >= -borne if self.worse == "lower" else change.low <= borne

    def __str__(self) -> str:
        margin = f"by more than {self.margin:.0%} " if self.margin else ""
        return f"{self.metric} ({self.where}): not {margin}{self.worse} than released"


@dataclass(frozen=True, slots=True)
class Checked:
    gate: Gate | NoWorse
    state: Literal["passed", "failed", "not measured"]
    figures: tuple[Figure, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        return f"{self.state}: {self.gate}{'; ' if self.why else ''}{self.why}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problems` are what fails a run besides its gates."""

    checked: tuple[Checked, ...]
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.problems and all(each.state != "failed" for each in self.checked)


def _kind_of(row: Any) -> str:
    is_change = isinstance(row, NoWorse) or (isinstance(row, dict) and "worse" in row)
    return "change" if is_change else "threshold"


_Row = Annotated[
    Annotated[Gate, Tag("threshold")] | Annotated[NoWorse, Tag("change")], Discriminator(_kind_of)
]


def read_gates(path: Path) -> Mapping[str, tuple[Gate | NoWorse, ...]]:
    """By suite. Raises `ConfigError` that says what is wrong with the file."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        return TypeAdapter(dict[str, tuple[_Row, ...]]).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {where}: {first['msg']}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def check_names(gates: Sequence[Gate | NoWorse], suite: Suite) -> None:
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
    gates: Sequence[Gate | NoWorse],
    results: Sequence[Result],
    found: Sequence[Figure],
    *,
    engine: bool = False,
    changes: Sequence[Difference] | None = None,
) -> Verdict:
    """`engine` says that the whole agent was asked; `changes` are since the released run, None
    where there is none."""
    corpora = {result.sample.corpus for result in results}
    asked = ("either", "agent" if engine else "parts")
    thresholds, compared = [], []
    for gate in gates:
        if isinstance(gate, NoWorse):
            compared.append(_compared(gate, changes))
        elif gate.asked not in asked or (gate.corpus and gate.corpus not in corpora):
            thresholds.append(Checked(gate, "not measured"))
        else:
            thresholds.append(_measured(gate, found))
    problems = []
    if not results:
        problems.append("no sample was asked")
    if errors := sum(result.error is not None for result in results):
        problems.append(f"{errors} of {len(results)} samples failed with an error")
    if drafts := sum(result.sample.gold.get("reviewed") is False for result in results):
        problems.append(
            f"{drafts} of {len(results)} questions are drafts that no person has reviewed: these "
            "figures are no measurement (knowledge-agent evals review export)"
        )
    if thresholds and all(each.state == "not measured" for each in thresholds):
        problems.append("none of the suite's gates is about this run")
    return Verdict((*thresholds, *compared), tuple(problems))


def _measured(gate: Gate, found: Sequence[Figure]) -> Checked:
    covered = tuple(figure for figure in found if gate.covers(figure))
    if not covered:
        return Checked(gate, "failed", why="this run has no such figure")
    holds = all(gate.holds(figure) for figure in covered)
    return Checked(gate, "passed" if holds else "failed", covered)


def _compared(gate: NoWorse, changes: Sequence[Difference] | None) -> Checked:
    if changes is None:
        return Checked(gate, "not measured", why="no run is marked as released")
    covered = [change for change in changes if gate.covers(change)]
    if failed := [change for change in covered if not gate.holds(change)]:
        return Checked(gate, "failed", why="; ".join(map(str, failed)))
    told = [change for change in covered if change.low is not None]
    if not told:
        pairs = max((change.n for change in covered), default=0)
        why = f"{pairs} samples in common with the released run, {MIN_PAIRS} are needed"
        return Checked(gate, "not measured", why=why)
    return Checked(gate, "passed")
