"""Uploads that mean harm: each gets its clear error, and nothing of its request is kept."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from serving.store.database import Database
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import TEA, indexed, parts, upload

BOUNDARY = "b0undary"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@pytest.fixture
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    async with indexed(
        database, tmp_path / "home", upload_file_bytes=5_000_000, upload_bytes=8_000_000
    ) as found:
        yield found


def part(name: str, content: str = TEA, field: str = "files") -> bytes:
    """Written by hand: a client's library would mend the name."""
    head = f'Content-Disposition: form-data; name="{field}"; filename="{name}"'
    return f"--{BOUNDARY}\r\n{head}\r\n\r\n{content}\r\n".encode("utf-8", "surrogatepass")


def body(*given: bytes) -> bytes:
    return b"".join(given) + f"--{BOUNDARY}--\r\n".encode()


async def send(client: httpx.AsyncClient, *given: bytes) -> httpx.Response:
    return await client.post("/v1/documents", content=body(*given), headers=MULTIPART)


async def nothing_is_kept(client: httpx.AsyncClient, home: Path) -> None:
    assert (await client.get("/v1/documents")).json()["documents"] == []
    assert not {".txt", ".pdf", ".docx"} & {Path(name).suffix for name in _names_below(home)}


def _names_below(home: Path) -> list[str]:
    return [name for _, _, names in os.walk(home) for name in names]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x.txt", "path"),
        ("../../../../etc/cron.d/x.txt", "path"),
        ("/etc/passwd.txt", "path"),
        ("..\\x.txt", "path"),
        ("a/b.txt", "path"),
        ("x.txt\0.pdf", "U+0000"),
        ("x\n.txt", ""),
        ("x\x7f.txt", "U+007F"),
        ("gnp\u202etxt.txt", "U+202E"),
        ("\ufeffx.txt", "U+FEFF"),
        ("x\u200b.txt", "U+200B"),
        (".hidden.txt", "hidden"),
        ("~$tea.docx", "temporary"),
        (" tea.txt", "hidden or temporary"),
        ("..", "hidden"),
        ("con.txt", "device"),
        ("LPT1.tar.txt", "device"),
        ("x" * 252 + ".txt", "255 bytes"),
        ("차" * 84 + ".txt", "255 bytes"),
        ("x" * 3_000 + ".txt", ""),
        ("", ""),
    ],
)
async def test_a_bad_name_is_refused_and_nothing_of_its_request_is_kept(
    served: Served, tmp_path: Path, name: str, why: str
) -> None:
    async with await served.client() as client:
        response = await send(client, part("good.txt"), part(name))
        assert response.status_code == 422, response.text
        assert response.headers["content-type"] == "application/problem+json"
        assert why in response.json()["detail"]
        await nothing_is_kept(client, tmp_path)


async def test_a_name_with_a_drive_keeps_its_last_part_as_old_browsers_mean_it(
    served: Served,
) -> None:
    async with await served.client() as client:
        response = await send(client, part("C:\\secret\\tea.txt"))
        assert [each["name"] for each in response.json()["documents"]] == ["tea.txt"]


async def test_names_that_look_alike_are_the_same_document(served: Served) -> None:
    """Hangul in parts (NFD), as macOS sends it, and composed."""
    composed, in_parts = "\uac00.txt", "\u1100\u1161.txt"
    async with await served.client() as client:
        refused = await send(client, part(composed), part(in_parts, "other"))
        assert refused.status_code == 422
        assert "two files are named" in refused.json()["detail"]
        await upload(client, {in_parts: TEA})
        await upload(client, {composed: TEA + TEA})
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        assert document["name"] == composed


@pytest.mark.parametrize("name", ["tea.exe", "tea", "tea.txt.zip", "tea.doc"])
async def test_a_type_that_is_not_read_is_refused_with_those_that_are(
    served: Served, tmp_path: Path, name: str
) -> None:
    async with await served.client() as client:
        response = await client.post("/v1/documents", files=parts({"a.txt": TEA, name: TEA}))
        assert response.status_code == 415
        assert ".docx" in response.json()["detail"]
        await nothing_is_kept(client, tmp_path)


