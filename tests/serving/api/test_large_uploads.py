"""Uploads that would take more than their share: of connections, of the disk, of a reader."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from zlib import crc32

import httpx
import pytest

from serving.api.uploads import MAX_OF_TENANT
from serving.store.database import Database, open_database
from tests.knowledge.office import W, paragraph, write_docx
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import TEA, ended, indexed, parts, texts_found, upload
from tests.serving.api.test_uploads_attacked import MULTIPART, part
from tests.waiting import until_async

MANY_PAGES = 10_000


@pytest.fixture
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path / "home") as found:
        yield found


async def test_uploads_that_never_end_hold_up_no_other_tenant(served: Served) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield part("a.txt")
        await asyncio.Event().wait()

    async with await served.client() as client, await served.client("umbrella") as other:
        slow = [
            asyncio.create_task(client.post("/v1/documents", content=endless(), headers=MULTIPART))
            for _ in range(MAX_OF_TENANT)
        ]

        async def answer() -> httpx.Response:
            # No form at all: told at once, so that asking takes the place of none of the slow ones.
            return await client.post("/v1/documents", content=b"tea")

        async def refused() -> bool:
            response = await answer()
            return response.status_code == 503 and "retry-after" in response.headers

        async def accepted() -> bool:
            return (await answer()).status_code == 422

        await until_async(refused)
        await upload(other, {"c.txt": TEA})
        for each in slow:
            each.cancel()
        await asyncio.wait(slow)
        await until_async(accepted)
        await upload(client, {"b.txt": TEA})
        assert await texts_found(other, "green tea") == [TEA]
        assert await texts_found(client, "green tea") == [TEA]


async def test_a_tenant_keeps_no_more_than_it_may(database: Database, tmp_path: Path) -> None:
    async with (
        indexed(database, tmp_path, stored_documents=2, stored_bytes=100) as served,
        await served.client() as client,
    ):
        await upload(client, {"a.txt": TEA, "b.txt": TEA})
        many = await client.post("/v1/documents", files=parts({"c.txt": "x"}))
        assert many.status_code == 413
        assert "2 documents may be kept" in many.json()["detail"]
        large = await client.post("/v1/documents", files=parts({"a.txt": "x" * 64}))
        assert large.status_code == 413
        assert "100 bytes may be kept" in large.json()["detail"]
        assert await texts_found(client, "green tea") == [TEA]


async def test_a_bomb_in_a_document_is_told_by_its_job(served: Served, tmp_path: Path) -> None:
    bomb = BytesIO(write_docx(tmp_path / "bomb.docx", paragraph("x")).read_bytes())
    (tmp_path / "bomb.docx").unlink()
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/header1.xml", f"<w:hdr {W}>{' ' * 110_000_000}</w:hdr>")
    assert len(bomb.getvalue()) < 200_000
    async with await served.client() as client:
        job = await upload(client, {"bomb.docx": bomb.getvalue(), "tea.txt": TEA})
        told = {file["name"]: file for file in job["report"]["files"]}
        assert told["bomb.docx"]["status"] == "failed"
        assert "unpacks to 110 MB" in told["bomb.docx"]["reason"]
        assert told["tea.txt"]["status"] == "indexed"
        assert await texts_found(client, "green tea") == [TEA]


async def test_a_pdf_of_ten_thousand_pages_is_read_or_refused_by_its_job(tmp_path: Path) -> None:
    # Not of one number that grows: that would be a running head, and no text.
    names = [f"{crc32(at.to_bytes(2)):x}" for at in range(MANY_PAGES)]
    path = write_pdf(tmp_path / "long.pdf", [[f"Garden {name} grows tea."] for name in names])
    content = path.read_bytes()
    async with (
        open_database(None, tmp_path) as database,
        indexed(database, tmp_path / "home") as served,
        await served.client() as client,
    ):
        response = await client.post("/v1/documents", files=parts({"long.pdf": content}))
        job = await ended(client, response.headers["location"], timeout_s=400)
        (told,) = job["report"]["files"]
        assert told["status"] == "indexed" or "was given up" in told["reason"]
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        assert document["pages"] in (MANY_PAGES, None)
