"""`ingest DIR --watch`, the real command in a process of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from serving.settings import Settings
from serving.wiring.documents import open_index
from tests.waiting import until

TIMEOUT_S = 60
OFTEN = {"WATCHFILES_POLL_DELAY_MS": "300"}
POLLING = {**OFTEN, "WATCHFILES_FORCE_POLLING": "true"}


class Watched:
    """A running command; `reports` are the objects that it has printed so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.reports: list[dict[str, Any]] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.reports.append(json.loads(line))

    async def report(self, number: int) -> dict[str, Any]:
        await until(lambda: len(self.reports) > number, timeout_s=TIMEOUT_S)
        return self.reports[number]

    async def interrupt(self) -> tuple[int | None, str]:
        assert self.process.stderr is not None
        self.process.send_signal(signal.SIGINT)
        error = await asyncio.wait_for(self.process.stderr.read(), TIMEOUT_S)
        return await asyncio.wait_for(self.process.wait(), TIMEOUT_S), error.decode()


@asynccontextmanager
async def watching(
    folder: Path, home: Path, *, variables: Mapping[str, str] = OFTEN, inside: Sequence[str] = ()
) -> AsyncIterator[Watched]:
    process = await asyncio.create_subprocess_exec(
        *(*inside, sys.executable, "-m", "serving.cli", "ingest"),
        *(str(folder), "--watch", "--json"),
        env={**os.environ, "KA_HOME": str(home), **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    watched = Watched(process)
    try:
        yield watched
    finally:
        if process.returncode is None:
            process.kill()
        await asyncio.wait_for(watched.reading, TIMEOUT_S)
        await process.wait()


def told(report: dict[str, Any]) -> dict[str, str]:
    return {file["path"]: file["status"] for file in report["files"]}


@pytest.mark.parametrize("variables", [OFTEN, POLLING], ids=["by signs", "by polling"])
async def test_an_added_a_changed_and_a_deleted_file_are_noticed(
    documents: Path, home: Path, variables: dict[str, str]
) -> None:
    async with watching(documents, home, variables=variables) as watched:
        assert told(await watched.report(0)) == {"caching.txt": "indexed", "캐시.txt": "indexed"}
        (documents / "새 문서.md").write_text("# 새 문서\n\n토큰은 글의 조각이다.\n", "utf-8")
        assert told(await watched.report(1)) == {"새 문서.md": "indexed"}
        (documents / "캐시.txt").write_text("응답 캐시는 답변을 90초 동안 보관한다.", "utf-8")
        assert told(await watched.report(2)) == {"캐시.txt": "updated"}
        (documents / "caching.txt").unlink()
        last = await watched.report(3)
        assert (told(last), last["documents"]) == ({"caching.txt": "removed"}, 2)
        code, error = await watched.interrupt()
    assert (code, len(watched.reports)) == (130, 4)
    assert "Traceback" not in error


@pytest.fixture
def without_signs() -> Sequence[str]:
    """What to run a command in, so that it finds no inotify."""
    none_left = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"'
    inside = ("unshare", "--user", "--map-root-user", "sh", "-c", none_left, "sh")
    try:
        subprocess.run([*inside, "true"], check=True, capture_output=True, timeout=TIMEOUT_S)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no user namespace to forbid inotify in: {error}")
    return inside


async def test_a_system_that_does_not_tell_of_changes_is_asked_again_and_again(
    documents: Path, home: Path, without_signs: Sequence[str]
) -> None:
    async with watching(documents, home, inside=without_signs) as watched:
        assert "looking for changes" in (await watched.report(0))["error"]["then"]
        assert (await watched.report(1))["documents"] == 2
        (documents / "새 문서.md").write_text("# 새 문서\n\n토큰은 글의 조각이다.\n", "utf-8")
        assert told(await watched.report(2)) == {"새 문서.md": "indexed"}


async def test_the_index_is_free_between_ingests_and_waited_for_while_it_is_not(
    documents: Path, home: Path
) -> None:
    async with watching(documents, home) as watched:
        await watched.report(0)
        with open_index(Settings(home=home)) as retriever:
            found = await retriever.search("응답 캐시", limit=1)
            (documents / "late.txt").write_text("It came while somebody searched.")
            waits = (await watched.report(1))["error"]
        assert found.hits[0].passage.document == "캐시.txt"
        assert (waits["error"], waits["then"]) == ("IndexLocked", "trying again until it is free")
        assert told(await watched.report(2)) == {"late.txt": "indexed"}


async def test_an_index_inside_the_folder_and_hidden_files_are_no_changes(documents: Path) -> None:
    async with watching(documents, documents / "home") as watched:
        await watched.report(0)
        (documents / ".hidden").write_text("nothing to see")
        (documents / "seen.txt").write_text("Something to see.")
        await watched.report(1)
        (documents / "seen.txt").unlink()
        await watched.report(2)
    assert [told(report).get("seen.txt") for report in watched.reports] == [
        None,
        "indexed",
        "removed",
    ]


async def test_a_folder_that_is_not_there_or_goes_away_ends_it(documents: Path, home: Path) -> None:
    async with watching(documents / "absent", home) as watched:
        assert "is not a folder" in (await watched.report(0))["error"]["message"]
        assert await asyncio.wait_for(watched.process.wait(), TIMEOUT_S) == 1
    async with watching(documents, home) as watched:
        await watched.report(0)
        await asyncio.to_thread(documents.rename, documents.with_name("elsewhere"))
        assert await asyncio.wait_for(watched.process.wait(), TIMEOUT_S) == 1
        assert "is not a folder" in watched.reports[-1]["error"]["message"]
