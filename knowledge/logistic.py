"""Logistic regression for a few features (Hastie et al., The Elements of Statistical Learning,
4.4.1), without the second that scikit-learn takes to import."""

import numpy as np
from numpy.typing import NDArray

MAX_STEPS = 100
MAX_HALVINGS = 30
ENOUGH = 1e-9

Numbers = NDArray[np.float64]


def fit(values: Numbers, labels: NDArray[np.bool_]) -> tuple[Numbers, float]:
    """Weights, shape (features,), and intercept of the log odds that a row of `values`, shape
    (rows, features), is labelled. Both labels have to occur, and count alike in sum.

    The features are standardised for it and their weights kept small, as scikit-learn does with
    `StandardScaler` and `LogisticRegression(class_weight="balanced")`. Newton's method, each step
    halved until the loss falls.
    """
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale == 0.0] = 1.0
    rows = np.column_stack([(values - mean) / scale, np.ones(len(values))])
    counts = np.where(labels, labels.sum(), (~labels).sum())
    row_weights = len(labels) / (2.0 * counts)
    penalty = np.append(np.ones(values.shape[1]), 0.0)
    signs = np.where(labels, 1.0, -1.0)

    def loss(weights: Numbers) -> float:
        losses = np.logaddexp(0.0, -signs * (rows @ weights))
        return float(row_weights @ losses + penalty @ weights**2 / 2)

    weights = np.zeros(rows.shape[1])
    lowest = loss(weights)
    for _ in range(MAX_STEPS):
        odds = 1.0 / (1.0 + np.exp(np.clip(-(rows @ weights), -500, 500)))
        slope = rows.T @ (row_weights * (odds - labels)) + penalty * weights
        curvature = rows.T @ (rows * (row_weights * odds * (1 - odds))[:, None]) + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        for _ in range(MAX_HALVINGS):
            if (new := loss(weights - step)) <= lowest:
                break
            step /= 2
        weights = weights - step
        if lowest - new <= ENOUGH:
            break
        lowest = new
    found = weights[:-1] / scale
    return found, float(weights[-1] - found @ mean)
