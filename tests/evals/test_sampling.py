"""Which samples a limit takes."""

from collections import Counter

import pytest

from evals.sampling import stratified
from tests.evals.small_suite import samples

MANY = samples(200)


def test_a_limit_takes_as_many_of_each_language_and_kind() -> None:
    counts = Counter((sample.language, sample.kind) for sample in stratified(MANY, 40, seed=1))
    assert counts == {
        ("en", "answerable"): 10,
        ("en", "far"): 10,
        ("ko", "answerable"): 10,
        ("ko", "far"): 10,
    }


def test_a_kind_with_few_samples_leaves_its_place_to_others() -> None:
    counts = Counter(sample.kind for sample in stratified(MANY, 120, seed=1))
    assert counts == {"far": 40, "answerable": 80}


def test_the_same_seed_takes_the_same_samples_in_their_order() -> None:
    drawn = stratified(MANY, 50, seed=3)
    assert drawn == stratified(list(reversed(MANY)), 50, seed=3)[::-1]
    assert drawn != stratified(MANY, 50, seed=4)
    assert [int(sample.id) for sample in drawn] == sorted(int(sample.id) for sample in drawn)


@pytest.mark.parametrize("limit", [1, 7, 60, 199])
def test_a_larger_limit_keeps_the_samples_of_a_smaller_one(limit: int) -> None:
    smaller = {sample.id for sample in stratified(MANY, limit, seed=0)}
    assert len(smaller) == limit
    assert smaller < {sample.id for sample in stratified(MANY, limit + 1, seed=0)}


def test_a_limit_above_the_number_of_samples_takes_them_all() -> None:
    assert stratified(MANY, 1_000, seed=0) == MANY
