"""One question against the store: dense and lexical candidates, fused, without near-duplicates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import log1p
from statistics import fmean, pstdev
from typing import get_args

import numpy as np

from graph.evidence import Hit, Passage
from knowledge.embed import Vectors
from knowledge.lexical import Script, terms
from knowledge.store import Store

CANDIDATES = 50
"""Passages that each side proposes."""

CENTROID_SAMPLE = 2_000
CENTROID_PRIOR = 10

DENSE_WEIGHT = 0.6
"""Share of the dense side in the fused score (docs/decisions/012)."""

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
    of a passage counts from the mean cosine of its script's passages (their centroid).
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        samples = {of: store.vectors.sample(of, CENTROID_SAMPLE) for of in get_args(Script)}
        samples = {of: vectors for of, vectors in samples.items() if len(vectors)}
        self._centroids: dict[Script, Vectors] = {}
        if samples:
            everything = np.concatenate(list(samples.values())).mean(axis=0)
            for of, vectors in samples.items():
                # A few passages make no mean of their own.
                total = vectors.sum(axis=0) + CENTROID_PRIOR * everything
                self._centroids[of] = total / (len(vectors) + CENTROID_PRIOR)

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
        query_terms = terms(query)
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

        fused = fuse(lead, lexical)
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
        rarity = catalog.lexical.rarity(query_terms, catalog.passage_count())
        features = Features(
            dense_top=max((cosine[identity] for identity in lead), default=None),
            lead_top=max(lead.values(), default=None),
            coverage=coverage(rarity, best[:COVERAGE_HITS]),
            lexical_top=log1p(max(lexical.values(), default=0.0)),
        )
        return Found(hits, features)

    def _dense(self, vector: Vectors, wanted: int) -> tuple[dict[str, float], dict[str, float]]:
        """Cosine and lead (cosine less the mean of its script) of the best candidates by lead."""
        cosine: dict[str, float] = {}
        lead: dict[str, float] = {}
        for of, centroid in self._centroids.items():
            mean = float(centroid @ vector)
            for identity, score in self._store.vectors.query(vector, of, wanted):
                cosine[identity] = score
                lead[identity] = score - mean
        best = sorted(lead, key=lambda identity: -lead[identity])[:wanted]
        return cosine, {identity: lead[identity] for identity in best}


def fuse(dense: Mapping[str, float], lexical: Mapping[str, float]) -> dict[str, float]:
    """A weighted sum of z-scores. A passage that one side did not propose gets that side's lowest
    score there: it is no better than the last that was proposed."""
    total: dict[str, float] = dict.fromkeys([*dense, *lexical], 0.0)
    for scores, weight in ((dense, DENSE_WEIGHT), (lexical, 1 - DENSE_WEIGHT)):
        if not scores:
            continue
        mean, deviation = fmean(scores.values()), pstdev(scores.values())
        lowest = min(scores.values())
        for identity in total:
            z = (scores.get(identity, lowest) - mean) / deviation if deviation > 1e-9 else 0.0
            total[identity] += weight * z
    return total


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
