"""The log of the real command: every line an object, and none with content or a key."""

import json
from pathlib import Path

from serving.store.audit import AuditStore
from serving.store.database import open_database
from tests.serving.api.process import log_of, new_home, served
from tests.stub_engine import Fail, StubEngine

WORD = "zx4711"
ASK = {
    "question": f"How long does a response cache keep {WORD} 답변 {WORD}?",
    "profile": f"{WORD} reads",
    "mode": "direct",
}


async def test_the_servers_output_has_no_content_and_is_json(
    tmp_path: Path, stub_engine: StubEngine
) -> None:
    home = new_home(tmp_path)
    stub_engine.script.append(Fail(400, f"the prompt was {WORD}"))
    async with served(home, stub_engine) as (process, client):
        for body in (ASK, ASK, {**ASK, "mode": WORD}, {"question": ""}):
            await client.post("/v1/tasks", json=body)
        await client.get(f"/v1/{WORD}?{WORD}=1", headers={"Authorization": f"Bearer {WORD}"})
        metrics = (await client.get("/metrics")).text
        secret = client.headers["authorization"].split("_", 2)[2]
        process.terminate()
        await process.wait()
    output = log_of(home).read_text("utf-8")
    greeting, *lines = output.splitlines()
    assert "/docs" in greeting
    logged = [json.loads(line) for line in lines]
    assert [each["route"] for each in logged if each.get("status") == 422] == ["/v1/tasks"] * 2
    assert len([each for each in logged if each["message"].startswith("the task ended")]) == 2
    assert 'knowledge_agent_fallbacks_total{error="ModelRejected"' in metrics
    for words in (WORD, secret, "response cache", "답변"):
        assert words not in output
    async with open_database(None, home) as database:
        audited = await AuditStore(database).page(limit=9, action="task.ended")
    assert WORD not in str(audited)
    assert len(audited) == 2
