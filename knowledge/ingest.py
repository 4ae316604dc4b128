"""Make the index equal to a folder of documents."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import get_args

from graph.errors import EmbedderUnavailable, IndexLocked, IndexMissing, InputError, KnowledgeError
from knowledge import chunk
from knowledge.calibrate import calibrate
from knowledge.catalog import Catalog
from knowledge.contract import Contract
from knowledge.document_row import DocumentRow
from knowledge.domain import FALSE_REFUSAL_TARGET, Calibration, current_calibration
from knowledge.embed import Embedder
from knowledge.folder import Listing, Problem, Seen, content_of, list_folder, look, settled
from knowledge.load.document import PLAIN, Loaded, LoadOptions, Unreadable, UnreadableStatus
from knowledge.reader import read_all
from knowledge.report import FileReport, FileStatus, IngestReport, Progress
from knowledge.scope import document_tags
from knowledge.store import (
    INGEST_COMMAND,
    IndexAddress,
    Writable,
    empty,
    open_generation,
    open_writable,
)
from knowledge.sync import complete_vectors, in_step

OnProgress = Callable[[Progress], None]


def ingest(
    folder: Path,
    address: IndexAddress,
    embedder: Embedder,
    *,
    rebuild: bool = False,
    replace_all: bool = False,
    options: LoadOptions = PLAIN,
    false_refusals: float = FALSE_REFUSAL_TARGET,
    on_progress: OnProgress = lambda progress: None,
) -> IngestReport:
    """Read what is new or changed in `folder`, forget what is gone, complete the vectors, and
    calibrate the gate when passages changed, or the share of own questions that it may refuse. An
    interrupted run is completed by the next one: what `on_progress` raises ends this one. Words can
    be searched as soon as a file is read.

    Raises `InputError` (no such folder; or none of the index's documents in it, unless
    `replace_all`),
    `IndexLocked`, `IndexMismatch`, `KnowledgeError` where files, processes or the disk fail, and
    `EmbedderUnavailable` where an endpoint cannot even tell its model. When vectors fail later, the
    report says so.
    """
    started = time.monotonic()
    listing = list_folder(folder)
    if not replace_all:
        _check_folder(folder, listing, address)
    dimension = embedder.dimension if rebuild else _dimension(address, embedder)
    contract = Contract(embedder.name, dimension, chunk.VERSION)
    with open_writable(address, contract, rebuild=rebuild) as writable:
        catalog = writable.store.catalog
        files = sorted(
            _update_documents(listing, catalog, embedder, options, on_progress),
            key=lambda file: file.path,
        )
        embedded, calibration, error = _follow(writable, embedder, false_refusals, on_progress)
        if not writable.published and error is None:
            if listing.closed:
                error = f"{listing.closed[0]} cannot be looked into"
            else:
                writable.publish()
        return IngestReport(
            files=tuple(files),
            documents=sum(row.status == "indexed" for row in catalog.documents().values()),
            passages=catalog.passage_count(),
            embedded=embedded,
            vectors_missing=catalog.missing_vectors(),
            seconds=time.monotonic() - started,
            calibration=calibration,
            embedder_error=error,
            in_use=writable.published,
        )


def _check_folder(folder: Path, listing: Listing, address: IndexAddress) -> None:
    """A folder that is not mounted, or a slip of the pen, must not replace the whole index."""
    try:
        with open_generation(address) as store:
            known = store.catalog.documents()
    except KnowledgeError:
        return  # there is no index, or none that can be read
    held = {name: row.sha256 for name, row in known.items() if row.status == "indexed"}
    if not held or listing.closed or any(file.name in held for file in listing.files):
        return
    contents = set(held.values())
    if not any(content_of(file) in contents for file in listing.files):
        raise InputError(
            f"{folder} has none of the {len(held)} documents that the index holds, under no name: "
            "is it the right folder, and mounted? Nothing was changed; "
            "to replace them all, add --replace"
        )


def _dimension(address: IndexAddress, embedder: Embedder) -> int:
    """As the index records it, so that a folder in which nothing changed needs no endpoint."""
    try:
        with open_generation(address) as store:
            if store.contract.embedder == embedder.name:
                return store.contract.dimension
    except IndexMissing:
        pass
    return embedder.dimension


def _update_documents(
    listing: Listing,
    catalog: Catalog,
    embedder: Embedder,
    options: LoadOptions,
    on_progress: OnProgress,
) -> Iterator[FileReport]:
    """Bring the catalog in step with the folder, document by document."""
    before = catalog.documents()
    present = {file.name for file in listing.files}
    gone = {
        name: row
        for name, row in before.items()
        if name not in present and not listing.may_hold(name)
    }
    # A file that is new here and has the content of one that is gone was renamed.
    gone_by_content = {row.sha256: name for name, row in gone.items() if row.status == "indexed"}
    for problem in listing.problems:
        yield FileReport(problem.name, problem.why.status, problem.why.reason)
    unread: list[Seen] = []
    for file in listing.files:
        seen = look(file, before.get(file.name), options)
        if isinstance(seen, Problem):
            if not (seen.keep and file.name in before):
                catalog.remove_document(file.name)
                catalog.replace_document(_unreadable_row(seen), is_wanted=file.path.exists)
            yield FileReport(seen.name, seen.why.status, seen.why.reason)
        elif seen.unread:
            unread.append(seen)
        else:
            if seen.row != before[file.name]:
                catalog.touch_document(seen.row)
            yield FileReport(file.name, _status_of_unchanged(seen.row), seen.row.reason)
    total = len(listing.files)
    on_progress(Progress("read", total - len(unread), total))
    with closing(read_all((seen.file.path for seen in unread), options)) as results:
        for done, (seen, (_, result)) in enumerate(zip(unread, results, strict=True), start=1):
            name = seen.row.path
            source = gone_by_content.get(seen.row.sha256) if name not in before else None
            row = _store(seen, result, catalog, embedder, source)
            if row.status != "indexed":
                status: FileStatus = _unreadable(row)
            elif source:
                del gone[source], gone_by_content[seen.row.sha256]
                status = "renamed"
            else:
                status = "updated" if _was_indexed(before.get(name)) else "indexed"
            reason = f"was {source}" if status == "renamed" else row.reason
            yield FileReport(name, status, reason)
            on_progress(Progress("read", total - len(unread) + done, total))
    told = {problem.name for problem in listing.problems}
    for name in gone:
        catalog.remove_document(name)
        if name not in told:
            yield FileReport(name, "removed")


def _store(
    seen: Seen,
    result: Loaded | Unreadable,
    catalog: Catalog,
    embedder: Embedder,
    source: str | None,
) -> DocumentRow:
    """The row that is kept, or the one of a failure where the file is gone: who deletes a document
    (`knowledge.forget`) must not find it again."""
    row = settled(seen)
    if isinstance(result, Unreadable):
        row = replace(row, status=result.status, reason=result.reason)
        catalog.replace_document(row, is_wanted=seen.is_there)
        return row
    row = replace(
        row,
        status="indexed",
        reason=_textless(result.textless),
        title=result.title,
        own_date=result.date or "",
        tags=document_tags(row.path, result.tags),
    )
    passages = chunk.chunk(row.path, result, embedder.count_tokens)
    if not catalog.replace_document(
        row, result.pages, passages, instead_of=source, is_wanted=seen.is_there
    ):
        return replace(row, status="failed", reason="was removed or replaced while it was read")
    return row


def _unreadable_row(problem: Problem) -> DocumentRow:
    return DocumentRow(problem.name, "", 0, 0, "", problem.why.status, problem.why.reason)


def _was_indexed(row: DocumentRow | None) -> bool:
    return row is not None and row.status == "indexed"


def _status_of_unchanged(row: DocumentRow) -> FileStatus:
    """A file that could not be read before still says why."""
    return "unchanged" if row.status == "indexed" else _unreadable(row)


def _unreadable(row: DocumentRow) -> UnreadableStatus:
    known: dict[str, UnreadableStatus] = {status: status for status in get_args(UnreadableStatus)}
    return known[row.status]


def _textless(pages: tuple[int, ...]) -> str:
    if not pages:
        return ""
    shown = ", ".join(str(page) for page in pages[:10]) + (" …" if len(pages) > 10 else "")
    return f"no text on page {shown}"


def _follow(
    writable: Writable, embedder: Embedder, false_refusals: float, on_progress: OnProgress
) -> tuple[int, Calibration | None, str | None]:
    """Complete the vectors and calibrate; how many texts were embedded, and what went wrong."""
    store, embedded = writable.store, 0
    if not in_step(store):
        synced = complete_vectors(
            writable, embedder, lambda done, total: on_progress(Progress("embed", done, total))
        )
        embedded = synced.embedded
        if synced.error:
            return embedded, None, synced.error
    if not store.catalog.passage_count():
        return embedded, None, None
    current = current_calibration(store)
    if current and current.false_refusal_target == false_refusals:
        return embedded, current, None
    try:
        return embedded, _calibrated(writable, embedder, false_refusals, on_progress), None
    except (EmbedderUnavailable, IndexLocked) as error:
        return embedded, None, str(error)


def recalibrate(
    address: IndexAddress,
    embedder: Embedder,
    false_refusals: float = FALSE_REFUSAL_TARGET,
    on_progress: OnProgress = lambda progress: None,
) -> Calibration:
    """Calibrate the gate for the passages as they are, however little they have changed, to refuse
    this share of the corpus's own questions. Raises
    `IndexMissing`, `IndexEmpty`, `IndexLocked`, `IndexMismatch`, `EmbedderUnavailable`, and
    `KnowledgeError` where vectors are missing."""
    with open_generation(address) as store:
        if not store.catalog.passage_count():
            raise empty(address)
        contract = replace(store.contract, embedder=embedder.name)
    with open_writable(address, contract, rebuild=False) as writable:
        if not in_step(writable.store):
            raise KnowledgeError(f"vectors are missing; complete them first: {INGEST_COMMAND}")
        return _calibrated(writable, embedder, false_refusals, on_progress)


def _calibrated(
    writable: Writable, embedder: Embedder, false_refusals: float, on_progress: OnProgress
) -> Calibration:
    store = writable.store
    with store.touching_vectors():
        new = calibrate(
            store,
            writable.cache,
            embedder,
            lambda done, total: on_progress(Progress("calibrate", done, total)),
            false_refusals,
        )
    new.write(store.calibration_path)
    store.catalog.announce()
    return new
