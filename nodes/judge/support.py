"""How well passages bear a sentence: a judgement by rules, without a model.

A sentence is compared with the closest one to three neighbouring sentences of a cited passage, not
with the passage as a bag of words: what is stitched together from far parts has low support. The
score is the weighted share of its content terms that are found there, multiplied by
`FAULT_FACTOR` for each fault: a number with its unit or a name that is not there, a negation or a
direction that disagrees.

Known limits: words are compared, not meanings. A free paraphrase is rejected, and so is a sentence
in another language than its passages. An exchanged noun can pass where the sentence is no near
copy of its source, and so can exchanged roles without a comparison.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from graph.evidence import Language, Passage
from nodes.judge.alignment import ItemKind, alterations
from nodes.judge.statement import Statement, read_claim, read_passage
from nodes.text.polarity import exchanged_standard, turned_direction, unmatched_negation
from nodes.text.quantities import missing_quantities
from nodes.text.terms import Term

SUPPORTED = 0.8
"""A sentence with at least this support is borne by its passages.

On the tables of tests/nodes/test_support.py the true sentences in other words score 0.8 and up,
the changed ones 0.5 and down; the bound lies nearer to the true ones, since a false sentence kept
is worse than a true one asked for again.
"""

FAULT_FACTOR = 0.4
"""One fault brings even a fully covered sentence below `SUPPORTED`."""

WINDOW_SENTENCES = 3
_TRIED_WINDOWS = 6  # those with the best coverage; faults are dear to look for
_SUBJECT_WEIGHT = 2.0  # the first content term is mostly what a sentence is about
_MIN_FACTS = 3  # "양념을 만든다." stands anywhere, and says nothing that can be checked

FaultKind = Literal[
    "terms", "number", "name", "negation", "direction", "altered", "scattered", "empty"
]

_WORDS: dict[Language, dict[FaultKind, str]] = {
    "en": {
        "terms": "the passages do not say: {}",
        "number": "not in the passages as a number with its unit: {}",
        "name": "not in the passages as a name: {}",
        "negation": "affirmed on one side and negated on the other: {}",
        "direction": "points the other way than the passages: {}",
        "altered": "changed from the passage: {}",
        "scattered": "put together from distant sentences: {}",
        "empty": "says nothing that could be checked",
    },
    "ko": {
        "terms": "근거에 없는 말: {}",
        "number": "근거에 없는 수나 단위: {}",
        "name": "근거에 없는 이름: {}",
        "negation": "한쪽은 긍정, 다른 쪽은 부정: {}",
        "direction": "근거와 방향이 반대: {}",
        "altered": "근거의 말을 바꿈: {}",
        "scattered": "멀리 떨어진 문장을 이어 붙임: {}",
        "empty": "확인할 내용이 없음",
    },
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a sentence; `detail` is the part of it that has no counterpart."""

    kind: FaultKind
    detail: str = ""

    def in_words(self, language: Language) -> str:
        return _WORDS[language][self.kind].format(self.detail)


@dataclass(frozen=True, slots=True)
class Support:
    """`score` is 0 to 1; `faults` are empty where every part of the sentence was found."""

    score: float
    faults: tuple[Fault, ...] = ()

    @property
    def holds(self) -> bool:
        return self.score >= SUPPORTED


NO_SUPPORT = Support(0.0)

_KIND_OF_CHANGE: dict[ItemKind, FaultKind] = {
    "term": "altered",
    "verb": "altered",
    "number": "number",
    "negation": "negation",
    "direction": "direction",
}


def support(sentence: str, passages: Sequence[Passage]) -> Support:
    """How well the best of `passages` bears `sentence`; the sentence is free of citation marks.

    Where several passages are given, each clause of the sentence may stand on another one; the
    weakest clause then decides. Readings of passages are kept for the next call (bounded).
    """
    best = _best(sentence, passages)
    clauses = _clauses(sentence)
    if best.holds or len(passages) < 2 or len(clauses) < 2:
        return best
    weakest = min((_best(clause, passages) for clause in clauses), key=lambda one: one.score)
    return max(best, weakest, key=lambda one: one.score)


@dataclass(frozen=True, slots=True)
class _Window:
    """Neighbouring statements, and the closest of them.

    `found` and `closest_found` have a bit per term of the claim, `share` is the weighted share of
    the bits in `found`.
    """

    statements: tuple[Statement, ...]
    share: float
    found: int
    closest: Statement
    closest_share: float
    closest_found: int


