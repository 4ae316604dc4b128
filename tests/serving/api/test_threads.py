import asyncio

import httpx
import pytest

from serving.store.database import Database
from tests.serving.api.conftest import (
    EN_LINE,
    EN_QUESTION,
    KO_LINE,
    KO_QUESTION,
    ScriptedAgents,
    Served,
    serving,
)
from tests.waiting import until

BACKGROUND = {"Prefer": "respond-async"}
NOWHERE = "0" * 32


async def a_thread(client: httpx.AsyncClient) -> str:
    made = await client.post("/v1/threads")
    assert made.status_code == 201
    assert made.headers["location"] == f"/v1/threads/{made.json()['id']}"
    return str(made.json()["id"])


def asking(question: str, thread: str) -> dict[str, str]:
    return {"question": question, "mode": "direct", "thread": thread}


@pytest.mark.parametrize(
    ("language", "first", "follow_up", "line"),
    [
        ("en", EN_QUESTION, "And how long exactly?", EN_LINE),
        ("ko", KO_QUESTION, "정확히 얼마나?", KO_LINE),
    ],
)
async def test_a_follow_up_is_understood_with_the_answers_before_it(
    database: Database, language: str, first: str, follow_up: str, line: str
) -> None:
    understood = f"{first} ({language})"
    agents = ScriptedAgents({"answer": line, "rewrite": understood}, language)
    async with serving(database, agents) as served, await served.client() as client:
        thread = await a_thread(client)
        for question in (first, follow_up, follow_up):
            response = await client.post("/v1/tasks", json=asking(question, thread))
            assert response.status_code == 200, response.text
        task = response.json()
        assert (task["question"], task["understood"]) == (follow_up, understood)
        assert [call["node"] for call in task["usage"]["calls"]] == ["rewrite", "answer"]
        [_, third] = [one for one in agents.model.requests if one.node == "rewrite"]
        told = third.messages[1].content
        assert f"Question: {first}\nAnswer: {line}\nQuestion: {understood}\nAnswer:" in told
        kept = (await client.get(f"/v1/threads/{thread}")).json()
        assert [one["question"] for one in kept["tasks"]] == [first, follow_up, follow_up]
        assert kept["tasks"][2] == task


async def test_a_follow_up_can_be_asked_of_another_replica(database: Database) -> None:
    other_agents = ScriptedAgents({"answer": EN_LINE, "rewrite": EN_QUESTION})
    async with (
        serving(database, ScriptedAgents({"answer": EN_LINE})) as one,
        serving(database, other_agents, "host-b") as other,
        await one.client() as client,
    ):
        thread = await a_thread(client)
        await client.post("/v1/tasks", json=asking(EN_QUESTION, thread))
        await client.post(other.url + "/v1/tasks", json=asking("And now?", thread))
        assert EN_LINE in other_agents.model.requests[0].messages[1].content


async def test_one_task_of_a_thread_runs_at_a_time(database: Database) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with (
        serving(database, agents) as one,
        serving(database, ScriptedAgents({"answer": "HANG"}), "host-b") as other,
        await one.client() as client,
    ):
        thread = await a_thread(client)
        asked = [
            client.post(f"{url}/v1/tasks", json=asking(EN_QUESTION, thread), headers=BACKGROUND)
            for url in (one.url, other.url) * 5
        ]
        answers = await asyncio.gather(*asked)
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [202, *[409] * 9]
        refused = next(answer.json() for answer in answers if answer.status_code == 409)
        assert refused["type"] == "urn:knowledge-agent:Conflict"
        assert "wait until it has ended, or cancel it" in refused["detail"]
        begun = next(answer for answer in answers if answer.status_code == 202)
        await client.delete(begun.headers["location"])
        again = await client.post("/v1/tasks", json=asking(EN_QUESTION, thread), headers=BACKGROUND)
        assert again.status_code == 202


