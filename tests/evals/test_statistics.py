"""Figures with known values, their intervals, and differences between runs."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evals.metrics import auroc, mean, quantile, rate, refused_at, saved
from evals.statistics import Slice, differences, figures, wilson
from evals.suite import Result
from tests.evals.small_suite import result


def scored(kind: str, values: list[float], score: str = "margin") -> list[Result]:
    return [result(f"{kind}{n}", kind, "en", **{score: value}) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # from the formula of Wilson 1927 with z = 1.96, worked out by hand to four digits
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (95, 100, 0.8882, 0.9785),
    ],
)
def test_a_rate_has_wilsons_interval(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-4)


def test_a_rate_is_told_for_each_kind_and_language() -> None:
    results = [
        *(result(f"e{n}", "far", "en", refused=n < 9) for n in range(10)),
        *(result(f"k{n}", "far", "ko", refused=n < 6) for n in range(10)),
        result("x", "answerable", "ko", refused=None),
    ]
    english, korean = figures([rate("refused")], results)
    assert (english.slice, english.value, english.n) == (Slice("handbook", "en", "far"), 0.9, 10)
    assert (korean.slice, korean.value) == (Slice("handbook", "ko", "far"), 0.6)
    assert (english.low, english.high) == wilson(9, 10)


def test_a_metric_over_everything_has_one_slice() -> None:
    results = [result("e", "far", "en", refused=True), result("k", "near", "ko", refused=False)]
    (both,) = figures([rate("refused", by=())], results)
    assert (both.slice, both.value, both.n) == (Slice(), 0.5, 2)
    assert str(both.slice) == "all"


def test_a_mean_has_a_bootstrap_interval_that_is_the_same_each_time() -> None:
    chance = np.random.default_rng(7)
    results = scored("far", list(chance.normal(3.0, 1.0, 400)))
    (first,), (second,) = figures([mean("margin")], results), figures([mean("margin")], results)
    assert first == second
    assert first.low is not None
    assert first.high is not None
    half = 1.96 / np.sqrt(400)
    assert first.high - first.low == pytest.approx(2 * half, rel=0.15)
    assert first.low < first.value < first.high


def test_one_sample_has_a_mean_and_no_interval() -> None:
    (figure,) = figures([mean("margin")], scored("far", [2.0]))
    assert (figure.value, figure.low, figure.high) == (2.0, None, None)


def test_auroc_is_scikit_learns_with_ties_too() -> None:
    inside, outside = [3.0, 2.0, 2.0, 1.0], [0.0, 2.0, 1.0]
    results = scored("answerable", inside) + scored("far", outside)
    (figure,) = figures([auroc("margin", inside="answerable", kinds=("far",))], results)
    assert figure.value == pytest.approx(roc_auc_score([1] * 4 + [0] * 3, inside + outside))
    assert figure.n == 3


def test_refusals_are_counted_at_the_bound_that_the_false_refusals_allow() -> None:
    inside = [float(n) for n in range(100)]
    metric = refused_at(0.05, "margin", inside="answerable", kinds=("far",), name="refused_at_5")
    results = scored("answerable", inside) + scored("far", [-1.0, 3.0, 4.0, 50.0])
    (figure,) = figures([metric], results)
    assert figure.value == 0.5  # the bound is 4: 0 to 3 lie below it, 4 would be the fifth
    assert figure.low is not None
    assert figure.low <= wilson(2, 4)[0]


def test_what_is_compared_with_another_kind_needs_that_kind() -> None:
    metric = auroc("margin", inside="answerable", kinds=("far",))
    assert figures([metric], scored("far", [1.0, 2.0])) == []


def test_calls_saved_are_those_of_the_kind_that_is_answered() -> None:
    results = scored("answerable", [4.0, 2.0], "calls") + scored("far", [0.0, 1.0], "calls")
    metric = saved("calls", against="answerable", kinds=("far",), name="saved")
    (figure,) = figures([metric], results)
    assert figure.value == 2.5


def test_a_quantile_is_told_with_its_unit() -> None:
    results = scored("far", [1.0, 2.0, 30.0], "gate_ms")
    (figure,) = figures([quantile("gate_ms", 0.5, name="median_ms", unit="ms")], results)
    assert (figure.value, figure.unit) == (2.0, "ms")


def refusals(refused: int, *, changed: int = 0) -> list[Result]:
    """Of 100 samples, `refused`; of these and of the others, `changed` have changed places."""
    swapped = {*range(changed), *range(100 - changed, 100)}
    return [result(f"{n}", "far", refused=(n < refused) != (n in swapped)) for n in range(100)]


@pytest.mark.parametrize(
    ("a", "b", "changed", "verdict"),
    [
        (50, 50, 0, "inside the noise"),
        (50, 53, 20, "inside the noise"),
        (53, 50, 20, "inside the noise"),
        (50, 80, 0, "higher"),
        (80, 50, 20, "lower"),
        (50, 45, 0, "inside the noise"),  # McNemar's exact test of 5 changes one way: p = 0.063
        (50, 44, 0, "lower"),  # of 6: p = 0.031
    ],
)
def test_a_difference_is_told_from_noise(a: int, b: int, changed: int, verdict: str) -> None:
    (found,) = differences([rate("refused")], refusals(a), refusals(b, changed=changed))
    assert found.verdict == verdict
    assert found.difference == pytest.approx((b - a) / 100)


def test_a_higher_level_asks_for_more() -> None:
    (found,) = differences([rate("refused")], refusals(50), refusals(44), level=0.99)
    assert found.verdict == "inside the noise"


def test_a_difference_is_over_the_samples_that_both_runs_have() -> None:
    a = refusals(50)
    b = [*refusals(50)[:60], result("new", "far", refused=True)]
    (found,) = differences([rate("refused")], a, b)
    assert (found.n, found.difference) == (60, 0.0)


def test_few_samples_are_too_few_to_tell() -> None:
    a = [result(f"{n}", "far", refused=False) for n in range(5)]
    b = [result(f"{n}", "far", refused=True) for n in range(5)]
    (found,) = differences([rate("refused")], a, b)
    assert (found.low, found.verdict) == (None, "too few samples to tell")
