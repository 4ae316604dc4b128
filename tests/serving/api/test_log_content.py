"""No line of the log says what was asked, answered or read, nor with which key."""

import io
import json
import logging
from typing import Any

import httpx
import pytest

from graph.errors import ModelRejected
from serving.settings import Settings
from serving.store.database import Database
from serving.telemetry.logs import configure_logging
from tests.fakes import FixedRetriever, Line, passage
from tests.serving.api.conftest import ScriptedAgents, Served, serving
from tests.serving.api.traced import Spans, traced_service
from tests.serving.telemetry.test_logs import _loggers_as_they_were
from tests.stub_engine import BreakOff, Fail, Odd, Say, StubEngine

__all__ = ["_loggers_as_they_were"]

WORD = "zx4711"  # where letters of other scripts cannot stand
MARK = f"마크{WORD}"
ASK = {"question": f"What does {MARK} keep?", "mode": "direct", "profile": f"{MARK} reads"}
PASSAGES = (passage(f"The {MARK} cache keeps answers for 60 seconds.", document=f"{MARK}.pdf"),)


@pytest.fixture(params=["json", "text"])
def log(request: pytest.FixtureRequest) -> io.StringIO:
    stream = io.StringIO()
    configure_logging(Settings(log_format=request.param), stream)
    return stream


async def ask(served: Served, **changed: Any) -> tuple[httpx.Response, str]:
    """The response, and the secret of the key that was used."""
    async with await served.client() as client:
        secret = client.headers["authorization"].split("_", 2)[2]
        return await client.post("/v1/tasks", json={**ASK, **changed}), secret


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ([Say(f"The {MARK} cache keeps answers for 60 seconds. [1]")], "answered"),
        ([Say(MARK)] * 3, "answered"),
        ([Fail(500, MARK)] * 3, "answered"),
        ([Fail(400, MARK)], "answered"),
        ([Odd(f"data: {MARK}\n\n")], "answered"),
        ([BreakOff()] * 3, "answered"),
    ],
)
async def test_not_whatever_the_engine_says(
    database: Database, stub_engine: StubEngine, log: io.StringIO, script: list[Any], status: str
) -> None:
    stub_engine.script.extend(script)
    retriever = FixedRetriever(PASSAGES)
    async with traced_service(database, stub_engine, Spans().traces, retriever) as served:
        response, secret = await ask(served)
        assert response.json()["status"] == status
    assert "the task ended: answered" in log.getvalue()
    assert WORD not in log.getvalue()
    assert secret not in log.getvalue()


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (ValueError(f"cannot read {MARK}"), 500, "met a defect"),
        (ModelRejected(f"no {MARK}"), 200, "the task ended: "),
    ],
)
async def test_not_when_a_task_fails_or_meets_a_defect(
    database: Database, log: io.StringIO, line: Line, status: int, said: str
) -> None:
    async with serving(database, ScriptedAgents({"personalize": line})) as served:
        response, secret = await ask(served)
        assert response.status_code == status
    assert said in log.getvalue()
    assert WORD not in log.getvalue()
    assert secret not in log.getvalue()


async def test_not_of_a_request_that_is_wrong_or_meets_a_defect(
    served: Served, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    response, _ = await ask(served, mode=MARK, scope={MARK: MARK})
    assert response.status_code == 422
    async with await served.client() as client:
        await client.get(f"/v1/{MARK}?{MARK}={MARK}")
        await client.get("/v1/tasks", headers={"Authorization": f"Bearer {WORD}"})
        await client.post("/v1/tasks", content=f"{{{MARK}")

        async def defect(*_: object, **__: object) -> None:
            raise RuntimeError(MARK)

        monkeypatch.setattr(served.service.tasks, "page", defect)
        assert (await client.get("/v1/tasks")).status_code == 500
    assert "a defect at GET /v1/tasks" in log.getvalue()
    assert "RuntimeError" in log.getvalue()
    assert WORD not in log.getvalue()


async def test_a_request_is_one_line_with_the_template_of_its_path(database: Database) -> None:
    stream = io.StringIO()
    async with serving(database, ScriptedAgents({"answer": "x"})) as served:
        configure_logging(Settings(log_format="json"), stream)
        async with await served.client() as client:
            response = await client.get(f"/v1/tasks/{'0' * 32}?{WORD}")
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    (line,) = [each for each in found if each["logger"] == "serving.api.access"]
    assert (line["method"], line["route"]) == ("GET", "/v1/tasks/{task_id}")
    assert (line["status"], line["bytes"]) == (404, len(response.content))
    assert line["tenant"] == "acme"
    assert 0 < line["seconds"] < 60
    assert line["level"] == logging.getLevelName(logging.INFO)
