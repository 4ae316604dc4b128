import sqlite3

import pytest

from knowledge.lexical import LexicalIndex, script, terms


def index_of(*texts: str) -> LexicalIndex:
    index = LexicalIndex(sqlite3.connect(":memory:"))
    for row, text in enumerate(texts, start=1):
        index.add(row, text)
    return index


def best(index: LexicalIndex, query: str) -> int:
    return index.search(terms(query), 1)[0][0]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("캐시", 1),
        ("캐시를 비우는 법", 1),
        ("어댑터의 랭크", 2),
        ("what do queries cost?", 3),
        ("QUERY costs", 3),
    ],
)
def test_words_are_found_with_other_particles_and_endings(query: str, row: int) -> None:
    index = index_of(
        "접두사 캐시는 블록을 담는다", "어댑터에서 랭크가 크다", "A query has its cost."
    )
    assert best(index, query) == row


def test_a_korean_word_that_a_line_end_broke_is_found() -> None:
    assert best(index_of("다른 글", "건너\n뛴다"), "건너뛴다") == 2


def test_words_side_by_side_beat_the_same_words_apart() -> None:
    index = index_of("token by token, first of all", "the first token of all, by")
    assert best(index, "first token") == 2


def test_a_removed_row_is_not_found_again() -> None:
    index = index_of("one cache", "another cache")
    index.remove([1])
    assert [row for row, _ in index.search(["cache"], 5)] == [2]


@pytest.mark.parametrize("query", ["", "?!", '" OR "', "NEAR(b c)", "캐"])
def test_no_query_breaks_the_search(query: str) -> None:
    assert index_of("a text").search(terms(query), 5) == []


def test_a_rare_term_weighs_more_than_a_common_one() -> None:
    rarity = index_of("cache one", "cache two", "cache three").rarity(["cache", "two", "new"], 3)
    assert rarity["cache"] < rarity["two"] < rarity["new"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is TTFT?", "latin"),
        ("KV 캐시와 TTFT", "hangul"),
        ("黑豹队的防守", "han"),
        ("Кто победил?", "other"),
        ("", "other"),
    ],
)
def test_the_script_stands_for_the_language(text: str, expected: str) -> None:
    assert script(text) == expected
