"""Words that a sentence puts in another place than its source does.

Every word of a sentence may stand in its source, and yet what it says be false: one name or number
stands where the source has another ("Kim founded it" for "Lee founded it"), or two have changed
places. A word is in its place if those around it in the sentence are around it in the source too.

The closeness of two words is 1 / (1 + distance), where words, clause marks and sentence ends count
as `WORD_GAP`, `CLAUSE_GAP` and `SENTENCE_GAP`. How a word fits a place of the source is the sum,
over the other words of the sentence, of their closeness to it here times their closeness there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from nodes.judge.alignment import DOER, KINDRED, Item, same
from nodes.text.opposites import CONVERSE

WORD_GAP, CLAUSE_GAP, SENTENCE_GAP = 0.1, 1.5, 4.0
TOPIC_CLOSENESS = 0.6
"""A Korean topic holds until the next one, over the clauses between."""

REPLACED_RATIO, REPLACED_MARGIN = 1.25, 0.05
"""A word of the source that fits so much better than the sentence's own has been replaced. In the
tables of tests/nodes/data the ratio is 1.12 and less in true sentences."""

EXCHANGED_SHARE, COMPARED_MIN = 0.45, 0.005
"""Two words have changed places when the words around them speak against their places by this share
of all that they say (-1 to 1), and say more than nothing."""

_VERB_WEIGHT = 0.7


@dataclass(frozen=True, slots=True)
class _Word:
    """`topic` counts the topics up to the word."""

    item: Item
    at: float
    sentence: int
    topic: int

    @property
    def weight(self) -> float:
        return _VERB_WEIGHT if self.item.kind == "verb" else 1.0

    def closeness(self, other: "_Word") -> float:
        near = 1 / (1 + abs(self.at - other.at))
        if self.topic == other.topic and "topic" in (self.item.role, other.item.role):
            return max(near, TOPIC_CLOSENESS)
        return near


def displaced(claim: Sequence[Item], source: Sequence[Sequence[Item]]) -> Iterator[str]:
    """What stands in the place of something else; `source` has the items of each sentence."""
    placement = _Placement(claim, source)
    yield from placement.replaced()
    yield from placement.exchanged()


class _Placement:
    """The words of a sentence beside those of its source; `found` are the places of each there."""

    def __init__(self, claim: Sequence[Item], source: Sequence[Sequence[Item]]) -> None:
        self.theirs = _words(source)
        self.ours = _words([claim])
        self.found = [
            [k for k, other in enumerate(self.theirs) if same(one.item, other.item)]
            for one in self.ours
        ]
        for i, places in enumerate(self.found):  # a sentence's first word is capitalised anyway
            if any(self.theirs[k].item.is_name for k in places):
                self.ours[i] = replace(self.ours[i], item=replace(self.ours[i].item, is_name=True))

    def replaced(self) -> Iterator[str]:
        """Words in the place of another one, which the sentence does not have."""
        claimed = {k for places in self.found for k in places}
        home = self._home()
        for i, one in enumerate(self.ours):
            if not self.found[i] or one.item.kind not in ("term", "number", "direction"):
                continue
            own = max(self._fit(i, place) for place in self.found[i])
            for k, rival in enumerate(self.theirs):
                if k in claimed or not self._may_replace(i, rival.item, home):
                    continue
                if self._fit(i, k) > REPLACED_RATIO * own + REPLACED_MARGIN:
                    yield f"{one.item.surface} ≠ {rival.item.surface}"
                    break

    def exchanged(self) -> Iterator[str]:
        """Pairs of words each of which stands where the source has the other."""
        for i, j in combinations(range(len(self.ours)), 2):
            if self._are_parallel(i, j):
                agreed, compared = self._agreement(i, j)
                if compared > COMPARED_MIN and agreed < -EXCHANGED_SHARE * compared:
                    yield f"{self.ours[i].item.surface} ↔ {self.ours[j].item.surface}"

    def _home(self) -> int:
        """The sentence of the source that has most of our words."""
        held = [0.0] * (1 + max((word.sentence for word in self.theirs), default=0))
        for one, places in zip(self.ours, self.found, strict=True):
            for sentence in {self.theirs[k].sentence for k in places}:
                held[sentence] += one.weight
        return held.index(max(held))

    def _fit(self, i: int, place: int) -> float:
        total = 0.0
        for j, other in enumerate(self.ours):
            near = [k for k in self.found[j] if k != place]
            if j != i and near and not self._is_one_name(i, j):
                there = max(self.theirs[place].closeness(self.theirs[k]) for k in near)
                total += other.weight * self.ours[i].closeness(other) * there
        return total

    def _is_one_name(self, i: int, j: int) -> bool:
        """Whether both are parts of one name: they stand together wherever it stands."""
        return all(word.item.is_name for word in self.ours[min(i, j) : max(i, j) + 1])

    def _may_replace(self, i: int, rival: Item, home: int) -> bool:
        """Numbers and opposites may be taken for one another, words where they have one part."""
        one = self.ours[i].item
        if not _alike(one, rival):
            return False
        places = [self.theirs[k] for k in self.found[i]]
        abroad = all(place.sentence != home for place in places)
        if one.kind != "term" or (abroad and one.is_name):
            return True
        roles = {place.item.role for place in places}
        if abroad:
            given = {one.role} if one.role else roles
            roles = {kin for role in given for kin in KINDRED.get(role, {role})}
        elif not roles.isdisjoint(DOER):
            roles |= DOER
        return rival.role != "" and rival.role in roles

    def _are_parallel(self, i: int, j: int) -> bool:
        """Whether both stand in clauses of their own, here and there, and have the same part."""
        one, other = self.ours[i].item, self.ours[j].item
        ours, theirs = self.found[i], self.found[j]
        if j == i + 1 or one.clause == other.clause or not _alike(one, other):
            return False
        if set(ours) & set(theirs):
            return False
        any_role = one.is_name or one.kind != "term"
        pairs = ((self.theirs[k], self.theirs[m]) for k in ours for m in theirs)
        return any(
            (a.sentence, a.item.clause) != (b.sentence, b.item.clause)
            and (any_role or _have_one_part(a.item, b.item))
            for a, b in pairs
        )

    def _agreement(self, i: int, j: int) -> tuple[float, float]:
        """Over the other words: whether each is nearer to the same of the two here and there."""
        agreed = compared = 0.0
        for m, other in enumerate(self.ours):
            if m not in (i, j) and self.found[m]:
                here = self.ours[i].closeness(other) - self.ours[j].closeness(other)
                there = self._nearest(i, m) - self._nearest(j, m)
                agreed += here * there
                compared += abs(here * there)
        return agreed, compared

    def _nearest(self, i: int, m: int) -> float:
        pairs = ((self.theirs[k], self.theirs[n]) for k in self.found[i] for n in self.found[m])
        return max(one.closeness(other) for one, other in pairs)


def _have_one_part(one: Item, other: Item) -> bool:
    """Whether both have the same part, or may have it: a topic may be what is acted on."""
    return one.role in KINDRED.get(other.role, {other.role}) or other.role in KINDRED.get(
        one.role, {one.role}
    )


def _alike(one: Item, other: Item) -> bool:
    """Whether one may be mistaken for the other."""
    if "number" in (one.kind, other.kind):
        return one.kind == other.kind and one.about == other.about
    if "direction" in (one.kind, other.kind):
        return one.kind == other.kind and one.about == other.about and one.about not in CONVERSE
    return one.kind == other.kind == "term" and one.is_name == other.is_name


def _words(sentences: Sequence[Sequence[Item]]) -> list[_Word]:
    words: list[_Word] = []
    at, topic = 0.0, 0
    for sentence, items in enumerate(sentences):
        clause, before = 0, ""
        topic += 1
        for item in items:
            at += WORD_GAP + CLAUSE_GAP * (item.clause - clause)
            topic += item.role == "topic" and before not in ("", "topic")
            clause, before = item.clause, item.role or "-"
            words.append(_Word(item, at, sentence, topic))
        at += SENTENCE_GAP
    return words
