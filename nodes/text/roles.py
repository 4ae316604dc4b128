"""Which part a word has in its sentence: what acts, what is acted on, where from, where to.

Korean particles tell it. In English prepositions do, and the side of the verb on which a word
stands. A role is only good for telling that two words have changed places, not for parsing.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.text.wordclass import is_participle

_PARTICLES: tuple[tuple[str, str], ...] = (
    ("from", r"에게서|한테서|(?:으)?로부터|에서부터"),
    ("to", r"에게(?:는|도)?|한테(?:는|도)?|께(?!서)|에(?:는|도|만)?"),
    ("at", r"에서(?:는|도|만)?"),
    ("than", r"보다(?:는|도)?"),
    ("with", r"(?:와|과)(?:는|의)?|하고"),
    ("of", r"의"),
    ("as", r"(?:으)?로(?:는|도|써|서)?"),
    ("from", r"부터"),
    ("until", r"까지(?:는|도)?"),
    ("object", r"을|를"),
    ("subject", r"이|가|께서"),
    ("topic", r"은|는|이란|란|도|만"),
)
_PARTICLE = re.compile(
    r"(?:들)?(?:"
    + "|".join(f"(?P<r{i}>{forms})" for i, (_, forms) in enumerate(_PARTICLES))
    + r")(?![가-힣])"
)
_KOREAN_CLAUSE_END = re.compile(
    r"(?<=[가-힣])(?:고|며|면서?|지만|는데|은데|ㄴ데|으나|나|므로|니까?|어서|아서|여서|해서|거나|도록|자|여|어|아)(?=[\s,])"
)
_CLAUSE_MARK = re.compile(
    r",(?!\d)|[;:()—–]|\.(?!\d)|\b(?:and|but|while|whereas|because|although|though|when|if|which|who|whose|that|so|"
    r"unless|until|however)\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?P<prep>from|to|into|onto|by|of|with|without|in|on|at|for|against|than|over|under|between|"
    r"through|behind|before|after|as)\b|\b(?P<end>is|are|was|were|be|been|has|have|had|can|could|may|must|will|"
    r"would|should|do|does|did|not)\b",
    re.IGNORECASE,
)
_COUNTED = ("동", "호", "층")
_DETERMINER = re.compile(r"\b(?:the|an?|his|her|its|their|this|these|those)\s", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?:\s(?:not|also|later|first|never|\w+ly))?\s$",
    re.IGNORECASE,
)
_BY = re.compile(r"\sby\b")
_GOVERNED_TERMS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """`role` is '' where nothing tells it; `clause` counts the stretches between clause marks."""

    role: str
    clause: int


def read_places(text: str, spans: Sequence[tuple[int, int]], *, korean: bool) -> list[Place]:
    """The place of each span of `text`, in order; a span is a content term or a number."""
    ends = [mark.end() for mark in _CLAUSE_MARK.finditer(text)]
    if korean:
        ends = sorted({*ends, *(mark.end() for mark in _KOREAN_CLAUSE_END.finditer(text))})
        roles = _korean_roles(text, spans)
    else:
        roles = _english_roles(text, spans, ends)
    return [
        Place(role, bisect_right(ends, start))
        for role, (start, _) in zip(roles, spans, strict=True)
    ]


def _korean_roles(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    roles = [_particle_role(text, end) for _, end in spans]
    for position in range(len(spans) - 2, -1, -1):  # "박 씨는": the last word has the particle
        end, following = spans[position][1], spans[position + 1][0]
        compound = text[end:following] == " " and not text[following].isdigit()
        if (compound and not roles[position]) or roles[position] == "with":
            roles[position] = roles[position + 1]
    return roles


def _particle_role(text: str, end: int) -> str:
    if text[end - 1].isdigit():  # "102동은"
        end += text[end : end + 1] in _COUNTED
    found = _PARTICLE.match(text, end)
    if not found or not found.lastgroup:
        return ""
    return _PARTICLES[int(found.lastgroup[1:])][0]


def _english_roles(text: str, spans: Sequence[tuple[int, int]], ends: Sequence[int]) -> list[str]:
    marks = [(mark.end(), (mark["prep"] or "").lower()) for mark in _PREPOSITION.finditer(text)]
    roles: list[str] = []
    for position, (start, end) in enumerate(spans):
        latest = bisect_right(marks, (start, "~")) - 1
        role = ""
        if latest >= 0:
            at, preposition = marks[latest]
            between = sum(at <= other < start for other, _ in spans[:position])
            if between < _GOVERNED_TERMS and bisect_right(ends, at) == bisect_right(ends, start):
                role = preposition
                if any(mark.start() > at + 1 for mark in _DETERMINER.finditer(text, at, start)):
                    role = ""  # "on 4 May the river": another phrase begins
        participle = text[start].isascii() and is_participle(text[start:end])
        if participle and (
            _PASSIVE.search(text, max(0, start - 25), start) or _BY.match(text, end)
        ):
            role = "passive"
        roles.append(role)
    return roles
