"""Does the answerability score tell questions that the passages answer from those they do not?

The passages are what a search for the question finds. Of the public sets, SQuAD 2.0 has questions
that look like answerable ones; RGB, named by `--data` too, has searches of the web with and without
the answer among the passages; it is left out where corpora are named.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from evals.corpora import OpenCorpus, open_corpora
from evals.metrics import auroc, quantile, refused_at
from evals.public_sets import IN_PART
from evals.questions import all_corpora, all_samples, read_rows
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value, source_version
from graph.evidence import Passage
from nodes.answerability.judgement import answerability

FOUND = 5
WITHOUT = ("unanswerable", "not_covered", "false_premise", "near", "noise")
RGB = {
    "en": ("rgb/en_from_cag.jsonl", "passages_with_answer", "passages_without_answer"),
    "zh": ("rgb/zh_refine.jsonl", "positive", "negative"),
}
MIN_NOISE, ANSWERING = 4, 2


def samples(options: Options) -> list[Sample]:
    found = [
        replace(sample, kind=sample.gold.get("why", sample.kind))
        for sample in all_samples(options, IN_PART)
    ]
    if options.data and not options.corpora:
        found += _rgb(options)
    return [sample for sample in found if sample.kind in (*WITHOUT, "answerable")]


def _rgb(options: Options) -> Iterator[Sample]:
    """Passages without the answer ('noise'), and two with it among them ('answerable')."""
    assert options.data is not None
    for language, (file, holding, lacking) in RGB.items():
        for row in read_rows(options.data / file):
            noise = row[lacking][:FOUND]
            if len(noise) < MIN_NOISE or not row[holding]:
                continue
            mixed = [*noise[: FOUND - ANSWERING], *row[holding][:ANSWERING]]
            for kind, passages in (("noise", noise), ("answerable", mixed)):
                yield Sample(
                    f"rgb/{language}/{kind}/{row['id']}",
                    language,
                    kind,
                    row["query"],
                    "rgb",
                    given={"passages": passages},
                )


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    with open_corpora(options, all_corpora(options, IN_PART)) as opened:

        async def ask(sample: Sample) -> Outcome:
            if "passages" in sample.given:
                passages = _passages(sample.given["passages"])
                return await asyncio.to_thread(outcome, sample.question, passages)
            ask_corpus = opened[sample.corpus].ask
            return await ask_corpus(lambda corpus: search_outcome(corpus, sample.question))

        indexes = {name: corpus.version for name, corpus in opened.items()}
        yield Target(ask, source_version("nodes", "knowledge", **indexes))


def search_outcome(corpus: OpenCorpus, question: str) -> Outcome:
    found = corpus.search(question, corpus.vector(question), FOUND)
    return outcome(question, [hit.passage for hit in found.hits])


def _passages(texts: list[str]) -> list[Passage]:
    return [
        Passage(
            id=str(number),
            document=f"{number}.txt",
            title="",
            page=1,
            start=0,
            end=len(text),
            text=text,
        )
        for number, text in enumerate(filter(None, texts))
    ]


def outcome(question: str, passages: list[Passage]) -> dict[str, Any]:
    started = time.perf_counter()
    found = answerability(question, passages)
    judged_ms = (time.perf_counter() - started) * 1_000
    return {
        "text": f"{found.score:.2f}: {found.reason}",
        "score": found.score,
        "judged_ms": judged_ms,
        "passages": [
            {"document": passages[found.passage].document, "page": 1, "text": found.sentence}
        ]
        if found.passage is not None
        else [],
    }


def judged(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    return {"score": outcome["score"], "judged_ms": outcome["judged_ms"]}


def worst(result: Result) -> float:
    """How sure the score is of the contrary."""
    score = float(result.scores["score"] or 0.0)
    return 1 - score if result.sample.kind == "answerable" else score


SUITE = Suite(
    name="answerability",
    about="the answerability score of questions with and without an answer in what was found",
    dataset=samples,
    target=target,
    scorers=(judged,),
    metrics=(
        auroc("score", inside="answerable", kinds=WITHOUT),
        refused_at(0.05, "score", inside="answerable", kinds=WITHOUT, name="refused_at_5"),
        refused_at(0.15, "score", inside="answerable", kinds=WITHOUT, name="refused_at_15"),
        quantile("judged_ms", 0.5, name="judged_median_ms", by=("corpus", "language"), unit="ms"),
    ),
    worst=worst,
    corpora=("handbook", *IN_PART, "rgb", "own"),
)