def _best(sentence: str, passages: Sequence[Passage]) -> Support:
    claim = read_claim(sentence)
    if len(claim.terms) + len(claim.quantities) < _MIN_FACTS:
        return Support(0.0, (Fault("empty"),))
    share = _shares(claim)
    windows = sorted(
        (window for passage in passages for window in _windows(claim, passage, share)),
        key=lambda window: (-window.share, len(window.statements)),
    )
    best = NO_SUPPORT
    for window in windows[:_TRIED_WINDOWS]:
        if window.share <= best.score:  # a score never exceeds its share
            break
        best = max(best, _judge(claim, window), key=lambda one: one.score)
    return best


def _shares(claim: Statement) -> Callable[[int], float]:
    """A function from found bits to the weighted share of the terms that they stand for.

    A sentence of numbers alone has no terms, and is covered.
    """
    weights = [term.weight for term in claim.terms]
    if weights:
        weights[0] *= _SUBJECT_WEIGHT
    total = sum(weights)

    @cache
    def share(found: int) -> float:
        if not weights:
            return 1.0
        return sum(weight for i, weight in enumerate(weights) if found >> i & 1) / total

    return share


def _windows(
    claim: Statement, passage: Passage, share: Callable[[int], float]
) -> Iterator[_Window]:
    statements = read_passage(passage)
    found = [statement.holds(claim) for statement in statements]
    shares = [share(bits) for bits in found]
    for first in range(len(statements)):
        if not shares[first]:  # a window that starts later says as much
            continue
        union, closest = 0, first
        for last in range(first, min(first + WINDOW_SENTENCES, len(statements))):
            if last > first and not found[last] & ~union:
                continue  # without a further term of the claim its numbers count for nothing
            union |= found[last]
            if shares[last] > shares[closest]:
                closest = last
            yield _Window(
                statements=statements[first : last + 1],
                share=share(union),
                found=union,
                closest=statements[closest],
                closest_share=shares[closest],
                closest_found=found[closest],
            )


def _judge(claim: Statement, window: _Window) -> Support:
    faults = _contradictions(claim, window)
    score = window.share * FAULT_FACTOR ** len(faults)
    if window.closest_share < window.share / 2:
        score *= 2 * window.closest_share / window.share
        faults.append(Fault("scattered", window.closest.text))
    if lacking := [term.surface for term in _without(claim, window.found)]:
        faults.append(Fault("terms", ", ".join(lacking)))
    return Support(round(score, 3), tuple(faults))


def _contradictions(claim: Statement, window: _Window) -> list[Fault]:
    """The faults that a good coverage cannot make up for, one of a kind."""
    faults: dict[FaultKind, str] = {}
    given = [quantity for one in window.statements for quantity in one.quantities]
    words = " ".join(one.bare for one in window.statements)
    if missing := missing_quantities(claim.quantities, given, words):
        faults["number"] = ", ".join(quantity.surface for quantity in missing)
    elif misplaced := _misplaced_quantity(claim, window.statements):
        faults["number"] = misplaced
    tokens = frozenset[str]().union(*(one.tokens for one in window.statements))
    if unknown := sorted(claim.names - tokens):
        faults["name"] = ", ".join(unknown)
    stated = [one.polarity for one in window.statements]
    if negated := unmatched_negation(claim.polarity, stated, window.closest.polarity):
        faults["negation"] = negated
    if turned := turned_direction(claim.polarity, stated):
        faults["direction"] = turned
    foreign = {term.stem for term in _without(claim, window.closest_found)}
    for kind, change in alterations(claim.items, window.closest.items, foreign):
        turned_twice = kind == "direction" and exchanged_standard(claim.polarity, stated)
        if not turned_twice:
            faults.setdefault(_KIND_OF_CHANGE[kind], change)
    return [Fault(kind, detail) for kind, detail in faults.items()]


def _misplaced_quantity(claim: Statement, stated: Sequence[Statement]) -> str | None:
    """A number that is there but says something else: another one stands where it should.

    Another number of the same dimension then shares with it two of the terms around it more than
    its own like does.
    """
    given = [figure for one in stated for figure in one.figures]
    for quantity, near in claim.figures:
        if quantity.is_spelled_one:
            continue
        like = other = 0
        for candidate, around in given:
            if candidate.value == quantity.value:
                like = max(like, len(near & around))
            elif candidate.dimension == quantity.dimension:
                other = max(other, len(near & around))
        if other >= like + 2:
            return quantity.surface
    return None


def _without(claim: Statement, found: int) -> list[Term]:
    return [term for position, term in enumerate(claim.terms) if not found >> position & 1]


_CLAUSE_BREAK = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|although)\s+|(?<=[고며만])\s*,\s+|(?<=지만)\s+"
)


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE_BREAK.split(sentence) if clause]
