"""What reaches LangSmith: nothing without a key, no content unless turned on, and no delay."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from langsmith import utils as langsmith_utils

from graph.answer import Answered
from graph.build import build_graph
from graph.events import AnswerGiven
from graph.evidence import Passage
from graph.ports import Deps, Limits
from graph.run import run_task
from graph.state import AgentInput
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.settings import load_settings
from serving.telemetry import langsmith as telemetry
from serving.telemetry.langsmith import tracing
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever
from tests.stub_engine import Fail, StubEngine
from tests.waiting import until

QUESTION = "What does a prefix cache keep? Then summarize it."
QUESTION_KO = "접두사 캐시는 무엇을 보관하나? 그리고 요약해 줘."
# Words of the question, of the passages and so of the answer, of the plan, of the prompts.
CONTENT = [
    "Then summarize",
    "tensors",
    "876 prompt tokens",
    "what the passages say",
    "You answer questions",
]
CONTENT_KO = ["요약해", "텐서", "876개 토큰", "what the passages say", "You answer questions"]
CASES = [(QUESTION, EN_PASSAGES, CONTENT), (QUESTION_KO, KO_PASSAGES, CONTENT_KO)]
# How the service wants its runs; as multipart they would be compressed.
PLAIN_JSON = {
    "use_multipart_endpoint": False,
    "scale_up_qsize_trigger": 1_000,
    "scale_up_nthreads_limit": 1,
    "scale_down_nempty_trigger": 1,
    "size_limit": 100,
    "size_limit_bytes": 1_000_000,
}


@dataclass
class LangSmith:
    """Plays the service: takes runs, and keeps every byte."""

    url: str = ""
    connections: int = 0
    bodies: list[bytes] = field(default_factory=list)

    @property
    def text(self) -> str:
        return b"\n".join(self.bodies).decode()

    @property
    def runs(self) -> dict[str, dict[str, Any]]:
        """By id; a run is sent when it starts and once more when it has ended."""
        found: dict[str, dict[str, Any]] = {}
        for body in map(json.loads, self.bodies):
            for sent in (*body.get("post", ()), *body.get("patch", ())):
                run = found.setdefault(sent["id"], {})
                run |= {name: value for name, value in sent.items() if value is not None}
        return found

    def below(self, parent: str | None) -> list[dict[str, Any]]:
        runs = [run for run in self.runs.values() if run.get("parent_run_id") == parent]
        return sorted(runs, key=lambda run: str(run["dotted_order"]))


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LangSmith]:
    service = LangSmith()
    info = json.dumps({"batch_ingest_config": PLAIN_JSON}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(info)

        def do_POST(self) -> None:
            service.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self._reply(b"{}")

        def _reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def verify_request(self, *_: object) -> bool:
            service.connections += 1
            return True

    server = Server(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGSMITH_ENDPOINT", service.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    forget_variables()
    yield service
    forget_variables()
    server.shutdown()
    server.server_close()


def forget_variables() -> None:
    """The client reads a variable once in the life of a process."""
    langsmith_utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # has overloads


@pytest.fixture
async def deps(stub_engine: StubEngine) -> AsyncIterator[Deps]:
    ledger = MemoryLedger()
    model = GatewayModel(ModelServer(stub_engine.url, None, None), ledger, None)
    yield Deps(model=model, ledger=ledger, retriever=FixedRetriever(), limits=Limits())
    await model.aclose()


async def ask(
    deps: Deps, question: str = QUESTION, passages: tuple[Passage, ...] = EN_PASSAGES
) -> Answered | None:
    """The answer of one traced task."""
    answer: Answered | None = None
    deps = replace(deps, retriever=FixedRetriever(passages))
    with tracing(load_settings()):
        agent = build_graph(deps).compile()
        async for event in run_task(agent, AgentInput(question=question, mode="plan"), deps):
            if isinstance(event, AnswerGiven):
                answer = event.answer
    return answer


@pytest.mark.parametrize("key", [None, ""])
async def test_without_a_key_no_connection_is_tried_whatever_else_is_set(
    key: str | None,
    langsmith: LangSmith,
    deps: Deps,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LANGSMITH_API_KEY")
    if key is not None:
        monkeypatch.setenv("LANGSMITH_API_KEY", key)
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("KA_TRACE_CONTENT", "true")
    assert await ask(deps) is not None
    assert langsmith.connections == 0


async def test_a_task_is_one_tree_of_nodes_and_model_calls(
    langsmith: LangSmith, deps: Deps
) -> None:
    await ask(deps)
    (task,) = langsmith.below(None)
    assert (task["name"], task["session_name"]) == ("task", "knowledge-agent")
    nodes = langsmith.below(task["id"])
    before = ["admit", "retrieve", "gate", "select", "plan", "schedule"]
    after = ["answer", "schedule", "summarize", "schedule", "verify"]
    assert [node["name"] for node in nodes] == before + after
    callers = [
        node["name"]
        for node in nodes
        if [run for run in langsmith.below(node["id"]) if run["run_type"] == "llm"]
    ]
    assert callers == ["plan", "answer", "summarize"]
    assert all("end_time" in run for run in langsmith.runs.values())


@pytest.mark.parametrize("trace_content", ["false", "true"])
async def test_every_model_call_shows_its_prompt_cached_and_output_tokens(
    trace_content: str,
    langsmith: LangSmith,
    deps: Deps,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KA_TRACE_CONTENT", trace_content)
    await ask(deps)
    calls = [run for run in langsmith.runs.values() if run["run_type"] == "llm"]
    assert len(calls) == 3
    for call in calls:
        metadata = call["extra"]["metadata"]
        usage = metadata["usage_metadata"]
        assert metadata["ls_model_name"] == "stub-model"
        assert usage["input_token_details"]["cache_read"] == usage["input_tokens"] // 2 > 0
        assert usage["output_tokens"] > 0


@pytest.mark.parametrize(("question", "passages", "content"), CASES)
async def test_no_content_is_sent_unless_turned_on(
    question: str,
    passages: tuple[Passage, ...],
    content: list[str],
    langsmith: LangSmith,
    deps: Deps,
) -> None:
    assert await ask(deps, question, passages) is not None
    assert len(langsmith.runs) > 10
    assert [words for words in content if words in langsmith.text] == []


@pytest.mark.parametrize(("question", "passages", "content"), CASES)
async def test_content_is_sent_when_turned_on(
    question: str,
    passages: tuple[Passage, ...],
    content: list[str],
    langsmith: LangSmith,
    deps: Deps,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KA_TRACE_CONTENT", "true")
    await ask(deps, question, passages)
    assert [words for words in content if words not in langsmith.text] == []


async def test_of_an_error_only_its_class_is_sent(
    langsmith: LangSmith, stub_engine: StubEngine, deps: Deps
) -> None:
    stub_engine.script.append(Fail(400, f"cannot read {QUESTION}"))
    await ask(deps)
    errors = {run["name"]: run["error"] for run in langsmith.runs.values() if "error" in run}
    assert errors == {"ChatOpenAI": "OpenAIInvalidRequestError", "plan": "ModelRejected"}
    assert "cannot read" not in langsmith.text
    assert "Traceback" not in langsmith.text


async def test_a_langsmith_that_is_down_costs_nothing_but_the_trace(
    langsmith: LangSmith, deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert await ask(deps) is not None
    assert langsmith.connections == 0


async def test_a_langsmith_that_never_answers_is_given_up(
    langsmith: LangSmith, deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "FLUSH_TIMEOUT_S", 0.1)
    monkeypatch.setattr(telemetry, "REQUEST_TIMEOUT_S", (0.3, 0.3))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert await ask(deps) is not None
        await until(lambda: not tracing_threads())


def tracing_threads() -> list[str]:
    """Python waits for them before the process ends."""
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if "tracing_control" in name]
