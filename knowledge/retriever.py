"""The retriever that nodes see (`graph.ports.Retriever`), over an index that may change."""

import asyncio
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from graph.errors import (
    EmbedderUnavailable,
    IndexEmpty,
    IndexLocked,
    KnowledgeError,
    RerankerUnavailable,
)
from graph.evidence import EVERYTHING, Hit, Retrieval, Scope, VerdictRule
from knowledge import chunk
from knowledge.contract import Contract, mismatch
from knowledge.domain import Calibration, cautious, current_calibration
from knowledge.embed import Embedder, Vectors
from knowledge.rerank import RERANKED, Reranker, rerank
from knowledge.search import Found, Searcher
from knowledge.store import INGEST_COMMAND, IndexAddress, Store, open_store
from knowledge.sync import in_step
from knowledge.verdict import rule_in_use

REFRESH_S = 5.0
"""How old what is derived from the vectors may be while an ingest adds to them."""


@dataclass(frozen=True, slots=True)
class _View:
    """What a search needs besides the store, made from it at one moment."""

    searcher: Searcher
    calibration: Calibration
    calibrated: bool
    verdict: VerdictRule | None
    no_verdict: str
    change: int
    made_at: float


class CorpusRetriever:
    """Searches run in threads. The index is asked by one at a time, since SQLite's connection is
    shared; vectors and a reranker's scores are made outside of that, so that an endpoint that hangs
    holds up neither other searches nor `close()`.

    Follows the index: an ingest of this process, or with a Chroma server of another one, shows in
    the next search, and a rebuild's result takes the place of the old index. Each search sees a
    document as it was before a change or after it. `neighbours` passages before and behind a hit
    are joined to it.

    Raises `IndexMismatch` for an embedder other than the index's, `IndexEmpty` where all documents
    have been removed, and `KnowledgeError` for a search that `close()` overtakes. When the embedder
    fails, searches by words and says so in `degraded`; so it does where the reranker fails and the
    order stays as it was, where the gate is not calibrated for these passages and follows its
    cautious rule, and where the model's verdict was calibrated for others and is left out.
    """

    def __init__(
        self,
        address: IndexAddress,
        embedder: Embedder,
        *,
        reranker: Reranker | None = None,
        neighbours: int = 0,
    ) -> None:
        self._address = address
        self._embedder = embedder
        self._reranker = reranker
        self._neighbours = neighbours
        self._closed = False
        self._lock = threading.Lock()
        self._opened, self._store, self._view = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the index back to other processes. A second call changes nothing."""
        with self._lock:
            self._closed = True
            self._opened.close()

    async def search(self, query: str, *, limit: int, scope: Scope = EVERYTHING) -> Retrieval:
        return await asyncio.to_thread(self._search, query, limit, scope)

    async def similarities(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return await asyncio.to_thread(self._similarities, query, texts)

    def _similarities(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        if not texts:
            return ()
        try:
            cosines = self._embedder.embed_passages(texts) @ self._embedder.embed_query(query)
        except EmbedderUnavailable:
            return ()
        return tuple(map(float, cosines))

    def _search(self, query: str, limit: int, scope: Scope) -> Retrieval:
        degraded: list[str] = []
        wanted = max(limit, RERANKED) if self._reranker else limit
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
            self._follow()
            try:
                view, missing_vectors, unsettled, found = self._ask(query, vector, wanted, scope)
            except KnowledgeError:
                if self._address.current() == self._store.generation:
                    raise
                self._follow()  # a rebuild has just taken the index's place
                view, missing_vectors, unsettled, found = self._ask(query, vector, wanted, scope)
        if missing_vectors:
            degraded.append(
                f"{missing_vectors} passages have no vector yet and are found by words alone; "
                "run the ingest again to complete them, unless one is running"
            )
        elif unsettled:
            degraded.append(f"vectors may be missing; run: {INGEST_COMMAND}")
        if not view.calibrated:
            degraded.append(
                "the gate is not calibrated for these passages and uses its cautious rule; "
                f"run: {INGEST_COMMAND}"
            )
        if view.no_verdict:
            degraded.append(view.no_verdict)
        return Retrieval(
            hits=tuple(self._reranked(query, found.hits, degraded)[:limit]),
            domain=view.calibration.signal(found.features),
            degraded=tuple(degraded),
            verdict=view.verdict,
        )

    def _ask(
        self, query: str, vector: Vectors | None, limit: int, scope: Scope
    ) -> tuple[_View, int, bool, Found]:
        catalog = self._store.catalog
        with catalog.snapshot():
            if not catalog.passage_count():
                raise IndexEmpty("no document with text is left; add some, and ask again")
            within = catalog.paths_in(scope) if scope != EVERYTHING else None
            found = self._view.searcher.search(
                query, vector, limit=limit, within=within, neighbours=self._neighbours
            )
            return self._view, catalog.missing_vectors(), catalog.unsettled(), found

    def _reranked(self, query: str, hits: Sequence[Hit], degraded: list[str]) -> Sequence[Hit]:
        if self._reranker is None:
            return hits
        try:
            return rerank(self._reranker, query, hits)
        except RerankerUnavailable as error:
            degraded.append(f"not reranked: {error}")
            return hits

    def _embed(self, query: str) -> Vectors:
        recorded = self._store.contract
        if self._embedder.name != recorded.embedder:
            raise mismatch(f"embedder {recorded.embedder}, now {self._embedder.name}")
        vector = self._embedder.embed_query(query)
        if vector.shape != (recorded.dimension,):
            raise mismatch(f"dimension {recorded.dimension}, now {vector.shape[0]}")
        return vector

    def _open(self) -> tuple[ExitStack, Store, _View]:
        with ExitStack() as opened:
            store = opened.enter_context(open_store(self._address))
            recorded = store.contract
            Contract(recorded.embedder, recorded.dimension, chunk.VERSION).check(recorded)
            try:
                name = self._embedder.name
            except EmbedderUnavailable:
                name = recorded.embedder  # each search tries again, and says so in `degraded`
            if name != recorded.embedder:
                raise mismatch(f"embedder {recorded.embedder}, now {name}")
            if in_step(store) and store.vectors.count() != store.catalog.passage_count():
                store.catalog.settle(False)  # the next ingest compares the two sides
            return opened.pop_all(), store, _look(store)

    def _follow(self) -> None:
        """Take over what has changed since the last search."""
        if self._address.current() != self._store.generation:
            try:
                opened, store, view = self._open()
            except IndexLocked:
                return  # the process that made it has not let go yet
            self._opened.close()
            self._opened, self._store, self._view = opened, store, view
            return
        catalog, view = self._store.catalog, self._view
        young = time.monotonic() - view.made_at < REFRESH_S
        if catalog.change_counter() != view.change and not (young and catalog.unsettled()):
            self._view = _look(self._store)


def _look(store: Store) -> _View:
    change = store.catalog.change_counter()
    calibrated = current_calibration(store)
    verdict, no_verdict = rule_in_use(store)
    return _View(
        searcher=Searcher(store),
        calibration=calibrated or cautious(store),
        calibrated=calibrated is not None,
        verdict=verdict,
        no_verdict=no_verdict,
        change=change,
        made_at=time.monotonic(),
    )


def open_retriever(
    address: IndexAddress,
    embedder: Embedder,
    *,
    reranker: Reranker | None = None,
    neighbours: int = 0,
) -> CorpusRetriever:
    """Own the vectors until `close()`. Raises `IndexMissing`, `IndexEmpty`, `IndexLocked` or
    `IndexMismatch`."""
    return CorpusRetriever(address, embedder, reranker=reranker, neighbours=neighbours)
