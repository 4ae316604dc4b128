"""Scores of two kinds made one (docs/decisions/012)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

DENSE_WEIGHT = 0.7
"""Against the lexical side, whose weight is the share of the question that its best passage
holds, 0 to 1: words that no passage has say nothing."""

EPSILON = 1e-9


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], lexical_weight: float
) -> dict[str, float]:
    """A weighted sum of z-scores of all candidates. One without a vector gets the lowest dense
    score, and one that the words do not touch the lexical score 0."""
    candidates = list(dict.fromkeys([*dense, *lexical]))
    lowest = min(dense.values(), default=0.0)
    by_meaning = _standardised([dense.get(key, lowest) for key in candidates])
    by_words = _standardised([lexical.get(key, 0.0) for key in candidates])
    fused = DENSE_WEIGHT * by_meaning + lexical_weight * by_words
    return dict(zip(candidates, fused.tolist(), strict=True))


def _standardised(scores: Sequence[float]) -> NDArray[np.float64]:
    """With the mean 0 and the deviation 1; all 0 where they do not differ."""
    values = np.array(scores, np.float64)
    deviation = values.std() if scores else 0.0
    if deviation < EPSILON:
        return np.zeros(len(scores))
    standardised: NDArray[np.float64] = (values - values.mean()) / deviation
    return standardised
