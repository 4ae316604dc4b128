"""An index that cannot be used is an error, never a refusal and never an answer."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from graph.errors import IndexEmpty, IndexLocked, IndexMismatch, IndexMissing, KnowledgeError
from knowledge.embed import Vectors, make_embedder
from knowledge.ingest import ingest
from serving.settings import Settings
from serving.wiring.agent import open_agent
from serving.wiring.documents import index_address
from tests.knowledge.owning import owned_elsewhere


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", engine_url="http://127.0.0.1:9/v1")


async def opening(settings: Settings) -> KnowledgeError:
    with pytest.raises(KnowledgeError) as raised:
        async with open_agent(settings):
            pass
    return raised.value


def folder_with(path: Path, *texts: str) -> Path:
    folder = path / "documents"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    return folder


async def test_a_missing_index_names_the_command_that_makes_one(settings: Settings) -> None:
    error = await opening(settings)
    assert isinstance(error, IndexMissing)
    assert "knowledge-agent ingest" in str(error)


async def test_an_empty_index_is_an_error(settings: Settings, tmp_path: Path) -> None:
    ingest(folder_with(tmp_path), index_address(settings), make_embedder())
    assert isinstance(await opening(settings), IndexEmpty)


async def test_an_index_of_another_embedder_names_the_command_to_rebuild_it(
    settings: Settings, tmp_path: Path
) -> None:
    class OtherEmbedder:
        name = "other-embedder"
        dimension = 8
        concurrency = 1

        def count_tokens(self, text: str) -> int:
            return len(text.split())

        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), self.dimension), dtype=np.float32)

        def embed_query(self, text: str) -> Vectors:
            return np.ones(self.dimension, dtype=np.float32)

        def embed_queries(self, texts: Sequence[str]) -> Vectors:
            return self.embed_passages(texts)

    folder = folder_with(tmp_path, "A cache keeps things.", "캐시는 보관한다.")
    ingest(folder, index_address(settings), OtherEmbedder())
    error = await opening(settings)
    assert isinstance(error, IndexMismatch)
    assert "--rebuild" in str(error)


async def test_a_second_owner_is_told_of_the_first(settings: Settings, tmp_path: Path) -> None:
    ingest(folder_with(tmp_path, "A cache keeps things."), index_address(settings), make_embedder())
    address = index_address(settings)
    with owned_elsewhere(address.home / str(address.current())):
        assert isinstance(await opening(settings), IndexLocked)
