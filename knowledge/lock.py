"""One process owns an embedded index: Chroma's files bear no second one, not even to read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from graph.errors import IndexLocked

HANDOVER_S = 0.3
"""How long to wait for an owner that is just closing; then fail."""


@contextmanager
def owned(index_dir: Path) -> Iterator[None]:
    """Own the folder until the block ends, or raise `IndexLocked` that names the owner.

    The operating system frees the lock when its process ends, however that happens. The owner's
    pid stands in a file of its own, because locking may empty the file that is locked.
    """
    index_dir.mkdir(parents=True, exist_ok=True)
    owner_file = index_dir / "owner.pid"
    lock = FileLock(index_dir / "owner.lock", timeout=HANDOVER_S)
    try:
        lock.acquire()
    except Timeout as error:
        try:
            owner = owner_file.read_text(encoding="ascii").strip()
        except OSError:
            owner = "unknown"
        raise IndexLocked(
            f"the index in {index_dir} is in use by the process {owner}; "
            "wait until it has ended, or stop it"
        ) from error
    try:
        owner_file.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        lock.release()
