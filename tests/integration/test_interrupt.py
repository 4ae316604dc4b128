"""Ctrl-C on the real command, in a process of its own."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from tests.stub_engine import Hang, StubEngine
from tests.waiting import until


async def test_ctrl_c_cancels_the_task_and_its_call_and_exits_with_130(
    stub_engine: StubEngine, tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "cache.txt").write_text("A prefix cache keeps the tensors of prompt tokens.")
    ingest(documents, IndexAddress(tmp_path / "home" / "index"), make_embedder())
    stub_engine.script.append(Hang())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.cli", "ask", "What does a prefix cache keep?"),
        env={**os.environ, "KA_HOME": str(tmp_path / "home"), "KA_ENGINE_URL": stub_engine.url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    await until(lambda: stub_engine.open_streams == 1, timeout_s=60)
    process.send_signal(signal.SIGINT)
    await until(lambda: stub_engine.open_streams == 0, timeout_s=5)
    out, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 130
    assert out == b""
    assert b"interrupted" in err
    assert b"Traceback" not in err
