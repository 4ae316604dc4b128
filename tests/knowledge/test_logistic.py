import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from knowledge.logistic import fit


@pytest.mark.parametrize("distance", [0.0, 0.5, 2.0, 50.0])
@pytest.mark.parametrize("labelled", [3, 400])
def test_a_fit_is_that_of_scikit_learn(distance: float, labelled: int) -> None:
    random = np.random.default_rng(labelled)
    labels = np.arange(600) < labelled
    values = random.normal(size=(600, 4)) * [0.1, 1.0, 5.0, 30.0] + 7.0
    values[labels] += distance * np.array([0.1, 0.0, 5.0, -30.0])
    weights, intercept = fit(values, labels)

    model = make_pipeline(
        StandardScaler(), LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=10_000)
    )
    model.fit(values, labels)
    assert values @ weights + intercept == pytest.approx(
        model.decision_function(values), rel=1e-3, abs=1e-3
    )


def test_a_feature_that_is_always_the_same_says_nothing() -> None:
    values = np.column_stack([np.linspace(0, 1, 40), np.full(40, 3.0)])
    weights, intercept = fit(values, np.arange(40) >= 20)
    assert weights[0] > 0
    assert weights[1] == 0
    assert weights[0] * 0.5 + intercept == pytest.approx(0, abs=1e-6)
