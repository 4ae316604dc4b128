import asyncio
from pathlib import Path

import pytest

from graph.errors import IndexEmpty
from knowledge.forget import forget
from knowledge.ingest import ingest
from knowledge.report import Progress
from knowledge.retriever import CorpusRetriever, open_retriever
from knowledge.status import document_names
from knowledge.store import IndexAddress, open_store
from knowledge.sync import in_step
from tests.knowledge.stubs import WordsEmbedder


def found(retriever: CorpusRetriever, query: str) -> set[str]:
    hits = asyncio.run(retriever.search(query, limit=10)).hits
    return {hit.passage.document for hit in hits}


def test_a_forgotten_document_is_found_by_no_later_search(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        assert "tea.md" in found(retriever, "green tea")
        (folder / "tea.md").unlink()
        forget(address, "tea.md")
        assert found(retriever, "green tea") == {"coffee.md", "김치.md"}
        ingest(folder, address, embedder)
        with open_store(address) as store:
            assert in_step(store)
            assert store.vectors.count() == store.catalog.passage_count() == 2
        for name in ("coffee.md", "김치.md"):
            (folder / name).unlink()
            forget(address, name)
        with pytest.raises(IndexEmpty):
            found(retriever, "green tea")


@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.parametrize("phase", ["read", "embed"])
def test_what_is_forgotten_while_an_ingest_runs_stays_so(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder, rebuild: bool, phase: str
) -> None:
    ingest(folder, address, embedder)
    for path in folder.iterdir():
        path.write_text(path.read_text("utf-8") + "\n새 글.\n", "utf-8")

    def on_progress(progress: Progress) -> None:
        if progress.phase == phase and (folder / "tea.md").exists():
            (folder / "tea.md").unlink()
            forget(address, "tea.md")

    ingest(folder, address, embedder, rebuild=rebuild, on_progress=on_progress)
    assert document_names(address) == ["coffee.md", "김치.md"]
    ingest(folder, address, embedder)
    with open_store(address) as store:
        assert in_step(store)
        assert store.vectors.count() == store.catalog.passage_count() == 2


def test_a_document_that_nobody_knows_is_forgotten_without_a_word(address: IndexAddress) -> None:
    forget(address, "tea.md")
    assert document_names(address) == []
