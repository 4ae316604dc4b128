"""Documents from their upload to their end, on a real index."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from serving.store.database import Database
from tests.chroma import chroma_server
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import KIMCHI, TEA, indexed, parts, texts_found, upload

UNKNOWN = "0" * 32


@pytest.fixture
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path) as found:
        yield found


async def test_what_is_uploaded_is_found_and_answered_from(served: Served) -> None:
    async with await served.client() as client:
        job = await upload(client, {"tea.txt": TEA, "김치.md": KIMCHI})
        assert job["status"] == "done"
        assert {(file["name"], file["status"]) for file in job["report"]["files"]} == {
            ("tea.txt", "indexed"),
            ("김치.md", "indexed"),
        }
        listed = (await client.get("/v1/documents")).json()
        assert listed["next"] is None
        assert [(each["name"], each["status"]) for each in listed["documents"]] == [
            ("tea.txt", "indexed"),
            ("김치.md", "indexed"),
        ]
        assert await texts_found(client, "김치는 며칠 익히나요?") == [KIMCHI, TEA]
        asked = {"question": "How long is green tea steeped?", "mode": "direct"}
        answered = (await client.post("/v1/tasks", json=asked)).json()
        assert answered["answer"]["citations"][0]["document"] == "tea.txt"


async def test_a_document_of_the_same_name_takes_the_place_of_the_older(served: Served) -> None:
    async with await served.client() as client:
        await upload(client, {"tea.txt": TEA})
        (before,) = (await client.get("/v1/documents")).json()["documents"]
        await upload(client, {"tea.txt": "Black tea is steeped for four minutes."})
        (after,) = (await client.get("/v1/documents")).json()["documents"]
        assert after["id"] == before["id"]
        assert after["changed_at"] > before["changed_at"]
        found = await texts_found(client, "How long is tea steeped?")
        assert found == ["Black tea is steeped for four minutes."]
        again = await upload(client, {"tea.txt": "Black tea is steeped for four minutes."})
        assert again["report"]["files"] == []
        (same,) = (await client.get("/v1/documents")).json()["documents"]
        assert same == after


async def test_a_deleted_document_is_gone_at_once(served: Served) -> None:
    async with await served.client() as client:
        await upload(client, {"tea.txt": TEA, "coffee.txt": "Coffee is ground for thirty seconds."})
        listed = (await client.get("/v1/documents")).json()["documents"]
        wanted = next(each["id"] for each in listed if each["name"] == "tea.txt")
        assert TEA in await texts_found(client, "How long is green tea steeped?")
        removed = await client.delete(f"/v1/documents/{wanted}")
        assert (removed.status_code, removed.content) == (204, b"")
        assert TEA not in await texts_found(client, "How long is green tea steeped?")
        names = [each["name"] for each in (await client.get("/v1/documents")).json()["documents"]]
        assert names == ["coffee.txt"]
        assert (await client.get(f"/v1/documents/{wanted}/content")).status_code == 404
        assert (await client.delete(f"/v1/documents/{wanted}")).status_code == 404


async def test_without_any_document_left_a_question_is_a_problem(served: Served) -> None:
    async with await served.client() as client:
        job = await upload(client, {"tea.txt": TEA})
        assert await texts_found(client, "tea") == [TEA]
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        assert job["report"]["files"][0]["id"] == document["id"]
        await client.delete(f"/v1/documents/{document['id']}")
        asked = {"question": "How long is tea steeped?"}
        for path, body in (("/v1/search", {"query": "tea"}), ("/v1/tasks", asked)):
            response = await client.post(path, json=body)
            assert response.status_code == 409
            assert response.headers["content-type"] == "application/problem+json"


async def test_the_list_comes_in_pages_and_by_name(served: Served) -> None:
    async with await served.client() as client:
        texts = {f"tea-{number}.txt": f"{TEA} {number}" for number in range(5)}
        await upload(client, texts)
        names: list[str] = []
        after: dict[str, str] = {}
        while True:
            page = (await client.get("/v1/documents", params={"limit": 2, **after})).json()
            names += [each["name"] for each in page["documents"]]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert names == list(texts)
        found = (await client.get("/v1/documents", params={"name": "tea-3.txt"})).json()
        assert [each["name"] for each in found["documents"]] == ["tea-3.txt"]
        none = (await client.get("/v1/documents", params={"name": "../tea-3.txt"})).json()
        assert none["documents"] == []
        assert (await client.get("/v1/documents", params={"after": "%"})).status_code == 422


async def test_the_original_comes_back_as_a_file_and_never_as_a_page(served: Served) -> None:
    html = "<html><body><script>alert(1)</script><p>Tea is steeped.</p></body></html>"
    async with await served.client() as client:
        await upload(client, {"차 이야기.html": html})
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        response = await client.get(f"/v1/documents/{document['id']}/content")
        assert response.text == html
        assert response.headers["content-type"] == "application/octet-stream"
        assert response.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-security-policy"].startswith("sandbox")


async def test_an_unreadable_document_says_why(served: Served, tmp_path: Path) -> None:
    scan = write_pdf(tmp_path / "scan.pdf", [[]]).read_bytes()
    async with await served.client() as client:
        job = await upload(client, {"scan.pdf": scan, "tea.txt": TEA})
        assert job["status"] == "done"
        (document,) = (await client.get("/v1/documents?name=scan.pdf")).json()["documents"]
        assert (document["status"], document["pages"]) == ("unreadable", None)
        assert "no page has text" in document["reason"]
        page = await client.get(f"/v1/documents/{document['id']}/pages/1")
        assert page.status_code == 409


async def test_ids_are_of_no_use_to_another_tenant(served: Served) -> None:
    async with await served.client("acme") as owner, await served.client("umbrella") as other:
        job = await upload(owner, {"tea.txt": TEA})
        await upload(other, {"tea.txt": KIMCHI})
        (document,) = (await owner.get("/v1/documents")).json()["documents"]
        (theirs,) = (await other.get("/v1/documents")).json()["documents"]
        assert theirs["id"] != document["id"]
        assert await texts_found(other, "green tea") == [KIMCHI]
        paths = [
            ("GET", f"/v1/jobs/{job['id']}", f"/v1/jobs/{UNKNOWN}"),
            *(
                (method, f"/v1/documents/{document['id']}{path}", f"/v1/documents/{UNKNOWN}{path}")
                for method, path in [
                    ("GET", ""),
                    ("GET", "/content"),
                    ("GET", "/pages/1"),
                    ("GET", "/pages/1/image"),
                    ("DELETE", ""),
                ]
            ),
        ]
        for method, path, unknown in paths:
            found, none = await other.request(method, path), await other.request(method, unknown)
            assert found.status_code == none.status_code == 404
            assert found.content == none.content
        assert job["id"] not in (await other.get("/v1/jobs")).text
        assert await texts_found(owner, "green tea") == [TEA]


async def test_nothing_is_done_without_a_key(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as client:
        for method, path in [
            ("POST", "/v1/documents"),
            ("GET", "/v1/documents"),
            ("GET", f"/v1/documents/{UNKNOWN}"),
            ("DELETE", f"/v1/documents/{UNKNOWN}"),
            ("GET", f"/v1/documents/{UNKNOWN}/content"),
            ("GET", f"/v1/documents/{UNKNOWN}/pages/1"),
            ("GET", f"/v1/documents/{UNKNOWN}/pages/1/image"),
            ("GET", "/v1/jobs"),
            ("GET", f"/v1/jobs/{UNKNOWN}"),
        ]:
            response = await client.request(method, path, files=parts({"tea.txt": TEA}))
            assert response.status_code == 401, path


async def test_reading_and_changing_need_their_scopes(served: Served) -> None:
    async with (
        await served.client(scopes=["documents"]) as changes,
        await served.client(scopes=["ask"]) as reads,
        await served.client(scopes=["usage"]) as neither,
    ):
        await upload(changes, {"tea.txt": TEA})
        (document,) = (await reads.get("/v1/documents")).json()["documents"]
        url = f"/v1/documents/{document['id']}"
        assert (await reads.get(f"{url}/pages/1")).json()["text"] == TEA
        assert (await reads.delete(url)).status_code == 403
        assert (await reads.post("/v1/documents", files=parts({"a.txt": TEA}))).status_code == 403
        assert (await neither.get("/v1/documents")).status_code == 403
        assert (await neither.get("/v1/jobs")).status_code == 403
        assert (await changes.delete(url)).status_code == 204


async def test_the_vectors_may_lie_in_a_chroma_server(database: Database, tmp_path: Path) -> None:
    (tmp_path / "chroma").mkdir()
    with chroma_server(tmp_path / "chroma") as url:
        async with (
            indexed(database, tmp_path, chroma_url=url) as served,
            await served.client() as client,
        ):
            job = await upload(client, {"tea.txt": TEA, "김치.md": KIMCHI})
            assert job["status"] == "done"
            assert await texts_found(client, "green tea") == [TEA, KIMCHI]
            (document,) = (await client.get("/v1/documents?name=tea.txt")).json()["documents"]
            assert (await client.delete(f"/v1/documents/{document['id']}")).status_code == 204
            assert await texts_found(client, "green tea") == [KIMCHI]
