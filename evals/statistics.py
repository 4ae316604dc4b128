"""Figures with 95% intervals, and whether two runs differ by more than chance.

A rate has Wilson's interval, everything else a percentile bootstrap with a fixed seed. A share of
one kind at a bound that another kind sets has both uncertainties: the wider of the two intervals.
So has the difference of two rates: resampling takes four changes in one direction for a trend; the
exact interval given the samples that changed, which goes with McNemar's test, does not.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evals.suite import Dimension, Metric, Numbers, Result

RESAMPLES = 1_000
BATCH = 100
LEVEL = 0.95
SEED = 0

MIN_PAIRS = 20
"""With fewer, samples with replacement vary too little, and chance would look like a difference."""


@dataclass(frozen=True, slots=True)
class Slice:
    """An empty dimension stands for all of its values together."""

    corpus: str = ""
    language: str = ""
    kind: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.corpus, self.language, self.kind) if part) or "all"


@dataclass(frozen=True, slots=True)
class Figure:
    """`low` and `high` are None where one sample, or none to compare with, allows no interval."""

    metric: str
    slice: Slice
    value: float
    low: float | None
    high: float | None
    n: int
    unit: str = ""
    share: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two runs, B less A, over the samples that both have."""

    metric: str
    slice: Slice
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    n: int

    @property
    def verdict(self) -> str:
        if self.low is None or self.high is None:
            return "too few samples to tell"
        if self.low <= 0 <= self.high:
            return "inside the noise"
        return "higher" if self.difference > 0 else "lower"

    def __str__(self) -> str:
        bounds = "no interval"
        if self.low is not None and self.high is not None:
            bounds = f"{self.low:+.3f} to {self.high:+.3f}"
        return f"{self.slice}: {self.a:.3f}, now {self.b:.3f} ({bounds}; n {self.n:,})"


@dataclass(frozen=True, slots=True)
class _Group:
    """The results that one figure is made of: those of the slice, and those it is set against."""

    slice: Slice
    own: list[Result]
    reference: list[Result]


def figures(metrics: Iterable[Metric], results: Sequence[Result]) -> list[Figure]:
    """Of every metric and slice that has a value; results with an error have none."""
    return [
        _figure(metric, group.slice, _arrays(metric, group))
        for metric in metrics
        for group in _groups(metric, results)
    ]


def differences(
    metrics: Iterable[Metric], a: Sequence[Result], b: Sequence[Result], *, level: float = LEVEL
) -> list[Difference]:
    """Paired: a sample that one of the runs lacks, or failed at, or has no score for, is left out
    of both. `level` is that of each interval."""
    in_b = {result.sample.id: result for result in b}
    found = []
    for metric in metrics:
        pairs = {
            one.sample.id: in_b[one.sample.id]
            for one in a
            if one.sample.id in in_b and _applies(metric, one, in_b[one.sample.id])
        }
        in_both = [result for result in a if result.sample.id in pairs]
        for group in _groups(metric, in_both):
            other = _Group(
                group.slice,
                [pairs[result.sample.id] for result in group.own],
                [pairs[result.sample.id] for result in group.reference],
            )
            pair = _arrays(metric, group), _arrays(metric, other)
            found.append(_difference(metric, group.slice, *pair, level))
    return found


def wilson(successes: int, n: int) -> tuple[float, float]:
    interval = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return float(interval.low), float(interval.high)


def _applies(metric: Metric, *results: Result) -> bool:
    return all(result.scores.get(metric.score) is not None for result in results)


def _groups(metric: Metric, results: Sequence[Result]) -> list[_Group]:
    scored = [result for result in results if _applies(metric, result)]
    own: defaultdict[Slice, list[Result]] = defaultdict(list)
    reference: defaultdict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in scored:
        sample = result.sample
        if not metric.kinds or sample.kind in metric.kinds:
            own[_slice(result, metric.by)].append(result)
        if sample.kind == metric.against:
            reference[sample.corpus, sample.language].append(result)
    if metric.against is None:
        return [_Group(part, members, []) for part, members in sorted(own.items(), key=str)]
    return [
        _Group(part, members, reference[part.corpus, part.language])
        for part, members in sorted(own.items(), key=str)
        if part.kind != metric.against and reference[part.corpus, part.language]
    ]


def _slice(result: Result, by: Sequence[Dimension]) -> Slice:
    parts: Mapping[Dimension, str] = {
        "corpus": result.sample.corpus,
        "language": result.sample.language,
        "kind": result.sample.kind,
    }
    return Slice(**{name: parts[name] for name in by})


def _arrays(metric: Metric, group: _Group) -> tuple[Numbers, ...]:
    members = [group.own] if metric.against is None else [group.own, group.reference]
    return tuple(
        np.array([result.scores[metric.score] for result in part], dtype=np.float64)
        for part in members
    )


def _figure(metric: Metric, part: Slice, arrays: tuple[Numbers, ...]) -> Figure:
    value, n = float(metric.statistic(*arrays)), len(arrays[0])
    bounds: list[tuple[float, float]] = []
    if metric.share:
        bounds.append(wilson(round(value * n), n))
    if len(arrays) > 1 or not metric.share:
        bounds += _bootstrap(metric.statistic, arrays)
    low = min((low for low, _ in bounds), default=None)
    high = max((high for _, high in bounds), default=None)
    return Figure(metric.name, part, value, low, high, n, metric.unit, metric.share)


def _difference(
    metric: Metric, part: Slice, a: tuple[Numbers, ...], b: tuple[Numbers, ...], level: float
) -> Difference:
    def less(*picks: NDArray[np.int64]) -> Numbers:
        of_b = metric.statistic(*(array[pick] for array, pick in zip(b, picks, strict=True)))
        of_a = metric.statistic(*(array[pick] for array, pick in zip(a, picks, strict=True)))
        return of_b - of_a

    of_a, of_b = float(metric.statistic(*a)), float(metric.statistic(*b))
    bounds: list[tuple[float, float]] = []
    if min(map(len, a)) >= MIN_PAIRS:
        bounds = _bootstrap(less, tuple(np.arange(len(array)) for array in a), level)
        if metric.share and len(a) == 1:
            bounds.append(_given_the_changed(a[0], b[0], level))
    low = min((low for low, _ in bounds), default=None)
    high = max((high for _, high in bounds), default=None)
    return Difference(metric.name, part, of_a, of_b, of_b - of_a, low, high, len(a[0]))


def _given_the_changed(a: Numbers, b: Numbers, level: float) -> tuple[float, float]:
    """Of the difference of two paired rates: Clopper and Pearson's interval of the share that rose
    among the samples that changed."""
    changed, rose = int(np.sum(a != b)), int(np.sum(b > a))
    if not changed:
        return 0.0, 0.0
    share = stats.binomtest(rose, changed).proportion_ci(level, method="exact")
    of_all = changed / len(a)
    return of_all * (2 * float(share.low) - 1), of_all * (2 * float(share.high) - 1)


def _bootstrap(
    statistic: Callable[..., Numbers], arrays: tuple[NDArray[Any], ...], level: float = LEVEL
) -> list[tuple[float, float]]:
    """One interval, or none for a single sample."""
    if min(map(len, arrays)) < 2:
        return []
    found = stats.bootstrap(
        arrays,
        lambda *resampled, axis: statistic(*resampled),
        # The tails of a wider interval need as many resamples as those of the usual one.
        n_resamples=math.ceil(RESAMPLES * (1 - LEVEL) / (1 - level)),
        batch=BATCH,
        vectorized=True,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return [(float(found.low), float(found.high))]
