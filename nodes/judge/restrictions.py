"""Restrictions that a sentence leaves out, turns round or makes up.

"Members without insurance pay 40" does not say that members pay 40, nor "open only on weekdays"
that it is open. A restriction is a mark (only, except, without, unless, if, 만, 제외, 없는, -면)
with its words, in a clause; who keeps the clause must keep them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, get_args

from nodes.judge.alignment import DOER, Item, same
from nodes.judge.statement import Statement

_Kind = Literal["only", "except", "without", "condition", "bound"]
_KINDS: dict[str, _Kind] = {kind: kind for kind in get_args(_Kind)}

_ENGLISH = re.compile(
    r"\b(?:(?P<only>only|solely|exclusively)"
    r"|(?P<except>except(?:\s+for)?|apart\s+from|other\s+than|excluding|with\s+the\s+exception\s+of"
    r"|unless)"
    r"|(?P<without>without)"
    r"|(?P<condition>if|provided|as\s+long\s+as|on\s+condition))\b",
    re.IGNORECASE,
)
_KOREAN = re.compile(
    r"(?P<only>(?:(?<=까지)|(?<=[가-힣])(?<![지하마천백십다라개명점번]))만(?=[\s.,은을이])|(?<=[가-힣])(?:뿐|밖에)|에\s한(?:해|하여))"
    r"|(?P<except>(?:를|을)?\s?(?:제외[하한]|빼고|뺀)|\s?(?:외에|외의|(?<!지\s)말고|이외)|\s?경우가\s아니면|\s?(?:않은|않는|아닌)\s한(?=[\s,]))"
    r"|(?P<without>(?:이|가)?\s?없(?:는|이)(?=\s))"
    r"|(?P<condition>(?<=[가-힣])(?:으면|하면|되면|이면|다면|라면|리면|지면|오면|가면|(?<![양화장표정전후측방도국단수])면)(?=[\s,])|\s경우(?!가\s아니))"
)
_STRONG_MARK = re.compile(
    r";\s|,?\s(?:and|but|while|whereas|although|though)\s"
    r"|(?<=[가-힣])(?:고|며|지만|으나|는데|면서),?\s"
)
_RANGE = re.compile(r"\b(?:between|both|from)\s[\w.:]+$", re.IGNORECASE)
_REACH = 30  # characters before an "and" in which its "between" may stand
_PHRASE_END = re.compile(r"[,;:.]|\s(?:and|but|or|while|whereas|so|because|then)\s", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not?|never|none|nothing|without|unless|except\w*|apart|cannot)\b|n['’]t\b"
    r"|않|없|못|아니|제외|빼고|뺀|외의|외에|말고|(?<![가-힣])안\s",
    re.IGNORECASE,
)
_VERBAL = ("verb", "direction")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|may|must|will|would|should|do|does|did|pay|get"
    r"|receive|need|cost|take|travel|[a-z]{2,}(?:ed|es))\b"
)
_NOUN_BOUND = re.compile(
    r"\b[a-z]+\s(?:of|with|aged|that\s\w+|who\s\w+)?\s?(?:at\s\w+|\w+\sthan|under|over|above|below|up\sto)\s$",
    re.IGNORECASE,
)
_ADNOMINAL_BOUND = re.compile(
    r"(?:이|가|을|를)?\s?(?:넘[는은긴]|초과[하한의인]|미만[의인]|이상[의인]|이하[의인]|안\s된|못\s된)"
)
_COUNTS = re.compile(
    r"\s(?:for\s)?(?:about\s)?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten)"
)
_PAST = re.compile(r"\b(?:was|were|had|did|[a-z]{2,}ed)\b")
KEPT_SHARE = 0.6
"""Of a clause's words: a sentence that has so many of them says what the clause says."""
_ONLY_TERMS, _SIDE_TERMS = 2, 3


@dataclass(frozen=True, slots=True)
class _Restriction:
    """`words` are what the mark is about, `clause` the other words of what it restricts."""

    kind: _Kind
    mark: str
    words: tuple[Item, ...]
    clause: tuple[Item, ...]


def lost_restrictions(claim: Statement, source: Statement) -> Iterator[str]:
    """The restrictions of a source sentence that the claim, which keeps their clause, drops or
    turns round. Of several conditions one may be left out."""
    found = list(_restrictions(source))
    conditions = [one for one in found if one.kind == "condition"]
    met = any(_is_said(one, claim.items) for one in conditions)
    for one in found:
        if one.kind == "condition" and met:
            continue
        kept = sum(_stands(item, claim.items) for item in one.clause)
        if not one.clause or kept < KEPT_SHARE * len(one.clause):
            continue
        denied = one.kind not in ("except", "without") or _DENIES.search(claim.text)
        if not denied or not _is_said(one, claim.items):
            words = [item.surface for item in one.words if item.surface != one.mark]
            yield " ".join((one.mark, *words))


