import asyncio
import json
from typing import Any

import httpx
import pytest

from serving.store.database import Database
from serving.store.tenants import Allowance
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
BACKGROUND = {"Prefer": "respond-async"}
STEPS = {"steps": [{"action": "answer", "focus": "response cache", "after": []}]}
EDITED = {"steps": [{"action": "summarize", "focus": "응답 캐시", "after": []}]}
LINES = {"plan": json.dumps(STEPS), "answer": EN_LINE, "summarize": EN_LINE, "rewrite": EN_QUESTION}


def asking(question: str = EN_QUESTION, **more: str) -> dict[str, str]:
    return {"question": question, "mode": "plan", "review": "plan", **more}


async def waiting(client: httpx.AsyncClient, **more: str) -> dict[str, Any]:
    response = await client.post("/v1/tasks", json=asking(**more))
    assert response.status_code == 200, response.text
    task: dict[str, Any] = response.json()
    assert task["status"] == "awaiting_review"
    return task


async def stream(
    client: httpx.AsyncClient, method: str, url: str, body: Any = None, **headers: str
) -> list[Received]:
    sent = {**STREAM, **headers}
    async with client.stream(method, url, json=body, headers=sent) as response:
        return [event async for event in received(response)]


@pytest.mark.parametrize(
    ("language", "question", "line"), [("en", EN_QUESTION, EN_LINE), ("ko", KO_QUESTION, KO_LINE)]
)
async def test_an_approved_plan_is_done_on_another_replica_after_a_restart(
    database: Database, language: str, question: str, line: str
) -> None:
    lines = {"plan": json.dumps(STEPS), "answer": line}
    one_agents = ScriptedAgents(lines, language)
    async with serving(database, one_agents) as one, await one.client() as client:
        task = await waiting(client, question=question)
        assert task["plan"] == {"plan": STEPS, "maker": "model", "reason": ""}
        assert [call["node"] for call in task["usage"]["calls"]] == ["plan"]
        assert (task["answer"], task["ended_at"]) == (None, None)
        standing, _ = await one.service.quotas.standing("acme")
        assert (standing.used, standing.reserved) == (one_agents.model.tokens, 0)
    other_agents = ScriptedAgents(lines, language)
    async with serving(database, other_agents, "host-b") as other, await other.client() as client:
        response = await client.post(f"/v1/tasks/{task['id']}/plan", json={})
        assert response.status_code == 200, response.text
        ended = response.json()
        assert (ended["status"], ended["answer"]["text"]) == ("answered", line)
        assert ended["plan"] == task["plan"]
        assert [request.node for request in other_agents.model.requests] == ["answer"]
        assert [call["node"] for call in ended["usage"]["calls"]] == ["plan", "answer"]
        assert ended["usage"]["seconds"] > task["usage"]["seconds"]
        standing, _ = await other.service.quotas.standing("acme")
        used = ended["usage"]["prompt_tokens"] + ended["usage"]["output_tokens"]
        assert (standing.used, standing.reserved) == (used, 0)


async def test_events_go_on_in_number_over_both_runs(database: Database) -> None:
    async with (
        serving(database, ScriptedAgents(LINES)) as served,
        serving(database, ScriptedAgents(LINES), "host-b") as other,
        await served.client() as client,
    ):
        before = await stream(client, "POST", "/v1/tasks", asking())
        assert [event.type for event in before[-2:]] == ["usage", "review"]
        assert before[-1].data == {"status": "awaiting_review", "cancelled": None}
        url = f"/v1/tasks/{before[0].data['task_id']}"
        assert await stream(client, "GET", f"{url}/events") == before
        after = await stream(client, "POST", f"{url}/plan", {"plan": EDITED})
        assert after[0].id == before[-1].id + 1
        assert after[-1].data == {"status": "answered", "cancelled": None}
        [planned] = [event.data["made"] for event in after if event.type == "plan"]
        assert planned == {"plan": EDITED, "maker": "person", "reason": ""}
        [bill] = [event.data["calls"] for event in after if event.type == "usage"]
        assert [call["node"] for call in bill] == ["plan", "summarize"]
        kept = [event for event in (*before, *after) if event.type != "token"]
        for where in (served.url, other.url):
            for last in (0, 3, before[-1].id, after[2].id):
                again = await stream(
                    client, "GET", f"{where}{url}/events", **{"Last-Event-ID": str(last)}
                )
                assert again == [event for event in kept if event.id > last], last


