from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from graph.errors import IndexEmpty, IndexLocked, IndexMismatch, IndexMissing, InputError
from knowledge.ingest import ingest
from knowledge.lexical import Script, script
from knowledge.lock import owned
from knowledge.report import FileStatus, IngestReport
from knowledge.retriever import open_retriever
from knowledge.status import index_status
from knowledge.store import IndexAddress, open_store
from tests.knowledge.owning import owned_elsewhere
from tests.knowledge.stubs import WordsEmbedder, write_pdf


def statuses(report: IngestReport) -> dict[str, FileStatus]:
    return {file.path: file.status for file in report.files}


def contents(address: IndexAddress) -> set[tuple[str, str]]:
    """Document and text of each passage, after checking that both sides hold the same ids."""
    with open_store(address) as store:
        passages = store.catalog.sample(1_000)
        held = set().union(*(store.vectors.ids(of) for of in get_args(Script)))
        assert held == {passage.id for passage in passages}
        return {(passage.document, passage.text) for passage in passages}


def test_a_second_ingest_of_an_unchanged_folder_embeds_nothing(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    assert ingest(folder, address, embedder).counts == {"indexed": 3}
    again = ingest(folder, address, embedder)
    assert (again.counts, again.embedded) == ({"unchanged": 3}, 0)


def test_a_changed_file_replaces_its_passages_and_no_others(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    (folder / "tea.md").write_text("# Tea\n\nBlack tea takes four minutes.\n", "utf-8")
    report = ingest(folder, address, embedder)
    assert statuses(report)["tea.md"] == "updated"
    assert report.embedded == 1
    texts = [text for document, text in contents(address) if document == "tea.md"]
    assert texts == ["# Tea\n\nBlack tea takes four minutes."]


def test_a_removed_file_leaves_the_index(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    (folder / "김치.md").unlink()
    assert statuses(ingest(folder, address, embedder))["김치.md"] == "removed"
    assert {document for document, _ in contents(address)} == {"tea.md", "coffee.md"}


def test_a_renamed_file_is_embedded_once(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    (folder / "tea.md").rename(folder / "차.md")
    report = ingest(folder, address, embedder)
    assert statuses(report)["차.md"] == "renamed"
    assert "tea.md" not in statuses(report)
    assert report.embedded == 0
    assert "차.md" in {document for document, _ in contents(address)}


def test_an_old_version_that_returns_is_not_embedded_again(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    old = (folder / "tea.md").read_text("utf-8")
    for text in (old, "Another text.", old):
        (folder / "tea.md").write_text(text, "utf-8")
        report = ingest(folder, address, embedder)
    assert report.embedded == 0


def test_files_that_cannot_be_read_do_not_stop_the_others(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    (folder / "bad.pdf").write_bytes(b"no pdf")
    write_pdf(folder / "scan.pdf", [[]])
    (folder / "image.png").write_bytes(b"\x89PNG")
    for _ in range(2):
        report = ingest(folder, address, embedder)
        got = statuses(report)
        assert (got["bad.pdf"], got["scan.pdf"], got["image.png"]) == (
            "failed",
            "no_text",
            "unsupported",
        )
        assert not report.complete
        assert report.documents == 3


def test_an_interrupted_ingest_is_completed_by_the_next(
    folder: Path, address: IndexAddress
) -> None:
    for number in range(40):
        (folder / f"{number:02}.txt").write_text(f"Text number {number} on caches.", "utf-8")
    failing = WordsEmbedder(fail_after=20)
    broken_off = ingest(folder, address, failing)
    assert broken_off.vectors_missing == 43 - len(failing.embedded)
    assert broken_off.embedder_error == "the stub was told to fail"
    assert broken_off.problem is not None
    assert f"{broken_off.vectors_missing} passages have no vector yet" in broken_off.problem
    whole = WordsEmbedder()
    completed = ingest(folder, address, whole)
    assert completed.vectors_missing == 0
    assert len(failing.embedded) + len(whole.embedded) == 43
    assert len(contents(address)) == 43


def test_vectors_that_chroma_lost_or_kept_too_long_are_mended(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_store(address) as store:
        lost = store.catalog.sample(1)[0]
        store.vectors.delete(script(lost.text), [lost.id])
    open_retriever(address, embedder).close()
    assert ingest(folder, address, embedder).embedded == 0
    assert len(contents(address)) == 3


def test_another_embedder_is_refused_until_the_index_is_rebuilt(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    other = WordsEmbedder("other words", dimension=32)
    with pytest.raises(IndexMismatch, match="knowledge-agent ingest DIR --rebuild"):
        ingest(folder, address, other)
    with pytest.raises(IndexMismatch, match="embedder words, now other words"):
        open_retriever(address, other)
    assert ingest(folder, address, other, rebuild=True).embedded == 3
    open_retriever(address, other).close()


def test_an_index_that_was_never_made_is_missing_and_stays_so(
    address: IndexAddress, embedder: WordsEmbedder
) -> None:
    with pytest.raises(IndexMissing, match="knowledge-agent ingest DIR"):
        open_retriever(address, embedder)
    with pytest.raises(IndexMissing):
        index_status(address)
    assert not address.folder.exists()


def test_an_index_without_passages_is_empty(
    tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    (tmp_path / "nothing").mkdir()
    ingest(tmp_path / "nothing", address, embedder)
    with pytest.raises(IndexEmpty, match="holds no passage"):
        open_retriever(address, embedder)


@pytest.mark.parametrize(
    "files",
    [{}, {"picture.png": b"\x89PNG"}, {"보고서.hwp": b"hwp"}, {"빈 문서.txt": b" \n"}],
    ids=["empty", "unsupported", "unsupported, Korean", "no text"],
)
def test_a_folder_that_gives_no_passage_is_no_success(
    tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder, files: dict[str, bytes]
) -> None:
    made = tmp_path / "nothing"
    made.mkdir()
    for name, content in files.items():
        (made / name).write_bytes(content)
    report = ingest(made, address, embedder)
    assert not report.complete
    assert report.problem is not None
    assert "nothing to index" in report.problem
    assert ".docx, .htm, .html, .markdown, .md, .pdf, .pptx, .txt" in report.problem


def test_a_problem_of_one_file_is_none_of_the_index(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    assert ingest(folder, address, embedder).problem is None
    (folder / "깨진.pdf").write_bytes(b"no pdf")
    report = ingest(folder, address, embedder)
    assert (report.problem, report.complete) == (None, False)


def test_a_folder_that_does_not_exist_is_an_input_error(
    tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    with pytest.raises(InputError, match="not a folder"):
        ingest(tmp_path / "none", address, embedder)


def test_tenants_do_not_see_each_other(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, replace(address, tenant="one"), embedder)
    with pytest.raises(IndexMissing, match="tenant two"):
        open_retriever(replace(address, tenant="two"), embedder)
    with pytest.raises(InputError, match="no tenant name"):
        open_retriever(replace(address, tenant="../one"), embedder)


def test_a_second_process_is_told_who_owns_the_index(tmp_path: Path) -> None:
    with (
        owned_elsewhere(tmp_path) as owner,
        pytest.raises(IndexLocked, match=f"process {owner};"),
        owned(tmp_path),
    ):
        pass
    with owned(tmp_path):
        assert (tmp_path / "owner.pid").read_text("ascii") != str(owner)


def test_the_status_is_told_while_another_owns_the_index(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder):
        status = index_status(address)
    assert (status.documents, status.passages, status.vectors_complete) == (3, 3, True)
    assert status.contract.embedder == "words"
    assert status.calibration is not None
    assert status.calibration.method == "cautious"
