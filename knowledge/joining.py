"""Hits together with what stands before and after them on their page."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from graph.evidence import Hit, Passage


class Pages(Protocol):
    def passages_on(self, document: str, page: int) -> list[Passage]:
        """In reading order."""
        ...

    def page_text(self, document: str, page: int) -> str: ...


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A hit of rank `rank`, from 0, and passages around it, itself included."""

    rank: int
    hit: Hit
    around: Sequence[Passage]

    @property
    def start(self) -> int:
        return self.around[0].start

    @property
    def end(self) -> int:
        return max(passage.end for passage in self.around)


def join(hits: Sequence[Hit], pages: Pages, neighbours: int) -> list[Hit]:
    """Each hit with up to `neighbours` passages before it and after it. Hits that overlap then
    become one, in the place of the best of them and with the best of their scores."""
    if not neighbours:
        return list(hits)
    by_page: defaultdict[tuple[str, int], list[tuple[int, Hit]]] = defaultdict(list)
    for rank, hit in enumerate(hits):
        by_page[hit.passage.document, hit.passage.page].append((rank, hit))
    joined: list[tuple[int, Hit]] = []
    for (document, page), found in by_page.items():
        on_page = pages.passages_on(document, page)
        place = {passage.id: at for at, passage in enumerate(on_page)}
        ranked = [
            _Ranked(rank, hit, on_page[max(0, at - neighbours) : at + neighbours + 1])
            for rank, hit in found
            for at in [place[hit.passage.id]]
        ]
        text = pages.page_text(document, page)
        joined += [
            (min(one.rank for one in group), _one_hit(group, text))
            for group in _overlapping(ranked)
        ]
    return [hit for _, hit in sorted(joined, key=lambda one: one[0])]


def _overlapping(ranked: Iterable[_Ranked]) -> list[list[_Ranked]]:
    groups: list[list[_Ranked]] = []
    for one in sorted(ranked, key=lambda one: (one.start, one.end)):
        if groups and one.start < max(before.end for before in groups[-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _one_hit(group: Sequence[_Ranked], page_text: str) -> Hit:
    first, end = group[0].around[0], max(one.end for one in group)
    ids = dict.fromkeys(passage.id for one in group for passage in one.around)
    hits = [one.hit for one in group]
    passage = first.model_copy(
        update={
            "id": hashlib.sha256("\0".join(ids).encode()).hexdigest()[:32],
            "end": end,
            "text": page_text[first.start : end],
        }
    )
    return Hit(
        passage=passage if len(ids) > 1 else first,
        dense=_best(hit.dense for hit in hits),
        lexical=_best(hit.lexical for hit in hits),
        fused=max(hit.fused for hit in hits),
    )


def _best(scores: Iterable[float | None]) -> float | None:
    return max((score for score in scores if score is not None), default=None)
