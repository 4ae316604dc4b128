"""How well the index finds documents: nDCG@10 and Recall@5 of each side alone and of both together.

    python -m evals.retrieval --data DIR [--set NAME]... [--titles] [--questions N] [--cache DIR]

Each passage of a public set becomes a document, the product's ingest makes an index of them with
the real embedder, and the product's search answers: by meaning alone (a question without words),
by words alone (one without a vector), and by both. The handbook's questions are asked of its PDFs.
Indexes and vectors stay in the cache folder, so that a second run embeds nothing.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals.question_sets import SETS, QuestionSet, read_set
from knowledge.calibrate import cautious, current_calibration
from knowledge.embed import Embedder, Vectors, make_embedder
from knowledge.ingest import ingest
from knowledge.search import Found, Searcher
from knowledge.store import IndexAddress, open_store
from knowledge.vector_cache import VectorCache, vector_key

RANKS, NEAREST = 10, 5
HITS = 30
"""Passages that a search is asked for: a long document has several and counts once."""

RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions, and the middle 95% of the means of samples with replacement."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Side:
    ndcg: Figure
    recall: Figure


@dataclass(frozen=True, slots=True)
class Result:
    """`refused` is the share of these answerable questions that the gate turns away."""

    name: str
    questions: int
    dense: Side
    lexical: Side
    fused: Side
    refused: float


class Questioner:
    """Makes vectors of questions, and keeps them in a file."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._kept = VectorCache(path)

    def vector(self, question: str) -> Vectors:
        key = vector_key(f"{self._embedder.name}, question", question)
        known = self._kept.find([key])
        if key not in known:
            known[key] = self._embedder.embed_query(question)
            self._kept.keep(known, used_s=int(time.time()))
        return known[key]


def measure(
    name: str, asked: QuestionSet, address: IndexAddress, questioner: Questioner, console: Console
) -> Result:
    ranks: dict[str, list[int]] = {"dense": [], "lexical": [], "fused": []}
    refused = 0
    with open_store(address) as store:
        searcher = Searcher(store)
        gate = current_calibration(store) or cautious(store)
        for question in track(asked.questions, name, console=console, transient=True):
            vector = questioner.vector(question.text)
            both = searcher.search(question.text, vector, limit=HITS)
            for side, found in (
                ("dense", searcher.search("", vector, limit=HITS)),
                ("lexical", searcher.search(question.text, None, limit=HITS)),
                ("fused", both),
            ):
                ranks[side].append(_place(found, question.document))
            signal = gate.signal(question.text, both.features)
            refused += signal.score < signal.bound
    sides = {side: _side(np.array(places)) for side, places in ranks.items()}
    return Result(name, len(asked.questions), **sides, refused=refused / len(asked.questions))


def _place(found: Found, document: str) -> int:
    """Of a document among those found, from 1; 0 where it is not among them."""
    documents = list(dict.fromkeys(hit.passage.document for hit in found.hits))
    return documents.index(document) + 1 if document in documents else 0


def _side(places: NDArray[np.int64]) -> Side:
    """With one right document, nDCG is the discount of its place: 1 / log2(1 + place)."""
    gains = np.where(
        (places > 0) & (places <= RANKS), 1 / np.log2(np.maximum(places, 1) + 1.0), 0.0
    )
    near = np.where((places > 0) & (places <= NEAREST), 1.0, 0.0)
    return Side(_figure(gains), _figure(near))


def _figure(values: NDArray[np.float64]) -> Figure:
    chance = np.random.default_rng(0)
    means = [chance.choice(values, len(values)).mean() for _ in range(RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(float(values.mean()), float(low), float(high))


def _table(results: Sequence[Result]) -> Table:
    table = Table("set", "questions", "dense", "lexical", "fused", "95%", "refused")
    table.title = f"nDCG@{RANKS} / Recall@{NEAREST}"
    for result in results:
        sides = [
            f"{side.ndcg.mean:.3f} / {side.recall.mean:.3f}"
            for side in (result.dense, result.lexical, result.fused)
        ]
        interval = f"{result.fused.ndcg.low:.3f} to {result.fused.ndcg.high:.3f}"
        refused = f"{result.refused:.1%}"
        table.add_row(result.name, f"{result.questions:,}", *sides, interval, refused)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public sets")
    parser.add_argument("--set", choices=SETS, action="append", help="only these (default all)")
    parser.add_argument("--titles", action="store_true", help="put each text below its title")
    parser.add_argument("--questions", type=int, help="only the first N of each set")
    parser.add_argument("--cache", type=Path, help="folder that keeps indexes and vectors")
    parser.add_argument("--json", action="store_true", help="print JSON, with all intervals")
    arguments = parser.parse_args()
    console = Console(stderr=arguments.json)
    embedder = make_embedder()
    with ExitStack() as stack:
        place = arguments.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = place / ("titles" if arguments.titles else "texts")
        place.mkdir(parents=True, exist_ok=True)
        questioner = Questioner(embedder, place.parent / "questions.sqlite3")
        results = []
        for name in arguments.set or SETS:
            asked = read_set(name, arguments.data)
            address = IndexAddress(place / "indexes" / asked.corpus.replace("/", "-"))
            with console.status(f"{name}: making the index"):
                report = ingest(asked.folder(place, titles=arguments.titles), address, embedder)
            if not report.complete:
                raise SystemExit(f"the index for {name} is not complete: {report.problem}")
            asked = asked.first(arguments.questions)
            results.append(measure(name, asked, address, questioner, console))
            console.print(_table(results[-1:]))
    if arguments.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    else:
        console.print(_table(results))


if __name__ == "__main__":
    main()
