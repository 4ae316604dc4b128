"""Scores of two kinds made one (docs/decisions/012)."""

from collections.abc import Mapping
from statistics import fmean, pstdev

DENSE_WEIGHT = 0.7
"""Against the lexical side, whose weight is the share of the question that its best passage
holds, 0 to 1: words that no passage has say nothing."""

EPSILON = 1e-9


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], lexical_weight: float
) -> dict[str, float]:
    """A weighted sum of z-scores of all candidates. One without a vector gets the lowest dense
    score, and one that the words do not touch the lexical score 0."""
    lowest = min(dense.values(), default=0.0)
    candidates = dict.fromkeys([*dense, *lexical])
    by_meaning = _standardised({key: dense.get(key, lowest) for key in candidates})
    by_words = _standardised({key: lexical.get(key, 0.0) for key in candidates})
    return {
        key: DENSE_WEIGHT * by_meaning[key] + lexical_weight * by_words[key] for key in candidates
    }


def _standardised(scores: Mapping[str, float]) -> dict[str, float]:
    """With the mean 0 and the deviation 1; all 0 where they do not differ."""
    if not scores:
        return {}
    mean, deviation = fmean(scores.values()), pstdev(scores.values())
    if deviation < EPSILON:
        return dict.fromkeys(scores, 0.0)
    return {key: (score - mean) / deviation for key, score in scores.items()}
