"""Studio's server for real: `langgraph dev` in a process of its own, asked over its API."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.schema import Checkpoint, ThreadState

from graph.build import NODES, STEP_NODES
from graph.errors import IndexMissing
from graph.routes import FALLBACK
from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from serving.studio import app, lifespan
from tests.stub_engine import PLAN, Hang, StubEngine
from tests.waiting import until

ROOT = Path(__file__).parents[2]
START_TIMEOUT_S = 90.0
CALL_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0

TEXTS = {
    "caching.txt": "A prefix cache keeps the key and value tensors of prompt tokens. "
    "It saves 768 of 876 prompt tokens on a repeated prompt.",
    "캐시.txt": "접두사 캐시는 프롬프트 토큰의 키와 값 텐서를 보관한다. "
    "같은 프롬프트를 다시 보내면 876개 토큰 가운데 768개를 아낀다.",
}
COMPLEX = "What does a prefix cache keep? Then summarize it."
COMPLEX_KO = "접두사 캐시는 무엇을 보관하나? 그리고 요약해 줘."
OFF_TOPIC = "Which wine goes well with grilled salmon?"
EDITED = {"steps": [{"action": "answer", "focus": "what a prefix cache keeps"}]}
COMPLAINTS = ("unregistered type", "Blocked deserialization", "Blocking", "Slow graph load")


@dataclass(frozen=True)
class Studio:
    client: SyncLangGraphClient
    engine: StubEngine
    langsmith: socket.socket  # listens; the variables tell the server to trace to it
    log: Path

    def thread(self) -> str:
        return str(self.client.threads.create()["thread_id"])

    def run(self, thread: str, question: str | None, **options: Any) -> dict[str, Any]:
        """The values at the end of a run; without a question it goes on where the thread stands."""
        task_input = {"question": question, "mode": "plan"} if question else None
        ended = self.client.runs.wait(
            thread, "agent", input=task_input, raise_error=False, **options
        )
        assert isinstance(ended, dict)
        return ended

    def edit(self, thread: str, plan: Mapping[str, Any], at: Checkpoint | None = None) -> Any:
        """Put a plan into the state as Studio does, in plain JSON; gives the new checkpoint."""
        edited = self.client.threads.update_state(
            thread, {"made": {"plan": plan}}, as_node="plan", checkpoint=at
        )
        return edited["checkpoint"]

    def planned(self, thread: str) -> ThreadState:
        """The state after the plan and before its first step."""
        history = self.client.threads.get_history(thread, limit=50)
        found: ThreadState = next(one for one in reversed(history) if one["next"] == ["schedule"])
        return found


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "documents").mkdir()
    for name, text in TEXTS.items():
        (folder / "documents" / name).write_text(text, "utf-8")
    ingest(folder / "documents", IndexAddress(folder / "home" / "index"), make_embedder())
    engine = StubEngine()
    engine.start()
    langsmith = socket.create_server(("127.0.0.1", 0))
    langsmith.setblocking(False)
    own = environment(
        KA_HOME=str(folder / "home"),
        KA_ENGINE_URL=engine.url,
        LANGSMITH_API_KEY="key",
        LANGSMITH_ENDPOINT=f"http://127.0.0.1:{langsmith.getsockname()[1]}",
        LANGSMITH_TRACING="true",
        LANGCHAIN_TRACING_V2="true",
    )
    log = folder / "server.log"
    port = free_port()
    with log.open("wb") as out:
        server = subprocess.Popen(
            [
                Path(sys.executable).with_name("langgraph"),
                *("dev", "--config", ROOT / "langgraph.json", "--port", str(port)),
                *("--no-browser", "--no-reload"),
            ],
            cwd=folder,
            env=own,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        wait_for(server, f"http://127.0.0.1:{port}", log)
        client = get_sync_client(url=f"http://127.0.0.1:{port}", timeout=CALL_TIMEOUT_S)
        yield Studio(client, engine, langsmith, log)
    finally:
        end(server)
        engine.stop()
        langsmith.close()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def environment(**own: str) -> dict[str, str]:
    others = ("KA_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return {**kept, "LANGGRAPH_CLI_NO_ANALYTICS": "1", **own}


def wait_for(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(url + "/ok", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("langgraph dev did not start:\n" + log.read_text("utf-8")[-4_000:])


def end(server: subprocess.Popen[bytes]) -> None:
    """The whole group: the server may have children."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, signum)
            server.wait(STOP_TIMEOUT_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def test_the_drawing_shows_every_node_and_every_fallback(studio: Studio) -> None:
    drawing = studio.client.assistants.get_graph("agent")
    drawn = {str(node["id"]) for node in drawing["nodes"]}
    assert {name for name in drawn if not name.startswith("__")} == {*NODES, *STEP_NODES}
    edges = {(edge["source"], edge["target"]): edge for edge in drawing["edges"]}
    assert FALLBACK.items() <= edges.keys()
    assert edges["plan", "plan_by_rules"]["data"] == "failed"
    assert {("admit", "rewrite"), ("gate", "refuse"), ("verify", "revise")} <= edges.keys()


@pytest.mark.parametrize(
    ("question", "document"), [(COMPLEX, "caching.txt"), (COMPLEX_KO, "캐시.txt")]
)
def test_a_question_is_planned_and_answered_with_citations(
    question: str, document: str, studio: Studio
) -> None:
    ended = studio.run(studio.thread(), question)
    assert ended["made"] == {"plan": PLAN, "maker": "model", "reason": ""}
    assert ended["outcome"]["kind"] == "answered"
    assert [one["document"] for one in ended["outcome"]["citations"]] == [document]
    assert [call["node"] for call in ended["calls"].values()] == ["plan", "answer", "summarize"]


def test_the_history_shows_the_state_before_each_node(studio: Studio) -> None:
    thread = studio.thread()
    studio.run(thread, COMPLEX)
    history = studio.client.threads.get_history(thread, limit=50)
    nodes = ["admit", "retrieve", "gate", "select", "plan", "schedule"]
    steps = ["answer", "schedule", "summarize", "schedule", "verify"]
    assert [state["next"] for state in reversed(history)] == [
        ["__start__"],
        *([name] for name in nodes + steps),
        [],
    ]
    planned = studio.planned(thread)["values"]
    assert isinstance(planned, dict)
    assert planned["made"]["plan"] == PLAN
    assert planned["evidence"][0]["text"].startswith("A prefix cache keeps")


def test_a_finished_task_is_run_again_from_its_plan_with_an_edited_one(studio: Studio) -> None:
    thread = studio.thread()
    studio.run(thread, COMPLEX)
    edited = studio.edit(thread, EDITED, at=studio.planned(thread)["checkpoint"])
    ended = studio.run(thread, None, checkpoint=edited)
    assert ended["made"]["maker"] == "person"
    assert [step["focus"] for step in ended["made"]["plan"]["steps"]] == [
        "what a prefix cache keeps"
    ]
    assert [call["node"] for call in ended["calls"].values()] == ["plan", "answer"]
    assert ended["outcome"]["kind"] == "answered"


def test_a_run_that_stops_after_the_plan_goes_on_with_the_edited_one(studio: Studio) -> None:
    thread = studio.thread()
    stopped = studio.run(thread, COMPLEX, interrupt_after=["plan"])
    assert stopped["made"]["plan"] == PLAN
    assert stopped.get("outcome") is None
    studio.edit(thread, EDITED)
    ended = studio.run(thread, None)
    assert ended["made"]["maker"] == "person"
    assert ended["outcome"]["kind"] == "answered"


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ({"action": "browse", "focus": "the web"}, "Input tag 'browse'"),
        ({"action": "answer", "focus": "itself", "after": [1]}, "step 1 reads step 1"),
    ],
)
def test_an_invalid_edited_plan_ends_the_run_with_its_error(
    step: dict[str, Any], complaint: str, studio: Studio
) -> None:
    thread = studio.thread()
    studio.run(thread, COMPLEX, interrupt_after=["plan"])
    studio.edit(thread, {"steps": [step]})
    assert studio.run(thread, None)["__error__"]["error"] == "PlanInvalid"
    assert studio.client.runs.list(thread)[0]["status"] == "error"
    assert complaint in studio.log.read_text("utf-8")
    studio.edit(thread, EDITED)
    assert studio.run(thread, None)["outcome"]["kind"] == "answered"


