"""Whatever goes wrong, OpenAI's client raises what it has for it."""

import asyncio
import time
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from serving.store.database import Database
from serving.store.tenants import Allowance
from tests.serving.api.conftest import EN_LINE, KO_QUESTION, ScriptedAgents, Served, serving
from tests.serving.api.openai_clients import openai_client
from tests.waiting import until

DIRECT = "knowledge-agent-direct"


async def ask(client: AsyncOpenAI, model: str = DIRECT, **options: Any) -> Any:
    messages = [{"role": "user", "content": KO_QUESTION}]
    return await client.chat.completions.create(**{"model": model, "messages": messages, **options})


async def ask_to_the_end(client: AsyncOpenAI, stream: bool) -> None:
    sent = await ask(client, stream=stream)
    if stream:
        async for _ in sent:
            pass


@pytest.mark.parametrize(
    "wrong",
    [
        {"n": 2},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"tool_choice": "required"},
        {"logprobs": True},
        {"top_logprobs": 3},
        {"response_format": {"type": "json_object"}},
        {"modalities": ["text", "audio"]},
        {"audio": {"voice": "alloy", "format": "mp3"}},
        {"logit_bias": {"50256": -100}},
        {"temperature": 2.5},
        # Not what Python would take for a number or a boolean either.
        {"temperature": True},
        {"frequency_penalty": False},
        {"max_tokens": "5"},
        {"seed": False},
        {"seed": 2**63},
        {"stream": "yes"},
        {"stream_options": {"include_usage": 1}},
        {"n": True},
        {"logprobs": 0},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "Hello."}]},
        {"messages": [{"role": "tool", "content": "42", "tool_call_id": "1"}]},
        {"messages": [{"role": "user", "content": " \n"}]},
        {"messages": [{"role": "user", "content": "가" * 4_001}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
        {
            "messages": [
                {"role": "system", "content": "x" * 2_001},
                {"role": "user", "content": KO_QUESTION},
            ]
        },
        {"extra_body": {"best_of": 3}},
    ],
)
async def test_what_is_not_done_is_refused_and_named(served: Served, wrong: dict[str, Any]) -> None:
    async with openai_client(served) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await ask(client, **wrong)
        body = refused.value.body
        assert isinstance(body, dict)
        [name] = wrong.get("extra_body", wrong)
        assert body["param"] == name
        assert body["type"] == "invalid_request_error"
        assert body["message"]
        assert KO_QUESTION not in refused.value.response.text
        assert await served.service.tasks.page("acme", limit=1) == []


async def test_parameters_that_ask_for_nothing_are_accepted(served: Served) -> None:
    async with openai_client(served) as client:
        completion = await ask(
            client,
            n=1,
            tools=[],
            tool_choice="auto",
            logprobs=False,
            response_format={"type": "text"},
            user="someone",
            metadata={"a": "b"},
            max_tokens=1,
            stop=["cache"],
        )
        assert completion.choices[0].finish_reason == "stop"


async def test_an_unknown_model_is_not_found(served: Served) -> None:
    async with openai_client(served) as client:
        with pytest.raises(openai.NotFoundError, match="knowledge-agent-plan, scripted") as unknown:
            await ask(client, "gpt-9")
        assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")


async def test_nobody_asks_without_a_key_that_holds_and_may_ask(served: Served) -> None:
    _, revoked = await served.keys.make("acme", "old", ["ask"], time.time() - 1)
    for wrong in ("nothing", revoked):
        async with openai_client(served, api_key=wrong) as client:
            with pytest.raises(openai.AuthenticationError) as unknown:
                await ask(client)
            assert unknown.value.code == "invalid_api_key"
    _, other = await served.keys.make("acme", "usage", ["usage"], None)
    async with openai_client(served, api_key=other) as client:
        with pytest.raises(openai.PermissionDeniedError, match="'ask'"):
            await ask(client)
        with pytest.raises(openai.PermissionDeniedError):
            await client.models.list()


async def test_too_many_requests_are_told_when_to_come_back(served: Served) -> None:
    async with openai_client(served) as client:
        await served.tenants.allow("acme", Allowance(requests_per_minute=1))
        await client.models.list()
        with pytest.raises(openai.RateLimitError) as limited:
            await ask(client)
        assert limited.value.code == "rate_limit_exceeded"
        assert int(limited.value.response.headers["retry-after"]) > 0


async def test_the_client_comes_back_when_it_was_told_to(database: Database) -> None:
    agents = ScriptedAgents({"answer": ["HANG", EN_LINE]})
    statuses: list[int] = []

    async def told(response: Any) -> None:
        statuses.append(response.status_code)

    http = openai.DefaultAsyncHttpxClient(event_hooks={"response": [told]})
    async with (
        serving(database, agents) as served,
        openai_client(served) as first,
        openai_client(served, max_retries=2, http_client=http) as second,
    ):
        await served.tenants.allow("acme", Allowance(concurrent_tasks=1))
        running = asyncio.create_task(ask(first))
        await until(lambda: bool(agents.model.requests))
        asking = asyncio.create_task(ask(second))
        await until(lambda: statuses == [429])
        running.cancel()
        completion = await asking
        assert statuses == [429, 200]
        assert completion.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_task_that_fails_names_itself_in_the_error(served: Served, stream: bool) -> None:
    served.agents.without_documents.add("acme")
    async with openai_client(served) as client, await served.client() as rest:
        with pytest.raises(openai.APIError, match="no documents") as failed:
            await ask_to_the_end(client, stream)
        assert failed.value.code == "index_missing"
        assert isinstance(failed.value.body, dict)
        task = (await rest.get(f"/v1/tasks/{failed.value.body['task_id']}")).json()
        assert task["status"] == "failed"
        if not stream:
            assert isinstance(failed.value, openai.ConflictError)


async def test_a_task_that_somebody_cancels_is_not_sent_again(database: Database) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with (
        serving(database, agents) as served,
        openai_client(served, max_retries=2) as client,
        await served.client() as rest,
    ):
        asking = asyncio.create_task(ask(client))
        await until(lambda: bool(agents.model.requests))
        [task] = (await rest.get("/v1/tasks")).json()["tasks"]
        await rest.delete(f"/v1/tasks/{task['id']}")
        with pytest.raises(openai.ConflictError, match="cancelled"):
            await asking
        assert len(agents.model.requests) == 1
