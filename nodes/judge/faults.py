"""What is wrong with a sentence beside its source, and how that is told to a reader."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from graph.evidence import Language
from nodes.judge.alignment import ItemKind, alterations
from nodes.judge.arguments import lost_arguments
from nodes.judge.clauses import joined_parts, keeps_force
from nodes.judge.contradiction import (
    exceeded_bound,
    exchanged_standard,
    turned_direction,
    unmatched_negation,
)
from nodes.judge.exchange import exchanged_parts
from nodes.judge.modifiers import exchanged_modifiers
from nodes.judge.placement import displaced
from nodes.judge.repeats import repeated
from nodes.judge.restrictions import invented_restriction, lost_restrictions
from nodes.judge.statement import Statement
from nodes.judge.word_order import is_broken
from nodes.text.english_stems import stem_english
from nodes.text.quantities import missing_quantities
from nodes.text.terms import Term

FaultKind = Literal[
    "terms",
    "number",
    "name",
    "negation",
    "direction",
    "altered",
    "joined",
    "restriction",
    "order",
    "scattered",
    "empty",
]

_WORDS: dict[Language, dict[FaultKind, str]] = {
    "en": {
        "terms": "the passages do not say: {}",
        "number": "not in the passages as a number with its unit: {}",
        "name": "not in the passages as a name: {}",
        "negation": "affirmed on one side and negated on the other: {}",
        "direction": "points the other way than the passages: {}",
        "altered": "changed from the passage: {}",
        "joined": "parts of two clauses put together: {}",
        "restriction": "restricted otherwise than in the passages: {}",
        "order": "its words stand in no order that a sentence has",
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
        "joined": "두 절의 부분을 섞어 이음: {}",
        "restriction": "근거와 제한이 다름: {}",
        "order": "낱말의 순서가 문장이 되지 않음",
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


_KIND_OF_CHANGE: dict[ItemKind, FaultKind] = {
    "term": "altered",
    "verb": "altered",
    "number": "number",
    "negation": "negation",
    "direction": "direction",
}


def find_faults(
    claim: Statement,
    stated: Sequence[Statement],
    closest: Statement,
    *,
    missing: Sequence[Term],
    missing_closest: Sequence[Term],
) -> list[Fault]:
    """The faults that a good coverage cannot make up for, one of a kind.

    `stated` are neighbouring sentences, `closest` is one of them. `missing` are the terms of the
    claim that none of them holds, `missing_closest` those that the closest does not hold.
    """
    first: dict[FaultKind, str] = {}
    for kind, detail in (
        *_unsaid(missing),
        *_numbers_and_names(claim, stated),
        *_polarity(claim, stated, closest),
        *_places(claim, stated, closest),
        *_restricted(claim, stated),
        *_changes(claim, stated, closest, missing_closest),
    ):
        first.setdefault(kind, detail)
    return [Fault(kind, detail) for kind, detail in first.items()]


def _unsaid(missing: Sequence[Term]) -> Iterator[tuple[FaultKind, str]]:
    if strange := [term.surface for term in missing if not term.light]:
        yield "terms", ", ".join(strange)


def _numbers_and_names(
    claim: Statement, stated: Sequence[Statement]
) -> Iterator[tuple[FaultKind, str]]:
    given = [quantity for one in stated for quantity in one.quantities]
    words = " ".join(one.bare for one in stated)
    if missing := missing_quantities(claim.quantities, given, words):
        yield "number", ", ".join(quantity.surface for quantity in missing)
    for quantity in claim.quantities:
        if exceeded_bound(quantity, given):
            yield "direction", quantity.surface
    tokens = frozenset[str]().union(*(one.tokens for one in stated))
    stems = frozenset(map(stem_english, tokens))
    if unknown := sorted(one for one in claim.names - tokens if stem_english(one) not in stems):
        yield "name", ", ".join(unknown)


def _polarity(
    claim: Statement, stated: Sequence[Statement], closest: Statement
) -> Iterator[tuple[FaultKind, str]]:
    given = [one.polarity for one in stated]
    negated = unmatched_negation(claim.polarity, given, closest.polarity)
    if negated and not keeps_force(claim, closest):
        yield "negation", negated
    if turned := turned_direction(claim.polarity, given):
        yield "direction", turned


def _places(
    claim: Statement, stated: Sequence[Statement], closest: Statement
) -> Iterator[tuple[FaultKind, str]]:
    if is_broken(claim.text, [one.text for one in stated]):
        yield "order", ""
    for one in stated:
        for parts in joined_parts(claim, one):
            yield "joined", parts
    for lost in lost_arguments(claim, stated):
        yield "joined", lost
    for word in repeated(claim, stated):
        yield "altered", word
    for change in exchanged_modifiers(claim, closest):
        yield "altered", change
    for change in displaced(claim.items, [one.items for one in stated]):
        yield "altered", change
    for change in exchanged_parts(claim.items, closest.items):
        yield "altered", change


def _restricted(claim: Statement, stated: Sequence[Statement]) -> Iterator[tuple[FaultKind, str]]:
    for one in stated:
        for lost in lost_restrictions(claim, one):
            yield "restriction", lost
    if made_up := invented_restriction(claim.text, [one.text for one in stated]):
        yield "restriction", made_up


def _changes(
    claim: Statement, stated: Sequence[Statement], closest: Statement, missing: Sequence[Term]
) -> Iterator[tuple[FaultKind, str]]:
    compared_otherwise = exchanged_standard(claim.polarity, [one.polarity for one in stated])
    foreign = {term.stem for term in missing}
    for kind, change in alterations(claim.items, closest.items, foreign):
        if kind != "direction" or not compared_otherwise:  # else it is turned round twice
            yield _KIND_OF_CHANGE[kind], change