def test_the_next_task_of_a_thread_has_nothing_of_the_last_one(studio: Studio) -> None:
    thread = studio.thread()
    first = studio.run(thread, COMPLEX)
    second = studio.run(thread, OFF_TOPIC)
    assert second["task"]["id"] != first["task"]["id"]
    assert second["outcome"]["kind"] == "refused"
    assert [call["node"] for call in second["calls"].values()] == ["rewrite"]
    assert second.get("made") is None
    values = studio.client.threads.get_state(thread)["values"]
    assert isinstance(values, dict)
    assert (values["results"], values["evidence"], values["kept"]) == ({}, [], [])
    assert [turn["question"] for turn in values["turns"]] == [COMPLEX]


async def test_a_cancelled_run_ends_its_model_call(studio: Studio) -> None:
    thread = studio.thread()
    studio.engine.script.append(Hang())
    run = studio.client.runs.create(thread, "agent", input={"question": COMPLEX})
    await until(lambda: studio.engine.open_streams == 1)
    studio.client.runs.cancel(thread, run["run_id"], wait=True)
    await until(lambda: studio.engine.open_streams == 0)
    assert studio.client.runs.get(thread, run["run_id"])["status"] == "interrupted"
    assert studio.client.threads.get_state(thread)["next"] == ["plan"]


def test_the_servers_log_has_no_complaint_about_this_graph(studio: Studio) -> None:
    thread = studio.thread()
    studio.run(thread, COMPLEX, interrupt_after=["plan"])
    studio.edit(thread, EDITED)
    studio.run(thread, None)
    log = studio.log.read_text("utf-8")
    assert "Background run succeeded" in log
    assert [complaint for complaint in COMPLAINTS if complaint in log] == []


def test_nothing_is_sent_to_langsmith_whatever_variables_are_set(studio: Studio) -> None:
    assert studio.run(studio.thread(), COMPLEX)["outcome"]["kind"] == "answered"
    with pytest.raises(BlockingIOError):  # nobody has called
        studio.langsmith.accept()


async def test_without_an_index_the_start_fails_and_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KA_HOME", str(tmp_path))
    with pytest.raises(IndexMissing, match="knowledge-agent ingest"):
        async with lifespan(app):
            pass
