"""BM25 (Robertson and Zaragoza, 2009), in parts."""

from math import log1p

K1, B = 0.6, 0.75


def rarity(passages: int, holding: int) -> float:
    """Inverse document frequency of what `holding` of the passages hold."""
    return log1p((passages - holding + 0.5) / (holding + 0.5))


def saturation(count: int, length: int, mean_length: float) -> float:
    """What a term counts that stands `count` times among `length` terms; 1 for once in a passage of
    the mean length."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean_length))
