"""Read files in a process of its own, so that no file can hang, crash or exhaust this one."""

import resource
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from knowledge.load import Loaded, Unreadable, load

FILE_TIMEOUT_S = 60.0
FILE_MEMORY_BYTES = 4 * 1024**3

# Not multiprocessing's spawn: that would import the caller's main module, which takes seconds.
_WORKER = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from knowledge.reader import serve; serve(int(sys.argv[1]))"
)


class Reader:
    """A worker process that is replaced when a file takes longer than `timeout_s` or kills it."""

    def __init__(self, timeout_s: float = FILE_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._worker: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
            self._worker.wait()
            self._worker = None

    def _start(self) -> Connection:
        ours, theirs = socket.socketpair()
        with theirs:
            self._worker = subprocess.Popen(
                [sys.executable, "-c", _WORKER, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._pipe = Connection(ours.detach())
        return self._pipe


def serve(descriptor: int) -> None:
    """The worker's side: read each path that arrives, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    resource.setrlimit(resource.RLIMIT_AS, (FILE_MEMORY_BYTES, FILE_MEMORY_BYTES))
    with Connection(descriptor) as pipe:
        while True:
            try:
                path = pipe.recv()
            except EOFError:
                return
            pipe.send(load(path))
