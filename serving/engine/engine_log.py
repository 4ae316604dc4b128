"""The server's own output: one file for each start, the one before it kept."""

import io
import os
from collections import deque
from pathlib import Path

TAIL_BYTES = 256 * 1024


def log_path(engine_dir: Path) -> Path:
    return engine_dir / "engine.log"


def open_new_log(engine_dir: Path) -> io.FileIO:
    """Keep the last start's log as `engine.log.1`. Appending lets logrotate truncate the file."""
    path = log_path(engine_dir)
    if path.exists():
        path.replace(path.with_name("engine.log.1"))
    return path.open("ab", buffering=0)


def log_tail(engine_dir: Path, lines: int) -> list[str]:
    """The last `lines` lines, of the last 256 KiB; none when there is no log."""
    try:
        with log_path(engine_dir).open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return list(deque(text.splitlines(), maxlen=lines))
