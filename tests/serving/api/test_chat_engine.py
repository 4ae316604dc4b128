"""Chat completions past the agent: the engine's own model, within the tenant's quota."""

import asyncio
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

from serving.store.database import Database
from serving.store.tenants import Allowance
from tests.serving.api.openai_clients import langchain_model, openai_client, serving_engine
from tests.stub_engine import MODEL, BreakOff, Hang, Say, StubEngine
from tests.waiting import until

KO_SAID = "서울은 대한민국의 수도입니다."
EN_SAID = "Seoul is the capital of Korea."
MESSAGES: list[ChatCompletionMessageParam] = [
    {"role": "developer", "content": "Answer in short."},
    {"role": "user", "content": "Hello!"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "What is the capital of Korea?"},
]
PROMPT_TOKENS = 11  # of the stub's tokenizer: words


async def say(client: AsyncOpenAI, **options: Any) -> str:
    stream = await client.chat.completions.create(
        model=MODEL, messages=MESSAGES, stream=True, **options
    )
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    return "".join(pieces)


async def complete(client: AsyncOpenAI) -> str:
    completion = await client.chat.completions.create(model=MODEL, messages=MESSAGES)
    return completion.choices[0].message.content or ""


async def used(served: Any) -> tuple[int, int]:
    day, _ = await served.service.quotas.standing("acme")
    return day.used, day.reserved


@pytest.mark.parametrize("said", [EN_SAID, KO_SAID])
async def test_the_engine_is_sent_what_the_client_sent_and_its_usage_is_billed(
    database: Database, stub_engine: StubEngine, said: str
) -> None:
    stub_engine.script.extend([Say(said), Say(said)])
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        completion = await client.chat.completions.create(
            model=MODEL, messages=MESSAGES, max_tokens=40, temperature=0.3, seed=7, stop=["END"]
        )
        assert completion.choices[0].message.content == said
        assert completion.choices[0].finish_reason == "stop"
        sent = stub_engine.requests[-1]
        assert [one["role"] for one in sent["messages"]] == ["system", "user", "assistant", "user"]
        assert (sent["temperature"], sent["seed"], sent["stop"]) == (0.3, 7, ["END"])
        assert sent["max_completion_tokens"] == 40
        assert "frequency_penalty" not in sent
        usage = completion.usage
        assert usage is not None
        assert usage.prompt_tokens_details is not None
        assert usage.prompt_tokens == PROMPT_TOKENS
        assert usage.prompt_tokens_details.cached_tokens == PROMPT_TOKENS // 2
        assert await used(served) == (usage.total_tokens, 0)
        assert await say(client) == said
        assert await used(served) == (2 * usage.total_tokens, 0)


async def test_the_task_is_found_with_its_text_and_its_call(
    database: Database, stub_engine: StubEngine
) -> None:
    stub_engine.script.append(Say(KO_SAID))
    async with (
        serving_engine(database, stub_engine) as served,
        openai_client(served) as client,
        await served.client() as rest,
    ):
        completion = await client.chat.completions.create(model=MODEL, messages=MESSAGES)
        task = (await rest.get(f"/v1/tasks/{completion.id.removeprefix('chatcmpl-')}")).json()
        assert (task["status"], task["mode"]) == ("completed", "engine")
        assert task["completion"] == {"text": KO_SAID, "cut_off": False}
        assert task["question"] == MESSAGES[-1]["content"]
        [call] = task["usage"]["calls"]
        assert call["outcome"] == "ok"
        assert call["prompt_tokens"] == PROMPT_TOKENS
        [day] = (await rest.get("/v1/usage")).json()["days"]
        assert (day["tasks"], day["prompt_tokens"]) == (1, PROMPT_TOKENS)


