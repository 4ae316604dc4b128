import pytest
from scipy.stats import binomtest

from knowledge.fitting import rate


@pytest.mark.parametrize(("refused", "of"), [(0, 20), (20, 20), (3, 50), (1, 600), (599, 600)])
def test_a_rate_has_the_interval_of_wilson(refused: int, of: int) -> None:
    found = rate([True] * refused + [False] * (of - refused))
    expected = binomtest(refused, of).proportion_ci(method="wilson")
    assert (found.share, found.n) == (refused / of, of)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
