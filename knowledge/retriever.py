"""The retriever that nodes see (`graph.ports.Retriever`), over an index that this process owns."""

import asyncio
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from graph.errors import EmbedderUnavailable, KnowledgeError
from graph.evidence import Retrieval
from knowledge import chunk
from knowledge.calibrate import cautious, current_calibration
from knowledge.contract import Contract, mismatch
from knowledge.embed import Embedder, Vectors
from knowledge.search import Searcher
from knowledge.store import INGEST_COMMAND, Store, open_store


class CorpusRetriever:
    """Searches run in threads. The index is asked by one at a time, since SQLite's connection is
    shared; vectors are made outside of that, so that an endpoint that hangs holds up neither other
    searches nor `close()`.

    Raises `IndexMismatch` for an embedder other than the index's, and `KnowledgeError` for a search
    that `close()` overtakes. When the embedder fails, searches by words and says so in `degraded`;
    so it does where the gate is not calibrated for these passages and follows its cautious rule.
    """

    def __init__(self, store: Store, embedder: Embedder, resources: ExitStack) -> None:
        self._store = store
        self._searcher = Searcher(store)
        self._embedder = embedder
        self._resources = resources
        calibrated = current_calibration(store)
        self._calibration = calibrated or cautious(store)
        self._calibrated = calibrated is not None
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the index back to other processes. A second call changes nothing."""
        with self._lock:
            self._closed = True
            self._resources.close()

    async def search(self, query: str, *, limit: int) -> Retrieval:
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: str, limit: int) -> Retrieval:
        degraded: list[str] = []
        vector: Vectors | None = None
        try:
            vector = self._embed(query)
        except EmbedderUnavailable as error:
            degraded.append(f"searched by words alone: {error}")
        with self._lock:
            if self._closed:
                raise KnowledgeError(
                    "the index was closed while this search waited; open it and search again"
                )
            missing_vectors = self._store.catalog.missing_vectors()
            found = self._searcher.search(query, vector, limit=limit)
        if missing_vectors:
            degraded.append(
                f"{missing_vectors} passages have no vector yet and are found by words alone; "
                "run the ingest again to complete them"
            )
        if not self._calibrated:
            degraded.append(
                "the gate is not calibrated for these passages and uses its cautious rule; "
                f"run: {INGEST_COMMAND}"
            )
        return Retrieval(
            hits=found.hits,
            domain=self._calibration.signal(query, found.features),
            degraded=tuple(degraded),
        )

    def _embed(self, query: str) -> Vectors:
        recorded = self._store.contract
        if self._embedder.name != recorded.embedder:
            raise mismatch(f"embedder {recorded.embedder}, now {self._embedder.name}")
        vector = self._embedder.embed_query(query)
        if vector.shape != (recorded.dimension,):
            raise mismatch(f"dimension {recorded.dimension}, now {vector.shape[0]}")
        return vector


def open_retriever(index_dir: Path, embedder: Embedder, tenant: str = "default") -> CorpusRetriever:
    """Own the index until `close()`. Raises `IndexMissing`, `IndexEmpty`, `IndexLocked` or
    `IndexMismatch`."""
    with ExitStack() as resources:
        store = resources.enter_context(open_store(index_dir, tenant))
        recorded = store.contract
        Contract(recorded.embedder, recorded.dimension, chunk.VERSION).check(recorded)
        try:
            name = embedder.name
        except EmbedderUnavailable:
            name = recorded.embedder  # each search tries again, and says so in `degraded`
        if name != recorded.embedder:
            raise mismatch(f"embedder {recorded.embedder}, now {name}")
        return CorpusRetriever(store, embedder, resources.pop_all())
