"""An index follows the uploads of its tenant or another folder, never both."""

from pathlib import Path

import pytest

from graph.errors import Conflict, InputError
from knowledge.ingest import ingest
from knowledge.report import Progress
from serving.settings import Settings
from serving.wiring.documents import index_address
from serving.wiring.indexing import Indexing, hand_over
from tests.knowledge.stubs import WordsEmbedder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", tenant="acme")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "tea.txt").write_text("Green tea is steeped for two minutes.")
    return made


def no_progress(progress: Progress) -> None: ...


def test_an_index_of_a_folder_is_handed_over_to_uploads_by_an_ingest_of_theirs(
    settings: Settings, folder: Path
) -> None:
    embedder = WordsEmbedder()
    indexing = Indexing(settings, embedder)
    ingest(folder, index_address(settings), embedder)
    with pytest.raises(Conflict, match="ingest KA_HOME/documents/acme --replace"):
        indexing.claim("acme")
    uploads = settings.documents_dir / "acme"
    uploads.mkdir(parents=True)
    hand_over(settings, uploads, replace_all=True)
    indexing.claim("acme")
    assert indexing.ingest("acme", uploads, no_progress).documents == 0


def test_an_index_of_uploads_is_given_to_a_folder_only_where_that_is_said(
    settings: Settings, folder: Path
) -> None:
    indexing = Indexing(settings, WordsEmbedder())
    indexing.claim("acme")
    indexing.ingest("acme", settings.documents_dir / "acme", no_progress)
    with pytest.raises(InputError, match=r"uploaded over REST.*--replace"):
        hand_over(settings, folder, replace_all=False)
    assert indexing.follows_uploads("acme")
    hand_over(settings, folder, replace_all=True)
    assert not indexing.follows_uploads("acme")
