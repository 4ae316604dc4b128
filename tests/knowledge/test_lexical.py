from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.evidence import Passage
from knowledge.catalog import Catalog
from knowledge.document_row import DocumentRow
from knowledge.lexical import script
from knowledge.word_scores import WordScores
from knowledge.word_search import WordSearch


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog(tmp_path / "catalog.sqlite3")
    yield made
    made.close()


def put(catalog: Catalog, *texts: str) -> None:
    """Documents named by their number, from 1, each of one passage."""
    for number, text in enumerate(texts, start=1):
        name = str(number)
        passage = Passage(
            id=f"{number:032x}", document=name, title="", page=1, start=0, end=len(text), text=text
        )
        row = DocumentRow(name, "", len(text), 0, "", "indexed")
        catalog.replace_document(row, (), [passage])


def found(catalog: Catalog, query: str) -> list[int]:
    """Numbers of the documents, best first."""
    (match,) = WordSearch(catalog.lexical, catalog.passage_count()).match([query], 10)
    held = catalog.lexical.words_of(match.ids)
    scores = WordScores([match], held).by_terms(match, held)
    return [int(key, 16) for key in sorted(scores, key=lambda key: -scores[key])]


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
def test_words_are_found_with_other_particles_and_endings(
    catalog: Catalog, query: str, row: int
) -> None:
    put(catalog, "접두사 캐시는 블록을 담는다", "어댑터에서 랭크가 크다", "A query has its cost.")
    assert found(catalog, query)[0] == row


def test_a_korean_word_that_a_line_end_broke_is_found(catalog: Catalog) -> None:
    put(catalog, "다른 글", "건너\n뛴다")
    assert found(catalog, "건너뛴다") == [2]


def test_a_removed_document_is_not_found_again(catalog: Catalog) -> None:
    put(catalog, "one cache", "another cache", "다른 캐시")
    catalog.remove_document("1")
    assert found(catalog, "cache") == [2]


@pytest.mark.parametrize("query", ["", "?!", '" OR "', "NEAR(b c)", "캐"])
def test_no_query_breaks_the_search(catalog: Catalog, query: str) -> None:
    put(catalog, "a text")
    assert found(catalog, query) == []


def test_a_rare_term_weighs_more_than_a_common_one(catalog: Catalog) -> None:
    put(catalog, "cache one", "cache two", "cache three")
    rarity = WordSearch(catalog.lexical, 3).rarities(["cach", "two", "new"])
    assert rarity["cach"] < rarity["two"] < rarity["new"]


def test_a_search_within_documents_finds_no_others(catalog: Catalog) -> None:
    put(catalog, "a cache of blocks", "the cache of answers", "캐시는 블록을 담는다")
    (match,) = WordSearch(catalog.lexical, 3).match(["cache 캐시"], 10, frozenset({"2", "3"}))
    assert sorted(int(key, 16) for key in match.ids) == [2, 3]


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
