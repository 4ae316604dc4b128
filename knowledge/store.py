"""Where an index lives on disk, and how its parts are opened together.

INDEX_DIR/owner.lock, owner.pid          who may open it
INDEX_DIR/chroma/                        vectors, a collection per tenant
INDEX_DIR/tenants/NAME/catalog.sqlite3   documents, passages, words, vectors made before
INDEX_DIR/tenants/NAME/calibration.json  the gate's bound for this corpus
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graph.errors import IndexEmpty, IndexMissing
from knowledge.catalog import Catalog
from knowledge.contract import Contract
from knowledge.index import VectorIndex, check_tenant
from knowledge.lock import owned

INGEST_COMMAND = "knowledge-agent ingest DIR"


@dataclass(frozen=True, slots=True)
class Layout:
    chroma: Path
    catalog: Path
    calibration: Path


def layout(index_dir: Path, tenant: str) -> Layout:
    own = index_dir / "tenants" / check_tenant(tenant)
    return Layout(index_dir / "chroma", own / "catalog.sqlite3", own / "calibration.json")


@dataclass(frozen=True, slots=True)
class Store:
    """`contract` is the one that the index records."""

    catalog: Catalog
    vectors: VectorIndex
    contract: Contract
    calibration_path: Path


@contextmanager
def open_store(index_dir: Path, tenant: str) -> Iterator[Store]:
    """Open what an ingest left. Raises `IndexMissing`, `IndexEmpty`, `IndexLocked` or
    `IndexMismatch`; creates nothing."""
    paths = layout(index_dir, tenant)
    if not paths.catalog.exists():
        raise missing(index_dir, tenant)
    with owned(index_dir), _opened(paths, tenant) as (catalog, vectors):
        recorded = vectors.open()
        if recorded is None:
            raise missing(index_dir, tenant)
        if not catalog.passage_count():
            raise IndexEmpty(
                f"the index in {index_dir} holds no passage; put documents with text into the "
                f"folder and run: {INGEST_COMMAND}"
            )
        yield Store(catalog, vectors, recorded, paths.calibration)


@contextmanager
def create_store(
    index_dir: Path, tenant: str, contract: Contract, *, rebuild: bool
) -> Iterator[Store]:
    """Open an index to write it, made where there is none. Raises `IndexLocked`, and
    `IndexMismatch` where the index follows another contract and `rebuild` is not set."""
    paths = layout(index_dir, tenant)
    with owned(index_dir):
        paths.catalog.parent.mkdir(parents=True, exist_ok=True)
        with _opened(paths, tenant) as (catalog, vectors):
            if rebuild:
                catalog.clear()
                vectors.drop()
                paths.calibration.unlink(missing_ok=True)
            recorded = vectors.open()
            if recorded:
                contract.check(recorded)
            else:
                catalog.start(contract)
                vectors.create(contract)
            yield Store(catalog, vectors, contract, paths.calibration)


def missing(index_dir: Path, tenant: str) -> IndexMissing:
    whose = "" if tenant == "default" else f" for the tenant {tenant}"
    return IndexMissing(f"there is no index in {index_dir}{whose}; make one: {INGEST_COMMAND}")


@contextmanager
def _opened(paths: Layout, tenant: str) -> Iterator[tuple[Catalog, VectorIndex]]:
    catalog = Catalog(paths.catalog)
    try:
        with VectorIndex(paths.chroma, tenant) as vectors:
            yield catalog, vectors
    finally:
        catalog.close()
