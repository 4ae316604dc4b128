import time

import httpx
import pytest

from tests.serving.api.conftest import EN_QUESTION, KO_QUESTION, Served

UNKNOWN = "0" * 32
BODY = {"question": EN_QUESTION, "mode": "direct"}
ROUTES = [
    ("POST", "/v1/tasks"),
    ("GET", "/v1/tasks"),
    ("GET", f"/v1/tasks/{UNKNOWN}"),
    ("GET", f"/v1/tasks/{UNKNOWN}/events"),
    ("DELETE", f"/v1/tasks/{UNKNOWN}"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_nothing_is_done_without_a_key_that_holds(
    served: Served, method: str, path: str
) -> None:
    _, expired_text = await served.keys.make("acme", "old", ["ask"], time.time() - 1)
    revoked, revoked_text = await served.keys.make("acme", "gone", ["ask"], None)
    await served.keys.revoke(revoked.id)
    async with httpx.AsyncClient(base_url=served.url) as client:
        for credential in (None, "wrong", expired_text, revoked_text, expired_text[:-1]):
            headers = {} if credential is None else {"Authorization": f"Bearer {credential}"}
            response = await client.request(method, path, json=BODY, headers=headers)
            assert response.status_code == 401, credential
            why = "" if credential is None else ' error="invalid_token"'
            assert response.headers["www-authenticate"] == f"Bearer{why}"
            assert response.json()["type"] == "urn:knowledge-agent:Unauthenticated"
    assert await served.service.tasks.page("acme", limit=1) == []


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_a_key_without_the_scope_is_told_so(served: Served, method: str, path: str) -> None:
    async with await served.client(scopes=["usage"]) as client:
        response = await client.request(method, path, json=BODY)
        assert response.status_code == 403
        assert "'ask'" in response.json()["detail"]


async def test_ids_of_another_tenant_are_as_unknown_ones(served: Served) -> None:
    async with await served.client("acme") as owner, await served.client("umbrella") as other:
        task = (await owner.post("/v1/tasks", json=BODY)).json()
        for method, path in [("GET", ""), ("GET", "/events"), ("DELETE", "")]:
            theirs = await other.request(method, f"/v1/tasks/{task['id']}{path}")
            unknown = await other.request(method, f"/v1/tasks/{UNKNOWN}{path}")
            assert theirs.status_code == unknown.status_code == 404
            assert theirs.content == unknown.content
        assert (await other.get("/v1/tasks")).json()["tasks"] == []
        assert (await owner.get(f"/v1/tasks/{task['id']}")).json() == task


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": " \n"}, "question is empty"),
        ({"question": "가" * 4_001}, "question"),
        ({"question": KO_QUESTION, "mode": "fast"}, "mode"),
        ({"question": KO_QUESTION, "profile": "x" * 2_001}, "profile"),
        ({"question": EN_QUESTION, "scope": {"since": "yesterday"}}, "scope.since"),
        ({"question": EN_QUESTION, "scope": {"tags": "hr"}}, "scope.tags"),
        ({"question": EN_QUESTION, "task_id": UNKNOWN}, "task_id"),
    ],
)
async def test_a_wrong_request_is_told_where_it_is_wrong(
    served: Served, body: dict[str, object], where: str
) -> None:
    async with await served.client() as client:
        response = await client.post("/v1/tasks", json=body)
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"
        assert where in response.json()["detail"]
        assert KO_QUESTION not in response.text


@pytest.mark.parametrize("path", ["/v1/tasks", "/v1/search", "/v1/chat/completions"])
@pytest.mark.parametrize(
    "body", [b'{"query": "\xed\x95"}', b"[" * 100_000, b'{"query": 1' + b"0" * 5_000 + b"}"]
)
async def test_json_that_cannot_be_read_is_told_so(served: Served, path: str, body: bytes) -> None:
    async with await served.client() as client:
        response = await client.post(
            path, content=body, headers={"Content-Type": "application/json"}
        )
    is_openai = "chat" in path
    assert response.status_code == (400 if is_openai else 422)
    told = response.json()
    assert "UTF-8" in (told["error"]["message"] if is_openai else told["detail"])


async def test_unknown_paths_and_methods_are_problems_too(served: Served) -> None:
    async with await served.client() as client:
        for method, path, status in [("GET", "/v1/nothing", 404), ("PUT", "/v1/tasks", 405)]:
            response = await client.request(method, path)
            assert response.status_code == response.json()["status"] == status


async def test_readiness_names_what_is_lacking(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as client:
        assert (await client.get("/healthz")).json() == {"status": "alive"}
        assert (await client.get("/readyz")).json() == {"ready": True, "lacking": {}}
        served.health.lacking["engine"] = "nobody listens"
        response = await client.get("/readyz")
        assert response.status_code == 503
        assert response.json() == {"ready": False, "lacking": {"engine": "nobody listens"}}
