"""What one sentence denies or turns round of another; as many rows in each language."""

import pytest

from nodes.judge.contradiction import turned_direction, unmatched_negation
from nodes.judge.statement import read_statement

AGREE = [
    ("Cars may not park here.", "Parking of cars is not allowed here."),
    ("Smoking is forbidden in the hall.", "Smoking is not allowed in the hall."),
    ("Logs are excluded from backups.", "Backups do not include logs."),
    ("The firm will not pay a dividend.", "There will be no dividend."),
    ("Dogs are allowed, but cats are not.", "Cats are not allowed."),
    ("The old pump is slower than the new one.", "The new pump is faster than the old one."),
    ("촬영은 금지된다.", "촬영은 할 수 없다."),
    ("예약하지 않으면 들어갈 수 없다.", "예약해야 들어갈 수 있다."),
    ("필터는 물로 씻으면 안 된다.", "필터는 물로 씻지 않는다."),
    ("방문 신청은 받지 않는다.", "방문 신청은 안 된다."),
    ("기록은 고칠 수 없다.", "기록은 고치지 못한다."),
    ("헌 펌프는 새 펌프보다 느리다.", "새 펌프는 헌 펌프보다 빠르다."),
]
DISAGREE = [
    ("Cars may not park here.", "Cars may park here."),
    ("Smoking is forbidden in the hall.", "Smoking is allowed in the hall."),
    ("Logs are excluded from backups.", "Backups include logs."),
    ("The wheat loaf contains no rye.", "The wheat loaf contains rye."),
    ("The wheat loaf contains no rye.", "The rye loaf contains no wheat."),
    ("The pump starts after the alarm.", "The pump starts before the alarm."),
    ("촬영은 금지된다.", "촬영은 할 수 있다."),
    ("예약하지 않으면 들어갈 수 없다.", "예약하지 않아도 들어갈 수 있다."),
    ("필터는 물로 씻으면 안 된다.", "필터는 물로 씻어도 된다."),
    ("방문 신청은 받지 않는다.", "방문 신청은 받는다."),
    ("돈이 없으면 표를 사지 못한다.", "돈이 없으면 표를 산다."),
    ("경보 뒤에 펌프가 돈다.", "경보 전에 펌프가 돈다."),
]


def _contradicts(source: str, claim: str) -> bool:
    ours, theirs = read_statement(claim).polarity, read_statement(source).polarity
    return bool(unmatched_negation(ours, [theirs], theirs) or turned_direction(ours, [theirs]))


@pytest.mark.parametrize(("source", "claim"), AGREE)
def test_the_same_said_with_other_negations_is_no_contradiction(source: str, claim: str) -> None:
    assert not _contradicts(source, claim)


@pytest.mark.parametrize(("source", "claim"), DISAGREE)
def test_a_lost_or_added_negation_or_direction_is_one(source: str, claim: str) -> None:
    assert _contradicts(source, claim)
