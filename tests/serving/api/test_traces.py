"""One trace a task, from the caller's to the engine's."""

import asyncio
from collections import defaultdict

import pytest

from graph.evidence import Passage
from serving.store.database import Database
from serving.telemetry.traces import Traces
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever
from tests.serving.api.conftest import EN_QUESTION, KO_QUESTION
from tests.serving.api.traced import Spans, attribute, id_of, parent_of, trace_of, traced_service
from tests.stub_engine import Fail, StubEngine

ASK = {"question": EN_QUESTION, "mode": "direct"}
CALLER = "0af7651916cd43dd8448eb211c80319c"
CALLERS_SPAN = "b7ad6b7169203331"
SAMPLED = 1
TRACEPARENT = {"traceparent": f"00-{CALLER}-{CALLERS_SPAN}-01"}


async def test_a_task_is_one_tree_of_nodes_retrieval_and_model_calls(
    database: Database, stub_engine: StubEngine
) -> None:
    spans = Spans()
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        task = (await client.post("/v1/tasks", json=ASK)).json()
    root = spans.one("task")
    assert parent_of(root) is None
    assert {trace_of(span) for span in spans.all} == {task["trace_id"]}
    assert attribute(root, "knowledge_agent.task.id") == task["id"]
    assert attribute(root, "knowledge_agent.tenant") == "acme"
    assert attribute(root, "knowledge_agent.mode") == "direct"
    assert attribute(root, "knowledge_agent.outcome") == "answered"
    nodes = [span for span in spans.all if parent_of(span) == id_of(root)]
    assert [span.name for span in nodes][:3] == ["admit", "retrieve", "gate"]
    assert {"answer", "verify"} <= {span.name for span in nodes}
    assert parent_of(spans.one("retrieval")) == id_of(spans.one("retrieve"))
    assert parent_of(spans.one("model call")) == id_of(spans.one("answer"))


async def test_a_model_call_tells_model_tokens_and_why_it_ended(
    database: Database, stub_engine: StubEngine
) -> None:
    spans = Spans()
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        usage = (await client.post("/v1/tasks", json=ASK)).json()["usage"]
    call = spans.one("model call")
    assert attribute(call, "gen_ai.request.model") == "stub-model"
    assert attribute(call, "gen_ai.usage.input_tokens") == usage["prompt_tokens"] > 0
    assert attribute(call, "gen_ai.usage.cache_read.input_tokens") == usage["cached_tokens"] > 0
    assert attribute(call, "gen_ai.usage.output_tokens") == usage["output_tokens"] > 0
    assert attribute(call, "gen_ai.response.finish_reasons") == ("stop",)
    first_token_s = attribute(call, "knowledge_agent.first_token_seconds")
    assert isinstance(first_token_s, float)
    assert 0 < first_token_s <= usage["calls"][0]["seconds"]


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_callers_trace_goes_on_through_the_task_to_the_engine(
    database: Database, stub_engine: StubEngine, accept: str
) -> None:
    spans = Spans()
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        headers = {**TRACEPARENT, "Accept": accept}
        response = await client.post("/v1/tasks", json=ASK, headers=headers)
        assert response.headers["trace-id"] == CALLER
        task = (await client.get(response.headers["location"])).json()
    assert task["trace_id"] == CALLER
    assert parent_of(spans.one("task")) == int(CALLERS_SPAN, 16)
    call = f"{id_of(spans.one('model call')):016x}"
    assert stub_engine.headers["traceparent"] == f"00-{CALLER}-{call}-01"


@pytest.mark.parametrize("broken", ["00-0-0-01", "nonsense", f"00-{'0' * 32}-{CALLERS_SPAN}-01"])
async def test_a_broken_traceparent_begins_a_trace_of_our_own(
    database: Database, stub_engine: StubEngine, broken: str
) -> None:
    spans = Spans()
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        response = await client.post("/v1/tasks", json=ASK, headers={"traceparent": broken})
        assert response.status_code == 200
    assert parent_of(spans.one("task")) is None