async def test_no_call_is_made_for_which_the_quota_has_no_tokens(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        most = PROMPT_TOKENS + 40
        await served.tenants.allow("acme", Allowance(tokens_per_day=most - 1))
        with pytest.raises(openai.RateLimitError) as refused:
            await client.chat.completions.create(model=MODEL, messages=MESSAGES, max_tokens=40)
        assert refused.value.code == "insufficient_quota"
        assert int(refused.value.response.headers["retry-after"]) > 0
        assert stub_engine.requests == []
        assert await used(served) == (0, 0)
        await served.tenants.allow("acme", Allowance(tokens_per_day=most))
        await client.chat.completions.create(model=MODEL, messages=MESSAGES, max_tokens=40)


async def test_parallel_calls_never_overshoot_a_quota(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        allowed = 5 * (PROMPT_TOKENS + 40)
        await served.tenants.allow("acme", Allowance(tokens_per_day=allowed))
        calls = (
            client.chat.completions.create(model=MODEL, messages=MESSAGES, max_tokens=40)
            for _ in range(20)
        )
        ended = await asyncio.gather(*calls, return_exceptions=True)
        billed = [
            usage.total_tokens
            for one in ended
            if isinstance(one, ChatCompletion) and (usage := one.usage)
        ]
        refused = [one for one in ended if isinstance(one, BaseException)]
        assert {type(one) for one in refused} == {openai.RateLimitError}
        assert len(billed) == len(stub_engine.requests) >= 5
        assert await used(served) == (sum(billed), 0)
        assert sum(billed) <= allowed


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_ends_the_call_at_the_engine(
    database: Database, stub_engine: StubEngine, stream: bool
) -> None:
    stub_engine.script.append(Hang())
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        asking = asyncio.create_task(say(client) if stream else complete(client))
        await until(lambda: stub_engine.open_streams == 1)
        asking.cancel()
        await until(lambda: stub_engine.open_streams == 0)
        await until(lambda: not served.service.runner.running)
        assert await used(served) == (0, 0)  # the engine had sent nothing
        [record] = await served.service.tasks.page("acme", limit=2)
        assert record.status == "cancelled"


async def test_an_engine_that_breaks_off_ends_the_stream_with_an_error(
    database: Database, stub_engine: StubEngine
) -> None:
    stub_engine.script.append(BreakOff())
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        with pytest.raises(openai.APIError, match="model server") as broken:
            await say(client)
        assert broken.value.code == "model_unavailable"
        tokens, reserved = await used(served)
        assert reserved == 0
        assert tokens > 0  # of the half that it had sent


async def test_what_does_not_fit_the_window_is_refused_before_it_is_sent(
    database: Database, stub_engine: StubEngine
) -> None:
    stub_engine.max_model_len = PROMPT_TOKENS + 40
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.chat.completions.create(model=MODEL, messages=MESSAGES, max_tokens=41)
        assert refused.value.code == "context_length_exceeded"
        assert stub_engine.requests == []
        await client.chat.completions.create(model=MODEL, messages=MESSAGES)
        assert stub_engine.requests[-1]["max_completion_tokens"] == 40


async def test_langchain_invokes_and_streams_the_engine(
    database: Database, stub_engine: StubEngine
) -> None:
    stub_engine.script.extend([Say(KO_SAID), Say(KO_SAID)])
    async with serving_engine(database, stub_engine) as served:
        model = await langchain_model(served, MODEL, stream_usage=True, temperature=0.5)
        message = await model.ainvoke([("system", "짧게 답하세요."), ("user", "수도는 어디인가?")])
        assert message.content == KO_SAID
        assert stub_engine.requests[-1]["temperature"] == 0.5
        pieces = [piece async for piece in model.astream("수도는 어디인가요?")]
        assert "".join(str(piece.content) for piece in pieces) == KO_SAID
        assert any(piece.usage_metadata for piece in pieces)


async def test_a_repeat_with_the_same_key_is_called_and_billed_once(
    database: Database, stub_engine: StubEngine
) -> None:
    async with serving_engine(database, stub_engine) as served, openai_client(served) as client:
        headers = {"Idempotency-Key": "once"}
        first, again = [
            await client.chat.completions.create(
                model=MODEL, messages=MESSAGES, extra_headers=headers
            )
            for _ in range(2)
        ]
        assert first == again
        assert await say(client, extra_headers=headers) == first.choices[0].message.content
        assert len(stub_engine.requests) == 1
        with pytest.raises(openai.ConflictError):
            await say(client, seed=8, extra_headers=headers)
