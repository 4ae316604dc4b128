"""An ingest as these tests run it: small portions, so that a small folder has many of them; no
calibration, which takes seconds and has tests of its own."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from knowledge.embed import Embedder
from knowledge.ingest import ingest
from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load
from knowledge.report import IngestReport, Progress
from knowledge.store import IndexAddress

_SMALL = {
    "knowledge.calibrate.MIN_PASSAGES": 10**9,
    "knowledge.folder.YOUNG_NS": 20_000_000,
    "knowledge.index.MAX_BATCH": 16,
    "knowledge.sync.EMBED_BATCH": 4,
    "knowledge.sync.LAST_PORTION_WAIT_S": 0.2,
    "knowledge.sync.PAGE": 12,
    "knowledge.sync.PORTION": 24,
}


def sync(
    folder: Path,
    address: IndexAddress,
    embedder: Embedder,
    *,
    rebuild: bool = False,
    reads_apart: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> IngestReport:
    """`reads_apart` has files read in worker processes, as the product does."""
    with ExitStack() as patches:
        for name, value in _SMALL.items():
            patches.enter_context(patch(name, value))
        if not reads_apart:
            patches.enter_context(patch("knowledge.ingest.read_all", _read_here))
        return ingest(
            folder,
            address,
            embedder,
            rebuild=rebuild,
            replace_all=True,
            on_progress=on_progress,
        )


def _read_here(
    paths: Iterable[Path], options: LoadOptions
) -> Iterator[tuple[Path, Loaded | Unreadable]]:
    return ((path, load(path, options)) for path in paths)