async def test_spans_of_parallel_tasks_do_not_mix(
    database: Database, stub_engine: StubEngine
) -> None:
    spans = Spans()
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        body = {"question": EN_QUESTION, "mode": "plan"}
        asked = (client.post("/v1/tasks", json=body) for _ in range(6))
        tasks = [response.json() for response in await asyncio.gather(*asked)]
    assert {task["status"] for task in tasks} == {"answered"}
    names = defaultdict(list)
    for span in spans.all:
        names[trace_of(span)].append(span.name)
        assert parent_of(span) in {None, *(id_of(one) for one in spans.all)}
    assert set(names) == {task["trace_id"] for task in tasks}
    assert len({tuple(sorted(of_one)) for of_one in names.values()}) == 1
    calls = [len(task["usage"]["calls"]) for task in tasks]
    assert [names[task["trace_id"]].count("model call") for task in tasks] == calls


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize(
    ("question", "passages", "words"),
    [
        (EN_QUESTION, EN_PASSAGES, ["How long does", "876 prompt tokens", "You answer"]),
        (KO_QUESTION, KO_PASSAGES, ["얼마나 보관", "60초 동안", "876개 토큰"]),
    ],
)
async def test_content_is_in_spans_only_when_turned_on(
    database: Database,
    stub_engine: StubEngine,
    content: bool,
    question: str,
    passages: tuple[Passage, ...],
    words: list[str],
) -> None:
    spans = Spans(content=content)
    stub_engine.script.append(Fail(500, f"cannot read {question}"))
    async with (
        traced_service(database, stub_engine, spans.traces, FixedRetriever(passages)) as served,
        await served.client() as client,
    ):
        task = (await client.post("/v1/tasks", json={"question": question, "mode": "plan"})).json()
        assert task["status"] == "answered"
    text = "".join(str(span.attributes) + span.to_json() for span in spans.all)
    assert [word for word in words if word in text] == (words if content else [])
    assert "cannot read" not in text


async def test_a_refusal_and_a_failure_tell_their_reason(
    database: Database, stub_engine: StubEngine
) -> None:
    spans = Spans()
    async with (
        traced_service(
            database, stub_engine, spans.traces, FixedRetriever(EN_PASSAGES, score=0.1)
        ) as served,
        await served.client() as client,
    ):
        await client.post("/v1/tasks", json=ASK)
    refused = spans.one("task")
    assert attribute(refused, "knowledge_agent.outcome") == "refused"
    assert attribute(refused, "knowledge_agent.refusal.reason") == "out_of_domain"
    assert refused.status.is_ok


async def test_a_node_that_failed_tells_the_class_of_the_error(
    database: Database, stub_engine: StubEngine
) -> None:
    spans = Spans()
    stub_engine.script.append(Fail(400))
    async with (
        traced_service(database, stub_engine, spans.traces) as served,
        await served.client() as client,
    ):
        task = (await client.post("/v1/tasks", json=ASK)).json()
    assert task["answer"]["degraded"]
    for name in ("answer", "model call"):
        span = spans.one(name)
        assert (attribute(span, "error.type"), span.status.is_ok) == ("ModelRejected", False)
        assert span.status.description is None
        assert span.events == ()
    assert attribute(spans.one("task"), "knowledge_agent.degraded") == ("answer",)


async def test_without_a_collector_a_task_still_has_its_trace(
    database: Database, stub_engine: StubEngine
) -> None:
    async with (
        traced_service(database, stub_engine, Traces()) as served,
        await served.client() as client,
    ):
        response = await client.post("/v1/tasks", json=ASK)
        trace_id = response.json()["trace_id"]
    assert response.headers["trace-id"] == trace_id
    assert int(trace_id, 16) > 0
    _, sent_trace_id, _, flags = stub_engine.headers["traceparent"].split("-")
    assert sent_trace_id == trace_id
    assert not int(flags, 16) & SAMPLED
