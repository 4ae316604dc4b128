"""One question against the store: dense and lexical candidates, fused, without near-duplicates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import log1p
from statistics import fmean, pstdev
from typing import get_args

from graph.evidence import Hit, Passage
from knowledge.embed import Vectors
from knowledge.lexical import MAX_QUERY_TERMS, Script, terms
from knowledge.store import Store

CANDIDATES = 50
"""Passages that each side proposes."""

CENTROID_SAMPLE = 2_000
SCRIPT_PRIOR = 3
EPSILON = 1e-9

DENSE_WEIGHT = 0.8
"""Against the lexical side, whose weight is the share of the question that its best passage
holds, 0 to 1: words that no passage has say nothing (docs/decisions/012)."""

DUPLICATE_JACCARD = 0.85
COVERAGE_HITS = 5


@dataclass(frozen=True, slots=True)
class Features:
    """What retrieval knows about how much a question belongs to the corpus: the best cosine, the
    best lead over the mean of its script, the share of terms found, ln(1 + best BM25)."""

    dense_top: float | None
    lead_top: float | None
    coverage: float
    lexical_top: float


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    features: Features


class Searcher:
    """Searches a store whose passages do not change meanwhile.

    Sentence encoders place texts of one language close together, whatever they say: a Korean
    question is nearer to any Korean passage than to the English one that answers it. So the cosine
    of a passage counts from the mean cosine of its script's passages: its lead.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sums: dict[Script, tuple[Vectors, int]] = {}
        for of in get_args(Script):
            sample = store.vectors.sample(of, CENTROID_SAMPLE)
            if len(sample):
                self._sums[of] = (sample.sum(axis=0), len(sample))

    def search(
        self,
        query: str,
        vector: Vectors | None,
        *,
        limit: int,
        without: Collection[str] = (),
    ) -> Found:
        """The best `limit` passages; by words alone where `vector` is None. `without` are ids
        that the search has to overlook (a calibration holds them out)."""
        catalog = self._store.catalog
        wanted = CANDIDATES + len(without)
        query_terms = terms(query)[:MAX_QUERY_TERMS]
        by_row = catalog.lexical.search(query_terms, wanted)
        at_rows = catalog.passages_at([row for row, _ in by_row])
        lexical = {at_rows[row].id: score for row, score in by_row}
        cosine, lead = self._dense(vector, wanted) if vector is not None else ({}, {})
        passages = {passage.id: passage for passage in at_rows.values()}
        # Chroma may hold a passage that the catalog has dropped: the catalog is right.
        passages |= catalog.passages([identity for identity in lead if identity not in passages])
        for identity in without:
            passages.pop(identity, None)
        lexical = {identity: score for identity, score in lexical.items() if identity in passages}
        lead = {identity: score for identity, score in lead.items() if identity in passages}

        rarity = catalog.lexical.rarity(query_terms, catalog.passage_count())
        best_by_words = sorted(lexical, key=lambda identity: -lexical[identity])[:1]
        explained = coverage(rarity, [passages[identity] for identity in best_by_words])
        fused = fuse(lead, lexical, explained)
        ranked = sorted(fused, key=lambda identity: (-fused[identity], passages[identity].order))
        best = _distinct([passages[identity] for identity in ranked], max(limit, COVERAGE_HITS))
        hits = tuple(
            Hit(
                passage=passage,
                dense=cosine.get(passage.id),
                lexical=lexical.get(passage.id),
                fused=fused[passage.id],
            )
            for passage in best[:limit]
        )
        features = Features(
            dense_top=max((cosine[identity] for identity in lead), default=None),
            lead_top=max(lead.values(), default=None),
            coverage=coverage(rarity, best[:COVERAGE_HITS]),
            lexical_top=log1p(max(lexical.values(), default=0.0)),
        )
        return Found(hits, features)

    def _dense(self, vector: Vectors, wanted: int) -> tuple[dict[str, float], dict[str, float]]:
        """Cosine and lead of the best candidates by lead: cosine less the mean cosine of the
        other passages in its script. A script of few passages borrows from the whole corpus."""
        cosine: dict[str, float] = {}
        lead: dict[str, float] = {}
        sums = {of: (float(total @ vector), n) for of, (total, n) in self._sums.items()}
        everything = sum(total for total, _ in sums.values())
        passages = sum(n for _, n in sums.values())
        for of, (total, n) in sums.items():
            for identity, score in self._store.vectors.query(vector, of, wanted):
                others = (everything - score) / max(1, passages - 1)
                mean = (total - score + SCRIPT_PRIOR * others) / (n - 1 + SCRIPT_PRIOR)
                cosine[identity] = score
                lead[identity] = score - mean
        best = sorted(lead, key=lambda identity: -lead[identity])[:wanted]
        return cosine, {identity: lead[identity] for identity in best}


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], lexical_weight: float
) -> dict[str, float]:
    """A weighted sum of z-scores over all candidates. One that a full side did not propose gets
    that side's lowest score; one that the words do not touch has the BM25 score 0."""
    together = dict.fromkeys([*dense, *lexical], 0.0)
    for scores, weight, exhausted in (
        (dense, DENSE_WEIGHT, False),
        (lexical, lexical_weight, len(lexical) < CANDIDATES),
    ):
        if not scores:
            continue
        floor = 0.0 if exhausted else min(scores.values())
        filled = {identity: scores.get(identity, floor) for identity in together}
        mean, deviation = fmean(filled.values()), pstdev(filled.values())
        for identity, score in filled.items():
            together[identity] += weight * (score - mean) / deviation if deviation > EPSILON else 0
    return together


def coverage(rarity: Mapping[str, float], hits: Collection[Passage]) -> float:
    """Share of the question's terms, weighted by rarity, that the hits hold together."""
    everything = sum(rarity.values())
    if not everything:
        return 0.0
    held = {term for passage in hits for term in terms(passage.text)}
    return min(1.0, sum(weight for term, weight in rarity.items() if term in held) / everything)


def _distinct(ranked: list[Passage], limit: int) -> list[Passage]:
    """The first `limit` passages that repeat none before them."""
    kept: list[tuple[Passage, set[str]]] = []
    for passage in ranked:
        if len(kept) == limit:
            break
        own = set(terms(passage.text))
        if all(_jaccard(own, other) < DUPLICATE_JACCARD for _, other in kept):
            kept.append((passage, own))
    return [passage for passage, _ in kept]


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
