"""Logistic regression for a few features, as scikit-learn has it."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def fit(values: Numbers, labels: NDArray[np.bool_]) -> tuple[Numbers, float]:
    """Weights, shape (features,), and intercept of the log odds that a row of `values`, shape
    (rows, features), is labelled. Both labels have to occur, and count alike in sum.

    The features are standardised for it and their weights kept small.
    """
    # A second to import, and only a calibration comes here.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model.fit(values, labels)
    scaler, logistic = model[0], model[1]
    weights = logistic.coef_[0] / scaler.scale_
    return weights, float(logistic.intercept_[0] - weights @ scaler.mean_)
