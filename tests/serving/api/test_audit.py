"""/v1/audit: what a tenant may read of itself."""

from datetime import UTC, datetime, timedelta

from tests.serving.api.conftest import EN_QUESTION, Served

ASK = {"question": EN_QUESTION, "mode": "direct"}


async def test_a_task_is_audited_with_its_key_its_trace_and_what_it_cited(served: Served) -> None:
    async with await served.client() as client:
        task = (await client.post("/v1/tasks", json=ASK)).json()
        page = (await client.get("/v1/audit")).json()
    ended, begun, made = page["entries"]
    assert [each["action"] for each in (made, begun, ended)] == [
        "key.made",
        "task.begun",
        "task.ended",
    ]
    assert (made["subject"], begun["subject"]) == ("system", f"key:{made['object_id']}")
    assert ended["subject"] == begun["subject"]
    assert {begun["object_id"], ended["object_id"]} == {task["id"]}
    assert {begun["trace_id"], ended["trace_id"]} == {task["trace_id"]}
    cited = task["answer"]["citations"]
    assert ended["details"]["cited"] == [
        {"document": one["document"], "page": one["page"]} for one in cited
    ]
    assert EN_QUESTION not in str(page)


async def test_a_tenant_reads_its_own_entries_page_by_page(served: Served) -> None:
    async with await served.client("umbrella") as other, await served.client() as client:
        await other.post("/v1/tasks", json=ASK)
        await client.post("/v1/tasks", json=ASK)
        page = (await client.get("/v1/audit", params={"limit": 2})).json()
        assert [each["action"] for each in page["entries"]] == ["task.ended", "task.begun"]
        last = (await client.get("/v1/audit", params={"before": page["next"]})).json()
    assert [each["action"] for each in last["entries"]] == ["key.made"]
    assert last["next"] is None


async def test_entries_are_filtered_by_time_and_action(served: Served) -> None:
    async with await served.client() as client:
        await client.post("/v1/tasks", json=ASK)
        soon = (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
        for params, count in (
            ({"action": "task.begun"}, 1),
            ({"since": soon}, 0),
            ({"until": soon}, 3),
        ):
            page = (await client.get("/v1/audit", params=params)).json()
            assert len(page["entries"]) == count, params
        assert (await client.get("/v1/audit", params={"since": "yesterday"})).status_code == 422
        assert (await client.get("/v1/audit", params={"action": "x"})).status_code == 422


async def test_a_key_without_the_scope_reads_nothing(served: Served) -> None:
    async with await served.client(scopes=["ask", "usage"]) as client:
        response = await client.get("/v1/audit")
    assert response.status_code == 403
    assert "'audit'" in response.json()["detail"]
