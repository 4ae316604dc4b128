import asyncio

import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk

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
from tests.serving.api.openai_clients import langchain_model, openai_client
from tests.waiting import until

DIRECT = "knowledge-agent-direct"
LANGUAGES = [("en", EN_QUESTION, EN_LINE), ("ko", KO_QUESTION, KO_LINE)]


async def streamed(client: AsyncOpenAI, question: str) -> list[ChatCompletionChunk]:
    stream = await client.chat.completions.create(
        model=DIRECT,
        messages=[{"role": "user", "content": question}],
        stream=True,
        stream_options={"include_usage": True},
    )
    return [chunk async for chunk in stream]


@pytest.mark.parametrize(("language", "question", "line"), LANGUAGES)
async def test_an_answer_cites_the_document_at_each_mark(
    database: Database, language: str, question: str, line: str
) -> None:
    async with (
        serving(database, ScriptedAgents({"answer": line}, language)) as served,
        openai_client(served) as client,
    ):
        completion = await client.chat.completions.create(
            model=DIRECT, messages=[{"role": "user", "content": question}], temperature=0.7
        )
        [choice] = completion.choices
        assert choice.message.content == line
        assert choice.finish_reason == "stop"
        [annotation] = choice.message.annotations or []
        cited = annotation.url_citation
        assert line[cited.start_index : cited.end_index] == "[2]"
        assert (cited.title, cited.model_extra and cited.model_extra["page"]) == (
            "Caching" if language == "en" else "캐시",
            2,
        )
        assert "/pages/2?start=" in cited.url


async def test_the_bill_is_that_of_the_task_which_the_id_names(served: Served) -> None:
    async with openai_client(served) as client, await served.client() as rest:
        completion = await client.chat.completions.create(
            model=DIRECT, messages=[{"role": "user", "content": EN_QUESTION}]
        )
        task = (await rest.get(f"/v1/tasks/{completion.id.removeprefix('chatcmpl-')}")).json()
        assert (task["status"], task["mode"]) == ("answered", "direct")
        usage = completion.usage
        assert usage is not None
        assert usage.prompt_tokens_details is not None
        assert usage.prompt_tokens == task["usage"]["prompt_tokens"] > 0
        assert usage.completion_tokens == task["usage"]["output_tokens"] == len(EN_LINE.split())
        assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
        assert usage.prompt_tokens_details.cached_tokens == task["usage"]["cached_tokens"]


@pytest.mark.parametrize(("language", "question", "line"), LANGUAGES)
async def test_a_stream_has_the_verified_text_and_no_draft(
    database: Database, language: str, question: str, line: str
) -> None:
    invented = {"en": "The moon is made of cheese. [1]", "ko": "달은 치즈로 만들어졌다. [1]"}
    drafted = f"{invented[language]} {line}"
    async with (
        serving(database, ScriptedAgents({"answer": drafted, "revise": ""}, language)) as served,
        openai_client(served) as client,
    ):
        chunks = await streamed(client, question)
        assert chunks[0].choices[0].delta.role == "assistant"
        assert "".join(_content(chunk) for chunk in chunks) == line
        [told] = [one for one in chunks if one.choices and _annotations(one)]
        assert _annotations(told)[0]["url_citation"]["page"] == 2
        assert [chunk.choices[0].finish_reason for chunk in chunks[-2:-1]] == ["stop"]
        assert chunks[-1].choices == []
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.completion_tokens >= len(drafted.split())
        assert len({chunk.id for chunk in chunks}) == 1


def _content(chunk: ChatCompletionChunk) -> str:
    return chunk.choices[0].delta.content or "" if chunk.choices else ""


def _annotations(chunk: ChatCompletionChunk) -> list[dict[str, dict[str, object]]]:
    found: list[dict[str, dict[str, object]]] = (chunk.choices[0].delta.model_extra or {}).get(
        "annotations", []
    )
    return found


async def test_a_refusal_is_a_message_with_its_reason_beside_it(database: Database) -> None:
    agents = ScriptedAgents({"answer": "NO ANSWER", "revise": "NO ANSWER"})
    async with serving(database, agents) as served, openai_client(served) as client:
        completion = await client.chat.completions.create(
            model=DIRECT, messages=[{"role": "user", "content": "Who won the chess final of 1972?"}]
        )
        [choice] = completion.choices
        assert choice.finish_reason == "stop"
        assert choice.message.content
        assert choice.message.annotations == []
        report = (completion.model_extra or {})["knowledge_agent"]
        assert report["status"] == "refused"
        assert report["refusal_reason"] in ("not_in_documents", "unsupported")


async def test_earlier_messages_are_turns_and_system_messages_the_profile(
    database: Database,
) -> None:
    agents = ScriptedAgents(
        {"rewrite": KO_QUESTION, "answer": KO_LINE, "personalize": KO_LINE}, "ko"
    )
    async with serving(database, agents) as served, openai_client(served) as client:
        completion = await client.chat.completions.create(
            model=DIRECT,
            messages=[
                {"role": "developer", "content": "신입 개발자"},
                {"role": "user", "content": [{"type": "text", "text": "응답 캐시가 뭔가요?"}]},
                {"role": "assistant", "content": "답변 전체를 보관합니다. [1]"},
                {"role": "user", "content": "얼마나 보관하나요?"},
            ],
        )
        assert completion.choices[0].message.content == KO_LINE
        rewrite, answer = agents.model.requests
        assert rewrite.node == "rewrite"
        assert "응답 캐시가 뭔가요?" in rewrite.messages[-1].content
        assert "답변 전체를 보관합니다." in rewrite.messages[-1].content
        assert "신입 개발자" in answer.messages[-1].content


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_cancels_its_task(database: Database, stream: bool) -> None:
    agents = ScriptedAgents({"answer": "HANG"})
    async with serving(database, agents) as served, openai_client(served) as client:
        asking = asyncio.create_task(_ask(client, stream))
        await until(lambda: bool(agents.model.requests))
        asking.cancel()
        await until(lambda: not served.service.runner.running)
        [record] = await served.service.tasks.page("acme", limit=2)
        assert record.status == "cancelled"
        assert record.result is not None
        assert record.result["cancelled"] == "client_left"


async def _ask(client: AsyncOpenAI, stream: bool) -> None:
    if stream:
        await streamed(client, EN_QUESTION)
    else:
        await client.chat.completions.create(
            model=DIRECT, messages=[{"role": "user", "content": EN_QUESTION}]
        )


async def test_a_repeat_with_the_same_key_is_not_run_again(served: Served) -> None:
    async with openai_client(served) as client:
        first, second = [
            await client.chat.completions.create(
                model=DIRECT,
                messages=[{"role": "user", "content": EN_QUESTION}],
                extra_headers={"Idempotency-Key": "질문-1".encode().hex()},
            )
            for _ in range(2)
        ]
        assert first == second
        assert len(served.agents.model.requests) == 1


@pytest.mark.parametrize(("language", "question", "line"), LANGUAGES)
async def test_langchain_invokes_and_streams_the_agent(
    database: Database, language: str, question: str, line: str
) -> None:
    async with serving(database, ScriptedAgents({"answer": line}, language)) as served:
        model = await langchain_model(served, DIRECT, stream_usage=True)
        message = await model.ainvoke(question)
        assert message.content == line
        assert message.usage_metadata is not None
        assert message.usage_metadata["output_tokens"] == len(line.split())
        pieces = [piece async for piece in model.astream(question)]
        assert "".join(str(piece.content) for piece in pieces) == line
        assert [piece.usage_metadata for piece in pieces if piece.usage_metadata] == [
            message.usage_metadata
        ]
