"""One question against the store: dense and lexical candidates, fused, without near-duplicates."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import log1p

from graph.evidence import Hit
from knowledge.dense_search import DenseSearch
from knowledge.embed import Vectors
from knowledge.fusion import fuse
from knowledge.joining import join
from knowledge.lexical import PassageWords, Script, script
from knowledge.store import Store
from knowledge.word_search import PIECE_WEIGHT, WordSearch, piece_scores, term_scores

CANDIDATES = 50
"""Passages that each side proposes. Both sides score all of them."""

DUPLICATE_JACCARD = 0.85
COVERAGE_HITS = 5
NEAREST_COVERED = 3


@dataclass(frozen=True, slots=True)
class Features:
    """What retrieval knows about how much a question belongs to the corpus.

    `dense_top` is the best cosine; `coverage` the share of the question's terms in the hits;
    `best_covered` and `near_covered` that of the best passage by words and of the nearest three by
    meaning, smoothed; `lexical_top` is ln(1 + best BM25). `terms` counts those of the question;
    `crosses` tells that the best hit is in another script.
    """

    dense_top: float | None
    coverage: float
    best_covered: float
    near_covered: float
    lexical_top: float
    terms: int
    crosses: bool


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    features: Features


class Searcher:
    """Searches a store whose passages do not change meanwhile."""

    def __init__(self, store: Store) -> None:
        self._catalog = store.catalog
        self._passages = store.catalog.passage_count()
        self._words = WordSearch(store.catalog.lexical, self._passages)
        self._dense = DenseSearch(store.vectors)

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
        matched = self._words.match(query, CANDIDATES, within)
        near = {} if vector is None else self._dense.nearest(vector, CANDIDATES, within)
        # Chroma may hold a passage that the catalog has dropped: the catalog is right.
        held = self._catalog.lexical.words_of({*matched.ids, *near})
        if vector is not None:
            near |= self._dense.score(vector, _by_script(held, held.keys() - near.keys()))
        near = {key: found for key, found in near.items() if key in held}

        by_terms, by_pieces = term_scores(matched, held), piece_scores(matched, held)
        lexical = {key: by_terms[key] + PIECE_WEIGHT * by_pieces[key] for key in held}
        best_by_terms = sorted(held, key=lambda key: -by_terms[key])[:1]
        explained = coverage(matched.rarities, [held[key] for key in best_by_terms])
        fused = fuse({key: found.lead for key, found in near.items()}, lexical, explained)
        ranked = sorted(fused, key=lambda key: (-fused[key], key))
        best = _distinct(ranked, held, max(limit, COVERAGE_HITS))
        nearest = sorted(near, key=lambda key: -near[key].lead)[:NEAREST_COVERED]
        unknown = log1p(self._passages)
        features = Features(
            dense_top=max((found.cosine for found in near.values()), default=None),
            coverage=coverage(matched.rarities, [held[key] for key in best[:COVERAGE_HITS]]),
            best_covered=coverage(matched.rarities, [held[key] for key in best_by_terms], unknown),
            near_covered=coverage(matched.rarities, [held[key] for key in nearest], unknown),
            lexical_top=log1p(max(by_terms.values(), default=0.0)),
            terms=len(matched.rarities),
            crosses=bool(best) and held[best[0]].script != script(query),
        )
        passages = self._catalog.passages(best[:limit])
        hits = [
            Hit(
                passage=passages[key],
                dense=near[key].cosine if key in near else None,
                lexical=lexical[key] or None,
                fused=fused[key],
            )
            for key in best[:limit]
        ]
        return Found(tuple(join(hits, self._catalog, neighbours)), features)


def coverage(
    rarities: Mapping[str, float], hits: Iterable[PassageWords], unknown: float = 0.0
) -> float:
    """Share of the question's terms, weighted by rarity, that the hits hold together; as if it had
    one more term, of the rarity `unknown`, that none of them holds: a question of one common word
    is then not covered as well as one of ten."""
    everything = sum(rarities.values()) + unknown
    if not everything:
        return 0.0
    found = list(hits)
    held = sum(weight for term, weight in rarities.items() if any(hit.holds(term) for hit in found))
    return min(1.0, held / everything)


def _by_script(held: Mapping[str, PassageWords], keys: Collection[str]) -> dict[Script, list[str]]:
    ids: defaultdict[Script, list[str]] = defaultdict(list)
    for key in keys:
        ids[held[key].script].append(key)
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
    return len(one & other) / len(one | other) if one or other else 1.0
