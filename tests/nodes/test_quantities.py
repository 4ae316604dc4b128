"""Numbers and units in both languages."""

from decimal import Decimal

import pytest

from nodes.text.quantities import missing_quantities, read_quantities

EQUAL = [
    ("1,000 tokens", "1k tokens"),
    ("1000", "1,000"),
    ("57-bit", "57 bits"),
    ("400 ms", "0.4 seconds"),
    ("$2.50 an hour", "2.5 dollars per hour"),
    ("7B", "7 billion"),
    ("twice", "2x"),
    ("two calls", "2 calls"),
    ("1천 토큰", "1,000토큰"),
    ("두 개", "2개"),
    ("57비트", "57 bits"),
    ("400밀리초", "0.4초"),
    ("시간당 2.50달러", "2.5 dollars per hour"),
    ("70억", "7B"),
    ("두 배", "2배"),
    ("세 번", "3회"),
]
DIFFERENT = [
    ("128 PiB", "128 TiB"),
    ("128 KB", "128 KiB"),
    ("5 percent", "5 percentage points"),
    ("30 tokens per second", "30 tokens per minute"),
    ("24 fields", "24 hours"),
    ("128 PiB", "128 TiB를"),
    ("5%", "5%포인트"),
    ("초당 30토큰", "분당 30토큰"),
    ("30분", "30초"),
    ("세 번", "세 배"),
]


def _holds(given: str, claimed: str) -> bool:
    return not missing_quantities(read_quantities(claimed), read_quantities(given), given)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_the_same_amount_is_found_in_another_form(one: str, other: str) -> None:
    assert _holds(one, other)
    assert _holds(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_amount_is_missing(one: str, other: str) -> None:
    assert not _holds(one, other)


@pytest.mark.parametrize(
    "text", ["the H100 and p99", "one of them", "no one", "BF16", "두 번째", "1.2.3", "세대"]
)
def test_what_is_no_amount_is_not_read_as_one(text: str) -> None:
    assert read_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "value", "dimension", "per"),
    [
        ("3.35 TB/s", "3.35e12", "byte", "second"),
        ("5분", "300", "second", ""),
        ("토큰당 128KiB", "131072", "byte", "token"),
        ("3만 명", "30000", "", ""),
    ],
)
def test_a_unit_is_converted_to_its_dimension(
    text: str, value: str, dimension: str, per: str
) -> None:
    (found,) = read_quantities(text)
    assert (found.value, found.dimension, found.per) == (Decimal(value), dimension, per)
