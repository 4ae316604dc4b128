"""The agent's own time per task: all that is neither a model call nor an embedding.

    python -m evals.overhead [--tasks N]

Runs on an index of the handbook that it makes for itself, with the real catalog, word index and
Chroma, and with two stand-ins that cost next to nothing and whose time is taken off all the same:
a model that quotes the first passage, and an embedder that hashes words. Direct and plan tasks are
interleaved, so that noise of the machine meets both.
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
from rich.console import Console
from rich.table import Table

from graph.answer import CallRecord
from graph.build import build_graph
from graph.events import UsageCounted
from graph.ports import Completion, Deps, Limits, ModelRequest
from graph.run import Agent, run_task
from graph.state import AgentInput, Mode
from knowledge.embed import Vectors
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import most_prompt_tokens
from serving.gateway.server import estimate_tokens

HANDBOOK = Path("examples/handbook")
DIMENSION = 256
QUESTIONS = (
    "What does time to first token measure?",
    "Compare RayService and RayCluster, then summarize when to use which.",
    "리틀의 법칙은 무엇인가?",
    "LoRA 어댑터를 병합하는 방식과 따로 서빙하는 방식을 비교하고, 결과를 요약해 줘.",
)
PLAN = json.dumps(
    {
        "steps": [
            {"action": "retrieve", "query": "cost"},
            {"action": "answer", "focus": "what it is"},
            {"action": "analyze", "focus": "what differs", "after": [1, 2]},
            {"action": "summarize", "focus": "in short", "after": [2, 3]},
        ]
    }
)


class QuotingModel:
    """Answers at once with the first sentence of passage 1, or with a plan of four steps."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger

    async def complete(self, request: ModelRequest) -> Completion:
        started = time.perf_counter()
        most = most_prompt_tokens(request.messages) + request.max_tokens
        reserved = await self._ledger.reserve(request.account, most)
        prompt = request.messages[-1].content
        first = re.search(r"\[1\] [^\n]*\n(.+?[.!?다])(?=\s)", prompt, re.DOTALL)
        text = PLAN if request.schema else f"{first[1] if first else 'Nothing.'} [1]"
        if request.on_draft is not None:
            request.on_draft(text)
        await self._ledger.record(
            request.account,
            CallRecord(
                id=uuid4().hex,
                node=request.node,
                step=request.step,
                prompt_tokens=estimate_tokens(prompt),
                cached_tokens=0,
                output_tokens=estimate_tokens(text),
                seconds=time.perf_counter() - started,
                outcome="ok",
            ),
            reserved,
        )
        return Completion(text=text, cut_off=False)

    async def name(self) -> str:
        return "instant"

    async def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def context_tokens(self) -> int:
        return 32_768


class HashingEmbedder:
    """Words hashed into a vector; counts the seconds that it was asked for."""

    name = "hashed-words"
    dimension = DIMENSION
    concurrency = 1
    seconds = 0.0

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        started = time.perf_counter()
        vector = np.full(DIMENSION, 1e-3, dtype=np.float32)
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % DIMENSION] += 1
        vector /= np.linalg.norm(vector)
        self.seconds += time.perf_counter() - started
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_passages(texts)


async def own_seconds(
    agent: Agent, deps: Deps, embedder: HashingEmbedder, question: str, mode: Mode
) -> float:
    """Wall time of one task less its model calls and embeddings, in seconds."""
    embedding = embedder.seconds
    task_input = AgentInput(question=question, mode=mode, profile=None)
    async for event in run_task(agent, task_input, deps):
        if isinstance(event, UsageCounted):
            calls = sum(call.seconds for call in event.calls)
            return event.seconds - calls - (embedder.seconds - embedding)
    raise AssertionError("a task ended without its bill")


async def measure(tasks: int, on_task: Callable[[], None]) -> dict[Mode, list[float]]:
    seconds: dict[Mode, list[float]] = {"direct": [], "plan": []}
    embedder, ledger = HashingEmbedder(), MemoryLedger()
    with tempfile.TemporaryDirectory() as folder:
        ingest(HANDBOOK, IndexAddress(Path(folder)), embedder)
        with open_retriever(IndexAddress(Path(folder)), embedder) as retriever:
            deps = Deps(QuotingModel(ledger), ledger, retriever, Limits())
            agent = build_graph(deps).compile()
            for mode in seconds:  # warm up: imports, caches
                await own_seconds(agent, deps, embedder, QUESTIONS[0], mode)
            for number in range(tasks // 2):
                question = QUESTIONS[number % len(QUESTIONS)]
                for mode, measured in seconds.items():
                    measured.append(await own_seconds(agent, deps, embedder, question, mode))
                    on_task()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.overhead", description=__doc__)
    parser.add_argument("--tasks", type=int, default=400, help="how many in all (default 400)")
    tasks = parser.parse_args().tasks
    console = Console()
    with console.status("running tasks") as status:
        done = iter(range(1, tasks + 1))
        seconds = asyncio.run(
            measure(tasks, lambda: status.update(f"task {next(done)} of {tasks}"))
        )
    table = Table("mode", "tasks", "median ms", "p99 ms", title="the agent's own time per task")
    for mode, values in seconds.items():
        median, p99 = np.percentile(values, [50, 99]) * 1_000
        table.add_row(mode, str(len(values)), f"{median:.1f}", f"{p99:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
