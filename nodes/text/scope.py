"""The words around a mark in a sentence, in a form in which two sentences can be compared."""

import re
from collections.abc import Sequence

from nodes.text.synonyms import groups_of
from nodes.text.terms import Term

NEAR_TERMS = 3
"""Content terms on one side of a mark that count as what it is about."""

Word = frozenset[str]
"""A term in every reading that it has: its stem, the roots of a verb, its groups of synonyms."""

_CLAUSE_END = re.compile(
    r",(?!\d)|[;:!?()—]|\.(?!\d)|\b(?:but|while|whereas|because|although|since|if|when|that)\b"
    r"|(?<=[가-힣])(?:고|며|지만|으나|는데|므로)(?=\s)"
)
_CONJUNCTION = re.compile(r"\b(?:and|or)\b")


def around(
    text: str, start: int, end: int, terms: Sequence[Term], *, within_clause: bool = True
) -> tuple[list[Term], list[Term]]:
    """The terms before the span (nearest first) and after it."""
    left, right = 0, len(text)
    if within_clause:
        left = max((mark.end() for mark in _CLAUSE_END.finditer(text, 0, start)), default=0)
        stop = _CLAUSE_END.search(text, start + 1)
        right = stop.start() if stop else right
    before = [term for term in reversed(terms) if left <= term.at < start]
    after = [term for term in terms if end <= term.at < right]
    return before, after


def conjunction_before(text: str, end: int) -> int:
    """Where the last "and" or "or" before `end` stands, or -1."""
    return max((mark.start() for mark in _CONJUNCTION.finditer(text, 0, end)), default=-1)


def conjunction_after(text: str, start: int) -> int:
    """Where the next "and" or "or" stands, or the end of the text."""
    mark = _CONJUNCTION.search(text, start)
    return mark.start() if mark else len(text)


def readings(term: Term) -> Word:
    """A person is also what he or she does: 예약자, 예약한 사람."""
    person = [term.stem[:-1]] if len(term.stem) > 2 and term.stem.endswith("자") else []
    alike = (f"~{group}" for group in groups_of(term))
    return frozenset((term.stem, *person, *term.roots, *alike))


def stands(word: Word, words: Sequence[Word]) -> bool:
    return any(word & other for other in words)


def shared(words: Sequence[Word], others: Sequence[Word]) -> int:
    return sum(stands(word, others) for word in words)
