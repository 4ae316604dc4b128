"""Read files in a process of its own, so that no file can hang, crash or exhaust this one."""

import resource
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from graph.errors import KnowledgeError
from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load

FILE_TIMEOUT_S = 60.0
START_TIMEOUT_S = 60.0
FILE_MEMORY_BYTES = 4 * 1024**3

PACKAGES = Path(__file__).resolve().parents[1]

# Not multiprocessing's spawn: that would import the caller's main module, which takes seconds, has
# to be guarded against it, and is no file where a script comes from stdin.
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
        """Raises `KnowledgeError` when no worker can be started: that is no fault of the file."""
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
        # An empty entry means the current folder, and that may have changed since the import.
        search_path = [*filter(None, sys.path), str(PACKAGES)]
        ours, theirs = socket.socketpair()
        self._pipe = pipe = Connection(ours.detach())
        try:
            with theirs:
                self._worker = subprocess.Popen(
                    [sys.executable, "-c", _WORKER, str(theirs.fileno()), *search_path],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                )
            if not pipe.poll(START_TIMEOUT_S):
                raise TimeoutError(f"no sign of it for {START_TIMEOUT_S:g} s")
            pipe.recv()
        except (EOFError, OSError) as error:
            self.close()
            raise KnowledgeError(
                f"the process that reads files does not start ({error or 'it ended at once'}); "
                f"see what it wrote to stderr, and check that {sys.executable or 'Python'} can "
                "import knowledge.reader"
            ) from error
        return pipe


def serve(descriptor: int) -> None:
    """The worker's side: say that it runs, then read each path that arrives, until the other end
    closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    resource.setrlimit(resource.RLIMIT_AS, (FILE_MEMORY_BYTES, FILE_MEMORY_BYTES))
    with Connection(descriptor) as pipe:
        pipe.send("started")
        while True:
            try:
                path = pipe.recv()
            except EOFError:
                return
            pipe.send(load(path, LoadOptions()))
