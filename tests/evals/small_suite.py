"""A suite without parts of the product: its target repeats what a sample gives."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evals.metrics import mean, rate
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value
from serving.settings import Settings

QUESTIONS = {"en": "What is a KV cache?", "ko": "KV 캐시가 무엇인가?"}


def samples(count: int) -> list[Sample]:
    """Half of them English, half Korean; every fifth far."""
    languages = ("en", "ko")
    return [
        Sample(
            id=f"{number}",
            language=languages[number % 2],
            kind="far" if number % 5 == 0 else "answerable",
            question=f"{QUESTIONS[languages[number % 2]]} {number}",
        )
        for number in range(count)
    ]


@dataclass
class Echo:
    """Counts what it was asked. `broken` names samples at which it raises."""

    version: str = "1"
    broken: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    pause_s: float = 0.0

    @asynccontextmanager
    async def open(self, options: Options) -> AsyncIterator[Target]:
        yield Target(self.ask, self.version)

    async def ask(self, sample: Sample) -> Outcome:
        self.asked.append(sample.id)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self.pause_s)
            if sample.id in self.broken:
                raise RuntimeError("the target is broken")
            return {"text": sample.question, "passages": []}
        finally:
            self.running -= 1


def echoed(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    return {"echoed": outcome["text"] == sample.question, "length": len(outcome["text"])}


def suite(echo: Echo, count: int = 20, **changes: Any) -> Suite:
    small = Suite(
        name="small",
        about="an echo",
        dataset=lambda options: samples(count),
        target=echo.open,
        scorers=(echoed,),
        metrics=(rate("echoed"), mean("length", unit="characters")),
    )
    return replace(small, **changes)


def options(folder: Path, **changes: Any) -> Options:
    return replace(Options(Settings(home=folder), folder / "cache"), **changes)


def result(sample_id: str, kind: str, language: str = "en", **scores: Value) -> Result:
    sample = Sample(sample_id, language, kind, QUESTIONS[language])
    return Result(sample, {}, scores, None, 0.0)
