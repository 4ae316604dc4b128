"""Ingest throughput of the product and its peers: same machine, files, embedder and Chroma.

Every run is a process of its own, warmed up by a few files, on an empty index; the systems take
turns, so that noise of the machine meets all of them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from evals.index import corpora
from evals.index.embedders import EmbedderName
from evals.index.outcome import Ingested, pdfs
from evals.index.process import ProcessFailed, run
from evals.index.product import in_new_process

PEER_PYTHON = Path(".venv-bench/bin/python")
PRODUCT = "knowledge-agent"
PEERS = {"LangChain": "evals.index.peers_langchain", "LlamaIndex": "evals.index.peers_llamaindex"}
SYSTEMS = (PRODUCT, *PEERS)

OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`runs` holds the rounds of each system, on the same files."""

    corpus: str
    embedder: EmbedderName
    documents: int
    runs: Mapping[str, Sequence[Ingested]]

    def of(self, system: str, value: Callable[[Ingested], float]) -> float:
        """The median over the rounds."""
        return median(value(run) for run in self.runs[system])

    def passages_per_second(self, system: str, calibrated: bool = True) -> float:
        """Embedding left out; without `calibrated` the gate's calibration too."""
        return self.of(system, lambda run: run.passages / _seconds(run, calibrated))

    def pages_per_second(self, system: str, calibrated: bool = True) -> float:
        """As above; the pages of the files are the same for every system."""
        pages = max(run.pages for runs in self.runs.values() for run in runs)
        return self.of(system, lambda run: pages / _seconds(run, calibrated))


def _seconds(run: Ingested, calibrated: bool) -> float:
    return run.rest_seconds - (0.0 if calibrated else run.calibrating_seconds)


@dataclass(frozen=True, slots=True)
class Survey:
    """What each system says of each file that it got no text from."""

    files: tuple[str, ...]
    problems: Mapping[str, Mapping[str, str]]

    @property
    def readable(self) -> tuple[str, ...]:
        """Files that every system gets text from."""
        return tuple(
            file
            for file in self.files
            if not any(file in problems for problems in self.problems.values())
        )


def survey(folder: Path, scratch: Path, on_step: OnStep) -> Survey:
    files, copies = pdfs(folder), scratch / "all"
    corpora.copy_files(files, copies)
    problems: dict[str, Mapping[str, str]] = {}
    for system in SYSTEMS:
        on_step(f"which files {system} reads")
        if system == PRODUCT:
            problems[system] = ingest(system, copies, scratch / "survey", "generated").files
        else:
            problems[system] = _tried(system, files)
    return Survey(tuple(file.name for file in files), problems)


def _tried(peer: str, files: Sequence[Path]) -> dict[str, str]:
    """A file that ends the process is noted, and a new process goes on behind it."""
    problems: dict[str, str] = {}
    left = list(files)
    while left:
        tried = run([PEER_PYTHON, "-m", PEERS[peer], "try", *left], may_fail=True)
        told = told_problems(tried.output)
        problems |= {file: problem for file, problem in told.items() if problem}
        left = left[len(told) :]
        if left:
            problems[left.pop(0).name] = f"ended the process ({tried.returncode})"
    return problems


def told_problems(output: str) -> dict[str, str]:
    """What `try` printed among what libraries print: file and problem, '' where there is none."""
    lines = [line for line in output.splitlines() if line.startswith('{"file": ')]
    return {told["file"]: told["problem"] for told in map(json.loads, lines)}


def ingest(system: str, folder: Path, index: Path, embedder: EmbedderName) -> Ingested:
    """One run in a new process. `index` must not exist yet."""
    if system == PRODUCT:
        return Ingested(**in_new_process(folder, index, embedder, "--warm").last_line)
    command: list[str | Path] = [
        PEER_PYTHON,
        "-m",
        PEERS[system],
        "ingest",
        embedder,
        index,
        folder,
    ]
    return Ingested(**run(command).last_line)


def compare(
    corpus: str, folder: Path, embedder: EmbedderName, rounds: int, scratch: Path, on_step: OnStep
) -> Comparison:
    if not PEER_PYTHON.exists():
        raise ProcessFailed(f"{PEER_PYTHON} is missing; `make bench-index` makes it")
    runs: dict[str, list[Ingested]] = {system: [] for system in SYSTEMS}
    for number in range(rounds):
        for system, done in runs.items():
            on_step(f"{corpus}, {embedder} vectors, round {number + 1} of {rounds}: {system}")
            index = scratch / f"{corpus}-{embedder}-{system}-{number}"
            done.append(ingest(system, folder, index, embedder))
    return Comparison(corpus, embedder, len(pdfs(folder)), runs)


def handbook(embedder: EmbedderName, rounds: int, scratch: Path, on_step: OnStep) -> Comparison:
    return compare("handbook", corpora.HANDBOOK, embedder, rounds, scratch, on_step)


def hard_pdfs(
    folder: Path, rounds: int, scratch: Path, on_step: OnStep
) -> tuple[Survey, Comparison]:
    found = survey(folder, scratch, on_step)
    readable = scratch / "readable"
    corpora.copy_files([folder / name for name in found.readable], readable)
    return found, compare("hard PDFs", readable, "generated", rounds, scratch, on_step)
