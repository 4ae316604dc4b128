"""BM25 (Robertson and Zaragoza, 2009) in parts, for numbers and for arrays of them."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

K1, B = 0.6, 0.75

Number = TypeVar("Number", float, NDArray[np.float64])


def rarity(passages: int, holding: Number) -> Number:
    """Inverse document frequency of what `holding` of the passages hold."""
    found: Number = np.log1p((passages - holding + 0.5) / (holding + 0.5))
    return found


def saturation(count: Number, length: Number, mean_length: float) -> Number:
    """What a term counts that stands `count` times among `length` terms; 1 for once in a passage of
    the mean length."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean_length))
