"""Parts of two clauses joined, and restrictions left out, turned round or made up."""

import pytest

from nodes.judge.clauses import joined_parts
from nodes.judge.modifiers import exchanged_modifiers
from nodes.judge.restrictions import invented_restriction, lost_restrictions
from nodes.judge.statement import read_statement

TICKETS_EN = "A single ticket costs 9 euros and a day ticket costs 21 euros."
TICKETS_KO = "편도 승선권은 9천 원이고 하루 승선권은 2만 1천 원이다."
BOARD_EN = "The board approved the schedule in May but rejected the plan for a car park."
BOARD_KO = "이사회는 5월에 근무표를 승인했지만 주차장 계획은 부결했다."
REFUNDS_EN = "Tickets from the web cannot be refunded, but tickets from the desk can be refunded."
REFUNDS_KO = "웹에서 산 승선권은 환불되지 않으나 창구에서 산 승선권은 환불된다."


def joined(claim: str, source: str) -> list[str]:
    return list(joined_parts(read_statement(claim), read_statement(source)))


def lost(claim: str, source: str) -> list[str]:
    return list(lost_restrictions(read_statement(claim), read_statement(source)))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A single ticket costs 21 euros.", TICKETS_EN),
        ("The board approved the plan for a car park.", BOARD_EN),
        ("The board rejected the schedule in May.", BOARD_EN),
        ("Tickets cannot be refunded.", REFUNDS_EN),
        ("편도 승선권은 2만 1천 원이다.", TICKETS_KO),
        ("이사회는 주차장 계획을 승인했다.", BOARD_KO),
        ("이사회는 5월에 근무표를 부결했다.", BOARD_KO),
        ("승선권은 환불되지 않는다.", REFUNDS_KO),
    ],
)
def test_parts_of_two_clauses_do_not_make_a_third(claim: str, source: str) -> None:
    assert joined(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A day ticket costs 21 euros.", TICKETS_EN),
        ("A day ticket costs 21 euros, whereas a single one costs 9 euros.", TICKETS_EN),
        ("The board rejected the plan for a car park.", BOARD_EN),
        ("Tickets from the web cannot be refunded.", REFUNDS_EN),
        ("하루 승선권은 2만 1천 원이다.", TICKETS_KO),
        ("하루 승선권은 2만 1천 원이고 편도 승선권은 9천 원이다.", TICKETS_KO),
        ("이사회는 주차장 계획을 부결했다.", BOARD_KO),
        ("웹에서 산 승선권은 환불되지 않는다.", REFUNDS_KO),
    ],
)
def test_what_one_clause_says_may_be_said_alone(claim: str, source: str) -> None:
    assert joined(claim, source) == []


ONLY_EN, ONLY_KO = "The laboratory is open only on weekdays.", "검사실은 평일에만 문을 연다."
EXCEPT_EN = "All employees except trainees receive a meal allowance of 8 euros."
EXCEPT_KO = "수습 직원을 제외한 모든 직원은 8천 원의 식대를 받는다."
WITHOUT_EN = "Patients without insurance pay 60 euros per visit."
WITHOUT_KO = "보험이 없는 환자는 진료비로 6만 원을 낸다."
UNLESS_EN = "Books may be renewed twice unless somebody has reserved them."
UNLESS_KO = "다른 사람이 예약하지 않았으면 책은 두 번까지 연장할 수 있다."
OVER_EN, OVER_KO = (
    "Groups of more than 20 people must book ahead.",
    "20명이 넘는 단체는 미리 예약해야 한다.",
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The laboratory is open.", ONLY_EN),
        ("All employees receive a meal allowance of 8 euros.", EXCEPT_EN),
        ("Trainees receive a meal allowance of 8 euros.", EXCEPT_EN),
        ("Patients pay 60 euros per visit.", WITHOUT_EN),
        ("Books may be renewed twice.", UNLESS_EN),
        ("Books may be renewed twice if somebody has reserved them.", UNLESS_EN),
        ("Groups must book ahead.", OVER_EN),
        ("검사실은 문을 연다.", ONLY_KO),
        ("모든 직원은 8천 원의 식대를 받는다.", EXCEPT_KO),
        ("수습 직원은 8천 원의 식대를 받는다.", EXCEPT_KO),
        ("환자는 진료비로 6만 원을 낸다.", WITHOUT_KO),
        ("책은 두 번까지 연장할 수 있다.", UNLESS_KO),
        ("단체는 미리 예약해야 한다.", OVER_KO),
    ],
)
def test_a_clause_keeps_its_restriction(claim: str, source: str) -> None:
    assert lost(claim, source)


@pytest.mark.parametrize("source", [ONLY_EN, EXCEPT_EN, WITHOUT_EN, UNLESS_EN, OVER_EN])
@pytest.mark.parametrize("korean", [False, True])
def test_a_copy_has_lost_no_restriction(source: str, korean: bool) -> None:
    pairs = {
        ONLY_EN: ONLY_KO, EXCEPT_EN: EXCEPT_KO, WITHOUT_EN: WITHOUT_KO, UNLESS_EN: UNLESS_KO,
        OVER_EN: OVER_KO,
    }  # fmt: skip
    text = pairs[source] if korean else source
    assert lost(text, text) == []


def test_an_only_that_the_source_does_not_have_is_made_up() -> None:
    assert invented_restriction("It is open only on weekdays.", ["It is open on weekdays."])
    assert invented_restriction("평일에만 문을 연다.", ["평일에 문을 연다."])
    assert not invented_restriction(ONLY_EN, ["It opens at no other time than on weekdays."])
    assert not invented_restriction(ONLY_KO, ["평일 외에는 문을 열지 않는다."])


def test_a_modifier_stays_with_its_noun() -> None:
    source = read_statement("Embry planted the first apple trees, and Skinner added pears.")
    told = read_statement("Embry planted the first pear trees.")
    assert list(exchanged_modifiers(told, source)) == ["pear ≠ apple"]
    assert list(exchanged_modifiers(source, source)) == []
