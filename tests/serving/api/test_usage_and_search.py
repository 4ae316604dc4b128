from datetime import UTC, datetime
from decimal import Decimal

import pytest

from serving.prices import Price, Prices
from serving.store.tenants import Allowance
from tests.serving.api.conftest import EN_QUESTION, KO_QUESTION, Served

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


async def test_usage_shows_what_was_used_and_what_is_allowed(served: Served) -> None:
    async with await served.client() as client:
        await served.tenants.allow("acme", Allowance(tokens_per_month=100_000))
        task = (
            await client.post("/v1/tasks", json={"question": EN_QUESTION, "mode": "direct"})
        ).json()
        report = (await client.get("/v1/usage")).json()
        spent = task["usage"]["prompt_tokens"] + task["usage"]["output_tokens"]
        assert report["periods"] == [
            {"period": TODAY, "used": spent, "reserved": 0, "allowed": None},
            {"period": TODAY[:7], "used": spent, "reserved": 0, "allowed": 100_000},
        ]
        [day] = report["days"]
        assert (day["day"], day["tasks"], day["model_calls"]) == (TODAY, 1, 1)
        assert day["prompt_tokens"] + day["output_tokens"] == spent
        older = await client.get("/v1/usage", params={"since": "2020-01-01", "until": "2020-02-01"})
        assert older.json()["days"] == []


async def test_usage_and_tasks_tell_money_where_there_is_a_price(served: Served) -> None:
    async with await served.client() as client:
        body = {"question": EN_QUESTION, "mode": "direct"}
        unpriced = (await client.post("/v1/tasks", json=body)).json()
        assert unpriced["usage"]["cost"] is None
        price = Price(input=Decimal("0.2"), cached_input=Decimal(0), output=Decimal(3))
        served.agents.model.prices = Prices("KRW", {"scripted": price})
        usage = (await client.post("/v1/tasks", json=body)).json()["usage"]
        millionths = usage["prompt_tokens"] * price.input + usage["output_tokens"] * price.output
        cost = {"amount": f"{(millionths / 1_000_000).normalize():f}", "currency": "KRW"}
        assert usage["cost"] == usage["calls"][0]["cost"] == cost
        [day] = (await client.get("/v1/usage")).json()["days"]
        assert (day["costs"], day["unpriced_calls"]) == ([cost], 1)


@pytest.mark.parametrize(
    "params",
    [
        {"since": "2026-02-01", "until": "2026-01-01"},
        {"since": "2020-01-01", "until": "2026-01-01"},
        {"since": "yesterday"},
    ],
)
async def test_days_that_are_none_are_refused(served: Served, params: dict[str, str]) -> None:
    async with await served.client() as client:
        response = await client.get("/v1/usage", params=params)
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"


async def test_usage_of_the_first_days_of_the_calendar_is_empty(served: Served) -> None:
    async with await served.client() as client:
        response = await client.get("/v1/usage", params={"until": "0001-01-02"})
        assert response.json()["days"] == []


@pytest.mark.parametrize("query", [EN_QUESTION, KO_QUESTION])
async def test_a_search_gives_passages_and_calls_no_model(served: Served, query: str) -> None:
    async with await served.client() as client:
        found = (await client.post("/v1/search", json={"query": query, "limit": 1})).json()
        assert len(found["hits"]) == 1
        assert found["hits"][0]["passage"]["document"] == "caching.pdf"
        assert found["domain"]["score"] > found["domain"]["bound"]
    assert served.agents.model.requests == []


@pytest.mark.parametrize("limit", [0, 51, "5", True, 1.5])
async def test_a_search_refuses_a_limit_that_is_none(served: Served, limit: object) -> None:
    async with await served.client() as client:
        response = await client.post("/v1/search", json={"query": KO_QUESTION, "limit": limit})
        assert response.status_code == 422
        assert "body.limit" in response.json()["detail"]


async def test_a_search_without_documents_is_a_problem(served: Served) -> None:
    served.agents.without_documents.add("empty")
    async with await served.client("empty") as client:
        response = await client.post("/v1/search", json={"query": KO_QUESTION})
        assert response.status_code == 409
        assert response.json()["type"] == "urn:knowledge-agent:IndexMissing"


async def test_usage_needs_its_scope(served: Served) -> None:
    async with await served.client(scopes=["ask"]) as client:
        assert (await client.get("/v1/usage")).status_code == 403
