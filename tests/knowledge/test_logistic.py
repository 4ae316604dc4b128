import numpy as np
import pytest

from knowledge.logistic import fit


@pytest.mark.parametrize("labelled", [30, 400])
def test_labels_count_alike_however_many_there_are(labelled: int) -> None:
    random = np.random.default_rng(labelled)
    labels = np.arange(600) < labelled
    values = random.normal(size=(600, 2)) * [0.1, 30.0] + 7.0
    values[labels] += [0.3, 0.0]
    weights, intercept = fit(values, labels)
    scores = values @ weights + intercept
    assert np.mean(scores[labels] > 0) > 0.85
    assert np.mean(scores[~labels] < 0) > 0.85
    assert abs(weights[0]) * 0.1 > 5 * abs(weights[1]) * 30


def test_a_feature_that_is_always_the_same_says_nothing() -> None:
    values = np.column_stack([np.linspace(0, 1, 40), np.full(40, 3.0)])
    weights, intercept = fit(values, np.arange(40) >= 20)
    assert weights[0] > 0
    assert weights[1] == 0
    assert weights[0] * 0.5 + intercept == pytest.approx(0, abs=1e-6)
