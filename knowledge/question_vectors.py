"""Vectors of many questions that nobody waits for. They are kept: most are the same the next
time."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from graph.errors import EmbedderUnavailable
from knowledge.embed import Embedder, Vectors
from knowledge.vector_cache import VectorCache, vector_key

EMBED_BATCH = 16
"""Questions in one call of the embedder."""

RETRIES = 3
RETRY_PAUSE_S = 2.0
"""For all questions together: one that a busy endpoint turned away should not lose the others."""


class QuestionVectors:
    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._pauses_s = iter([RETRY_PAUSE_S] * RETRIES)

    def of(self, questions: Sequence[str]) -> Vectors:
        """Shape (len(questions), dimension). Raises `EmbedderUnavailable`."""
        keys = [vector_key(f"{self._embedder.name}, question", one) for one in questions]
        vectors = self._cache.find(keys)
        new = {key: one for key, one in zip(keys, questions, strict=True) if key not in vectors}
        if new:
            vectors |= zip(new, self._embedded([*new.values()]), strict=True)
        self._cache.keep(vectors, used_s=int(time.time()))
        return np.stack([vectors[key] for key in keys])

    def _embedded(self, questions: Sequence[str]) -> Vectors:
        batches = [questions[at : at + EMBED_BATCH] for at in range(0, len(questions), EMBED_BATCH)]
        with ThreadPoolExecutor(self._embedder.concurrency) as pool:
            return np.concatenate([*pool.map(self._embedded_batch, batches)])

    def _embedded_batch(self, questions: Sequence[str]) -> Vectors:
        """Called again after a failure until `RETRIES` are used up."""
        while True:
            try:
                return self._embedder.embed_queries(questions)
            except EmbedderUnavailable:
                pause_s = next(self._pauses_s, None)
                if pause_s is None:
                    raise
                time.sleep(pause_s)
