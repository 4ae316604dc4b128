"""Read files in a process of its own, so that no file can hang, crash or exhaust this one."""

import multiprocessing
import resource
import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

from knowledge.load import Loaded, Unreadable, load

FILE_TIMEOUT_S = 60.0
FILE_MEMORY_BYTES = 4 * 1024**3


class Reader:
    """A worker process that is replaced when a file takes longer than `timeout_s` or kills it."""

    def __init__(self, timeout_s: float = FILE_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._context = multiprocessing.get_context("spawn")
        self._worker: BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, path: Path) -> Loaded | Unreadable:
        pipe = self._pipe or self._start()
        try:
            pipe.send(path)
            if not pipe.poll(self._timeout_s):
                self.close()
                return Unreadable("failed", f"was given up after {self._timeout_s:g} s")
            result: Loaded | Unreadable = pipe.recv()
        except (EOFError, OSError):
            self.close()
            return Unreadable("failed", "broke the process that reads files")
        return result

    def close(self) -> None:
        if self._pipe:
            self._pipe.close()
            self._pipe = None
        if self._worker:
            self._worker.kill()
            self._worker.join()
            self._worker = None

    def _start(self) -> Connection:
        self._pipe, theirs = self._context.Pipe()
        self._worker = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._worker.start()
        theirs.close()
        return self._pipe


def _serve(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    resource.setrlimit(resource.RLIMIT_AS, (FILE_MEMORY_BYTES, FILE_MEMORY_BYTES))
    while True:
        try:
            path = pipe.recv()
        except EOFError:
            return
        pipe.send(load(path))
