import asyncio
from typing import Any

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
from tests.serving.api.sse import Received, received
from tests.waiting import until

STREAM = {"Accept": "text/event-stream"}


async def stream(client: httpx.AsyncClient, question: str) -> list[Received]:
    body = {"question": question, "mode": "direct"}
    async with client.stream("POST", "/v1/tasks", json=body, headers=STREAM) as response:
        return [event async for event in received(response)]


@pytest.mark.parametrize(
    ("language", "question", "line"), [("en", EN_QUESTION, EN_LINE), ("ko", KO_QUESTION, KO_LINE)]
)
async def test_a_question_is_answered_with_citations_and_a_bill(
    database: Database, language: str, question: str, line: str
) -> None:
    async with (
        serving(database, ScriptedAgents({"answer": line}, language)) as served,
        await served.client() as client,
    ):
        response = await client.post("/v1/tasks", json={"question": question, "mode": "direct"})
        assert response.status_code == 200, response.text
        task = response.json()
        assert task["status"] == "answered"
        assert task["answer"]["text"] == line
        assert [cited["number"] for cited in task["answer"]["citations"]] == [2]
        assert task["usage"]["model_calls"] == 1
        assert task["usage"]["output_tokens"] == len(line.split())
        ran = [node["node"] for node in task["usage"]["nodes"]]
        assert ran[:2] == ["admit", "retrieve"]
        assert ran[-1] == "verify"
        assert (await client.get(response.headers["location"])).json() == task


async def test_a_stream_gives_numbered_events_and_ends_with_the_end(served: Served) -> None:
    async with await served.client() as client:
        events = await stream(client, EN_QUESTION)
        assert [event.id for event in events] == list(range(1, len(events) + 1))
        kinds = [event.type for event in events]
        assert kinds[0] == "task"
        assert kinds[-3:] == ["answer", "usage", "end"]
        assert {"passages", "plan", "token"} <= set(kinds)
        assert events[-1].data == {"status": "answered", "cancelled": None}
        drafted = "".join(event.data["text"] for event in events if event.type == "token")
        assert drafted == EN_LINE


async def test_a_stream_is_taken_up_after_the_last_event_that_arrived(served: Served) -> None:
    async with await served.client() as client:
        events = await stream(client, EN_QUESTION)
        url = f"/v1/tasks/{events[0].data['task_id']}/events"
        for last in (0, 4, events[-2].id, events[-1].id):
            headers = {"Last-Event-ID": str(last)}
            async with client.stream("GET", url, headers=headers) as response:
                again = [event async for event in received(response)]
            kept = [event for event in events if event.type != "token" and event.id > last]
            assert again == kept, last


async def test_another_instance_follows_and_cancels_a_task(database: Database) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with (
        serving(database, agents) as one,
        serving(database, ScriptedAgents({}), "host-b") as other,
        await one.client() as client,
    ):
        begun = await client.post(
            "/v1/tasks",
            json={"question": EN_QUESTION, "mode": "direct"},
            headers={"Prefer": "respond-async"},
        )
        assert begun.status_code == 202
        assert begun.json()["status"] == "running"
        url = other.url + begun.headers["location"]

        async def follow() -> list[Received]:
            async with client.stream("GET", url + "/events") as response:
                return [event async for event in received(response)]

        following = asyncio.create_task(follow())
        await until(lambda: bool(agents.model.requests))
        ended = (await client.delete(url)).json()
        assert (ended["status"], ended["cancelled"]) == ("cancelled", "requested")
        assert (await following)[-1].data == {"status": "cancelled", "cancelled": "requested"}
        assert [call["outcome"] for call in ended["usage"]["calls"]] == ["cancelled"]


@pytest.mark.parametrize("headers", [STREAM, {}])
async def test_a_client_that_leaves_cancels_its_task(
    database: Database, headers: dict[str, str]
) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        asking = asyncio.create_task(_ask(client, headers))
        await until(lambda: bool(agents.model.requests))
        asking.cancel()
        await until(lambda: not served.service.runner.running)
        task = (await client.get("/v1/tasks")).json()["tasks"][0]
        assert (task["status"], task["cancelled"]) == ("cancelled", "client_left")
        assert task["usage"]["calls"][0]["outcome"] == "cancelled"


async def _ask(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    body = {"question": EN_QUESTION, "mode": "direct"}
    async with client.stream("POST", "/v1/tasks", json=body, headers=headers) as response:
        await response.aread()


async def test_a_task_in_the_background_goes_on_when_its_followers_leave(
    database: Database,
) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        begun = await client.post(
            "/v1/tasks",
            json={"question": EN_QUESTION, "mode": "direct"},
            headers={"Prefer": "respond-async"},
        )
        url = begun.headers["location"]
        async with client.stream("GET", url + "/events") as response:
            async for _ in received(response):
                break
        await asyncio.sleep(0.3)
        assert (await client.get(url)).json()["status"] == "running"


async def test_a_repeat_with_the_same_key_is_the_same_task(served: Served) -> None:
    async with await served.client() as client:
        headers = {"Idempotency-Key": "order-7"}
        body = {"question": EN_QUESTION, "mode": "direct"}
        first, second = [
            (await client.post("/v1/tasks", json=body, headers=headers)).json() for _ in range(2)
        ]
        assert first == second
        assert len(served.agents.model.requests) == 1
        other = await client.post("/v1/tasks", json={"question": KO_QUESTION}, headers=headers)
        assert other.status_code == 409
        assert other.headers["content-type"] == "application/problem+json"


async def test_a_task_that_fails_is_a_problem_that_names_it(served: Served) -> None:
    served.agents.without_documents.add("empty")
    async with await served.client("empty") as client:
        response = await client.post("/v1/tasks", json={"question": KO_QUESTION})
        problem = response.json()
        assert response.status_code == problem["status"] == 409
        assert problem["type"] == "urn:knowledge-agent:IndexMissing"
        task = (await client.get(f"/v1/tasks/{problem['task_id']}")).json()
        assert task["status"] == "failed"
        assert task["error"] == problem


async def test_pages_give_every_task_once(served: Served) -> None:
    async with await served.client() as client:
        for _ in range(5):
            await client.post("/v1/tasks", json={"question": EN_QUESTION, "mode": "direct"})
        seen: list[str] = []
        params: dict[str, Any] = {"limit": 2}
        while True:
            page = (await client.get("/v1/tasks", params=params)).json()
            seen += [task["id"] for task in page["tasks"]]
            if page["next"] is None:
                break
            params["after"] = page["next"]
        assert len(seen) == len(set(seen)) == 5
        for wrong in ("x", "ë", "AAAA", "W10"):
            response = await client.get("/v1/tasks", params={"after": wrong})
            assert response.status_code == 422, wrong
