"""Where an index lives, and how its parts are opened together.

FOLDER/tenants/NAME/current              names the generation in use
FOLDER/tenants/NAME/writer.lock          one ingest at a time
FOLDER/tenants/NAME/vectors.sqlite3      vectors once made
FOLDER/tenants/NAME/gNNNNNN/             a generation: what one rebuild made
    catalog.sqlite3                      documents, pages, passages, words
    calibration.json                     the gate's bound for this corpus
    foreign.npy                          the foreign questions that its rule compares with
    verdict.json                         how much the model's own verdict counts in it
    chroma/, owner.lock                  vectors, where no Chroma server holds them
"""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from graph.errors import IndexEmpty, IndexLocked, IndexMismatch, IndexMissing
from knowledge.catalog import Catalog
from knowledge.contract import INDEX_VERSION, Contract, mismatch
from knowledge.disk import told_when_full
from knowledge.index import VectorIndex
from knowledge.lock import HANDOVER_S, owned, unused, writing
from knowledge.tenant import check_tenant
from knowledge.vector_cache import VectorCache

INGEST_COMMAND = "knowledge-agent ingest DIR"


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """Whose index, in which folder, and the Chroma server that has its vectors, if any.

    Processes that share an index share its folder, on a disk of their machine.
    """

    folder: Path
    tenant: str = "default"
    chroma_url: str | None = None

    @property
    def home(self) -> Path:
        return self.folder / "tenants" / check_tenant(self.tenant)

    def current(self) -> str | None:
        """The generation in use."""
        try:
            return (self.home / "current").read_text(encoding="ascii")
        except FileNotFoundError:
            return None

    def missing(self) -> IndexMissing:
        whose = "" if self.tenant == "default" else f" for the tenant {self.tenant}"
        return IndexMissing(
            f"there is no index in {self.folder}{whose}; make one: {INGEST_COMMAND}"
        )


@dataclass(frozen=True, slots=True)
class Store:
    """One generation, open. `contract` is the one that it records."""

    address: IndexAddress
    generation: str
    catalog: Catalog
    vectors: VectorIndex
    contract: Contract

    @property
    def folder(self) -> Path:
        return self.address.home / self.generation

    @property
    def calibration_path(self) -> Path:
        return self.folder / "calibration.json"

    @property
    def foreign_path(self) -> Path:
        """Vectors of foreign questions, which the gate's rule compares with."""
        return self.folder / "foreign.npy"

    @property
    def verdict_path(self) -> Path:
        return self.folder / "verdict.json"

    @contextmanager
    def touching_vectors(self, wait_s: float = HANDOVER_S) -> Iterator[None]:
        """The block may call `vectors`. Raises `IndexLocked` where another process holds them."""
        if self.address.chroma_url:
            yield
            return
        with owned(self.folder, wait_s), self.vectors:
            yield


@contextmanager
def open_generation(address: IndexAddress) -> Iterator[Store]:
    """Open the generation in use, to read its catalog. Raises `IndexMissing`."""
    generation = address.current()
    if generation is None:
        raise address.missing()
    with told_when_full(address.folder), _opened(address, generation) as store:
        yield store


def empty(address: IndexAddress) -> IndexEmpty:
    return IndexEmpty(
        f"the index in {address.folder} holds no passage; put documents with text into the folder "
        f"and run: {INGEST_COMMAND}"
    )


@contextmanager
def open_store(address: IndexAddress) -> Iterator[Store]:
    """Open what an ingest left, vectors included, to search it. Raises `IndexMissing`,
    `IndexEmpty`, or `IndexLocked` where another process has the vectors open."""
    with open_generation(address) as store:
        if not store.catalog.passage_count():
            raise empty(address)
        with store.touching_vectors():
            yield store


class Writable:
    """A store to bring in step with a folder, and the cache that its vectors are kept in.

    A rebuild is made beside the index in use and takes its place with `publish`. Without it the
    next ingest removes what was made.
    """

    def __init__(self, store: Store, cache: VectorCache, *, published: bool) -> None:
        self.store = store
        self.cache = cache
        self.published = published

    def publish(self) -> None:
        address = self.store.address
        draft = address.home / "current.new"
        draft.write_text(self.store.generation, encoding="ascii")
        draft.replace(address.home / "current")
        self.published = True


@contextmanager
def open_writable(
    address: IndexAddress, contract: Contract, *, rebuild: bool
) -> Iterator[Writable]:
    """Open an index to write it, made where there is none. Raises `IndexLocked` where another
    process writes it or has its vectors open, and `IndexMismatch` where it follows another
    contract and `rebuild` is not set."""
    with told_when_full(address.folder), writing(address.home):
        current = address.current()
        remove_leftovers(address)
        generation = current if current and not rebuild else _next(current)
        (address.home / generation).mkdir(exist_ok=True)
        with (
            _opened(address, generation, contract) as store,
            closing(VectorCache(address.home / "vectors.sqlite3")) as cache,
        ):
            contract.check(store.contract)
            _look_at_vectors(store)
            writable = Writable(store, cache, published=generation == current)
            if current is None:
                writable.publish()  # words can be searched while the first ingest goes on
            yield writable
        if writable.published:
            remove_leftovers(address)


def _look_at_vectors(store: Store) -> None:
    """Name who has the vectors open, or a server that is down, now and not after an hour of
    reading; and note vectors that are lost, or left behind in another place."""
    catalog, address = store.catalog, store.address
    expected = catalog.passage_count() - catalog.missing_vectors()
    with store.touching_vectors():
        if address.chroma_url:
            lost = store.vectors.count() != expected
        else:  # without opening Chroma, which an ingest of an unchanged folder can do without
            lost = expected > 0 and not (store.folder / "chroma" / "chroma.sqlite3").exists()
    if lost:
        catalog.settle(False)


def remove_leftovers(address: IndexAddress) -> None:
    """Delete every generation but the one in use, unless a process still has it open."""
    for folder in address.home.glob("g*"):
        if folder.name == address.current():
            continue
        try:
            with unused(folder):
                if address.chroma_url:
                    _drop_collections(address, folder.name)
                # What is in use for another moment, such as by a status, goes the next time.
                shutil.rmtree(folder, ignore_errors=True)
        except IndexLocked:
            continue


def _next(current: str | None) -> str:
    return f"g{int(current[1:]) + 1 if current else 1:06d}"


@contextmanager
def _opened(
    address: IndexAddress, generation: str, contract: Contract | None = None
) -> Iterator[Store]:
    """Open one generation; `contract` is recorded where none is yet."""
    catalog = Catalog(address.home / generation / "catalog.sqlite3")
    try:
        recorded = catalog.contract()
        if recorded is None:
            if contract is None:
                raise address.missing()
            # A Chroma server may hold the collections of other folders with such a tenant.
            catalog.start(contract, f"{address.tenant}-{generation}-{uuid4().hex[:12]}")
            recorded = contract
        if recorded.version != INDEX_VERSION:
            raise mismatch(f"version {recorded.version}, now {INDEX_VERSION}")
        place = address.chroma_url or address.home / generation / "chroma"
        with VectorIndex(place, catalog.collections(), recorded) as vectors:
            yield Store(address, generation, catalog, vectors, recorded)
    finally:
        catalog.close()


def _drop_collections(address: IndexAddress, generation: str) -> None:
    try:
        with _opened(address, generation) as store:
            store.vectors.drop()
    except (IndexMissing, IndexMismatch):
        return  # an ingest was killed before it made any; or they are of an older version