async def test_who_follows_the_second_run_is_given_the_first_one_too(database: Database) -> None:
    agents = ScriptedAgents({**LINES, "summarize": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        task = await waiting(client)
        url = f"/v1/tasks/{task['id']}"
        begun = await client.post(f"{url}/plan", json={"plan": EDITED}, headers=BACKGROUND)
        assert (begun.status_code, begun.json()["status"]) == (202, "running")
        following = asyncio.create_task(stream(client, "GET", f"{url}/events"))
        await until(lambda: len(agents.model.requests) == 2)
        ended = (await client.delete(url)).json()
        assert (ended["status"], ended["cancelled"]) == ("cancelled", "requested")
        assert [call["outcome"] for call in ended["usage"]["calls"]] == ["ok", "cancelled"]
        events = await following
        assert [event.id for event in events] == list(range(1, len(events) + 1))
        assert [event.type for event in events if event.type in ("plan", "review", "end")] == [
            "plan",
            "review",
            "plan",
            "end",
        ]


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ({"steps": []}, "plan.steps"),
        ({"steps": [{"action": "browse", "focus": "the web"}]}, "plan.steps.0"),
        ({"steps": [{"action": "personalize", "focus": "me"}]}, "step 1 uses 'personalize'"),
        ({"steps": [{"action": "answer", "focus": "x", "after": [1]}]}, "step 1 reads step 1"),
        ({"steps": [{"action": "retrieve", "query": "x"}]}, "no step yields text"),
    ],
)
async def test_a_plan_that_does_not_hold_is_refused_with_its_reason_and_the_task_waits_on(
    served: Served, plan: dict[str, Any], reason: str
) -> None:
    async with await served.client() as client:
        task = await waiting(client, mode="direct")
        response = await client.post(f"/v1/tasks/{task['id']}/plan", json={"plan": plan})
        assert response.status_code == 422
        assert reason in response.json()["detail"]
        assert (await client.get(f"/v1/tasks/{task['id']}")).json() == task


async def test_a_plan_is_approved_once(database: Database) -> None:
    agents = ScriptedAgents(LINES)
    async with (
        serving(database, agents) as one,
        serving(database, ScriptedAgents(LINES), "host-b") as other,
        await one.client() as client,
    ):
        task = await waiting(client)
        urls = [f"{each.url}/v1/tasks/{task['id']}/plan" for each in (one, other) * 3]
        answers = await asyncio.gather(*(client.post(url, json={}) for url in urls))
        assert sorted(answer.status_code for answer in answers) == [200, *[409] * 5]
        late = await client.post(urls[0], json={})
        assert late.status_code == 409
        assert late.json()["detail"].startswith("the task is answered;")
        [today] = (await client.get("/v1/usage")).json()["days"]
        assert today["model_calls"] == 2


async def test_a_review_is_nothing_to_another_tenant(served: Served) -> None:
    async with await served.client() as client, await served.client("umbrella") as other:
        task = await waiting(client, mode="direct")
        answers = [
            await other.post(f"/v1/tasks/{name}/plan", json={}) for name in (task["id"], "0" * 32)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json() == answers[1].json()
        assert (await client.get(f"/v1/tasks/{task['id']}")).json() == task


async def test_a_waiting_task_takes_no_place_and_its_second_run_takes_one(
    database: Database,
) -> None:
    agents = ScriptedAgents({**LINES, "answer": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        await served.tenants.allow("acme", Allowance(concurrent_tasks=1))
        first, second = [await waiting(client, mode="direct") for _ in range(2)]
        url = f"/v1/tasks/{first['id']}/plan"
        assert (await client.post(url, json={}, headers=BACKGROUND)).status_code == 202
        refused = await client.post(f"/v1/tasks/{second['id']}/plan", json={})
        assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)
        assert (await client.get(f"/v1/tasks/{second['id']}")).json() == second


async def test_a_waiting_task_can_be_cancelled_and_is_not_approved_then(served: Served) -> None:
    async with await served.client() as client:
        url = f"/v1/tasks/{(await waiting(client, mode='direct'))['id']}"
        cancelled = (await client.delete(url)).json()
        assert (cancelled["status"], cancelled["cancelled"]) == ("cancelled", "requested")
        assert cancelled["ended_at"] is not None
        assert (await client.post(f"{url}/plan", json={})).status_code == 409
        events = await stream(client, "GET", f"{url}/events")
        assert [event.type for event in events[-2:]] == ["review", "end"]
        assert events[-1].data == {"status": "cancelled", "cancelled": "requested"}


async def test_a_follow_up_that_waits_keeps_its_thread_and_what_was_understood(
    database: Database,
) -> None:
    agents = ScriptedAgents(LINES)
    async with serving(database, agents) as served, await served.client() as client:
        thread = (await client.post("/v1/threads")).json()["id"]
        body = {"question": EN_QUESTION, "mode": "direct", "thread": thread}
        await client.post("/v1/tasks", json=body)
        task = await waiting(client, question="And that?", thread=thread)
        assert task["understood"] == EN_QUESTION
        assert (await client.post("/v1/tasks", json=body)).status_code == 409
        ended = (await client.post(f"/v1/tasks/{task['id']}/plan", json={})).json()
        assert (ended["status"], ended["understood"]) == ("answered", EN_QUESTION)
        nodes = [request.node for request in agents.model.requests]
        assert nodes == ["answer", "rewrite", "plan", "answer"]


async def test_what_is_refused_before_its_plan_has_nothing_to_review(database: Database) -> None:
    agents = ScriptedAgents(LINES, score=0.1)
    async with serving(database, agents) as served, await served.client() as client:
        response = await client.post("/v1/tasks", json=asking("Who won the cup?"))
        assert response.json()["status"] == "refused"
