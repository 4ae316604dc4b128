"""Make the index equal to a folder of documents."""

import hashlib
import os
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graph.errors import EmbedderUnavailable, InputError
from knowledge import chunk
from knowledge.calibrate import Calibration, calibrate, current_calibration
from knowledge.catalog import DocumentRow
from knowledge.contract import Contract
from knowledge.embed import Embedder
from knowledge.load.document import Unreadable, UnreadableStatus
from knowledge.load.formats import SUPPORTED_SUFFIXES, is_supported
from knowledge.reader import Reader
from knowledge.store import Store, create_store
from knowledge.sync import complete_vectors

FileStatus = Literal["indexed", "unchanged", "updated", "renamed", "removed"] | UnreadableStatus
Phase = Literal["read", "embed", "calibrate"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files (read), passages (embed) or questions (calibrate)."""

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileReport:
    path: str
    status: FileStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """`vectors_missing` passages are found by words alone until an ingest completes them;
    `embedder_error` says why, or why there is no new calibration. `embedded` counts texts that the
    embedder was called for."""

    files: tuple[FileReport, ...]
    documents: int
    passages: int
    embedded: int
    vectors_missing: int
    seconds: float
    calibration: Calibration | None
    embedder_error: str | None = None

    @property
    def counts(self) -> dict[FileStatus, int]:
        return dict(Counter(file.status for file in self.files))

    @property
    def complete(self) -> bool:
        """There is something to search, every file of a known type is in it with its vectors, and
        the gate is calibrated for it."""
        bad = {"no_text", "encrypted", "failed"}
        return self.problem is None and not any(file.status in bad for file in self.files)

    @property
    def problem(self) -> str | None:
        """What is wrong with the index as a whole, and what to do next; None where it serves. What
        is wrong with a file stands in `files`."""
        if not self.passages:
            return (
                "nothing to index: no file in the folder gave any text; put files of the types "
                f"{', '.join(sorted(SUPPORTED_SUFFIXES))} with text there and run the same command "
                "again"
            )
        if self.vectors_missing:
            return (
                f"{self.vectors_missing} passages have no vector yet and are found by words alone; "
                f"run the same command again. Cause: {self.embedder_error}"
            )
        if self.embedder_error:
            return (
                "the gate is not calibrated for these passages and uses its cautious rule; "
                f"run the same command again. Cause: {self.embedder_error}"
            )
        return None


def ingest(
    folder: Path,
    index_dir: Path,
    embedder: Embedder,
    *,
    tenant: str = "default",
    rebuild: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> IngestReport:
    """Read what is new or changed in `folder`, forget what is gone, complete the vectors, and
    calibrate the gate when passages changed. An interrupted run is completed by the next one.

    Raises `InputError` (no such folder), `IndexLocked`, `IndexMismatch`, `KnowledgeError` where no
    process to read files can be started, and `EmbedderUnavailable` where an endpoint cannot even
    tell its model. When vectors fail later, the report says so.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name the one that holds the documents")
    started = time.monotonic()
    contract = Contract(embedder.name, embedder.dimension, chunk.VERSION)
    with create_store(index_dir, tenant, contract, rebuild=rebuild) as store:
        files = tuple(_read_changes(folder, store, embedder, on_progress))
        synced = complete_vectors(
            store, embedder, lambda done, total: on_progress(Progress("embed", done, total))
        )
        calibration, error = None, synced.error
        if error is None and store.catalog.passage_count():
            try:
                calibration = _calibrated(store, embedder, on_progress)
            except EmbedderUnavailable as unavailable:
                error = str(unavailable)
        return IngestReport(
            files=files,
            documents=sum(row.status == "indexed" for row in store.catalog.documents().values()),
            passages=store.catalog.passage_count(),
            embedded=synced.embedded,
            vectors_missing=store.catalog.missing_vectors(),
            seconds=time.monotonic() - started,
            calibration=calibration,
            embedder_error=error,
        )


def _read_changes(
    folder: Path, store: Store, embedder: Embedder, on_progress: Callable[[Progress], None]
) -> Iterator[FileReport]:
    """Bring the catalog in step with the folder, file by file; words are searchable at once."""
    catalog = store.catalog
    before = catalog.documents()
    paths = {_relative(folder, path): path for path in sorted(_files(folder))}
    gone = {path: row for path, row in before.items() if path not in paths}
    gone_hashes = {row.sha256: path for path, row in gone.items()}
    # Removed first: a renamed document must not stand in the index twice.
    for name in gone:
        catalog.remove_document(name)
    renamed: set[str] = set()
    with Reader() as reader:
        for done, (name, path) in enumerate(paths.items(), start=1):
            report = _read_file(name, path, before.get(name), store, embedder, reader)
            source = gone_hashes.get(report.sha256)
            if report.status == "indexed" and source:
                renamed.add(source)
                yield FileReport(name, "renamed", f"was {source}")
            else:
                yield FileReport(name, report.status, report.reason)
            on_progress(Progress("read", done, len(paths)))
    for name in sorted(gone.keys() - renamed):
        yield FileReport(name, "removed")


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: FileStatus
    reason: str = ""
    sha256: str = ""


def _read_file(
    name: str,
    path: Path,
    known: DocumentRow | None,
    store: Store,
    embedder: Embedder,
    reader: Reader,
) -> _Outcome:
    if not is_supported(path):
        return _Outcome("unsupported", f"files of the type {path.suffix or 'none'} are not read")
    try:
        stat = path.stat()
        if known and known.status != "failed":
            if (stat.st_size, stat.st_mtime_ns) == (known.bytes, known.mtime_ns):
                return _unchanged(known)
            if _sha256(path) == known.sha256:
                store.catalog.touch_document(name, stat.st_mtime_ns)
                return _unchanged(known)
        sha256 = _sha256(path)
    except OSError as error:
        # The file vanished or is closed to us: what the index held of it is no longer true.
        store.catalog.remove_document(name)
        return _Outcome("failed", f"cannot be read: {error.strerror or error}")
    result = reader.read(path)
    if isinstance(result, Unreadable):
        row = DocumentRow(
            name, sha256, stat.st_size, stat.st_mtime_ns, result.status, result.reason
        )
        store.catalog.replace_document(row, ())
        return _Outcome(result.status, result.reason, sha256)
    passages = chunk.chunk(name, result, embedder.count_tokens)
    reason = _textless(result.textless)
    row = DocumentRow(name, sha256, stat.st_size, stat.st_mtime_ns, "indexed", reason, result.title)
    store.catalog.replace_document(row, passages)
    was_indexed = known is not None and known.status == "indexed"
    return _Outcome("updated" if was_indexed else "indexed", reason, sha256)


def _unchanged(known: DocumentRow) -> _Outcome:
    """A file that could not be read before still says why."""
    bad: dict[str, FileStatus] = {"no_text": "no_text", "encrypted": "encrypted"}
    return _Outcome(bad.get(known.status, "unchanged"), known.reason, known.sha256)


def _textless(pages: tuple[int, ...]) -> str:
    if not pages:
        return ""
    shown = ", ".join(str(page) for page in pages[:10]) + (" …" if len(pages) > 10 else "")
    return f"no text on page {shown}"


def _calibrated(
    store: Store, embedder: Embedder, on_progress: Callable[[Progress], None]
) -> Calibration:
    """The calibration for exactly these passages, made anew only when they changed."""
    if current := current_calibration(store):
        return current
    new = calibrate(
        store, embedder, lambda done, total: on_progress(Progress("calibrate", done, total))
    )
    new.write(store.calibration_path)
    return new


def _files(folder: Path) -> Iterator[Path]:
    """Regular files below `folder`; hidden ones are left out, links to folders not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(parent, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _relative(folder: Path, path: Path) -> str:
    return unicodedata.normalize("NFC", path.relative_to(folder).as_posix())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
