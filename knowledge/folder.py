"""What a folder of documents holds, and how it differs from what the catalog knows."""

import hashlib
import os
import time
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from graph.errors import InputError
from knowledge.document_row import DocumentRow
from knowledge.load.document import LoadOptions, Unreadable
from knowledge.load.formats import is_supported, unsupported

READER_VERSION = "2"
"""Of what loading and chunking make of a file; a change of it reads every file anew."""

_WITH_OCR = "+ocr"

KEPT = "what the index holds of it stays"

YOUNG_NS = 2_000_000_000
"""A file that changed so recently may change again within the clock's grain: the next ingest looks
at its content whatever its times say. Two seconds is the grain of FAT."""


@dataclass(frozen=True, slots=True)
class File:
    """`name` is the path inside the folder, with / and in Unicode's composed form."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that gives no document, and why. `keep`: it is not known to have changed."""

    name: str
    why: Unreadable
    keep: bool = False


@dataclass(slots=True)
class Listing:
    """`closed` are folders and links that could not be looked into: what they hold is not known to
    be gone."""

    files: list[File] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    def may_hold(self, name: str) -> bool:
        return any(name == closed or name.startswith(f"{closed}/") for closed in self.closed)


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it is now: `row` says what is known of it, and is final where `unread` is not
    set; `changed_ns` is the time of its last change, `inode` the file itself, whatever its name."""

    file: File
    row: DocumentRow
    unread: bool
    changed_ns: int
    inode: int

    def is_there(self) -> bool:
        """Not removed, nor another put in its place."""
        try:
            return self.file.path.stat().st_ino == self.inode
        except FileNotFoundError:
            return False
        except OSError:
            return True  # nothing is known


def list_folder(folder: Path) -> Listing:
    """Files below `folder`, in order. Hidden ones and Office's lock files are left out; links are
    followed, and a folder that several paths lead to is listed once. Raises `InputError` where the
    folder itself cannot be listed."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name the one that holds the documents")
    listing = Listing()
    names: set[str] = set()
    visited: set[tuple[int, int]] = set()
    _is_new(folder, visited)

    def closed(error: OSError) -> None:
        name = _name(folder, Path(error.filename))
        if name == ".":
            raise InputError(f"{folder} cannot be listed: {error.strerror}") from error
        listing.closed.append(name)
        reason = f"the folder cannot be listed: {error.strerror}; {KEPT}"
        listing.problems.append(Problem(name, Unreadable("failed", reason)))

    for parent, folders, found in os.walk(folder, followlinks=True, onerror=closed):
        folders[:] = sorted(
            name
            for name in folders
            if not _is_hidden(name) and _is_new(Path(parent, name), visited)
        )
        for path in (Path(parent, name) for name in sorted(found) if not _is_hidden(name)):
            name = _name(folder, path)
            if name in names:
                reason = "another file has this name, in another Unicode form"
                listing.problems.append(Problem(name, Unreadable("failed", reason)))
            elif why := _why_no_file(path):
                listing.problems.append(Problem(name, why))
                if why.status == "failed":
                    listing.closed.append(name)
            else:
                listing.files.append(File(name, path))
            names.add(name)
    return listing


def _why_no_file(path: Path) -> Unreadable | None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        what = "is a link that leads nowhere" if path.is_symlink() else "cannot be read"
        return Unreadable("failed", f"{what}: {error.strerror}; {KEPT}")
    if not is_supported(path):
        return unsupported(path)
    if not S_ISREG(mode):
        return Unreadable("unsupported", "is no regular file")
    return None


def look(file: File, known: DocumentRow | None, options: LoadOptions) -> Seen | Problem:
    """Tell whether a file has to be read; its content is hashed where its size or times differ."""
    try:
        stat = file.path.stat()
        seen_ns = stat.st_ctime_ns if time.time_ns() - stat.st_ctime_ns > YOUNG_NS else 0
        trusted = known and seen_ns and (known.bytes, known.seen_ns) == (stat.st_size, seen_ns)
        sha256 = known.sha256 if known and trusted else _sha256(file.path)
    except FileNotFoundError:
        return Problem(file.name, Unreadable("failed", "has just vanished"))
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}; {KEPT}"
        return Problem(file.name, Unreadable("failed", reason), keep=True)
    if known and known.sha256 == sha256 and not _worth_another_try(known, options):
        row = replace(known, seen_ns=seen_ns, modified=_day(stat.st_mtime))
        return Seen(file, row, unread=False, changed_ns=stat.st_ctime_ns, inode=stat.st_ino)
    row = DocumentRow(
        path=file.name,
        sha256=sha256,
        bytes=stat.st_size,
        seen_ns=seen_ns,
        read_with=f"{READER_VERSION}{_WITH_OCR if options.ocr else ''}",
        status="",
        modified=_day(stat.st_mtime),
    )
    return Seen(file, row, unread=True, changed_ns=stat.st_ctime_ns, inode=stat.st_ino)


def content_of(file: File) -> str | None:
    """Its hash; None where it cannot be read."""
    try:
        return _sha256(file.path)
    except OSError:
        return None


def settled(seen: Seen) -> DocumentRow:
    """The row of a file that has now been read. Where it has changed since the look, nobody knows
    whether that is what was hashed: the next ingest reads it again."""
    try:
        stat = seen.file.path.stat()
        same = (stat.st_size, stat.st_ctime_ns) == (seen.row.bytes, seen.changed_ns)
        if not seen.row.seen_ns:  # too young for its times to tell
            same = same and _sha256(seen.file.path) == seen.row.sha256
    except OSError:
        same = False
    return seen.row if same else replace(seen.row, sha256="", seen_ns=0)


def _worth_another_try(known: DocumentRow, options: LoadOptions) -> bool:
    version, ocr_was_on, _ = known.read_with.partition(_WITH_OCR)
    return (
        version != READER_VERSION
        or known.status == "failed"
        or (known.status == "encrypted" and bool(options.passwords))
        or (options.ocr and not ocr_was_on and known.lacks_text)
    )


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$"))


def _is_new(folder: Path, visited: set[tuple[int, int]]) -> bool:
    """Whether to go into a folder: no link may lead round in a circle."""
    try:
        stat = folder.stat()
    except OSError:
        return True  # `os.walk` meets the same error, and tells it
    known = (stat.st_dev, stat.st_ino) in visited
    visited.add((stat.st_dev, stat.st_ino))
    return not known


def _name(folder: Path, path: Path) -> str:
    """Bytes of a name that are not UTF-8 are shown as escapes."""
    raw = os.fsencode(path.relative_to(folder).as_posix())
    return unicodedata.normalize("NFC", raw.decode("utf-8", "backslashreplace"))


def _day(seconds: float) -> str:
    """The day as a listing of the folder shows it; empty where the time is outside of calendars."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
