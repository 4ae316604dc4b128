"""A real Redis for the time of a test: Debian's package, on a socket of its own."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

STOP_S = 10
OPTIONS = ("--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no")


class RedisServer:
    """Listens on a socket in its folder alone; `stop` and `start` as often as a test likes."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._socket = folder / "redis.sock"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis+unix://{self._socket}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [self._program, *OPTIONS, "--unixsocket", self._socket, "--dir", self._folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if b"ready to accept connections" in line.lower():
                return
        raise RuntimeError("redis-server ended at its start")

    def stop(self) -> None:
        """As kill -9 does; what was counted is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=STOP_S)
            self._process = None

    def hang(self) -> None:
        """Listens, and never says a word, until `go_on`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed: apt-get install redis-server")
    with tempfile.TemporaryDirectory(prefix="ka-redis-") as folder:
        server = RedisServer(program, Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
