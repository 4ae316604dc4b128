"""An ingest that would lose what the index holds."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.errors import IndexMismatch, InputError, KnowledgeError, TextRefused
from knowledge.embed import Vectors
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.status import document_statuses, index_status
from knowledge.store import IndexAddress, open_store
from tests.knowledge.stubs import WordsEmbedder


@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.parametrize("names", [(), ("other.md",), ("다른 문서.md",)])
def test_a_folder_without_any_of_the_documents_changes_nothing(
    folder: Path,
    tmp_path: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    names: Sequence[str],
    rebuild: bool,
) -> None:
    ingest(folder, address, embedder)
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    for name in names:
        (wrong / name).write_text("Something else. 다른 이야기.", "utf-8")
    with pytest.raises(InputError, match="mounted"):
        ingest(wrong, address, embedder, rebuild=rebuild)
    assert index_status(address).documents == 3
    ingest(wrong, address, embedder, rebuild=rebuild, replace_all=True)
    assert index_status(address).documents == len(names)


def test_a_folder_whose_documents_all_moved_is_the_right_one(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    (folder / "새 폴더").mkdir()
    for path in list(folder.glob("*.md")):
        path.rename(folder / "새 폴더" / path.name)
    assert ingest(folder, address, embedder).counts == {"renamed": 3}


def test_a_link_that_leads_nowhere_keeps_what_lay_behind_it(
    folder: Path, tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "녹차.md").write_text("녹차는 2분 우린다.", "utf-8")
    (folder / "mounted").symlink_to(drive)
    ingest(folder, address, embedder)
    shutil.rmtree(drive)
    report = ingest(folder, address, embedder)
    assert not report.complete
    assert "mounted/녹차.md" in {one.row.path for one in document_statuses(address)}
    rebuilt = ingest(folder, address, embedder, rebuild=True)
    assert not rebuilt.in_use
    assert index_status(address).documents == 4


def test_a_folder_that_leads_back_to_itself_is_read_once(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    (folder / "loop").symlink_to(folder)
    assert ingest(folder, address, embedder).counts == {"indexed": 3}


def test_vectors_that_were_deleted_are_put_back(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    shutil.rmtree(address.home / str(address.current()) / "chroma")
    report = ingest(folder, address, embedder)
    assert (report.embedded, report.complete) == (0, True)
    with open_store(address) as store:
        assert store.vectors.count() == 3


def test_a_broken_catalog_is_made_anew_by_a_rebuild(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    (address.home / str(address.current()) / "catalog.sqlite3").write_bytes(b"no database" * 999)
    with pytest.raises(KnowledgeError, match="--rebuild"):
        ingest(folder, address, embedder)
    assert ingest(folder, address, embedder, rebuild=True).complete


def test_an_index_of_another_version_names_the_rebuild(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(folder, address, embedder)
    monkeypatch.setattr("knowledge.store.INDEX_VERSION", 99)
    with pytest.raises(IndexMismatch, match="--rebuild"):
        open_retriever(address, embedder)


class Squeamish(WordsEmbedder):
    """Refuses texts that hold a word."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any("소금" in text for text in texts):
            raise TextRefused("the stub refuses a text")
        return super().embed_passages(texts)


def test_a_text_that_the_embedder_refuses_holds_up_no_other(
    folder: Path, address: IndexAddress
) -> None:
    embedder = Squeamish()
    report = ingest(folder, address, embedder)
    assert (report.embedded, report.vectors_missing, report.complete) == (2, 1, False)
    assert report.embedder_error == "1 passages: the stub refuses a text"


async def test_an_open_retriever_follows_the_folder_and_its_calibration(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        (folder / "보이차.md").write_text("보이차는 오래 묵힌다.", "utf-8")
        ingest(folder, address, embedder)
        found = await retriever.search("보이차는 얼마나 묵히나?", limit=1)
        assert (found.hits[0].passage.document, found.degraded) == ("보이차.md", ())
        ingest(folder, address, embedder, rebuild=True)
        again = await retriever.search("보이차는 얼마나 묵히나?", limit=1)
        assert again.hits[0].passage == found.hits[0].passage
    assert [path.name for path in address.home.glob("g*")] == ["g000001", "g000002"]
