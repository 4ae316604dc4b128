"""How far a person and the automatic verdict agree on yes or no.

Cohen's kappa: J. Cohen, A coefficient of agreement for nominal scales, Educational and
Psychological Measurement 20 (1960). 0 is what chance would agree, 1 is agreement in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.statistics import LEVEL, MIN_PAIRS, RESAMPLES, SEED, wilson
from evals.suite import Numbers


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of `n` pairs. `confusion` counts them as [[both yes, automatic yes and person no],
    [automatic no and person yes, both no]]. Intervals are of 95%: Wilson's for the rate, a
    percentile bootstrap for kappa, with at least `MIN_PAIRS` pairs. Kappa is None where both said
    the same of everything, so that chance alone would agree too."""

    n: int
    confusion: tuple[tuple[int, int], tuple[int, int]]
    rate: float
    rate_low: float
    rate_high: float
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement | None:
    """Of pairs (automatic, person); None without any."""
    if not pairs:
        return None
    n = len(pairs)
    cells = [pairs.count(pair) for pair in _CELLS]
    agreed = cells[0] + cells[3]
    value = float(kappas(np.array([cells], dtype=np.float64))[0])
    told = not np.isnan(value)
    low, high = _interval(cells, n) if told and n >= MIN_PAIRS else (None, None)
    return Agreement(
        n,
        ((cells[0], cells[1]), (cells[2], cells[3])),
        agreed / n,
        *wilson(agreed, n),
        value if told else None,
        low,
        high,
    )


def kappas(cells: Numbers) -> Numbers:
    """Kappa of each row of counts (both yes, automatic only, person only, both no); NaN where
    chance alone agrees in all."""
    yes_yes, yes_no, no_yes, no_no = np.moveaxis(cells, -1, 0)
    n = cells.sum(axis=-1)
    observed = (yes_yes + no_no) / n
    by_chance = (
        (yes_yes + yes_no) * (yes_yes + no_yes) + (no_yes + no_no) * (yes_no + no_no)
    ) / n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance < 1, (observed - by_chance) / (1 - by_chance), np.nan)


def _interval(cells: Sequence[int], n: int) -> tuple[float, float]:
    """Drawing n pairs with replacement is drawing from a multinomial distribution."""
    drawn = np.random.default_rng(SEED).multinomial(n, np.array(cells) / n, size=RESAMPLES)
    low, high = np.nanquantile(kappas(drawn.astype(np.float64)), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


_CELLS = ((True, True), (True, False), (False, True), (False, False))
