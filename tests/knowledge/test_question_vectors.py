from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from graph.errors import EmbedderUnavailable
from knowledge import question_vectors
from knowledge.embed import Vectors
from knowledge.question_vectors import QuestionVectors
from knowledge.vector_cache import VectorCache
from tests.knowledge.stubs import WordsEmbedder

QUESTIONS = [f"What does pump {number} lift?" for number in range(40)] + ["펌프는 무엇을 드나요?"]


class CountingEmbedder(WordsEmbedder):
    """Lists the calls that it was given, and refuses the first `refusals` of them."""

    concurrency = 3

    def __init__(self, refusals: int = 0) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.refusals = refusals

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if self.refusals:
            self.refusals -= 1
            raise EmbedderUnavailable("busy")
        self.calls.append(list(texts))
        return super().embed_queries(texts)


def test_each_question_gets_its_vector_and_only_new_ones_are_embedded(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    with closing(VectorCache(tmp_path / "cache")) as cache:
        vectors = QuestionVectors(embedder, cache)
        wanted = WordsEmbedder().embed_queries(QUESTIONS)
        assert np.array_equal(vectors.of(QUESTIONS), wanted)
        assert sorted(map(len, embedder.calls)) == [9, 16, 16]
        embedder.calls.clear()
        asked = ["one more", QUESTIONS[3], QUESTIONS[3], "one more"]
        assert np.array_equal(vectors.of(asked)[1:3], wanted[[3, 3]])
        assert embedder.calls == [["one more"]]


@pytest.mark.parametrize("refusals", [question_vectors.RETRIES, question_vectors.RETRIES + 1])
def test_a_few_refusals_are_borne(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    monkeypatch.setattr(question_vectors, "RETRY_PAUSE_S", 0.0)
    with closing(VectorCache(tmp_path / "cache")) as cache:
        vectors = QuestionVectors(CountingEmbedder(refusals), cache)
        if refusals > question_vectors.RETRIES:
            with pytest.raises(EmbedderUnavailable, match="busy"):
                vectors.of(["a question"])
        else:
            assert len(vectors.of(["a question"])) == 1
