"""Ask a target for the outcome of each sample, and score it.

A run can be interrupted at any moment and goes on where it stood: outcomes are kept as they come.
What a target or a scorer raises becomes the result's error; the other samples go on.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.outcomes import OutcomeLog, Record, outcome_log, read_outcomes
from evals.suite import Options, Outcome, Result, Sample, Suite, Target
from graph.errors import InputError

logger = logging.getLogger(__name__)

OUTCOMES = "outcomes.jsonl"


@dataclass(frozen=True, slots=True)
class Limits:
    """`timeout_s` is for one sample. It ends what awaits; what computes without a pause belongs
    into a thread."""

    concurrency: int = 4
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Run:
    """`asked` counts the samples of this run; the outcomes of the others were known."""

    results: tuple[Result, ...]
    asked: int
    target_version: str

    @property
    def errors(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.error is not None)


async def run(
    suite: Suite,
    samples: Sequence[Sample],
    options: Options,
    folder: Path,
    limits: Limits,
    on_done: Callable[[Record, int], None] = lambda record, total: None,
) -> Run:
    """`on_done` is called after each sample that was asked, with the number of all to ask. Raises
    `InputError` where two samples have one id, and what opening the target raises."""
    if doubled := [name for name, times in Counter(s.id for s in samples).items() if times > 1]:
        raise InputError(f"{suite.name}: several samples have the id {doubled[0]!r}")
    async with suite.target(options) as target:
        known = read_outcomes(folder / OUTCOMES)
        keys = {sample.id: sample.key(target.version) for sample in samples}
        unknown = [sample for sample in samples if keys[sample.id] not in known]
        waiting = iter(unknown)

        async def work(log: OutcomeLog) -> None:
            for sample in waiting:
                record = await _ask(target, sample, keys[sample.id], limits.timeout_s)
                log.append(record)
                known[record.key] = record
                on_done(record, len(unknown))
                await asyncio.sleep(0)  # where a target never waits, Ctrl-C arrives here

        with outcome_log(folder / OUTCOMES) as log:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(limits.concurrency, len(unknown))):
                    group.create_task(work(log))
    results = score(suite, [(sample, known[keys[sample.id]]) for sample in samples])
    return Run(tuple(results), len(unknown), target.version)


def score(suite: Suite, records: Sequence[tuple[Sample, Record]]) -> Iterator[Result]:
    for sample, record in records:
        scores, error = {}, record.error
        if record.outcome is not None:
            try:
                scores = suite.scores(sample, record.outcome)
            except Exception as failure:  # noqa: BLE001  counted and shown as the sample's error
                error = f"a scorer failed: {type(failure).__name__}: {failure}"
        yield Result(sample, record.outcome, scores, error, record.seconds)


async def _ask(target: Target, sample: Sample, key: str, timeout_s: float) -> Record:
    started = time.perf_counter()
    outcome: Outcome | None = None
    error = None
    try:
        async with asyncio.timeout(timeout_s):
            # As it will be read back, so that a resumed run scores the same.
            outcome = json.loads(json.dumps(await target.ask(sample), allow_nan=False))
    except TimeoutError:
        error = f"no outcome within {timeout_s:g} s"
    except Exception as failure:
        logger.debug("sample %s failed", sample.id, exc_info=True)
        error = f"{type(failure).__name__}: {failure}"
    return Record(key, sample.id, outcome, error, time.perf_counter() - started)
