"""Which way a sentence points: its negations, its directions and what it compares with.

Every mark of polarity is tied to the content terms around it, so that two sentences are only
compared where they speak of the same thing. English and Korean.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nodes.text.negation import Negation, read_negations
from nodes.text.opposites import pole_marks
from nodes.text.scope import (
    NEAR_TERMS,
    Word,
    around,
    conjunction_after,
    conjunction_before,
    readings,
)
from nodes.text.terms import Term

_LIGHT_BETWEEN = re.compile(r"\s?(?:받|되|하)?")
_SIDED_AXES = frozenset({"order", "position"})
_SIDED = re.compile(
    r"(?:before|after|above|below|over|under|beneath|이전[가-힣]*|이후[가-힣]*|전(?:에는?)?|후에?|뒤에?|위에?|아래에?)$",
    re.IGNORECASE,
)
_THAN = re.compile(r"(?<!rather )(?<!other )\bthan\b", re.IGNORECASE)
_KOREAN_THAN = re.compile(r"(?<=[가-힣A-Za-z0-9)])보다(?=는|도|\s|,)|에 비해")


@dataclass(frozen=True, slots=True)
class Direction:
    """One of two opposite words ("faster" on the axis of speed), and the words around it.

    `negated_at` is where the negation of the word itself stands ("do not include"), or -1; `sided`:
    the scope is what it governs ("before the war": war).
    """

    axis: str
    pole: int
    scope: tuple[Word, ...]
    surface: str
    at: int
    negated_at: int = -1
    sided: bool = False


@dataclass(frozen=True, slots=True)
class Polarity:
    """`standard`: the words that something is compared with ("than the chain": chain).

    `said` are all content words of the sentence.
    """

    negations: tuple[Negation, ...]
    directions: tuple[Direction, ...]
    standard: tuple[Word, ...]
    said: tuple[Word, ...]


def read_polarity(text: str, terms: Sequence[Term]) -> Polarity:
    """`terms` are the content terms of `text`, in order."""
    negations = tuple(read_negations(text, terms))
    return Polarity(
        negations=negations,
        directions=tuple(_directions(text, terms, negations)),
        standard=tuple(_standard(text, terms)),
        said=tuple(readings(term) for term in terms),
    )


def _directions(
    text: str, terms: Sequence[Term], negations: Sequence[Negation]
) -> Iterator[Direction]:
    for mark in pole_marks(text):
        if any(one.at <= mark.start < one.at + len(one.surface) for one in negations):
            continue  # "not allowed" is a negation as a whole
        before, after = around(text, mark.start, mark.end, terms)
        before = [term for term in before if term.at > conjunction_before(text, mark.start)]
        after = [term for term in after if term.at < conjunction_after(text, mark.end)]
        sides, sided = before[:NEAR_TERMS] + after[:NEAR_TERMS], False
        if mark.axis in _SIDED_AXES and _SIDED.match(text[mark.start : mark.end]):
            korean = text[mark.start] > "~"
            if governed := (before if korean else after)[:NEAR_TERMS]:
                sides, sided = governed, True
        scope = tuple(map(readings, sides))
        negated_at = next(
            (one.at for one in negations if _negates(text, one, mark.start, mark.end)), -1
        )
        surface = text[mark.start : mark.end]
        yield Direction(mark.axis, mark.pole, scope, surface, mark.start, negated_at, sided)


def _negates(text: str, negation: Negation, start: int, end: int) -> bool:
    """Whether the mark stands right at the word: "does not include", "포함하지 않는다"."""
    if text[start] > "~":
        return start < negation.at <= end or bool(_LIGHT_BETWEEN.fullmatch(text, end, negation.at))
    between = text[negation.at + len(negation.surface) : start]
    return negation.at < start and not between.strip() and not negation.nominal


def _standard(text: str, terms: Sequence[Term]) -> Iterator[Word]:
    for mark in _THAN.finditer(text):
        yield from map(readings, around(text, mark.start(), mark.end(), terms)[1][:2])
    for mark in _KOREAN_THAN.finditer(text):
        yield from map(readings, around(text, mark.start(), mark.end(), terms)[0][:2])
