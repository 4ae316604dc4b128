"""How well passages bear a sentence: a judgement by rules, without a model.

A sentence is compared with the closest sentence of a cited passage and those behind that continue
it, not with the passage as a bag of words: what is stitched together has low support. The
score is the weighted share of its content terms that are found there, multiplied by
`FAULT_FACTOR` for each fault: a word, a number with its unit or a name that is not there, a
negation or a direction that disagrees, a word in the place or in the part of another one, parts of
two clauses joined, a restriction left out, an order of words that is none.

Known limits: words are compared, not meanings. A free paraphrase is rejected, and so is a sentence
in another language than its passages. Exchanged words pass where neither a particle, a preposition,
a verb nor the words around tell them apart.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from graph.evidence import Passage
from nodes.judge.faults import Fault, find_faults
from nodes.judge.statement import Statement, read_claim, read_passage
from nodes.text.terms import Term

SUPPORTED = 0.8
"""A sentence with at least this support is borne by its passages.

A single fault brings a sentence to 0.4 and down; the bound lies nearer to the true ones, since a
false sentence kept is worse than a true one asked for again.
"""

FAULT_FACTOR = 0.4
"""One fault brings even a fully covered sentence below `SUPPORTED`."""

HEADING_FACTOR = 2.0
"""Headings may lend half of what a sentence says: its subject, but not its statement."""

WINDOW_SENTENCES = 3
_TRIED_WINDOWS = 6  # those with the best coverage; faults are dear to look for
MAX_CHARS = 2_000
"""Of a sentence that is judged: no writer makes longer ones, and the search for faults is not
linear."""

_MIN_FACTS = 3  # "양념을 만든다." stands anywhere, and says nothing that can be checked


@dataclass(frozen=True, slots=True)
class Support:
    """`score` is 0 to 1; `faults` are empty where every part of the sentence was found."""

    score: float
    faults: tuple[Fault, ...] = ()

    @property
    def holds(self) -> bool:
        return self.score >= SUPPORTED


NO_SUPPORT = Support(0.0)


def support(sentence: str, passages: Sequence[Passage]) -> Support:
    """How well the best of `passages` bears `sentence`; the sentence is free of citation marks.

    Where several passages are given, each clause of the sentence may stand on another one; the
    weakest clause then decides. Readings of passages are kept for the next call (bounded).
    """
    if len(sentence) > MAX_CHARS:
        return Support(0.0, (Fault("empty", f"{len(sentence):,} characters"),))
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
    the bits in `found`, `numbers` counts the claim's numbers that stand here.
    """

    statements: tuple[Statement, ...]
    share: float
    numbers: int
    found: int
    closest: Statement
    closest_share: float
    closest_found: int


def _best(sentence: str, passages: Sequence[Passage]) -> Support:
    claim = read_claim(sentence)
    if _facts(claim) < _MIN_FACTS:
        return Support(0.0, (Fault("empty"),))
    share = _shares(claim)
    windows = sorted(
        (window for passage in passages for window in _windows(claim, passage, share)),
        key=lambda window: (-window.share, -window.numbers, len(window.statements)),
    )
    best = NO_SUPPORT
    for window in windows[:_TRIED_WINDOWS]:
        if window.share <= best.score:  # a score never exceeds its share
            break
        best = max(best, _judge(claim, window), key=lambda one: one.score)
    return best


def _facts(claim: Statement) -> int:
    bounds = sum(bool(one.bound) for one in claim.quantities)
    return len(claim.terms) + len(claim.quantities) + len(claim.polarity.negations) + bounds


class _Share(Protocol):
    """The weighted share of the claim's terms that found bits stand for; numbers may count too."""

    def __call__(self, found: int, with_numbers: bool = False) -> float: ...


def _shares(claim: Statement) -> _Share:
    """A sentence of numbers alone has no terms, and is covered."""
    weights = [term.weight for term in claim.terms]

    @cache
    def share(found: int, with_numbers: bool = False) -> float:
        if not weights:
            return 1.0
        counted = weights + [1.0] * len(claim.quantities) if with_numbers else weights
        return sum(weight for i, weight in enumerate(counted) if found >> i & 1) / sum(counted)

    return share


def _windows(claim: Statement, passage: Passage, share: _Share) -> Iterator[_Window]:
    statements = read_passage(passage)
    found = [statement.holds(claim) for statement in statements]
    own = [statement.holds(claim, with_headings=False) for statement in statements]
    shares = [share(bits) for bits in found]
    for first in range(len(statements)):
        if not shares[first]:  # a window that starts later says as much
            continue
        union, own_union, closest = 0, 0, first
        for last in range(first, min(first + WINDOW_SENTENCES, len(statements))):
            if last > first and not statements[last].continues:
                break  # the subject of one sentence must not get the predicate of the next
            if last > first and not found[last] & ~union:
                continue  # without a further term of the claim its numbers count for nothing
            union |= found[last]
            own_union |= own[last]
            if shares[last] > shares[closest]:
                closest = last
            yield _Window(
                statements=statements[first : last + 1],
                share=min(share(union), HEADING_FACTOR * share(own_union, True)),
                numbers=_shared_numbers(claim, statements[first : last + 1]),
                found=union,
                closest=statements[closest],
                closest_share=shares[closest],
                closest_found=found[closest],
            )


def _shared_numbers(claim: Statement, stated: Sequence[Statement]) -> int:
    given = {(one.value, one.dimension) for each in stated for one in each.quantities}
    return sum((one.value, one.dimension) in given for one in claim.quantities)


def _judge(claim: Statement, window: _Window) -> Support:
    missing = _without(claim, window.found)
    faults = find_faults(
        claim,
        window.statements,
        window.closest,
        missing=missing,
        missing_closest=_without(claim, window.closest_found),
    )
    score = window.share * FAULT_FACTOR ** len(faults)
    if window.closest_share < window.share / 2:
        score *= 2 * window.closest_share / window.share
        faults.append(Fault("scattered", window.closest.text))
    return Support(round(score, 3), tuple(faults))


def _without(claim: Statement, found: int) -> list[Term]:
    return [term for position, term in enumerate(claim.terms) if not found >> position & 1]


_CLAUSE_BREAK = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|although)\s+|(?<=[고며만])\s*,\s+|(?<=지만)\s+"
)


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE_BREAK.split(sentence) if clause]
