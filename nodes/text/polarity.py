"""Which way a sentence points: its negations, its directions and what it compares with.

Every mark of polarity is tied to the content terms around it, so that two sentences are only
compared where they speak of the same thing. English and Korean.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nodes.text.opposites import pole_marks
from nodes.text.terms import Term

NEAR_TERMS = 3
"""Content terms on one side of a mark that count as what it is about."""

_NEGATION = re.compile(
    r"""(?P<after>\b(?:
          not(?!\s+(?:only|just|merely|necessarily))|never|neither|nor|without|cannot|hardly
          |nobody|nothing|none|rarely|seldom|(?:rather|instead)\s+(?:than|of)
          |no(?!\s+(?:more|less|fewer|later|longer)\s+than)(?!\.?\s?\d))\b|n['’]t\b)
    |(?P<before>(?<=[가-힣])지(?:는|도|를)?\s?(?:않|못|말|마)|(?<![가-힣])없|(?<=[가-힣])\s없
          |(?<![가-힣])(?:아니|아닌|아닙)|(?<![가-힣])대신|(?<=[가-힣])이?\s?아니[라다며고었]|말고)
    |(?P<ahead>(?<![가-힣])(?:안|못)\s(?=[가-힣]))""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"뿐(?:만)?\s?아니|수밖에\s?없|틀림\s?없|상관\s?없|관계\s?없|끊임\s?없|지\s?않으면\s?안|아니면"
)
_CLAUSE_END = re.compile(r"[,;:!?()—]|\.(?!\d)")
_THAN = re.compile(r"(?<!rather )(?<!other )\bthan\b", re.IGNORECASE)
_KOREAN_THAN = re.compile(r"(?<=[가-힣A-Za-z0-9)])보다(?=는|도|\s|,)|에 비해")


@dataclass(frozen=True, slots=True)
class Negation:
    """`head` is the negated term ('' where none is near), `scope` the terms around the mark.

    `at` is the mark's offset in the text.
    """

    head: str
    scope: frozenset[str]
    surface: str
    at: int


@dataclass(frozen=True, slots=True)
class Direction:
    """One of two opposite words ("faster" on the axis of speed), and the terms around it."""

    axis: str
    pole: int
    scope: frozenset[str]
    surface: str
    at: int


@dataclass(frozen=True, slots=True)
class Polarity:
    """`standard`: the terms that something is compared with ("than the chain": chain).

    `said` are all content terms of the sentence.
    """

    negations: tuple[Negation, ...]
    directions: tuple[Direction, ...]
    standard: frozenset[str]
    said: frozenset[str]


def read_polarity(text: str, terms: Sequence[Term]) -> Polarity:
    """`terms` are the content terms of `text`, in order."""
    return Polarity(
        negations=tuple(_negations(text, terms)),
        directions=tuple(_directions(text, terms)),
        standard=frozenset(_standard(text, terms)),
        said=frozenset(term.stem for term in terms),
    )


def unmatched_negation(
    claim: Polarity, stated: Sequence[Polarity], closest: Polarity
) -> str | None:
    """The term that is negated on one side only, or None; `closest` is one of `stated`.

    A negation of the claim may have its like in any stated sentence. A negation of the closest
    sentence must come back where the claim says two thirds of the terms around it.
    """
    for own in claim.negations:
        if own.scope and not any(
            own.scope & other.scope for one in stated for other in one.negations
        ):
            return own.head or "not"
    for other in closest.negations:
        spoken_of = other.head in claim.said and 3 * len(other.scope & claim.said) >= 2 * len(
            other.scope
        )
        if spoken_of and not any(own.scope & other.scope for own in claim.negations):
            return other.head
    return None


def turned_direction(claim: Polarity, stated: Sequence[Polarity]) -> str | None:
    """What of the claim points the other way than the stated sentences do, or None.

    Turned round twice ("A is faster than B", "B is slower than A") is no contradiction.
    """
    given = [direction for one in stated for direction in one.directions]
    turned = [own.surface for own in claim.directions if _is_turned(own, given)]
    exchanged = exchanged_standard(claim, stated)
    if turned and exchanged:
        return None
    return turned[0] if turned else exchanged


def exchanged_standard(claim: Polarity, stated: Sequence[Polarity]) -> str | None:
    """What the claim compares with where a stated sentence compares it with something else."""
    for one in stated:
        ours, theirs = claim.standard - one.standard, one.standard - claim.standard
        if ours and theirs and ours & one.said:
            return ", ".join(sorted(ours))
    return None


def _is_turned(own: Direction, given: Sequence[Direction]) -> bool:
    """Whether the opposite of `own` stands closer to what `own` is about than its like does."""
    same = [0]
    opposite = [0]
    for other in given:
        if other.axis == own.axis:
            near = len(own.scope & other.scope)
            (same if other.pole == own.pole else opposite).append(near)
    return max(opposite) > max(same)


def _negations(text: str, terms: Sequence[Term]) -> Iterator[Negation]:
    masked = _NO_NEGATION.sub(lambda match: "·" * len(match[0]), text)
    for mark in _NEGATION.finditer(masked):
        before, after = _around(text, mark.start(), mark.end(), terms)
        if mark["before"]:
            heads, scope = before, before[:NEAR_TERMS] + after[:1]
        else:
            heads, scope = after, after[:NEAR_TERMS] + before[:1]
        if not scope:  # "..., and the second does not, ...": look over the commas
            before, after = _around(text, mark.start(), mark.end(), terms, within_clause=False)
            scope = before[:NEAR_TERMS] + after[:NEAR_TERMS]
        verbs = {term.stem for term in terms if term.root}
        head = next((stem for stem in heads if stem not in verbs), "")
        yield Negation(head, frozenset(scope), mark[0].strip(), mark.start())


def _directions(text: str, terms: Sequence[Term]) -> Iterator[Direction]:
    for mark in pole_marks(text):
        before, after = _around(text, mark.start, mark.end, terms)
        scope = frozenset(before[:NEAR_TERMS] + after[:NEAR_TERMS])
        yield Direction(mark.axis, mark.pole, scope, text[mark.start : mark.end], mark.start)


def _standard(text: str, terms: Sequence[Term]) -> Iterator[str]:
    for mark in _THAN.finditer(text):
        yield from _around(text, mark.start(), mark.end(), terms)[1][:2]
    for mark in _KOREAN_THAN.finditer(text):
        yield from _around(text, mark.start(), mark.end(), terms)[0][:2]


def _around(
    text: str, start: int, end: int, terms: Sequence[Term], *, within_clause: bool = True
) -> tuple[list[str], list[str]]:
    """Stems before the span (nearest first) and after it."""
    left, right = 0, len(text)
    if within_clause:
        left = max((mark.end() for mark in _CLAUSE_END.finditer(text, 0, start)), default=0)
        stop = _CLAUSE_END.search(text, end)
        right = stop.start() if stop else right
    before = [term.stem for term in reversed(terms) if left <= term.at < start]
    after = [term.stem for term in terms if end <= term.at < right]
    return before, after
