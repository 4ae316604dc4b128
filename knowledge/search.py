"""Questions against the store: dense and lexical candidates, fused, without near-duplicates."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log1p

from graph.evidence import Hit
from knowledge.dense_search import DenseSearch, Nearness
from knowledge.embed import Vectors
from knowledge.foreign_nearness import ForeignNearness
from knowledge.fusion import fuse
from knowledge.joining import join
from knowledge.lexical import PassageWords, Script, script
from knowledge.store import Store
from knowledge.word_scores import PIECE_WEIGHT, WordScores
from knowledge.word_search import WordMatch, WordSearch

CANDIDATES = 50
"""Passages that each side proposes. Both sides score all of them."""

DUPLICATE_JACCARD = 0.85
COVERAGE_HITS = 5
NEAREST_COVERED = 3


@dataclass(frozen=True, slots=True)
class Features:
    """What retrieval knows about how much a question belongs to the corpus.

    `dense_top` is the best cosine, and `foreign_lead` of a Korean question how much higher that is
    than the cosines of the nearest foreign ones (`knowledge.foreign_nearness`); both are None
    without vectors, the second one without a calibration too. `coverage` is the share of the
    question's terms in the hits; `best_covered` and `near_covered` that of the best passage by
    words and of the nearest three by meaning, smoothed; `content_covered` that of the best passage
    by words, where words count little that any question may have. `lexical_top` is
    ln(1 + best BM25). `terms` counts those of the question, which is in `script`; `crosses` tells
    that the best hit is in another one.
    """

    dense_top: float | None
    foreign_lead: float | None
    coverage: float
    best_covered: float
    near_covered: float
    content_covered: float
    lexical_top: float
    terms: int
    script: Script
    crosses: bool


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    features: Features


@dataclass(frozen=True, slots=True)
class Seen:
    """`best` is the id of the first hit's passage."""

    best: str | None
    features: Features


