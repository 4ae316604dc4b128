"""Folders that no test looks at again, in memory where there is room: a disk would make tests that
open hundreds of indexes several times slower."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM_BYTES = 2**28


@contextmanager
def scratch() -> Iterator[Path]:
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM_BYTES
    with tempfile.TemporaryDirectory(dir=MEMORY if in_memory else None) as made:
        yield Path(made)
