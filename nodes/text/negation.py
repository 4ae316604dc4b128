"""What a sentence denies: not, without, 않다, 없다, and the words that it denies.

"Not allowed" and "forbidden" are both read as negations of what is not allowed. "If it is not
booked, it cannot be entered" is read as none: "it can be entered if booked" says the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nodes.text.scope import (
    NEAR_TERMS,
    Word,
    around,
    conjunction_after,
    conjunction_before,
    readings,
)
from nodes.text.terms import LIGHT_WEIGHT, Term

_SUBJECT_TERMS = 2
_NEGATION = re.compile(
    r"""(?P<after>\b(?:
            not\s+(?:allowed|permitted|admitted)|not(?!\s+(?:only|just|merely|necessarily))
            |never|neither|nor|cannot|hardly|rarely|seldom|(?:rather|instead)\s+(?:than|of)
            |unable\s+to|impossible|forbid\w*|prohibit\w*|bans?|banned|fail(?:s|ed)?\s+to
        )\b|n['’]t\b)
    |(?P<nominal>\b(?:
            without|nobody|nothing|none|lacks?|lacked
            |no(?!\s+(?:more|less|fewer|later|longer)\s+than)(?!\.?\s?\d)
        )\b)
    |(?P<before>
            (?<=[가-힣])지(?:는|도|를)?\s?(?:않|못|말|마)|(?<![가-힣])없|(?<=[가-힣])\s없
            |(?<![가-힣])(?:아니|아닌|아닙)|(?<=[가-힣])이?\s?아니[라다며고었]|말고
            |(?<=면)\s(?:안|아니)\s?[되돼된됩]|(?<![가-힣])대신|금지|(?<![가-힣])불(?:가|허)
        )
    |(?P<ahead>(?<![가-힣])(?:안|못)\s(?=[가-힣]))""",
    re.VERBOSE | re.IGNORECASE,
)
_DENIED = r"(?:없|지\s?(?:않|못)|안\s[되된됩])"
_NO_NEGATION = re.compile(
    r"(?:지\s?(?:않|못하)으면|아니면|[없않](?:으면|다면|는다면)|(?<![가-힣])(?:안|못)\s[가-힣]+면)"
    rf"[^.]{{0,40}}?{_DENIED}"
    r"|뿐(?:만)?\s?아니|밖에\s?없|틀림\s?없|상관\s?없|관계\s?없|끊임\s?없|지\s?않으면\s?안|아니면"
)
_LIGHT_VERB = re.compile(r"(?:받|되|하|갖|가지)[가-힣]?$")


@dataclass(frozen=True, slots=True)
class Negation:
    """`head` is the negated word (empty where none is near), `scope` the words around the mark.

    `subject` are the nouns right before an English mark. `at` is the mark's offset in the text.
    `nominal`: "without a tenant", "no tenant".
    """

    head: Word
    scope: tuple[Word, ...]
    subject: tuple[Word, ...]
    surface: str
    at: int
    nominal: bool = False


def read_negations(text: str, terms: Sequence[Term]) -> Iterator[Negation]:
    """`terms` are the content terms of `text`, in order."""
    masked = _NO_NEGATION.sub(lambda match: "·" * len(match[0]), text)
    for mark in _NEGATION.finditer(masked):
        before, after = around(text, mark.start(), mark.end(), terms)
        if mark["before"]:
            heads, scope, subject = before or after, before[:NEAR_TERMS] + after[:1], []
        else:
            after = [term for term in after if term.at < conjunction_after(text, mark.end())]
            heads, scope = after or before, after[:NEAR_TERMS] + before[:1]
            subject = _subject(text, mark, before)
        if not scope:  # "..., and the second does not, ...": look over the commas
            before, after = around(text, mark.start(), mark.end(), terms, within_clause=False)
            scope = before[:NEAR_TERMS] + after[:NEAR_TERMS]
        head = _head(text, mark, heads)
        yield Negation(
            readings(head) if head else Word(),
            tuple(readings(term) for term in scope if not term.light),
            tuple(map(readings, subject)),
            mark[0].strip(),
            mark.start(),
            bool(mark["nominal"]),
        )


def _subject(text: str, mark: re.Match[str], before: Sequence[Term]) -> list[Term]:
    if mark["nominal"] == "without":
        return []
    begin = conjunction_before(text, mark.start())
    return [term for term in before if term.names and term.at > begin][:_SUBJECT_TERMS]


def _head(text: str, mark: re.Match[str], near: Sequence[Term]) -> Term | None:
    """The denied word: in "쓰지 않는다" and "쓸 수 없다" the verb, in "칼이 없다" the noun."""
    ability = text[: mark.start()].rstrip().endswith("수")
    verbal = mark["before"] and (ability or mark[0][0] == "지")
    heads = [term for term in near if not _LIGHT_VERB.match(term.stem)] or near
    heads = [term for term in heads if verbal or not term.root]
    full = [term for term in heads if term.weight > LIGHT_WEIGHT]
    return next(iter(full or heads), None)
