"""Who may touch an index: one process at a time opens Chroma's files, one ingest at a time writes.

Chroma's embedded files bear no second process, not even one that only reads. The operating system
frees a lock when its process ends, however that happens.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from graph.errors import IndexLocked

HANDOVER_S = 0.7
"""How long to wait for an owner that is just closing; then fail."""

POLL_S = 0.02

_guard = threading.Lock()
_shared: dict[Path, tuple[FileLock, int]] = {}


@contextmanager
def owned(folder: Path, wait_s: float = HANDOVER_S) -> Iterator[None]:
    """This process owns the Chroma files in `folder` until the block ends; blocks of several
    threads share the ownership. Raises `IndexLocked`, which names the owner."""
    key = folder.resolve()
    # Waiting outside of the guard: other threads open and close other indexes meanwhile.
    until = time.monotonic() + wait_s
    while True:
        with _guard:
            try:
                lock, blocks = _shared.get(key) or (_locked(folder / "owner.lock"), 0)
                _shared[key] = lock, blocks + 1
                break
            except IndexLocked:
                if time.monotonic() > until:
                    raise
        time.sleep(POLL_S)
    try:
        yield
    finally:
        with _guard:
            lock, blocks = _shared.pop(key)
            if blocks > 1:
                _shared[key] = lock, blocks - 1
            else:
                lock.release()


@contextmanager
def unused(folder: Path) -> Iterator[None]:
    """Nobody owns the Chroma files in `folder`, not even a block of this process, or
    `IndexLocked`."""
    with _guard:
        if folder.resolve() in _shared:
            raise IndexLocked(f"the index in {folder} is in use by this process")
        lock = _locked(folder / "owner.lock")
        try:
            yield
        finally:
            lock.release()


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """This block alone writes to the index in `folder`: no other thread or process does."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = _locked(folder / "writer.lock", HANDOVER_S)
    try:
        yield
    finally:
        lock.release()


def _locked(path: Path, wait_s: float = 0) -> FileLock:
    lock = FileLock(path, timeout=wait_s, thread_local=False)
    # A file of its own, because locking may empty the file that is locked.
    holder_file = path.with_suffix(".pid")
    try:
        lock.acquire()
    except Timeout as error:
        try:
            holder = holder_file.read_text(encoding="ascii").strip()
        except OSError:
            holder = "unknown"
        raise IndexLocked(
            f"the index in {path.parent} is in use by the process {holder}; "
            "wait until it has ended, or stop it"
        ) from error
    try:
        holder_file.write_text(str(os.getpid()), encoding="ascii")
    except OSError:
        lock.release()
        raise
    return lock
