"""How well the index finds the document that answers: by meaning alone (a question without words),
by words alone (one without a vector), and by both."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

from ir_measures import RR, Qrel, R, ScoredDoc, iter_calc, nDCG

from evals.corpora import OpenCorpus, open_corpora, shown_passages
from evals.metrics import mean, rate
from evals.public_sets import WHOLE
from evals.questions import all_corpora, all_samples
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value, source_version
from knowledge.search import Found

SIDES = ("dense", "lexical", "fused")
MEASURES = {"ndcg@10": nDCG @ 10, "recall@5": R @ 5, "mrr@10": RR @ 10}
METRICS = {"ndcg@10": mean, "recall@5": rate, "mrr@10": mean}
"""One document answers, so that it is recalled or not."""

HITS = 30
"""Passages that a search is asked for: a long document has several and counts once."""


def samples(options: Options) -> list[Sample]:
    return [s for s in all_samples(options, WHOLE) if "document" in s.gold]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    with open_corpora(options, all_corpora(options, WHOLE)) as opened:

        async def ask(sample: Sample) -> Outcome:
            ask_corpus = opened[sample.corpus].ask
            return await ask_corpus(lambda corpus: search_outcome(corpus, sample.question))

        indexes = {name: corpus.version for name, corpus in opened.items()}
        yield Target(ask, source_version("knowledge", **indexes))


def search_outcome(corpus: OpenCorpus, question: str) -> Outcome:
    vector = corpus.vector(question)
    fused = corpus.search(question, vector, HITS)
    return {
        "dense": _documents(corpus.search("", vector, HITS)),
        "lexical": _documents(corpus.search(question, None, HITS)),
        "fused": _documents(fused),
        "passages": shown_passages(fused),
    }


def _documents(found: Found) -> list[str]:
    return list(dict.fromkeys(hit.passage.document for hit in found.hits))


def ranking(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """The library is given the sides as queries of their own. A document that nearly repeats the
    right one counts as that one."""
    twins = sample.gold.get("twins", ())
    gold = [Qrel(side, sample.gold["document"], 1) for side in SIDES]
    found = [
        ScoredDoc(side, document, -place)
        for side in SIDES
        for place, document in enumerate(_one_of(twins, sample.gold["document"], outcome[side]))
    ]
    names = {measure: name for name, measure in MEASURES.items()}
    return {
        f"{names[metric.measure]} {metric.query_id}": metric.value
        for metric in iter_calc(list(names), gold, found)
    }


def _one_of(twins: Collection[str], right: str, found: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(right if document in twins else document for document in found))


def worst(result: Result) -> float:
    return 1.0 - float(result.scores["ndcg@10 fused"] or 0.0)


SUITE = Suite(
    name="retrieval",
    about="nDCG, recall and reciprocal rank of the document that answers",
    dataset=samples,
    target=target,
    scorers=(ranking,),
    metrics=tuple(METRICS[measure](f"{measure} {side}") for measure in MEASURES for side in SIDES),
    worst=worst,
    corpora=("handbook", *WHOLE, "own"),
)