async def test_a_repeat_with_the_same_key_is_no_second_task_of_the_thread(
    database: Database,
) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        body = asking(EN_QUESTION, await a_thread(client))
        headers = {**BACKGROUND, "Idempotency-Key": "order-7"}
        answers = await asyncio.gather(
            *(client.post("/v1/tasks", json=body, headers=headers) for _ in range(5))
        )
        assert {answer.status_code for answer in answers} == {202}
        assert len({answer.json()["id"] for answer in answers}) == 1


async def test_a_thread_is_nothing_to_another_tenant(served: Served) -> None:
    async with await served.client() as client, await served.client("umbrella") as other:
        thread = await a_thread(client)
        for method, url, body in (
            ("GET", "/v1/threads/{}", None),
            ("DELETE", "/v1/threads/{}", None),
            ("POST", "/v1/tasks", asking(EN_QUESTION, "{}")),
        ):
            answers = [
                await other.request(
                    method, url.format(name), json=body and {**body, "thread": name}
                )
                for name in (thread, NOWHERE)
            ]
            assert [answer.status_code for answer in answers] == [404, 404], url
            assert answers[0].json() == answers[1].json()
        assert (await other.get("/v1/threads")).json() == {"threads": [], "next": None}
        assert (await client.get(f"/v1/threads/{thread}")).status_code == 200
        assert served.agents.model.requests == []


async def test_a_deleted_thread_takes_its_tasks_along_and_not_the_bill(served: Served) -> None:
    async with await served.client() as client:
        thread, kept = await a_thread(client), await a_thread(client)
        body = asking(EN_QUESTION, thread)
        task = (await client.post("/v1/tasks", json=body)).json()
        before = (await client.get("/v1/usage")).json()
        assert (await client.delete(f"/v1/threads/{thread}")).status_code == 204
        for url in (f"/v1/threads/{thread}", f"/v1/tasks/{task['id']}"):
            assert (await client.get(url)).status_code == 404
        assert await served.service.events.after(task["id"], 0) == []
        assert (await client.post("/v1/tasks", json=body)).status_code == 404
        assert (await client.delete(f"/v1/threads/{thread}")).status_code == 404
        listed = (await client.get("/v1/threads")).json()["threads"]
        assert [one["id"] for one in listed] == [kept]
        assert (await client.get("/v1/usage")).json() == before
        assert before["periods"][0]["used"] > 0


async def test_a_task_that_runs_is_cancelled_when_its_thread_is_deleted(
    database: Database,
) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with (
        serving(database, agents) as one,
        serving(database, ScriptedAgents({}), "host-b") as other,
        await one.client() as client,
    ):
        thread = await a_thread(client)
        begun = await client.post("/v1/tasks", json=asking(EN_QUESTION, thread), headers=BACKGROUND)
        await until(lambda: bool(agents.model.requests))
        deleted = await client.delete(f"{other.url}/v1/threads/{thread}")
        assert deleted.status_code == 204
        await until(lambda: not one.service.runner.running)
        assert (await client.get(begun.headers["location"])).status_code == 404
        today, _ = await one.service.quotas.standing("acme")
        assert (today.used > 0, today.reserved) == (True, 0)


async def test_pages_give_every_thread_and_every_task_of_it_once(database: Database) -> None:
    agents = ScriptedAgents({"answer": EN_LINE, "rewrite": EN_QUESTION})
    async with serving(database, agents) as served, await served.client() as client:
        threads = [await a_thread(client) for _ in range(5)]
        assert await in_pages(client, "/v1/threads", "threads") == threads[::-1]
        tasks = [
            (await client.post("/v1/tasks", json=asking(EN_QUESTION, threads[0]))).json()["id"]
            for _ in range(3)
        ]
        assert await in_pages(client, f"/v1/threads/{threads[0]}", "tasks") == tasks
        for url in ("/v1/threads", f"/v1/threads/{threads[0]}"):
            assert (await client.get(url, params={"after": "x"})).status_code == 422


async def in_pages(client: httpx.AsyncClient, url: str, name: str) -> list[str]:
    seen: list[str] = []
    params: dict[str, str | int] = {"limit": 2}
    while True:
        page = (await client.get(url, params=params)).json()
        seen += [one["id"] for one in page[name]]
        if page["next"] is None:
            return seen
        params["after"] = page["next"]