class Searcher:
    """Searches a store whose passages do not change meanwhile."""

    def __init__(self, store: Store) -> None:
        self._catalog = store.catalog
        self._passages = store.catalog.passage_count()
        self._words = WordSearch(store.catalog.lexical, self._passages)
        self._dense = DenseSearch(store.vectors)
        self._foreign = ForeignNearness.read(store.foreign_path)

    def rarities(self, terms: Iterable[str]) -> dict[str, float]:
        """How rare terms are among all passages."""
        return self._words.rarities(terms)

    def search(
        self,
        query: str,
        vector: Vectors | None,
        *,
        limit: int,
        within: frozenset[str] | None = None,
        neighbours: int = 0,
    ) -> Found:
        """The best `limit` passages of the documents `within`, or of all; by words alone where
        `vector` is None. Each with up to `neighbours` passages before and behind it on its page:
        those that then meet are one hit, so there may be fewer."""
        vectors = None if vector is None else vector[None, :]
        (ranking,) = self._rank_all([query], vectors, max(limit, COVERAGE_HITS), within)
        best = ranking.best[:limit]
        passages = self._catalog.passages([one.id for one in best])
        hits = [
            Hit(
                passage=passages[one.id],
                dense=one.dense,
                lexical=one.lexical or None,
                fused=one.fused,
            )
            for one in best
        ]
        return Found(tuple(join(hits, self._catalog, neighbours)), ranking.features)

    def look(self, queries: Sequence[str], vectors: Vectors) -> list[Seen]:
        """What `search` finds for each of many queries, whose vectors have the shape
        (len(queries), dimension), without the passages. Asking for them together saves most of the
        time."""
        rankings = self._rank_all(queries, vectors, COVERAGE_HITS)
        return [Seen(one.best[0].id if one.best else None, one.features) for one in rankings]

    def _rank_all(
        self,
        queries: Sequence[str],
        vectors: Vectors | None,
        limit: int,
        within: frozenset[str] | None = None,
    ) -> list["_Ranking"]:
        matches = self._words.match(queries, CANDIDATES, within)
        near: list[dict[str, Nearness]] = [{} for _ in queries]
        if vectors is not None:
            near = self._dense.nearest(vectors, CANDIDATES, within)
        candidates = [
            dict.fromkeys([*match.ids, *found]) for match, found in zip(matches, near, strict=True)
        ]
        # Chroma may hold a passage that the catalog has dropped: the catalog is right.
        words = self._catalog.lexical.words_of({key for keys in candidates for key in keys})
        held = [{key: words[key] for key in keys if key in words} for keys in candidates]
        if vectors is not None:
            others = [_by_script(of, found) for of, found in zip(held, near, strict=True)]
            for found, scored in zip(near, self._dense.score(vectors, others), strict=True):
                found |= scored
        scores = WordScores(matches, words)
        each_vector = [None] * len(queries) if vectors is None else vectors
        return [
            self._rank(query, vector, matched, scores, of, found, limit)
            for query, vector, matched, of, found in zip(
                queries, each_vector, matches, held, near, strict=True
            )
        ]

    def _rank(
        self,
        query: str,
        vector: Vectors | None,
        matched: WordMatch,
        scores: WordScores,
        held: Mapping[str, PassageWords],
        found: Mapping[str, Nearness],
        limit: int,
    ) -> "_Ranking":
        near = {key: nearness for key, nearness in found.items() if key in held}
        by_terms, by_pieces = scores.by_terms(matched, held), scores.by_pieces(matched, held)
        lexical = {key: by_terms[key] + PIECE_WEIGHT * by_pieces[key] for key in held}
        best_by_terms = nlargest(1, by_terms, by_terms.__getitem__)
        explained = coverage(matched.rarities, [held[key] for key in best_by_terms])
        fused = fuse({key: one.lead for key, one in near.items()}, lexical, explained)
        ranked = sorted(fused, key=lambda key: (-fused[key], key))
        best = _distinct(ranked, held, limit)
        nearest = nlargest(NEAREST_COVERED, near, lambda key: near[key].lead)
        best_words = [held[key] for key in best_by_terms]
        unknown = log1p(self._passages)
        dense_top = max((one.cosine for one in near.values()), default=None)
        asked_in, lead = script(query), None
        if self._foreign is not None and vector is not None and dense_top is not None:
            lead = self._foreign.lead(vector, asked_in, dense_top)
        features = Features(
            dense_top=dense_top,
            foreign_lead=lead,
            coverage=coverage(matched.rarities, [held[key] for key in best[:COVERAGE_HITS]]),
            best_covered=coverage(matched.rarities, best_words, unknown),
            near_covered=coverage(matched.rarities, [held[key] for key in nearest], unknown),
            content_covered=coverage(matched.content, best_words, matched.unknown_content),
            lexical_top=log1p(max(by_terms.values(), default=0.0)),
            terms=len(matched.rarities),
            script=asked_in,
            crosses=bool(best) and held[best[0]].script != asked_in,
        )
        return _Ranking(
            [
                _Scored(key, near[key].cosine if key in near else None, lexical[key], fused[key])
                for key in best
            ],
            features,
        )


@dataclass(frozen=True, slots=True)
class _Scored:
    id: str
    dense: float | None
    lexical: float
    fused: float


@dataclass(frozen=True, slots=True)
class _Ranking:
    best: Sequence[_Scored]
    features: Features


def coverage(
    weights: Mapping[str, float], hits: Iterable[PassageWords], unknown: float = 0.0
) -> float:
    """Weighted share of the question's terms that the hits hold together; as if it had one more
    term, of the weight `unknown`, that none of them holds: a question of one common word is then
    not covered as well as one of ten."""
    everything = sum(weights.values()) + unknown
    if not everything:
        return 0.0
    # Each of the texts begins and ends with a space.
    text = "".join(hit.terms + hit.context for hit in hits)
    held = sum(weight for term, weight in weights.items() if f" {term} " in text)
    return min(1.0, held / everything)


def _by_script(held: Mapping[str, PassageWords], known: Collection[str]) -> dict[Script, list[str]]:
    """Those that are not known yet."""
    ids: defaultdict[Script, list[str]] = defaultdict(list)
    for key, words in held.items():
        if key not in known:
            ids[words.script].append(key)
    return ids


def _distinct(ranked: Iterable[str], held: Mapping[str, PassageWords], limit: int) -> list[str]:
    """The first `limit` passages whose texts repeat none before them."""
    kept: list[tuple[str, set[str]]] = []
    for key in ranked:
        if len(kept) == limit:
            break
        own = set(held[key].terms.split())
        if all(jaccard(own, other) < DUPLICATE_JACCARD for _, other in kept):
            kept.append((key, own))
    return [key for key, _ in kept]


def jaccard(one: set[str], other: set[str]) -> float:
    if not one and not other:
        return 1.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)
