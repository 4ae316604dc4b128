"""Which passages the words of a question find, and with what score."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.evidence import Passage
from knowledge import lexical, word_search
from knowledge.catalog import Catalog
from knowledge.document_row import DocumentRow
from knowledge.word_scores import WordScores
from knowledge.word_search import WordSearch

FILLER = {"en": "the pump of the plant is in the hall", "ko": "공장의 펌프는 건물 안에 있다"}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog(tmp_path / "catalog.sqlite3")
    yield made
    made.close()


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of passages are too long for a search much sooner."""
    monkeypatch.setattr(lexical, "MAX_COUNTED", 10)
    monkeypatch.setattr(word_search, "MAX_COUNTED", 10)
    monkeypatch.setattr(word_search, "MAX_POSTINGS", 20)


def put(catalog: Catalog, texts: Mapping[int, str], title: str = "") -> None:
    """Documents of one passage each, named by their number."""
    for number, text in texts.items():
        name = str(number)
        passage = Passage(
            id=f"{number:032x}",
            document=name,
            title=title,
            page=1,
            start=0,
            end=len(text),
            text=text,
        )
        row = DocumentRow(name, "", len(text), 0, "", "indexed")
        catalog.replace_document(row, (), [passage])


def scores(
    catalog: Catalog, query: str, within: frozenset[str] | None = None, limit: int = 50
) -> dict[int, float]:
    """BM25 of the documents found, by their numbers."""
    search = WordSearch(catalog.lexical, catalog.passage_count())
    (match,) = search.match([query], limit, within)
    held = catalog.lexical.words_of(match.ids)
    found = WordScores([match], held).by_terms(match, held)
    return {int(key, 16): score for key, score in found.items()}


@pytest.mark.parametrize(
    ("language", "rare", "query"),
    [
        (
            "en",
            "the valve of the plant is in the hall",
            "Where in the hall of the plant is a valve?",
        ),
        ("ko", "공장의 밸브는 건물 안에 있다", "공장의 밸브는 건물 안 어디에 있나요?"),
    ],
)
def test_a_rare_word_is_found_among_common_ones_and_all_of_them_score(
    catalog: Catalog, little_time: None, language: str, rare: str, query: str
) -> None:
    put(catalog, dict.fromkeys(range(40), FILLER[language]) | {40: rare})
    found = scores(catalog, query)
    alone = scores(catalog, "valve 밸브")
    assert max(found, key=lambda number: found[number]) == 40
    assert found[40] > alone[40]


@pytest.mark.parametrize(("language", "query"), [("en", "plant hall"), ("ko", "공장 건물")])
def test_words_that_are_all_common_find_passages_that_have_two_of_them(
    catalog: Catalog, little_time: None, language: str, query: str
) -> None:
    other = {"en": "the hall", "ko": "건물"}[language]
    texts = {number: FILLER[language] if number % 2 else other for number in range(40)}
    put(catalog, texts)
    found = scores(catalog, query)
    assert found
    assert all(number % 2 for number in found)


@pytest.mark.parametrize("word", ["pump", "펌프"])
def test_the_passage_that_says_a_lot_with_a_common_word_is_found(
    catalog: Catalog, little_time: None, word: str
) -> None:
    long = f"{word} " + "and so on 그리고 또한 " * 40
    put(catalog, dict.fromkeys(range(40), long) | {33: " ".join([word] * 9)})
    found = scores(catalog, word, limit=5)
    assert max(found, key=lambda number: found[number]) == 33


def test_how_many_hold_a_common_term_is_estimated(catalog: Catalog, little_time: None) -> None:
    put(catalog, {number: "pump" if number % 2 else "hall" for number in range(100)})
    assert catalog.lexical.holding("pump") == pytest.approx(50, rel=0.2)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("Who invaded Sicily?", "an invasion of Sicily", "a history of Sicily"),
        ("처리했던 요청", "요청을 처리하다", "요청을 보내다"),
    ],
)
def test_pieces_find_a_word_in_another_form(
    catalog: Catalog, query: str, near: str, far: str
) -> None:
    put(catalog, {1: far, 2: near, 3: far + " again", 4: "another text"})
    (match,) = WordSearch(catalog.lexical, 4).match([query], 10)
    held = catalog.lexical.words_of(match.ids)
    found = WordScores([match], held).by_pieces(match, held)
    assert max(found, key=lambda key: found[key]) == f"{2:032x}"


@pytest.mark.parametrize(
    ("title", "query"),
    [("Refunds", "refund for late delivery"), ("환불 규정", "환불은 언제 되나요?")],
)
def test_a_passage_is_found_by_its_title(catalog: Catalog, title: str, query: str) -> None:
    put(catalog, {1: "Paid within ten days. 열흘 안에 지급한다."}, title)
    put(catalog, {2: "Closed on Sundays. 일요일은 쉰다."}, "Hours")
    assert list(scores(catalog, query)) == [1]


WORDS = st.lists(
    st.sampled_from(["pump", "pumps", "valve", "펌프", "밸브", "밸브를", "hall"]), min_size=1
)


@given(texts=st.lists(WORDS, min_size=1, max_size=8), query=WORDS, data=st.data())
def test_a_search_within_documents_is_one_of_an_index_without_the_others(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[list[str]],
    query: list[str],
    data: st.DataObject,
) -> None:
    numbered = {number: " ".join(own) for number, own in enumerate(texts)}
    inside = data.draw(st.sets(st.sampled_from(sorted(numbered)), min_size=1))
    folder = tmp_path_factory.mktemp("catalogs")
    whole, part = Catalog(folder / "whole.sqlite3"), Catalog(folder / "part.sqlite3")
    put(whole, numbered)
    put(part, {number: numbered[number] for number in sorted(inside)})
    within = frozenset(map(str, inside))
    assert scores(whole, " ".join(query), within) == scores(part, " ".join(query))
    whole.close()
    part.close()
