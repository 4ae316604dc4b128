"""The uploaded documents of each tenant, as files: the folder alone says what there is."""

import hashlib
import os
import shutil
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO

from filelock import FileLock, Timeout

from graph.errors import InputError, StoreUnavailable, TooLarge, UnsupportedType
from knowledge.folder import list_folder
from knowledge.load.formats import SUPPORTED_SUFFIXES, is_supported, unsupported
from knowledge.tenant import check_tenant

MAX_NAME_BYTES = 255
LOCK_WAIT_S = 30.0
INCOMING = ".incoming-"
ABANDONED_S = 3_600.0
"""Files that a request has left, whose server was killed, are removed after this time."""

KNOWN_CONTENTS = 20_000
_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{name}{n}" for name in ("com", "lpt") for n in "123456789"
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one file, of one request, and of all that a tenant keeps."""

    file_bytes: int
    files: int
    request_bytes: int
    stored_bytes: int
    stored_documents: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """`id` is of use to this tenant alone, and the same for a document that is replaced."""

    id: str
    name: str
    path: Path
    bytes: int
    changed_s: float


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: BinaryIO
    bytes: int


def document_id(tenant: str, name: str) -> str:
    return hashlib.sha256(f"{tenant}\0{name}".encode()).hexdigest()[:32]


def check_name(given: str) -> str:
    """The name that a document gets, in Unicode's composed form. Raises `InputError` and
    `UnsupportedType`."""
    name = unicodedata.normalize("NFC", given)
    shown = repr(name if len(name) <= 80 else f"{name[:80]}…")
    bad = {char for char in name if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn")}
    if not name:
        raise InputError("a file has no name; send each with its own")
    if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        raise InputError(f"the name {shown} is longer than {MAX_NAME_BYTES} bytes; shorten it")
    if "/" in name or "\\" in name:
        raise InputError(f"the name {shown} holds a path; send the file's name alone")
    if bad:
        codes = ", ".join(sorted(f"U+{ord(char):04X}" for char in bad)[:5])
        raise InputError(f"the name {shown} holds characters that cannot be seen ({codes})")
    if name != name.strip() or name.startswith((".", "~$")) or name.endswith("."):
        raise InputError(
            f"the name {shown} begins or ends as those of hidden or temporary files do; rename it"
        )
    if name.split(".", 1)[0].strip().lower() in _DEVICES:
        raise InputError(f"the name {shown} is a device's on some systems; rename it")
    if not is_supported(Path(name)):
        types = ", ".join(sorted(SUPPORTED_SUFFIXES))
        raise UnsupportedType(f"{shown}: {unsupported(Path(name)).reason}; those that are: {types}")
    return name


class UploadStore:
    """Blocking: call it in a thread."""

    def __init__(self, folder: Path, bounds: Bounds) -> None:
        self._folder = folder
        self.bounds = bounds

    def folder(self, tenant: str) -> Path:
        return self._folder / check_tenant(tenant)

    def files(self, tenant: str) -> list[StoredFile]:
        """By name."""
        folder = self.folder(tenant)
        if not folder.is_dir():
            return []
        found = []
        for file in list_folder(folder).files:
            try:
                stat = file.path.stat()
            except FileNotFoundError:
                continue
            found.append(
                StoredFile(
                    document_id(tenant, file.name),
                    file.name,
                    file.path,
                    stat.st_size,
                    stat.st_mtime,
                )
            )
        return sorted(found, key=lambda file: file.name)

    def keep(self, tenant: str, uploads: Sequence[Upload]) -> None:
        """All of them or, where one cannot be, none. One of a known name takes the place of the
        older one, unless it is the same. Raises `TooLarge`, and `StoreUnavailable` where the disk
        fails."""
        folder = self.folder(tenant)
        with _disk():
            folder.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(folder)
            incoming = Path(mkdtemp(prefix=INCOMING, dir=folder))
            try:
                drafts = [
                    (upload, _drafted(upload, incoming / str(at)))
                    for at, upload in enumerate(uploads)
                ]
                with self._alone(folder):
                    known = {file.name: file for file in self.files(tenant)}
                    self._check_room(known, uploads)
                    for upload, draft in drafts:
                        old = known.get(upload.name)
                        if old is None or content_of(old.path) != content_of(draft):
                            draft.replace(folder / upload.name if old is None else old.path)
                    _sync(folder)
            finally:
                shutil.rmtree(incoming, ignore_errors=True)

    def remove(self, tenant: str, file: StoredFile) -> None:
        folder = self.folder(tenant)
        with _disk(), self._alone(folder):
            file.path.unlink(missing_ok=True)
            _sync(file.path.parent)

    def _check_room(self, known: Mapping[str, StoredFile], new: Sequence[Upload]) -> None:
        after = {name: file.bytes for name, file in known.items()}
        after |= {upload.name: upload.bytes for upload in new}
        bounds = self.bounds
        if len(after) > bounds.stored_documents:
            raise TooLarge(
                f"{bounds.stored_documents:,} documents may be kept, and with these there would be "
                f"{len(after):,}; nothing was stored: delete some first"
            )
        if sum(after.values()) > bounds.stored_bytes:
            raise TooLarge(
                f"{bounds.stored_bytes:,} bytes may be kept, and with these there would be "
                f"{sum(after.values()):,}; nothing was stored: delete documents first"
            )

    @contextmanager
    def _alone(self, folder: Path) -> Iterator[None]:
        """One request at a time counts what is kept and changes it."""
        try:
            with FileLock(folder / ".lock", timeout=LOCK_WAIT_S):
                yield
        except Timeout as error:
            raise StoreUnavailable(
                "another upload of this tenant does not end; try again in a moment"
            ) from error


def content_of(path: Path) -> str | None:
    """Its hash; None where it has gone."""
    try:
        stat = path.stat()
        return _hashed(path, stat.st_ino, stat.st_size, stat.st_ctime_ns)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=KNOWN_CONTENTS)
def _hashed(path: Path, inode: int, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _drafted(upload: Upload, path: Path) -> Path:
    upload.content.seek(0)
    with path.open("xb") as file:
        shutil.copyfileobj(upload.content, file, 1024 * 1024)
        file.flush()
        os.fsync(file.fileno())
    return path


def _sync(folder: Path) -> None:
    """Names survive a power failure once their folder is written."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_abandoned(folder: Path) -> None:
    for incoming in folder.glob(f"{INCOMING}*"):
        if time.time() - incoming.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(incoming, ignore_errors=True)


@contextmanager
def _disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"the documents cannot be kept: {error.strerror or error}; nothing was changed. Make "
            "room on the server's disk, or ask its owner to"
        ) from error
