"""Does the gate refuse what the corpus is not about, and nothing else?

The handbook with its own questions; with `--data`, also halves of SQuAD 2.0 and KorQuAD 1.0. Every
fifth of their articles is left out of the index: questions about these are near. Without `--engine`
only retrieval and gate are asked: there are no model calls to count.
"""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from scipy.special import expit

from evals.agent import agent_target
from evals.corpora import OpenCorpus, open_corpora, shown_passages
from evals.metrics import auroc, mean, quantile, rate, refused_at, saved
from evals.public_sets import IN_PART
from evals.questions import all_corpora, all_samples
from evals.suite import (
    Options,
    Outcome,
    Reliability,
    Result,
    Sample,
    Separation,
    Suite,
    Target,
    Value,
    source_version,
)
from nodes.retrieve import LIMIT

OUTSIDE = ("far", "near", "unanswerable", "not_covered", "false_premise")


def samples(options: Options) -> list[Sample]:
    """The handbook's near questions are about its subjects, and stand apart by why they cannot be
    answered: only of a public set are they about articles that the index does not have."""
    return [
        replace(sample, kind=sample.gold.get("why", sample.kind))
        for sample in all_samples(options, IN_PART)
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    corpora = all_corpora(options, IN_PART)
    if options.engine:
        async with agent_target(options, corpora) as agent:
            yield agent
        return
    with open_corpora(options, corpora) as opened:

        async def ask(sample: Sample) -> Outcome:
            ask_corpus = opened[sample.corpus].ask
            return await ask_corpus(lambda corpus: gate_outcome(corpus, sample.question))

        bounds = {name: corpus.version for name, corpus in opened.items()}
        yield Target(ask, source_version("knowledge", **bounds))


def gate_outcome(corpus: OpenCorpus, question: str) -> Outcome:
    """`gate_ms` is search and signal, from the question's vector on."""
    vector = corpus.vector(question)
    started = time.perf_counter()
    found = corpus.search(question, vector, LIMIT)
    signal = corpus.signal(found)
    gate_ms = (time.perf_counter() - started) * 1_000
    refused = not found.hits or signal.score < signal.bound
    return {
        "kind": "refused" if refused else "passed",
        "reason": "out_of_domain" if refused else None,
        "domain": signal.model_dump(mode="json"),
        "gate_ms": gate_ms,
        "passages": shown_passages(found),
    }


def refused(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    refusal = outcome["kind"] == "refused"
    by_gate = refusal and outcome["reason"] == "out_of_domain"
    return {"refused": refusal, "refused_by_gate": by_gate}


def gate(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """A calibrated score is the log-odds that a question is one about the corpus, where as many are
    as are not."""
    domain = outcome["domain"]
    inside = {"answerable": True, "far": False}.get(sample.kind)
    calibrated = domain["method"] == "calibrated" and inside is not None
    return {
        "margin": domain["score"] - domain["bound"],
        "gate_ms": outcome.get("gate_ms"),
        "told_inside": float(expit(domain["score"])) if calibrated else None,
        "inside": inside if calibrated else None,
    }


def calls(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    spent: int | None = outcome.get("model_calls")
    by_gate = outcome["reason"] == "out_of_domain"
    return {"model_calls": spent, "calls_of_refused": spent if by_gate else None}


def worst(result: Result) -> float:
    """By how far the question is on the wrong side of the bound."""
    wrong = result.scores["refused"] == (result.sample.kind not in OUTSIDE)
    return abs(float(result.scores["margin"] or 0.0)) if wrong else 0.0


SUITE = Suite(
    name="ood_refusal",
    about="refusals of far, near and unanswerable questions, and false refusals",
    dataset=samples,
    target=target,
    scorers=(refused, gate, calls),
    metrics=(
        rate("refused", kinds=OUTSIDE),
        rate("refused", name="false_refusals", kinds=("answerable",)),
        rate("refused_by_gate"),
        auroc("margin", inside="answerable", kinds=OUTSIDE),
        refused_at(0.05, "margin", inside="answerable", kinds=OUTSIDE, name="refused_at_5"),
        mean("model_calls", unit="calls"),
        mean("calls_of_refused", unit="calls"),
        saved("model_calls", against="answerable", kinds=OUTSIDE, name="calls_saved", unit="calls"),
        quantile("gate_ms", 0.5, name="gate_median_ms", by=("corpus", "language"), unit="ms"),
    ),
    plots=(
        Separation("margin", inside="answerable", outside=OUTSIDE, decision="refused_by_gate"),
        Reliability("told_inside", "inside", even=True),
    ),
    worst=worst,
    corpora=("handbook", *IN_PART, "own"),
)
