"""What an index holds, told without owning it."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.errors import IndexMismatch, IndexMissing
from knowledge.catalog import Catalog
from knowledge.contract import Contract
from knowledge.document_row import DocumentRow
from knowledge.domain import Calibration, current_calibration
from knowledge.store import IndexAddress, open_generation
from knowledge.verdict import VerdictCalibration


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """`unreadable` counts files that gave no text; `unsettled` tells that an ingest is at
    work, or was killed, or found vectors lost; `calibration` is None before the first one, and
    `calibration_current` tells whether it is in use: made for these passages, or most of them;
    `verdict` and `verdict_current` say the same of the model's verdict."""

    documents: int
    unreadable: int
    passages: int
    vectors_missing: int
    unsettled: bool
    contract: Contract
    calibration: Calibration | None
    calibration_current: bool
    verdict: VerdictCalibration | None
    verdict_current: bool

    @property
    def vectors_complete(self) -> bool:
        return self.vectors_missing == 0 and not self.unsettled


def index_status(address: IndexAddress) -> IndexStatus:
    """Read the catalog, which another process may be writing. Raises `IndexMissing`."""
    with open_generation(address) as store:
        documents = [row.status for row in store.catalog.documents().values()]
        verdict = VerdictCalibration.read(store.verdict_path)
        return IndexStatus(
            documents=documents.count("indexed"),
            unreadable=len(documents) - documents.count("indexed"),
            passages=store.catalog.passage_count(),
            vectors_missing=store.catalog.missing_vectors(),
            unsettled=store.catalog.unsettled(),
            contract=store.contract,
            calibration=Calibration.read(store.calibration_path),
            calibration_current=current_calibration(store) is not None,
            verdict=verdict,
            verdict_current=verdict is not None and verdict.is_current(store),
        )


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """`pages` is the number of the last page with text."""

    row: DocumentRow
    passages: int
    pages: int


def document_statuses(address: IndexAddress) -> list[DocumentStatus]:
    """Every file of a known type that the last ingest met, in order of its path. Raises
    `IndexMissing`."""
    with open_generation(address) as store:
        return list(_described(store.catalog, None).values())


def statuses_of(address: IndexAddress, documents: Sequence[str]) -> dict[str, DocumentStatus]:
    """What the index holds of these; nothing where there is none yet, or one of another version."""
    try:
        with open_generation(address) as store:
            return _described(store.catalog, documents)
    except (IndexMissing, IndexMismatch):
        return {}


def document_names(address: IndexAddress) -> list[str]:
    """Of every file that the last ingest met; none where `statuses_of` gives nothing."""
    try:
        with open_generation(address) as store:
            return list(store.catalog.documents())
    except (IndexMissing, IndexMismatch):
        return []


def page_text(address: IndexAddress, document: str, page: int) -> str:
    """Empty where the page has no text. Raises `IndexMissing`."""
    with open_generation(address) as store:
        return store.catalog.page_text(document, page)


def _described(catalog: Catalog, documents: Sequence[str] | None) -> dict[str, DocumentStatus]:
    with catalog.snapshot():
        return {
            path: DocumentStatus(row, catalog.passage_count_of(path), catalog.page_count(path))
            for path, row in catalog.documents(documents).items()
        }
