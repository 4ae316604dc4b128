"""Bring Chroma's collections in step with the catalog, embedding only what has no vector yet.

Vectors go into the cache as they are made, and from there into Chroma in portions. Chroma is open
only while a portion goes in, so that other processes can search in between.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import get_args

from graph.errors import EmbedderUnavailable, IndexLocked, TextRefused
from knowledge.catalog import Unembedded
from knowledge.embed import Embedder, Vectors
from knowledge.index import Record
from knowledge.lexical import Script
from knowledge.store import Store, Writable
from knowledge.vector_cache import VectorCache, vector_key

EMBED_BATCH = 16
"""Texts in one call of the embedder."""

PAGE = 512
"""Passages that are embedded before the next ones are read."""

PORTION = 5_000
PORTION_S = 15.0
PORTION_SHARE = 0.1
"""Vectors go into Chroma when so many are made, or so many seconds have passed; putting them in,
which has to open a large index, takes no more than this share of the time."""

LAST_PORTION_WAIT_S = 120.0
"""How long the last portion waits for a process that has the vectors open, such as an `ask`."""


@dataclass(slots=True)
class SyncResult:
    """`error` is why vectors are still missing; what was embedded before it is kept. `refused`
    counts texts that the embedder takes for no valid input."""

    embedded: int = 0
    refused: int = 0
    error: str | None = None


def complete_vectors(
    writable: Writable, embedder: Embedder, on_progress: Callable[[int, int], None]
) -> SyncResult:
    """Give every passage its vector in Chroma, and take out what the catalog has dropped.

    Calls `on_progress(done, total)` in passages. An embedder that fails, or a process that does not
    let go of the vectors, ends it early: the result says so.
    """
    store, cache = writable.store, writable.cache
    result = SyncResult()
    if not _is_new(store):
        _try_to_settle(store, cache)  # finds what Chroma has lost, so that it is not missed below
    try:
        _embed_missing(store, cache, embedder, result, on_progress)
    except EmbedderUnavailable as error:
        result.error = str(error)
    try:
        with store.touching_vectors(LAST_PORTION_WAIT_S):
            _settle(store, cache)
    except IndexLocked as error:
        result.error = result.error or f"{error}; the vectors are made and kept"
    if cache.has_too_many(store.catalog.passage_count()):
        keys = (vector_key(embedder.name, text) for text in store.catalog.texts())
        cache.drop_oldest(store.catalog.passage_count(), keys, used_s=int(time.time()))
    return result


def in_step(store: Store) -> bool:
    """Whether Chroma holds just what the catalog wants, as far as is known without asking it."""
    catalog = store.catalog
    return not (catalog.unsettled() or catalog.missing_vectors() or catalog.stale_ids())


def _take_out(store: Store) -> None:
    """Remove what the catalog has dropped. After a crash or a lost disk Chroma may hold other ids
    than the catalog believes: compare them all."""
    catalog, vectors = store.catalog, store.vectors
    stale = catalog.stale_ids()
    for of in get_args(Script):
        vectors.delete(of, [identity for identity, its in stale if its == of])
    catalog.forget_stale(identity for identity, _ in stale)
    if catalog.unsettled() or vectors.count() != _expected(store):
        catalog.settle(False)
        for of in get_args(Script):
            held, wanted = vectors.ids(of), set(catalog.dense_ids(of))
            vectors.delete(of, sorted(held - wanted))
            catalog.mark_missing(wanted - held)
        catalog.settle(True)


def _is_new(store: Store) -> bool:
    """Whether no vector has gone into Chroma yet, as far as is known: then it can have lost none,
    and need not be opened."""
    catalog = store.catalog
    return not (_expected(store) or catalog.unsettled() or catalog.stale_ids())


def _expected(store: Store) -> int:
    return store.catalog.passage_count() - store.catalog.missing_vectors()


def _embed_missing(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    result: SyncResult,
    on_progress: Callable[[int, int], None],
) -> None:
    """Make the vectors of all passages that have none, and put them in portion by portion."""
    total, done = store.catalog.missing_vectors(), 0
    waiting, next_put = 0, time.monotonic() + PORTION_S
    with ThreadPoolExecutor(embedder.concurrency) as pool:
        for page in _missing(store, PAGE):
            keys = {vector_key(embedder.name, passage.text): passage.text for passage in page}
            known = cache.find(list(keys))
            cache.keep(known, used_s=int(time.time()))
            new = [(key, text) for key, text in keys.items() if key not in known]
            batches = [new[at : at + EMBED_BATCH] for at in range(0, len(new), EMBED_BATCH)]
            done += len(page) - len(new)
            on_progress(done, total)
            made = pool.map(lambda batch: _embedded(batch, embedder, store), batches)
            try:
                for vectors in made:
                    cache.keep(vectors.made, used_s=int(time.time()))
                    result.embedded += len(vectors.made)
                    result.refused += vectors.refused
                    if vectors.refused:
                        result.error = f"{result.refused} passages: {vectors.reason}"
                    done += len(vectors.made) + vectors.refused
                    on_progress(done, total)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            waiting += len(page)
            if waiting >= PORTION or time.monotonic() > next_put:
                started = time.monotonic()
                _try_to_settle(store, cache)
                ended = time.monotonic()
                waiting, next_put = 0, ended + max(PORTION_S, (ended - started) / PORTION_SHARE)


@dataclass(frozen=True, slots=True)
class _Batch:
    made: dict[str, Vectors]
    refused: int = 0
    reason: str = ""


def _embedded(batch: Sequence[tuple[str, str]], embedder: Embedder, store: Store) -> _Batch:
    """A text that is refused must not hold up the others: it is found by halving its batch."""
    try:
        rows = embedder.embed_passages([text for _, text in batch])
    except TextRefused as error:
        if len(batch) == 1:
            return _Batch({}, 1, str(error))
        middle = len(batch) // 2
        one, other = (_embedded(half, embedder, store) for half in (batch[:middle], batch[middle:]))
        return _Batch(
            one.made | other.made, one.refused + other.refused, one.reason or other.reason
        )
    if rows.shape != (len(batch), store.contract.dimension):
        raise EmbedderUnavailable(
            f"{embedder.name} gave vectors of the shape {rows.shape} for {len(batch)} texts; "
            f"the index takes {store.contract.dimension} numbers each"
        )
    return _Batch({key: row for (key, _), row in zip(batch, rows, strict=True)})


def _missing(store: Store, size: int) -> Iterator[list[Unembedded]]:
    """Pages of the passages without a vector; marking those of a page disturbs no later page."""
    last = 0
    while found := store.catalog.passages_without_vector(size, last):
        last = found[-1].row
        yield found


def _try_to_settle(store: Store, cache: VectorCache) -> None:
    """What cannot go in while another process searches goes in with a later portion."""
    try:
        with store.touching_vectors():
            _settle(store, cache)
    except IndexLocked:
        return


def _settle(store: Store, cache: VectorCache) -> None:
    """Bring Chroma in step with the catalog, as far as vectors are made."""
    _take_out(store)
    _put_in(store, cache)


def _put_in(store: Store, cache: VectorCache) -> None:
    """Put the vectors that are made into Chroma. They are made in the order of rows, so a page that
    has none is behind the last one."""
    catalog = store.catalog
    if not catalog.missing_vectors():
        return
    catalog.settle(False)
    for page in _missing(store, PORTION):
        keys = [vector_key(store.contract.embedder, passage.text) for passage in page]
        known = cache.find(keys)
        ready = [
            (passage, known[key]) for passage, key in zip(page, keys, strict=True) if key in known
        ]
        for of in get_args(Script):
            store.vectors.upsert(
                of,
                [
                    Record(passage.id, passage.document, vector)
                    for passage, vector in ready
                    if passage.script == of
                ],
            )
        catalog.mark_put([(passage.id, passage.script) for passage, _ in ready])
        if not ready:
            break
    catalog.settle(True)
