"""Searches in an index that an ingest made, without a retriever around them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge import search
from knowledge.ingest import ingest
from knowledge.search import Searcher
from knowledge.store import IndexAddress, Store, open_store
from tests.knowledge.stubs import WordsEmbedder

LONG = {
    "pumps.md": " ".join(f"Pump {n} lifts {n} litres of water a second." for n in range(400)),
    "펌프.md": " ".join(f"펌프 {n}호는 초당 물 {n}리터를 끌어 올린다." for n in range(400)),
}


@pytest.fixture
def store(folder: Path, address: IndexAddress, embedder: WordsEmbedder) -> Iterator[Store]:
    for name, text in LONG.items():
        (folder / name).write_text(text, "utf-8")
    ingest(folder, address, embedder)
    with open_store(address) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "document"),
    [("How much does pump 200 lift?", "pumps.md"), ("펌프 200호는 얼마나 끌어 올리나?", "펌프.md")],
)
def test_hits_come_with_their_neighbours(store: Store, query: str, document: str) -> None:
    searcher = Searcher(store)
    (alone,) = searcher.search(query, None, limit=1).hits
    (joined,) = searcher.search(query, None, limit=1, neighbours=1).hits
    assert alone.passage.document == joined.passage.document == document
    assert alone.passage.text in joined.passage.text
    assert len(joined.passage.text) > 2 * len(alone.passage.text)
    page = store.catalog.page_text(document, joined.passage.page)
    assert joined.passage.text == page[joined.passage.start : joined.passage.end]


@pytest.mark.parametrize("query", ["green tea", "배추김치는 소금에"])
def test_each_side_scores_what_only_the_other_proposes(
    store: Store, query: str, embedder: WordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CANDIDATES", 1)
    vector = embedder.embed_query("Espresso is brewed in thirty seconds.")
    hits = Searcher(store).search(query, vector, limit=5).hits
    assert {hit.passage.document for hit in hits} > {"coffee.md"}
    assert all(hit.dense is not None for hit in hits)


@pytest.mark.parametrize("query", ["green tea", "배추김치는 소금에"])
def test_a_vector_alone_and_words_alone_find_passages_too(
    store: Store, query: str, embedder: WordsEmbedder
) -> None:
    searcher = Searcher(store)
    both = searcher.search(query, embedder.embed_query(query), limit=1).hits[0].passage
    assert searcher.search("", embedder.embed_query(query), limit=1).hits[0].passage == both
    assert searcher.search(query, None, limit=1).hits[0].passage == both


@pytest.mark.parametrize("together", [1, 3])
def test_questions_looked_at_together_are_seen_as_a_search_sees_each(
    store: Store, embedder: WordsEmbedder, together: int
) -> None:
    questions = (
        *("How much does pump 200 lift?", "펌프 200호는 얼마나 끌어 올리나?", "pump", "펌프"),
        *("이 문서에서 water litres 관련 내용이 뭐라고 되어 있나요?", "What do they say of 리터?"),
        *("Quarterly dividends of railways", "분기 배당금은?", "如何泡绿茶", "GPU", "?", ""),
    )
    searcher = Searcher(store)
    vectors = embedder.embed_queries(questions)
    seen = [
        one
        for at in range(0, len(questions), together)
        for one in searcher.look(questions[at : at + together], vectors[at : at + together])
    ]
    for question, vector, one in zip(questions, vectors, seen, strict=True):
        found = searcher.search(question, vector, limit=1)
        assert (one.best, one.features) == (found.hits[0].passage.id, found.features)
