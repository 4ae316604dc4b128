"""What /metrics tells, read as Prometheus reads it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from graph.errors import ModelRejected
from serving.store.database import Database
from serving.store.tenants import Allowance
from tests.fakes import FixedRetriever
from tests.serving.api.conftest import EN_QUESTION, ScriptedAgents, Served, serving
from tests.serving.api.test_tasks import stream
from tests.serving.api.traced import Spans, traced_service
from tests.stub_engine import StubEngine
from tests.waiting import until

ASK = {"question": EN_QUESTION, "mode": "direct"}


class Scraped:
    def __init__(self, text: str) -> None:
        self.text = text
        self.samples = [
            sample for family in text_string_to_metric_families(text) for sample in family.samples
        ]

    def __call__(self, name: str, **labels: str) -> float | None:
        """The value of the sample with these labels, among others."""
        found = [
            sample.value
            for sample in self.samples
            if sample.name == f"knowledge_agent_{name}" and labels.items() <= sample.labels.items()
        ]
        return sum(found) if found else None


async def scrape(served: Served) -> Scraped:
    async with httpx.AsyncClient(base_url=served.url) as client:
        response = await client.get("/metrics")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/plain; version=")
    return Scraped(response.text)


async def test_a_task_is_counted_with_its_seconds_calls_and_tokens(
    database: Database, stub_engine: StubEngine
) -> None:
    async with (
        traced_service(database, stub_engine, Spans().traces) as served,
        await served.client() as client,
    ):
        usage = (await client.post("/v1/tasks", json=ASK)).json()["usage"]
        found = await scrape(served)
    assert found("tasks_total", mode="direct", outcome="answered") == 1
    assert found("task_duration_seconds_count", mode="direct") == 1
    assert found("task_duration_seconds_sum") == pytest.approx(usage["seconds"])
    assert found("node_duration_seconds_count", node="answer") == 1
    assert found("model_calls_total", node="answer", outcome="ok") == 1
    for kind in ("prompt", "cached", "output"):
        assert found(f"{kind}_tokens_total") == usage[f"{kind}_tokens"] > 0
        assert found(f"task_{kind}_tokens_sum") == usage[f"{kind}_tokens"]
    assert found("task_model_calls_bucket", le="1.0") == 1
    assert found("build_info") == 1


async def test_a_refusal_tells_its_reason(database: Database, stub_engine: StubEngine) -> None:
    foreign = FixedRetriever(score=0.1)
    async with (
        traced_service(database, stub_engine, Spans().traces, foreign) as served,
        await served.client() as client,
    ):
        await client.post("/v1/tasks", json=ASK)
        found = await scrape(served)
    assert found("refusals_total", reason="out_of_domain") == 1
    assert found("tasks_total", outcome="refused") == 1


async def test_a_fallback_tells_node_and_error(database: Database) -> None:
    agents = ScriptedAgents({"answer": ModelRejected("no")})
    async with serving(database, agents) as served, await served.client() as client:
        await client.post("/v1/tasks", json=ASK)
        found = await scrape(served)
    assert found("fallbacks_total", node="answer", error="ModelRejected") == 1
    assert found("model_calls_total", node="answer", outcome="failed") == 1


async def test_running_and_waiting_tasks_are_counted_when_somebody_looks(
    database: Database,
) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with serving(database, agents) as served, await served.client() as client:
        served.service.telemetry.metrics.watch_queue(lambda: 7)
        headers = {"Prefer": "respond-async"}
        begun = await client.post("/v1/tasks", json=ASK, headers=headers)
        await until(lambda: bool(agents.model.requests))
        found = await scrape(served)
        assert (found("tasks_running"), found("tasks_queued")) == (1, 7)
        await client.delete(begun.headers["location"])
        found = await scrape(served)
        assert found("tasks_running") == 0
        assert found("tasks_total", outcome="cancelled") == 1


@pytest.mark.parametrize(
    ("allowed", "kind"),
    [
        (Allowance(requests_per_minute=1), "RateLimited"),
        (Allowance(tokens_per_day=1), "QuotaExceeded"),
    ],
)
async def test_a_refusal_by_a_limit_tells_its_kind(
    served: Served, allowed: Allowance, kind: str
) -> None:
    async with await served.client() as client:
        await served.tenants.allow("acme", allowed)
        statuses = [(await client.post("/v1/tasks", json=ASK)).status_code for _ in range(2)]
    found = await scrape(served)
    assert found("limit_refusals_total", kind=kind) == statuses.count(429) > 0


async def test_requests_are_counted_by_template_and_never_by_path_or_tenant(
    served: Served,
) -> None:
    async with await served.client("umbrella") as client:
        for name in ("0" * 32, "1" * 32):
            await client.get(f"/v1/tasks/{name}")
        await client.request("PROPFIND", "/coffee/pot")
        await stream(client, EN_QUESTION)
    found = await scrape(served)
    looked_up: Mapping[str, str] = {"method": "GET", "route": "/v1/tasks/{task_id}"}
    assert found("http_requests_total", status="404", **looked_up) == 2
    assert found("http_request_duration_seconds_count", **looked_up) == 2
    assert found("http_requests_total", method="other", route="unmatched", status="404") == 1
    assert found("first_event_seconds_count", route="/v1/tasks") == 1
    assert [word for word in ("umbrella", "coffee", "0" * 32) if word in found.text] == []


async def test_cost_is_counted_by_currency(served: Served) -> None:
    for amount in (0.25, 0.5):
        served.service.telemetry.metrics.cost("EUR", amount)
    found = await scrape(served)
    assert found("cost_total", currency="EUR") == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("token", "given", "status"),
    [
        (None, None, 200),
        ("scrape-me", "scrape-me", 200),
        ("scrape-me", None, 401),
        ("scrape-me", "스크랩", 401),
    ],
)
async def test_metrics_ask_for_the_token_where_one_is_set(
    database: Database, token: str | None, given: str | None, status: int
) -> None:
    async with serving(database, ScriptedAgents({})) as served:
        app: Any = served.server.config.app
        app.state.service = replace(served.service, metrics_token=token)
        headers = [(b"Authorization", f"Bearer {given}".encode())] if given else []
        async with httpx.AsyncClient(base_url=served.url, headers=headers) as client:
            assert (await client.get("/metrics")).status_code == status


@pytest.mark.parametrize(
    ("client", "status"),
    [("127.0.0.1", 200), ("::1", 200), ("10.0.0.7", 403), ("unix", 403)],
)
async def test_without_a_token_metrics_are_for_this_machine_alone(
    served: Served, client: str, status: int
) -> None:
    app: Any = served.server.config.app
    transport = httpx.ASGITransport(app, client=(client, 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as elsewhere:
        response = await elsewhere.get("/metrics")
    assert response.status_code == status
    assert ("KA_METRICS_TOKEN" in response.text) is (status == 403)
