"""Jobs of the real command, with the embedder that is built in, when the process dies or ends."""

import os
import signal
from pathlib import Path

import httpx
import pytest

from serving.store.database import open_database
from tests.serving.api.indexed import TEA, ended, parts, texts_found
from tests.serving.api.process import log_of, served
from tests.stub_engine import StubEngine
from tests.waiting import until_async

# As much as a passage holds, so that the process is stopped while it makes the vectors.
KINDS = " ".join(
    f"Kind {at} has leaf {at * 7}. 차 {at}번은 잎 {at * 7}을 쓴다." for at in range(20)
)
MANY = {f"tea-{at}.txt": f"{TEA} Garden {at}. {KINDS}" for at in range(12)}


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    async with open_database(None, tmp_path / "home"):
        return tmp_path / "home"


async def embedding(client: httpx.AsyncClient) -> str:
    """The address of a job that is at work on vectors."""
    begun = await client.post("/v1/documents", files=parts(MANY))
    assert begun.status_code == 202, begun.text
    url = str(begun.headers["location"])

    async def embeds() -> bool:
        progress = (await client.get(url)).json()["progress"]
        return bool(progress) and progress["phase"] == "embed"

    await until_async(embeds, timeout_s=120)
    return url


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_what_a_process_leaves_behind_is_indexed_by_the_next(
    home: Path, stub_engine: StubEngine, how: signal.Signals
) -> None:
    async with served(home, stub_engine) as (process, client):
        url = await embedding(client)
        os.kill(process.pid, how)
        await process.wait()
        assert "Traceback" not in log_of(home).read_text("utf-8")
        assert process.returncode == (-9 if how == signal.SIGKILL else 0)
    async with served(home, stub_engine) as (_, client):
        left = (await client.get(url)).json()
        assert (left["status"], left["report"]) == ("interrupted", None)
        newest = (await client.get("/v1/jobs")).json()["jobs"][0]
        job = await ended(client, f"/v1/jobs/{newest['id']}", timeout_s=240)
        assert (job["status"], job["error"]) == ("done", None)
        assert job["report"]["documents"] == len(MANY)
        documents = (await client.get("/v1/documents")).json()["documents"]
        assert {each["status"] for each in documents} == {"indexed"}
        found = await texts_found(client, "How long is green tea steeped?")
        assert found[0].startswith(TEA)