async def test_a_file_that_is_too_large_is_refused(served: Served, tmp_path: Path) -> None:
    async with await served.client() as client:
        large = parts({"a.txt": TEA, "large.txt": b"x" * 5_000_001})
        response = await client.post("/v1/documents", files=large)
        assert response.status_code == 413
        assert "'large.txt' has 5,000,001 bytes" in response.json()["detail"]
        await nothing_is_kept(client, tmp_path)


@pytest.mark.parametrize("says_how_long", [True, False])
async def test_a_body_that_is_too_large_is_refused_while_it_arrives(
    served: Served, tmp_path: Path, says_how_long: bool
) -> None:
    whole = body(*(part(f"{number}.txt", "x" * 3_000_000) for number in range(4)))

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(whole), 65_536):
            yield whole[at : at + 65_536]

    async with await served.client() as client:
        content = whole if says_how_long else pieces()
        response = await client.post("/v1/documents", content=content, headers=MULTIPART)
        assert response.status_code == 413
        assert response.json()["type"] == "urn:knowledge-agent:TooLarge"
        assert "8,000,000 bytes" in response.json()["detail"]
        await nothing_is_kept(client, tmp_path)


@pytest.mark.parametrize("says_how_long", [True, False])
async def test_a_question_that_is_too_large_is_refused_too(
    served: Served, says_how_long: bool
) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"question": "'
        for _ in range(32):
            yield b"x" * 65_536
        yield b'"}'

    async with await served.client() as client:
        content = b'{"question": "' + b"x" * 2_000_000 + b'"}' if says_how_long else pieces()
        headers = {"Content-Type": "application/json"}
        response = await client.post("/v1/tasks", content=content, headers=headers)
        assert response.status_code == 413
        assert response.headers["content-type"] == "application/problem+json"
        assert (await client.get("/v1/tasks")).json()["tasks"] == []


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([part(f"{number}.txt", "x") for number in range(3_000)], "100"),
        ([part("", "x", field=f"f{number}") for number in range(3_000)], "100"),
        (
            [
                f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n'.encode()
                for _ in range(3_000)
            ],
            "fields is 10",
        ),
        ([part("x.txt", field="other")], "`files`"),
        ([f"--{BOUNDARY}\r\n".encode() + b"X: y\r\n" * 1_000 + b"\r\n\r\n"], "`files`"),
        ([f"--{BOUNDARY}\r\nX: {'y' * 100_000}\r\n\r\n\r\n".encode()], "`files`"),
        ([], "`files`"),
    ],
    ids=["files", "nameless", "fields", "another field", "headers", "a long header", "nothing"],
)
async def test_parts_that_are_too_many_or_no_files_are_refused(
    served: Served, tmp_path: Path, given: list[bytes], why: str
) -> None:
    async with await served.client() as client:
        response = await send(client, *given)
        assert response.status_code == 422, response.text
        assert why in response.json()["detail"]
        await nothing_is_kept(client, tmp_path)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("application/json", b"{}"),
        ("multipart/form-data", b"x"),
        (f"multipart/form-data; boundary={BOUNDARY}", b"no part at all"),
        (f"multipart/form-data; boundary={BOUNDARY}", part("a.txt")[:-30]),
        ("application/x-www-form-urlencoded", b"files=a"),
    ],
)
async def test_what_is_no_upload_is_told_how_one_looks(
    served: Served, kind: str, content: bytes
) -> None:
    async with await served.client() as client:
        headers = {"Content-Type": kind}
        response = await client.post("/v1/documents", content=content, headers=headers)
        assert response.status_code == 422, response.text
        assert "multipart/form-data" in response.json()["detail"]


async def test_headers_that_do_not_end_are_cut_off(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(served.url).port)
    for piece in (b"GET /healthz HTTP/1.1\r\nX: ", b"y" * 60_000, b"y" * 6_000):
        writer.write(piece)
        await writer.drain()
    assert (await asyncio.wait_for(reader.read(100), 10)).startswith(b"HTTP/1.1 400")
    writer.close()
