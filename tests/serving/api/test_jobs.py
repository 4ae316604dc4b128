"""Jobs that index what was uploaded: their order, their progress and their end."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.errors import IndexLocked
from knowledge.ingest import OnProgress, ingest
from knowledge.report import IngestReport
from knowledge.store import IndexAddress
from serving.api import job_runner
from serving.api.job_runner import JobRunner
from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.jobs import JobStore
from serving.store.quotas import QuotaStore
from serving.store.tenants import Allowance, TenantStore
from tests.knowledge.stubs import WordsEmbedder
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import (
    KIMCHI,
    TEA,
    HeldEmbedder,
    ended,
    indexed,
    parts,
    texts_found,
    upload,
)
from tests.waiting import until, until_async

MANY = {f"tea-{at}.txt": f"{TEA} Number {at}. 차 {at}번." for at in range(60)}


@pytest.fixture
def embedder() -> HeldEmbedder:
    return HeldEmbedder()


@pytest.fixture
async def served(
    database: Database, tmp_path: Path, embedder: HeldEmbedder
) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path, embedder) as found:
        yield found


async def begin(client: httpx.AsyncClient, texts: dict[str, str]) -> dict[str, Any]:
    response = await client.post("/v1/documents", files=parts(texts))
    assert response.status_code == 202, response.text
    job: dict[str, Any] = response.json()["job"]
    assert response.headers["location"] == f"/v1/jobs/{job['id']}"
    return job


async def status(client: httpx.AsyncClient, job: dict[str, Any]) -> str:
    return str((await client.get(f"/v1/jobs/{job['id']}")).json()["status"])


async def test_a_question_while_the_first_documents_are_read_is_told_so(
    served: Served, embedder: HeldEmbedder
) -> None:
    embedder.cutting.clear()
    async with await served.client() as client:
        job = await begin(client, {"tea.txt": TEA})
        await until(lambda: bool(embedder.asked))
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        assert (document["status"], document["pages"]) == ("waiting", None)
        search = await client.post("/v1/search", json={"query": "tea"})
        task = await client.post("/v1/tasks", json={"question": "How long is tea steeped?"})
        for response in (search, task):
            assert response.status_code == 409
            assert f"/v1/jobs/{job['id']}" in response.json()["detail"]
        page = await client.get(f"/v1/documents/{document['id']}/pages/1")
        assert (page.status_code, page.json()["title"]) == (409, "Conflict")
        embedder.let_go()
        assert (await ended(client, f"/v1/jobs/{job['id']}"))["status"] == "done"
        assert await texts_found(client, "tea") == [TEA]


async def test_a_job_waits_for_an_index_that_another_process_holds(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "LOCKED_PAUSE_S", 0.01)
    held = [IndexLocked("process 7 has it"), IndexLocked("process 7 has it")]
    (tmp_path / "tea.txt").write_text(TEA, "utf-8")

    def index(tenant: str, on_progress: OnProgress) -> IngestReport:
        if held:
            raise held.pop()
        address = IndexAddress(tmp_path / "index", tenant)
        return ingest(tmp_path, address, WordsEmbedder(), on_progress=on_progress)

    tenants = TenantStore(database, Allowance())
    await tenants.add("acme")
    instance = InstanceStore(database, QuotaStore(database, tenants), "host-a")
    await instance.begin()
    jobs = JobStore(database, instance.id)
    runner = JobRunner(jobs, index, at_once=1)
    async with runner.serving():
        job = await runner.begin("acme")

        async def done() -> bool:
            found = await jobs.find("acme", job.id)
            return found is not None and found.status == "done"

        await until_async(done)
    assert not held


async def test_a_job_shows_how_far_it_is_and_what_was_there_before_is_found_meanwhile(
    served: Served, embedder: HeldEmbedder
) -> None:
    async with await served.client() as client:
        await upload(client, {"김치.txt": KIMCHI})
        embedder.embedding.clear()
        job = await begin(client, MANY)

        async def embeds() -> bool:
            progress = (await client.get(f"/v1/jobs/{job['id']}")).json()["progress"]
            return bool(progress) and progress["phase"] == "embed"

        await until_async(embeds, timeout_s=60)
        assert (await texts_found(client, "김치는 며칠 익히나요?"))[0] == KIMCHI
        running = (await client.get(f"/v1/jobs/{job['id']}")).json()
        assert running["status"] == "running"
        assert running["progress"] == {"phase": "embed", "done": 0, "total": len(MANY)}
        assert running["ended_at"] is None
        embedder.let_go()
        assert (await ended(client, f"/v1/jobs/{job['id']}"))["report"]["documents"] == 61


async def test_uploads_during_a_job_share_the_next_one(
    served: Served, embedder: HeldEmbedder
) -> None:
    embedder.cutting.clear()
    async with await served.client() as client, await served.client("umbrella") as other:
        first = await begin(client, {"a.txt": TEA})
        await until(lambda: bool(embedder.asked))
        second, third = await begin(client, {"b.txt": TEA}), await begin(client, {"c.txt": TEA})
        elsewhere = await begin(other, {"d.txt": TEA})
        assert second["id"] == third["id"] != first["id"]
        assert await status(client, first) == "running"
        assert await status(client, second) == await status(other, elsewhere) == "waiting"
        embedder.let_go()
        for of, job in ((client, second), (other, elsewhere)):
            assert (await ended(of, f"/v1/jobs/{job['id']}"))["status"] == "done"
        jobs = (await client.get("/v1/jobs")).json()["jobs"]
        assert [job["id"] for job in jobs] == [second["id"], first["id"]]
        documents = (await client.get("/v1/documents")).json()["documents"]
        assert [each["status"] for each in documents] == ["indexed"] * 3


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_document_deleted_while_it_is_read_never_comes_back(
    served: Served, embedder: HeldEmbedder, replaced: bool
) -> None:
    async with await served.client() as client:
        await upload(client, {"김치.txt": KIMCHI})
        embedder.asked.clear()
        embedder.cutting.clear()
        job = await begin(client, {"secret.txt": "The secret tea is oolong."})
        await until(lambda: bool(embedder.asked))
        (document,) = (await client.get("/v1/documents?name=secret.txt")).json()["documents"]
        assert (await client.delete(f"/v1/documents/{document['id']}")).status_code == 204
        if replaced:
            await begin(client, {"secret.txt": "There is no tea."})
        embedder.let_go()
        report = (await ended(client, f"/v1/jobs/{job['id']}"))["report"]
        assert [(file["name"], file["status"]) for file in report["files"]] == [
            ("secret.txt", "failed")
        ]
        assert "The secret tea is oolong." not in await texts_found(client, "secret tea oolong")


async def test_a_shutdown_hands_a_job_over_to_the_next_start(
    database: Database, tmp_path: Path, embedder: HeldEmbedder
) -> None:
    embedder.embedding.clear()
    async with indexed(database, tmp_path, embedder) as served, await served.client() as client:
        job = await begin(client, MANY)
        await until(lambda: len(embedder.asked) > len(MANY), timeout_s=60)
        threading.Timer(1, embedder.let_go).start()
    async with indexed(database, tmp_path, embedder) as served, await served.client() as client:
        assert await status(client, job) == "interrupted"
        next_job, _ = (await client.get("/v1/jobs")).json()["jobs"]
        done = await ended(client, f"/v1/jobs/{next_job['id']}")
        assert (done["status"], done["report"]["documents"]) == ("done", len(MANY))
        assert len(await texts_found(client, "tea")) == 5


async def test_what_was_changed_without_a_job_is_found_out_at_the_next_start(
    database: Database, tmp_path: Path
) -> None:
    async with indexed(database, tmp_path) as served, await served.client() as client:
        await upload(client, {"tea.txt": TEA, "김치.txt": KIMCHI})
    (tmp_path / "documents" / "acme" / "tea.txt").unlink()
    async with indexed(database, tmp_path) as served, await served.client() as client:

        async def is_gone() -> bool:
            return await texts_found(client, "green tea") == [KIMCHI]

        await until_async(is_gone)
    async with indexed(database, tmp_path) as served, await served.client() as client:
        assert len((await client.get("/v1/jobs")).json()["jobs"]) == 2


async def test_a_job_whose_embedder_fails_says_so_and_the_next_completes_it(
    database: Database, tmp_path: Path
) -> None:
    embedder = WordsEmbedder(fail_after=0)
    async with indexed(database, tmp_path, embedder) as served, await served.client() as client:
        job = await upload(client, {"tea.txt": TEA})
        assert job["status"] == "failed"
        assert job["error"]["type"] == "urn:knowledge-agent:EmbedderUnavailable"
        assert "1 passages have no vector yet" in job["error"]["detail"]
        assert await texts_found(client, "green tea") == [TEA]
        embedder.fail_after = None
        assert (await upload(client, {"tea.txt": TEA}))["status"] == "done"


async def test_another_embedder_makes_the_index_anew(database: Database, tmp_path: Path) -> None:
    async with indexed(database, tmp_path) as served, await served.client() as client:
        await upload(client, {"tea.txt": TEA})
    other = WordsEmbedder("other", dimension=32)
    async with indexed(database, tmp_path, other) as served, await served.client() as client:
        refused = await client.post("/v1/search", json={"query": "tea"})
        assert refused.json()["type"] == "urn:knowledge-agent:IndexMismatch"
        assert (await upload(client, {"김치.txt": KIMCHI}))["status"] == "done"
        assert await texts_found(client, "tea") == [TEA, KIMCHI]


async def test_an_index_of_another_folder_is_neither_mixed_with_uploads_nor_replaced(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "documents of the owner"
    folder.mkdir()
    (folder / "tea.txt").write_text(TEA)
    ingest(folder, IndexAddress(tmp_path / "index", "acme"), WordsEmbedder())
    async with indexed(database, tmp_path) as served, await served.client() as client:
        refused = await client.post("/v1/documents", files=parts({"김치.txt": KIMCHI}))
        assert refused.status_code == 409
        assert "knowledge-agent ingest" in refused.json()["detail"]
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        assert (document["name"], document["status"]) == ("tea.txt", "indexed")
        url = f"/v1/documents/{document['id']}"
        assert (await client.get(f"{url}/pages/1")).json()["text"] == TEA
        assert (await client.get(f"{url}/content")).status_code == 404
        assert (await client.delete(url)).status_code == 409
        assert await texts_found(client, "tea") == [TEA]
