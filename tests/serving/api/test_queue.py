"""Tasks that wait for their turn, as a client of the service sees them."""

import asyncio

import httpx
import pytest

from serving.store.database import Database
from tests.serving.api.conftest import (
    EN_LINE,
    EN_QUESTION,
    KO_QUESTION,
    ScriptedAgents,
    Served,
    serving,
)
from tests.serving.api.sse import Received, received
from tests.waiting import until

BODY = {"question": EN_QUESTION, "mode": "direct"}
BACKGROUND = {"Prefer": "respond-async"}
STREAM = {"Accept": "text/event-stream"}


async def begun(client: httpx.AsyncClient) -> str:
    """The address of a task in the background."""
    response = await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
    assert response.status_code == 202, response.text
    return response.headers["location"]


async def hanging(served: Served, client: httpx.AsyncClient) -> str:
    url = await begun(client)
    await until(lambda: bool(served.agents.model.requests))
    return url


@pytest.fixture
def agents() -> ScriptedAgents:
    """The first call hangs, the others are answered."""
    return ScriptedAgents({"answer": ["HANG", EN_LINE]})


async def test_a_task_that_waits_says_so_and_is_answered_in_its_turn(
    database: Database, agents: ScriptedAgents
) -> None:
    async with (
        serving(database, agents, running_tasks=1) as served,
        await served.client() as client,
    ):
        first = await hanging(served, client)
        seen: list[Received] = []

        async def follow() -> None:
            async with client.stream("POST", "/v1/tasks", json=BODY, headers=STREAM) as response:
                seen.extend([event async for event in received(response)])

        following = asyncio.create_task(follow())
        await until(lambda: served.service.runner.admission.waiting == 1)
        await client.delete(first)
        await following
        assert [event.type for event in seen[:2]] == ["task", "queued"]
        assert seen[1].data == {"ahead": 0}
        assert seen[-1].data == {"status": "answered", "cancelled": None}


async def test_beyond_the_queue_nothing_is_stored_or_reserved(
    database: Database, agents: ScriptedAgents
) -> None:
    async with (
        serving(database, agents, running_tasks=1, queued_tasks=1) as served,
        await served.client() as client,
    ):
        first = await hanging(served, client)
        second = await begun(client)
        reserved = (await served.service.quotas.standing("acme"))[0].reserved
        refused = await client.post("/v1/tasks", json={"question": KO_QUESTION})
        assert refused.status_code == 503
        assert refused.json()["type"] == "urn:knowledge-agent:Overloaded"
        assert int(refused.headers["retry-after"]) > 0
        listed = (await client.get("/v1/tasks")).json()["tasks"]
        assert [f"/v1/tasks/{task['id']}" for task in listed] == [second, first]
        assert (await served.service.quotas.standing("acme"))[0].reserved == reserved
        await client.delete(first)
        await until(lambda: served.service.runner.running == 0)
        assert (await client.post("/v1/tasks", json=BODY)).status_code == 200


async def test_a_task_that_waits_is_cancelled_at_once(
    database: Database, agents: ScriptedAgents
) -> None:
    async with (
        serving(database, agents, running_tasks=1) as served,
        await served.client() as client,
    ):
        await hanging(served, client)
        asking = asyncio.create_task(client.post("/v1/tasks", json=BODY))
        await until(lambda: served.service.runner.admission.waiting == 1)
        asking.cancel()
        await until(lambda: served.service.runner.admission.waiting == 0)
        waiting = await begun(client)
        ended = (await client.delete(waiting)).json()
        assert (ended["status"], ended["cancelled"]) == ("cancelled", "requested")
        assert ended["usage"]["model_calls"] == 0
        left = (await client.get("/v1/tasks", params={"status": "cancelled"})).json()["tasks"]
        assert [task["cancelled"] for task in left] == ["requested", "client_left"]
        assert len(served.agents.model.requests) == 1


async def test_a_task_waits_no_longer_than_its_deadline(
    database: Database, agents: ScriptedAgents
) -> None:
    async with (
        serving(database, agents, running_tasks=1, deadline_s=0.2) as served,
        await served.client() as client,
    ):
        await hanging(served, client)
        response = await client.post("/v1/tasks", json=BODY)
        assert response.status_code == 504
        assert response.json()["type"] == "urn:knowledge-agent:DeadlineExceeded"
        assert "for its turn" in response.json()["detail"]


async def test_a_shutdown_cancels_tasks_that_still_wait(
    database: Database, agents: ScriptedAgents
) -> None:
    async with (
        serving(database, agents, running_tasks=1) as served,
        await served.client() as client,
    ):
        urls = [await hanging(served, client), await begun(client)]
        await served.service.runner.drain(0)
        for url in urls:
            task = (await client.get(url)).json()
            assert (task["status"], task["cancelled"]) == ("cancelled", "shutdown")
        assert (await served.service.quotas.standing("acme"))[0].reserved == 0
