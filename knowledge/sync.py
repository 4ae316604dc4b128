"""Bring Chroma's collection in step with the catalog, embedding only what has no vector yet."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from graph.errors import EmbedderUnavailable
from knowledge.embed import Embedder, Vectors
from knowledge.store import Store

EMBED_BATCH = 16
"""Passages per call of the embedder: what an interrupted ingest loses at most."""


def vector_key(embedder: str, text: str) -> str:
    """A vector depends on the model and the text alone: renames and old versions find it again."""
    return hashlib.sha256(f"{embedder}\0{text}".encode("utf-8", "replace")).hexdigest()


@dataclass(slots=True)
class SyncResult:
    """`error` is why vectors are still missing; what was embedded before it is kept."""

    embedded: int = 0
    error: str | None = None


def complete_vectors(
    store: Store, embedder: Embedder, on_progress: Callable[[int, int], None]
) -> SyncResult:
    """Give every passage its vector in Chroma, and take out what the catalog has dropped.

    Calls `on_progress(done, total)` after each batch of passages.
    """
    catalog, vectors = store.catalog, store.vectors
    stale = catalog.stale_ids()
    if stale:
        vectors.delete(stale)
        catalog.forget_stale(stale)
    _repair(store)
    total, done = catalog.missing_vectors(), 0
    result = SyncResult()
    while batch := catalog.passages_without_vector(EMBED_BATCH):
        try:
            rows = _vectors(store, embedder, [passage.text for passage in batch], result)
        except EmbedderUnavailable as error:
            result.error = str(error)
            break
        vectors.upsert(batch, rows)
        catalog.mark_dense(passage.id for passage in batch)
        done += len(batch)
        on_progress(done, total)
    catalog.drop_oldest_vectors()
    return result


def _vectors(store: Store, embedder: Embedder, texts: Sequence[str], result: SyncResult) -> Vectors:
    """The vectors of `texts`: made before, or embedded now (each text once) and kept."""
    keys = [vector_key(embedder.name, text) for text in texts]
    known = store.catalog.vectors(keys)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if new:
        made = embedder.embed_passages(list(new.values()))
        if made.shape != (len(new), store.contract.dimension):
            raise EmbedderUnavailable(
                f"{embedder.name} gave vectors of the shape {made.shape} for {len(new)} texts; "
                f"the index takes {store.contract.dimension} numbers each"
            )
        known |= dict(zip(new, made, strict=True))
        result.embedded += len(new)
    store.catalog.keep_vectors(known, used_s=int(time.time()))
    return np.stack([known[key] for key in keys])


def _repair(store: Store) -> None:
    """After a crash or a lost disk Chroma may hold other ids than the catalog believes."""
    catalog, vectors = store.catalog, store.vectors
    if vectors.count() == catalog.passage_count() - catalog.missing_vectors():
        return
    held, wanted = vectors.ids(), catalog.dense_ids()
    vectors.delete(sorted(held - wanted))
    catalog.mark_sparse(wanted - held)