def invented_restriction(claim: str, sources: Sequence[str]) -> str | None:
    """An "only" of the claim where the sources have neither one nor an exception nor a denial."""
    for mark in _marks(claim):
        if _COUNTS.match(claim, mark.end()) or mark.lastgroup != "only":
            continue
        if not any(
            _DENIES.search(source) or any(m.lastgroup != "condition" for m in _marks(source))
            for source in sources
        ):
            return mark[0].strip()
    return None


def _marks(text: str) -> Iterator[re.Match[str]]:
    yield from _ENGLISH.finditer(text)
    yield from _KOREAN.finditer(text)


def _is_said(one: _Restriction, items: Sequence[Item]) -> bool:
    said = [_stands(item, items) for item in one.words]
    return all(said) if one.kind in ("only", "without", "bound") else any(said)


def _restrictions(source: Statement) -> Iterator[_Restriction]:
    text = source.text
    ends = [
        mark.end()
        for mark in _STRONG_MARK.finditer(text)
        if not _RANGE.search(text, max(0, mark.start() - _REACH), mark.start())
    ]
    content = [item for item in source.items if item.kind != "negation"]
    for kind, start, end in _spans(source):
        begin = max((at for at in ends if at <= start), default=0)
        stop = min((at for at in ends if at > end), default=len(text))
        around = (
            [item for item in content if begin <= item.at < stop and not start <= item.at < end]
            if kind != "bound"
            else [item for item in content if begin <= item.at < stop]
        )
        words = _words(text, around, kind, start, end)
        if kind in ("except", "without", "bound") and (comma := text.find(", ", end)) > 0:
            around = [item for item in around if item.at < comma]
        clause = tuple(
            item for item in around if item not in words and (item.kind == "verb" or not item.light)
        )
        told = tuple(item for item in words if not _stands(item, clause)) or tuple(words)
        counts = _COUNTS.match(text, end) if kind == "only" else kind == "condition"
        numbers = all(item.kind == "number" for item in words)
        if words and not (counts and numbers) and not _is_past(text, begin, kind, start):
            yield _Restriction(kind, text[start:end].strip(), told, clause)


def _spans(source: Statement) -> Iterator[tuple[_Kind, int, int]]:
    for mark in _marks(source.text):
        yield _KINDS[mark.lastgroup or ""], mark.start(), mark.end()
    for one in source.quantities:
        start, end = one.span
        if one.bound and source.text[start:end] == one.surface[: end - start]:
            verb = _VERB.search(source.text, 0)
            korean = _ADNOMINAL_BOUND.match(source.text, end)
            if korean or (
                verb and end <= verb.start() and _NOUN_BOUND.search(source.text, 0, start)
            ):
                yield "bound", start, end


def _is_past(text: str, begin: int, kind: _Kind, start: int) -> bool:
    """What happened happened: "they crossed the river without a declaration of war"."""
    return kind in ("without", "condition") and bool(_PAST.search(text, begin, start))


def _words(text: str, around: Sequence[Item], kind: _Kind, start: int, end: int) -> list[Item]:
    if kind == "bound":
        return [item for item in around if item.kind == "number" and start <= item.at < end]
    before = [item for item in around if item.at < start]
    if text[start:end].strip()[0] > "~":
        return _korean_words(before, kind, end)
    stop = _PHRASE_END.search(text, end)
    after = [item for item in around if end <= item.at < (stop.start() if stop else len(text))]
    if kind == "condition" or text[start:end].lower() == "unless":
        return after
    nouns = list(takewhile(lambda item: item is after[0] or item.kind not in _VERBAL, after))
    if kind == "only":
        return nouns[:_ONLY_TERMS] or before[-1:]
    return nouns[:1] if kind == "without" else nouns[:_SIDE_TERMS]


def _korean_words(before: Sequence[Item], kind: _Kind, end: int) -> list[Item]:
    """The noun before the mark and what belongs to it: "자기 작업만", "보험이 없는"."""
    if kind == "condition":
        last = max(
            (at for at, item in enumerate(before) if item.role == "topic" and len(item.key) > 1),
            default=-1,
        )
        return list(before[last + 1 :])
    words: list[Item] = []
    for item in reversed(before):
        if words and item.role != words[0].role and item.role in (*DOER, "object"):
            break
        words.insert(0, item)
        if len(words) == (1 if kind == "without" else _ONLY_TERMS):
            break
    return words


def _stands(item: Item, items: Sequence[Item]) -> bool:
    return any(same(item, other) for other in items)
