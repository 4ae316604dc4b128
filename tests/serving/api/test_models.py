import asyncio

import openai
import pytest
from openai import OpenAI

from serving.store.database import Database
from tests.serving.api.conftest import Served
from tests.serving.api.openai_clients import openai_client, serving_engine
from tests.stub_engine import MODEL, StubEngine

AGENT = ["knowledge-agent", "knowledge-agent-direct", "knowledge-agent-plan"]


async def test_the_agents_names_and_the_engines_model_are_listed(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        listed = [(model.id, model.owned_by) async for model in client.models.list()]
        assert listed == [*((name, "knowledge-agent") for name in AGENT), (MODEL, "engine")]
        for name, owner in listed:
            assert (await client.models.retrieve(name)).owned_by == owner


async def test_the_agent_is_listed_while_the_engine_does_not_answer(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        stub_engine.stop()
        assert [model.id async for model in client.models.list()] == AGENT
        with pytest.raises(openai.InternalServerError) as unknown:
            await client.models.retrieve(MODEL)
        assert unknown.value.status_code == 503
        assert unknown.value.response.headers["retry-after"] == "5"


async def test_a_name_may_have_slashes_and_an_unknown_one_is_not_found(
    database: Database, stub_engine: StubEngine
) -> None:
    stub_engine.model = "owner/작은-모델"
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        assert (await client.models.retrieve(stub_engine.model)).id == stub_engine.model
        with pytest.raises(openai.NotFoundError) as unknown:
            await client.models.retrieve("owner")
        assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")


@pytest.mark.parametrize("name", ["knowledge-agent%0A", "a%0Ab", "%EB%AA%A8%EB%8D%B8%0A"])
async def test_a_name_with_a_line_break_is_not_found_either(served: Served, name: str) -> None:
    async with await served.client() as client:
        response = await client.get(f"/v1/models/{name}")
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "model_not_found"


async def test_the_client_without_asyncio_works_too(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served:
        _, key = await served.keys.make("acme", "sync", ["ask"], None)

        def ask() -> str | None:
            with OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0) as client:
                completion = client.chat.completions.create(
                    model=MODEL, messages=[{"role": "user", "content": "안녕하세요"}]
                )
                return completion.choices[0].message.content

        assert await asyncio.to_thread(ask) == "The passages do not say."
