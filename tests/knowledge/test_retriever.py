import asyncio
import threading
from pathlib import Path

import pytest

from graph.errors import KnowledgeError
from knowledge.embed import Vectors
from knowledge.fusion import fuse
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.knowledge.stubs import WordsEmbedder


@pytest.mark.parametrize(
    ("question", "document"),
    [("How long is green tea steeped?", "tea.md"), ("김치는 어떻게 절이나요?", "김치.md")],
)
async def test_the_passage_that_answers_comes_first(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder, question: str, document: str
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search(question, limit=2)
    first = found.hits[0]
    assert first.passage.document == document
    assert first.dense is not None
    assert first.lexical is not None
    assert [hit.fused for hit in found.hits] == sorted((h.fused for h in found.hits), reverse=True)
    assert found.degraded == ()


async def test_without_vectors_words_alone_find_it_and_the_result_says_so(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, WordsEmbedder(fail_after=0)) as retriever:
        found = await retriever.search("green tea", limit=1)
    assert found.hits[0].passage.document == "tea.md"
    assert found.hits[0].dense is None
    assert found.domain.dense_top is None
    assert "words alone" in found.degraded[0]


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [("green tea", "Green tea is steeped.", "Rye is baked."), ("김치", "김치 절이기", "호밀 굽기")],
)
async def test_the_text_that_is_nearer_in_meaning_has_the_higher_similarity(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder, question: str, near: str, far: str
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        of_near, of_far = await retriever.similarities(question, (near, far))
        assert -1 <= of_far < of_near <= 1.0001
        assert await retriever.similarities(question, ()) == ()
    with open_retriever(address, WordsEmbedder(fail_after=0)) as retriever:
        assert await retriever.similarities(question, (near, far)) == ()


async def test_passages_that_wait_for_vectors_are_found_and_counted(
    folder: Path, address: IndexAddress
) -> None:
    ingest(folder, address, WordsEmbedder(fail_after=0))
    with open_retriever(address, WordsEmbedder()) as retriever:
        found = await retriever.search("green tea", limit=1)
    assert found.hits[0].passage.document == "tea.md"
    assert "3 passages have no vector yet" in found.degraded[0]


async def test_copies_of_a_passage_are_shown_once(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    (folder / "copy.md").write_text((folder / "tea.md").read_text("utf-8"), "utf-8")
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search("green tea", limit=4)
    texts = [hit.passage.text for hit in found.hits]
    assert len(texts) == len(set(texts)) == 3


@pytest.mark.parametrize("question", ["", "   ", "?", "\0", "\ud800", "a" * 100_000])
async def test_odd_questions_are_searched_without_an_error(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder, question: str
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search(question, limit=1)
    assert 0.0 <= found.domain.coverage <= 1.0


def test_a_passage_that_both_sides_rank_high_wins() -> None:
    fused = fuse({"a": 0.9, "b": 0.89, "c": 0.1}, {"b": 9.0, "c": 8.0, "d": 1.0}, 0.8)
    assert max(fused, key=lambda identity: fused[identity]) == "b"


def test_words_that_explain_nothing_do_not_count() -> None:
    fused = fuse({"a": 0.9, "b": 0.5}, {"b": 9.0}, 0.0)
    assert fused["a"] > fused["b"]


class HangingEmbedder(WordsEmbedder):
    """Holds every question until `released` is set, for as long as an endpoint might."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.released = threading.Event(), threading.Event()

    def embed_query(self, text: str) -> Vectors:
        self.reached.set()
        assert self.released.wait(30)
        return super().embed_query(text)


async def test_closing_does_not_wait_for_a_search_that_hangs(
    folder: Path, address: IndexAddress
) -> None:
    ingest(folder, address, WordsEmbedder())
    embedder = HangingEmbedder()
    retriever = open_retriever(address, embedder)
    search = asyncio.create_task(retriever.search("green tea", limit=1))
    await asyncio.to_thread(embedder.reached.wait, 30)
    closing = threading.Thread(target=retriever.close)
    closing.start()
    await asyncio.to_thread(closing.join, 10)
    closed = not closing.is_alive()
    embedder.released.set()
    assert closed
    with pytest.raises(KnowledgeError, match="closed while this search waited"):
        await search
    open_retriever(address, WordsEmbedder()).close()
