"""Numbers and units in both languages."""

from decimal import Decimal

import pytest

from nodes.judge.contradiction import exceeded_bound
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
    ("28 December 1879", "December 28, 1879"),
    ("2026-11-30", "30 November 2026"),
    ("two thirds", "two-thirds"),
    ("half of it", "50 percent of it"),
    ("twenty-five miles", "25 mi"),
    ("9 pm", "21:00"),
    ("the 17th century", "the seventeenth century"),
    ("-8 °C", "minus 8 degrees"),
    ("an hour and 15 to 20 kg", "an hour and 15 kg to 20 kg"),
    ("2026-11-30", "2026년 11월 30일"),
    ("2만 2천 원", "22,000원"),
    ("1천2백 그루", "1,200그루"),
    ("서른두 명", "32명"),
    ("절반", "50퍼센트"),
    ("오후 9시", "21시"),
    ("석 달", "3개월"),
    ("영하 8도", "-8°C"),
    ("사흘", "3일"),
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
    ("3 GB", "3 Gb"),
    ("5 mW", "5 MW"),
    ("3.5 km", "3.5 miles"),
    ("34 °C", "34 °F"),
    ("9 am", "9 pm"),
    ("14 February", "14 April"),
    ("one third", "two thirds"),
    ("오전 9시", "오후 9시"),
    ("11월 30일", "11월 13일"),
    ("2만 원", "2억 원"),
    ("6개월", "6주"),
    ("12g", "12kg"),
    ("초속 10미터", "시속 10미터"),
    ("3분의 1", "3분의 2"),
]
BOUNDS = [
    ("at least 5 days", "at least"),
    ("5 days or more", "at least"),
    ("more than 5 days", "more"),
    ("no more than 5 days", "at most"),
    ("must not wait longer than 5 days", "at most"),
    ("up to 5 days", "at most"),
    ("within 5 days", "at most"),
    ("under 5 days", "less"),
    ("5 days", ""),
    ("최소 5일", "at least"),
    ("5일 이상", "at least"),
    ("5일을 넘으면", "more"),
    ("5일을 넘지 않는", "at most"),
    ("5일 이내", "at most"),
    ("최대 5일", "at most"),
    ("5일까지 쉰다", "at most"),
    ("5일 미만", "less"),
    ("5일 동안", ""),
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


@pytest.mark.parametrize(("text", "bound"), BOUNDS)
def test_a_number_has_the_bound_that_stands_beside_it(text: str, bound: str) -> None:
    assert [one.bound for one in read_quantities(text)] == [bound]


@pytest.mark.parametrize(
    ("given", "claimed", "exceeded"),
    [
        ("at least 5 days", "at most 5 days", True),
        ("5 days", "at least 5 days", True),
        ("more than 5 days", "at least 5 days", True),
        ("at least 5 days", "5 days or more", False),
        ("at least 5 days", "5 days", False),
        ("between 4 and 5 days", "4 to 5 days", False),
        ("5일 이상", "5일 이하", True),
        ("5일", "5일 이상", True),
        ("5일 이하", "5일 미만", True),
        ("5일 이상", "적어도 5일", False),
        ("5일 이상", "5일", False),
        ("4일에서 5일 사이", "4일 이상 5일 이하", False),
    ],
)
def test_a_claim_may_leave_a_bound_out_and_make_none_up(
    given: str, claimed: str, exceeded: bool
) -> None:
    pool = read_quantities(given)
    assert any(exceeded_bound(one, pool) for one in read_quantities(claimed)) == exceeded


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
