"""A real PostgreSQL for the time of the tests: Debian's package, a cluster of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

FOLDERS = (
    *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
    *map(Path, os.get_exec_path()),
)
USER = "postgres"


class PostgresqlServer:
    """Listens on a socket in its folder alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def url(self, name: str) -> str:
        return f"postgresql://{USER}@/{name}?host={self._folder}"

    def new_database(self) -> str:
        """The address of an empty one."""
        name = f"test_{uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


@pytest.fixture(scope="session")
def running_postgresql() -> Iterator[PostgresqlServer]:
    binaries = next((folder for folder in FOLDERS if (folder / "initdb").exists()), None)
    if binaries is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="ka-postgresql-") as made:
        folder = Path(made)
        if os.getuid() == 0:  # initdb refuses root
            shutil.chown(folder, USER)
        data = folder / "data"
        _run(
            binaries / "initdb",
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
        )
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=200"
        _run(
            binaries / "pg_ctl",
            "-D",
            data,
            "-w",
            "-t",
            "60",
            "-l",
            folder / "log",
            "-o",
            options,
            "start",
        )
        try:
            yield PostgresqlServer(folder)
        finally:
            _run(binaries / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _run(*command: str | Path) -> None:
    as_user = ["runuser", "-u", USER, "--"] if os.getuid() == 0 else []
    done = subprocess.run(
        [*as_user, *map(str, command)], capture_output=True, text=True, timeout=90, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")
