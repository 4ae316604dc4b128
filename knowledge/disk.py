"""A disk that is full or cannot be written, told as such."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from graph.errors import KnowledgeError

FULL_BELOW_BYTES = 4_000_000
"""SQLite and Chroma hide the cause of some failures; with less room than this it is the disk."""


@contextmanager
def told_when_full(folder: Path) -> Iterator[None]:
    """Turn what fails in the block for want of room into a `KnowledgeError` that says so."""
    try:
        yield
    except (OSError, KnowledgeError) as error:
        no_room = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        has_own_meaning = type(error) is not KnowledgeError  # such as IndexLocked
        if no_room or (_is_full(folder) and not has_own_meaning):
            raise KnowledgeError(
                f"the disk is full where the index lies ({folder}); make room and run the same "
                "command again: what is done stays done"
            ) from error
        raise


def check_folder(folder: Path) -> None:
    """Makes it where there is none. Raises `KnowledgeError` where nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise KnowledgeError(
            f"{folder} cannot be written ({error.strerror}); indexes lie there, see KA_HOME"
        ) from error


def _is_full(folder: Path) -> bool:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free < FULL_BELOW_BYTES
