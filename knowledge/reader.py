"""Read files in processes of their own, so that no file can hang, crash or exhaust this one."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple, Self

from graph.errors import AgentError, KnowledgeError
from knowledge.load import ocr
from knowledge.load.document import (
    PLAIN,
    Loaded,
    LoadOptions,
    PageRequest,
    PageView,
    Unreadable,
)
from knowledge.load.formats import load, view

MAX_READERS = 4
WINDOW = 16
"""Files that are being read, and results that wait for a slower file before them."""
FILE_TIMEOUT_S = 60.0
FILE_MEMORY_BYTES = 4 * 1024**3
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
MAX_NOISE_BYTES = 65_536
MAX_LAST_WORDS = 200

PACKAGES = Path(__file__).resolve().parents[1]

# Not multiprocessing's spawn: that would import the caller's main module, which takes seconds, has
# to be guarded against it, and is no file where a script comes from stdin.
# Ctrl-C is the parent's to handle, from the first moment on. Where packages lie is known: `-S`
# keeps the process from looking for them anew, a fifth of its start.
_PROCESS = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "sys.path[:] = sys.argv[2:]; from knowledge.reader import serve; serve(int(sys.argv[1]))"
)
_PR_SET_PDEATHSIG = 1


_Reply = Loaded | PageView | Unreadable | AgentError


class _Task(NamedTuple):
    path: Path
    result: Future[Loaded | Unreadable]


def read_all(
    paths: Iterable[Path],
    options: LoadOptions,
    *,
    readers: int | None = None,
    timeout_s: float = FILE_TIMEOUT_S,
) -> Generator[tuple[Path, Loaded | Unreadable], None, None]:
    """Each path with what its file gives, in the order of `paths`, from up to `readers` processes
    (one per core, 4 at most). `paths` is drawn from while results are taken, `WINDOW` ahead at
    most. The processes end with the generator: close one that is not read to its end.

    Raises `KnowledgeError` where no process can be started, and `ConfigError` where OCR is asked
    for and not installed: neither is a fault of the file.
    """
    limit = readers or min(os.cpu_count() or 1, MAX_READERS)
    tasks: SimpleQueue[_Task | None] = SimpleQueue()
    window: deque[_Task] = deque()
    started: list[tuple[Reader, Thread]] = []
    try:
        for path in paths:
            task = _Task(path, Future())
            window.append(task)
            tasks.put(task)
            if len(started) < min(limit, sum(not task.result.done() for task in window)):
                reader = Reader(options, timeout_s)
                thread = Thread(target=_work, args=(reader, tasks), daemon=True)
                thread.start()
                started.append((reader, thread))
            while window and (len(window) == WINDOW or window[0].result.done()):
                task = window.popleft()
                yield task.path, task.result.result()
        while window:
            task = window.popleft()
            yield task.path, task.result.result()
    finally:
        for reader, _ in started:
            reader.stop()
            tasks.put(None)
        for _, thread in started:
            thread.join(STOP_TIMEOUT_S)


def _work(reader: "Reader", tasks: SimpleQueue[_Task | None]) -> None:
    with reader:
        while (task := tasks.get()) and not reader.stopped:
            try:
                task.result.set_result(reader.read(task.path))
            except Exception as error:  # noqa: BLE001  raised where the result is awaited
                task.result.set_exception(error)


class Reader:
    """One process, started for the first file and replaced when a file kills it or takes longer
    than `timeout_s` (with OCR: since the last page). On Linux it dies with the thread that read the
    first file."""

    def __init__(self, options: LoadOptions = PLAIN, timeout_s: float = FILE_TIMEOUT_S) -> None:
        self.stopped = False
        self._options = options
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._noise: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: Path) -> Loaded | Unreadable:
        """Raises as `read_all` does."""
        reply = self._ask(path, self._options)
        assert not isinstance(reply, PageView)
        return reply

    def view(self, path: Path, asked: PageRequest) -> PageView | Unreadable:
        """Raises as `read_all` does."""
        reply = self._ask(path, asked)
        assert not isinstance(reply, Loaded)
        return reply

    def _ask(self, path: Path, asked: LoadOptions | PageRequest) -> Loaded | PageView | Unreadable:
        pipe = self._running() or self._start()
        try:
            pipe.send((path, asked))
            while pipe.poll(self._timeout_s):
                reply: _Reply | None = pipe.recv()
                if isinstance(reply, AgentError):
                    raise reply
                if reply:
                    return reply
        except (EOFError, OSError):
            return Unreadable("failed", f"broke the process that reads files ({self._end()})")
        self.close()
        return Unreadable("failed", f"was given up after {self._timeout_s:g} s")

    def stop(self) -> None:
        """For another thread: the read in progress ends at once, and the process with it."""
        self.stopped = True
        if process := self._process:
            process.kill()

    def close(self) -> None:
        if self._pipe:
            self._pipe.close()
            self._pipe = None
        if self._process:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):  # a disk that hangs delays even a kill
                self._process.wait(STOP_TIMEOUT_S)
            self._process = None
        if self._noise is not None:
            os.close(self._noise)
            self._noise = None

    def _running(self) -> Connection | None:
        # An idle process has nothing to say, so what can be read is its end.
        if self._pipe and self._pipe.poll():
            self.close()
        self._take_noise()
        return self._pipe

    def _start(self) -> Connection:
        # An empty entry means the current folder, and that may have changed since the import.
        search_path = [*filter(None, sys.path), str(PACKAGES)]
        ours, theirs = socket.socketpair()
        self._pipe = pipe = Connection(ours.detach())
        self._noise, noise = os.pipe()
        # The process must not stop where nobody reads its noise; what does not fit is lost.
        os.set_blocking(self._noise, False)
        os.set_blocking(noise, False)
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-S", "-c", _PROCESS, str(theirs.fileno()), *search_path],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=noise,
                )
            if self.stopped:
                self._process.kill()
            if not pipe.poll(START_TIMEOUT_S):
                raise TimeoutError(f"no sign of it for {START_TIMEOUT_S:g} s")
            pipe.recv()
        except (EOFError, OSError) as error:
            raise KnowledgeError(
                f"the process that reads files does not start ({self._end() or error}); "
                f"check that {sys.executable or 'Python'} can import knowledge.reader"
            ) from error
        finally:
            os.close(noise)
        return pipe

    def _end(self) -> str:
        """Close, and tell what a process that hung up died of and what it said last."""
        if process := self._process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_TIMEOUT_S)
        said = self._take_noise().rpartition("\n")[2][:MAX_LAST_WORDS]
        self.close()
        if process is None:
            return ""
        code = process.returncode or 0
        died = signal.strsignal(-code) if code < 0 else f"exit code {code}"
        return f"{died}: {said}" if said else str(died)

    def _take_noise(self) -> str:
        """What the process has written to stderr since the last call."""
        if self._noise is None:
            return ""
        try:
            return os.read(self._noise, MAX_NOISE_BYTES).decode("utf-8", "replace").strip()
        except BlockingIOError:
            return ""


def serve(descriptor: int) -> None:
    """The process's side: say that it runs, then do what arrives, until the other end closes."""
    if sys.platform == "linux":
        # A file may take forever, and its reader would not see that nobody waits for it any more.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (FILE_MEMORY_BYTES, FILE_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(descriptor) as pipe:

        def say_busy() -> None:
            pipe.send(None)

        ocr.on_progress = say_busy
        say_busy()
        while True:
            try:
                path, asked = pipe.recv()
            except EOFError:
                return
            reply: _Reply
            try:
                reply = load(path, asked) if isinstance(asked, LoadOptions) else view(path, asked)
            except AgentError as error:
                reply = error
            pipe.send(reply)
