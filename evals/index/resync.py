"""A second ingest of a folder that has not changed, and of one where a single file has."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from evals.index import corpora
from evals.index.outcome import Ingested
from evals.index.process import Ran, run
from evals.index.product import in_new_process, passages
from evals.index.throughput import OnStep

MARKDOWN_FILES = 1_900
MARKDOWN_PARAGRAPHS = 6
PDF_FILES = 100
COMMAND = Path(sys.executable).with_name("knowledge-agent")


@dataclass(frozen=True, slots=True)
class Resync:
    """`second_seconds` is the wall time of the whole command; calls are of the embedder."""

    files: int
    passages: int
    first_seconds: float
    second_seconds: float
    second_cpu_seconds: float
    second_calls: int
    changed_file_passages: int
    changed_passages_embedded: int
    changed_queries_embedded: int
    changed_seconds: float


def measure(rounds: int, scratch: Path, on_step: OnStep) -> Resync:
    folder, home = scratch / "documents", scratch / "home"
    index = home / "index"  # where the command looks with KA_HOME=home
    corpora.write_markdown(folder / "markdown", MARKDOWN_FILES, MARKDOWN_PARAGRAPHS)
    corpora.copy_pdfs(folder / "pdf", PDF_FILES)
    on_step(f"first ingest of {MARKDOWN_FILES + PDF_FILES:,} files")
    first = _ingest(folder, index)
    runs: list[Ran] = []
    for number in range(rounds):
        on_step(f"second ingest, round {number + 1} of {rounds}")
        again = _command(folder, home)
        if json.loads(again.output)["embedded"]:
            raise AssertionError("an ingest of an unchanged folder embedded texts")
        runs.append(again)
    on_step("second ingest, calls of the embedder counted")
    second = _ingest(folder, index)
    on_step("one changed file")
    changed = folder / "markdown" / "0000" / "000050.md"
    text = changed.read_text("utf-8")
    changed.write_text(text + "\n" + corpora.Writer("en", seed=4).paragraph(), "utf-8")
    third = _ingest(folder, index)
    name = changed.relative_to(folder).as_posix()
    return Resync(
        files=MARKDOWN_FILES + PDF_FILES,
        passages=first.passages,
        first_seconds=first.seconds,
        second_seconds=median(run.seconds for run in runs),
        second_cpu_seconds=median(run.cpu_seconds for run in runs),
        second_calls=second.embedded_passages + second.embedded_queries,
        changed_file_passages=sum(
            passage.document == name for passage in passages(index, first.passages * 2)
        ),
        changed_passages_embedded=third.embedded_passages,
        changed_queries_embedded=third.embedded_queries,
        changed_seconds=third.seconds,
    )


def _ingest(folder: Path, index: Path) -> Ingested:
    return Ingested(**in_new_process(folder, index).last_line)


def _command(folder: Path, home: Path) -> Ran:
    # In a folder of its own: a file .env of this one could say otherwise.
    return run(
        [COMMAND, "ingest", folder.resolve(), "--json"],
        settings={"KA_HOME": str(home)},
        folder=home,
    )
