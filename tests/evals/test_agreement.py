"""Agreement of yes and no, against known values."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evals.review.agreement import agreement, kappas

Cells = tuple[int, int, int, int]


def pairs(both_yes: int, automatic: int, person: int, both_no: int) -> list[tuple[bool, bool]]:
    return (
        [(True, True)] * both_yes
        + [(True, False)] * automatic
        + [(False, True)] * person
        + [(False, False)] * both_no
    )


@pytest.mark.parametrize(
    ("cells", "kappa"),
    [
        ((20, 5, 10, 15), 0.4),  # the usual example: 0.7 observed, 0.5 by chance
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((25, 25, 25, 25), 0.0),
    ],
)
def test_kappa_has_the_known_value(cells: Cells, kappa: float) -> None:
    found = agreement(pairs(*cells))
    assert found is not None
    assert found.kappa == pytest.approx(kappa, abs=5e-5)


@pytest.mark.parametrize("cells", [(20, 5, 10, 15), (3, 1, 7, 40), (1, 2, 3, 4)])
def test_kappa_is_what_scikit_learn_finds(cells: Cells) -> None:
    automatic, person = zip(*pairs(*cells), strict=True)
    expected = cohen_kappa_score(automatic, person)
    assert float(kappas(np.array([cells], dtype=float))[0]) == pytest.approx(expected)


def test_the_interval_is_near_the_analytic_one() -> None:
    """Of Fleiss, Cohen and Everitt (1969): 0.4 plus or minus 1.96 × 0.1292 for 0.4 of 50 pairs."""
    found = agreement(pairs(20, 5, 10, 15))
    assert found is not None
    assert found.kappa_low == pytest.approx(0.4 - 1.96 * 0.1292, abs=0.05)
    assert found.kappa_high == pytest.approx(0.4 + 1.96 * 0.1292, abs=0.05)


def test_rate_and_confusion_are_counted() -> None:
    found = agreement(pairs(20, 5, 10, 15))
    assert found is not None
    assert (found.n, found.rate, found.confusion) == (50, 0.7, ((20, 5), (10, 15)))
    assert found.rate_low == pytest.approx(0.5625, abs=1e-3)
    assert found.rate_high == pytest.approx(0.8090, abs=1e-3)


def test_without_a_second_answer_there_is_no_kappa() -> None:
    found = agreement(pairs(30, 0, 0, 0))
    assert found is not None
    assert (found.rate, found.kappa, found.kappa_low) == (1.0, None, None)


def test_few_pairs_give_no_interval_and_none_give_nothing() -> None:
    found = agreement(pairs(5, 2, 2, 5))
    assert found is not None
    assert found.kappa is not None
    assert found.kappa_low is None
    assert agreement([]) is None
