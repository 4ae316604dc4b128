"""The metrics that suites are made of: constructors of `evals.suite.Metric`.

A score is averaged, or counted where it is true or false; two kinds are told apart by a score; and
what one kind costs is compared with another. All statistics work along the last axis.
"""

import numpy as np
from scipy import stats

from evals.suite import Dimension, Metric, Numbers

SLICE: tuple[Dimension, ...] = ("corpus", "language", "kind")


def rate(
    score: str, *, name: str = "", kinds: tuple[str, ...] = (), by: tuple[Dimension, ...] = SLICE
) -> Metric:
    """The share of samples for which a score of True or False is True."""
    about = f"share of samples with {score}"
    return Metric(name or score, score, average, about, by, kinds, share=True)


def mean(
    score: str,
    *,
    name: str = "",
    kinds: tuple[str, ...] = (),
    by: tuple[Dimension, ...] = SLICE,
    unit: str = "",
) -> Metric:
    return Metric(name or score, score, average, f"mean {score}", by, kinds, unit=unit)


def quantile(
    score: str,
    share: float,
    *,
    name: str,
    kinds: tuple[str, ...] = (),
    by: tuple[Dimension, ...] = SLICE,
    unit: str = "",
) -> Metric:
    """The value that `share` of the samples stay below: 0.5 is the median, 0.95 is p95."""

    def at(values: Numbers) -> Numbers:
        return np.asarray(np.quantile(values, share, axis=-1))

    return Metric(name, score, at, f"{share:.0%} quantile of {score}", by, kinds, unit=unit)


def auroc(score: str, *, inside: str, kinds: tuple[str, ...], name: str = "auroc") -> Metric:
    """How often a random sample of the kind `inside` has a higher score than one of another kind;
    ties count half. Perfect separation has an interval without width: look at n."""
    about = f"area under the ROC curve of {score}, {inside} against each kind"
    return Metric(name, score, ranked_below, about, SLICE, kinds, against=inside)


def refused_at(
    false_refusals: float, score: str, *, inside: str, kinds: tuple[str, ...], name: str
) -> Metric:
    """The share that lies below the bound which refuses at most `false_refusals` of the kind
    `inside`. That bound is found on the same set: this is what a score could do, not what the
    product did."""

    def below(values: Numbers, reference: Numbers) -> Numbers:
        bound = np.quantile(reference, false_refusals, axis=-1, method="lower", keepdims=True)
        return np.asarray(np.mean(values < bound, axis=-1))

    about = f"share refused by the bound on {score} that refuses {false_refusals:.0%} of {inside}"
    return Metric(name, score, below, about, SLICE, kinds, against=inside, share=True)


def saved(score: str, *, against: str, kinds: tuple[str, ...], name: str, unit: str = "") -> Metric:
    """How much less a sample has of a score, such as model calls, than one of the kind `against`,
    on average."""

    def less(values: Numbers, reference: Numbers) -> Numbers:
        return average(reference) - average(values)

    about = f"mean {score} of {against}, less that of each kind"
    return Metric(name, score, less, about, SLICE, kinds, against=against, unit=unit)


def average(values: Numbers) -> Numbers:
    return np.asarray(np.mean(values, axis=-1))


def ranked_below(values: Numbers, reference: Numbers) -> Numbers:
    """Mann and Whitney's U over the number of pairs, which is the area under the ROC curve."""
    ranks = stats.rankdata(np.concatenate((reference, values), axis=-1), axis=-1)
    inside, outside = reference.shape[-1], values.shape[-1]
    wins = ranks[..., :inside].sum(axis=-1) - inside * (inside + 1) / 2
    return np.asarray(wins / (inside * outside))
