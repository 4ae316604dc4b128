"""What an index holds, told without owning it."""

from dataclasses import dataclass
from pathlib import Path

from knowledge.calibrate import Calibration
from knowledge.catalog import Catalog
from knowledge.contract import Contract
from knowledge.store import layout, missing


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """`unreadable` counts files that gave no text; `calibration` is None before the first one, and
    `calibration_current` tells whether it was made for these passages."""

    documents: int
    unreadable: int
    passages: int
    vectors_missing: int
    contract: Contract
    calibration: Calibration | None
    calibration_current: bool

    @property
    def vectors_complete(self) -> bool:
        return self.vectors_missing == 0


def index_status(index_dir: Path, tenant: str = "default") -> IndexStatus:
    """Read the catalog, which another process may own. Raises `IndexMissing`."""
    paths = layout(index_dir, tenant)
    if not paths.catalog.exists():
        raise missing(index_dir, tenant)
    catalog = Catalog(paths.catalog)
    try:
        contract = catalog.contract()
        if contract is None:
            raise missing(index_dir, tenant)
        documents = [row.status for row in catalog.documents().values()]
        calibration = Calibration.read(paths.calibration)
        return IndexStatus(
            documents=documents.count("indexed"),
            unreadable=len(documents) - documents.count("indexed"),
            passages=catalog.passage_count(),
            vectors_missing=catalog.missing_vectors(),
            contract=contract,
            calibration=calibration,
            calibration_current=calibration is not None
            and calibration.corpus == catalog.corpus_version(),
        )
    finally:
        catalog.close()
