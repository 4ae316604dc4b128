"""Words in the place or in the part of others; as many rows in each language."""

import pytest

from nodes.judge.exchange import exchanged_parts
from nodes.judge.placement import displaced
from nodes.judge.statement import read_statement
from nodes.judge.word_order import is_broken

TRUE = [
    ("Kim founded the press in 1990. Lee bought it in 1995.", "The press was founded by Kim."),
    ("The river flooded the town.", "The town was flooded by the river."),
    ("The train runs from Aldby to Brunn.", "From Aldby to Brunn the train runs."),
    ("Pages stay in Foo for 5 s and sessions in Bar for 9 s.", "Pages stay 5 s in Foo."),
    ("영수는 민호에게 밭을 팔았다.", "민호는 영수에게서 밭을 샀다."),
    ("심판은 선수에게 경고를 준다.", "선수는 심판에게서 경고를 받는다."),
    ("기차는 서울에서 부산으로 간다.", "서울에서 부산으로 기차가 간다."),
    ("시청은 도로를 넓혔고 군청은 다리를 놓았다.", "군청은 다리를 놓았다."),
]
FALSE = [
    ("Kim founded the press in 1990. Lee bought it in 1995.", "The press was founded by Lee."),
    ("The river flooded the town.", "The river was flooded by the town."),
    ("The train runs from Aldby to Brunn.", "The train runs from Brunn to Aldby."),
    ("Pages stay in Foo for 5 s and sessions in Bar for 9 s.", "Pages stay 5 s in Bar."),
    ("영수는 민호에게 밭을 팔았다.", "영수는 민호에게서 밭을 샀다."),
    ("심판은 선수에게 경고를 준다.", "심판은 선수에게서 경고를 받는다."),
    ("기차는 서울에서 부산으로 간다.", "기차는 부산에서 서울로 간다."),
    ("시청은 도로를 넓혔고 군청은 다리를 놓았다.", "시청은 다리를 놓았다."),
]


def _is_out_of_place(source: str, claim: str) -> bool:
    sentences = [read_statement(f"{one.rstrip('.')}.") for one in source.split(". ")]
    items = read_statement(claim).items
    return any(displaced(items, [one.items for one in sentences])) or any(
        change for one in sentences for change in exchanged_parts(items, one.items)
    )


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_another_order_voice_or_converse_verb_leaves_words_in_place(
    source: str, claim: str
) -> None:
    assert not _is_out_of_place(source, claim)


@pytest.mark.parametrize(("source", "claim"), FALSE)
def test_a_word_in_the_place_of_another_is_found(source: str, claim: str) -> None:
    assert _is_out_of_place(source, claim)


@pytest.mark.parametrize(
    ("sentence", "broken"),
    [
        ("The cache keeps the keys of a block.", False),
        ("It is what the plan asks of a node.", False),
        ("The keys of the in a cache block.", True),
        ("Keeps block keys cache the.", True),
        ("블록의 키는 캐시에 보관한다.", False),
        ("캐시는 블록을 보관한다고 적혀 있다.", False),
        ("캐시는 보관한다 블록의 키를 캐시에.", True),
        ("보관한다 캐시에 키는 블록의 모두.", True),
    ],
)
def test_an_order_of_words_that_no_sentence_has_is_found(sentence: str, broken: bool) -> None:
    source = ["The cache keeps the keys of a block.", "캐시는 블록의 키를 보관한다."]
    assert is_broken(sentence, source) == broken
