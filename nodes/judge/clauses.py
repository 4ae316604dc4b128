"""Parts of two clauses that a sentence has joined: the subject of one with the value of the other.

"A costs 5 and B costs 7" does not say that A costs 7, though each word is there. A clause has
slots: what it is about, its verb, its numbers and the rest. Two clauses stand side by side where
each fills two slots in its own way; what a sentence takes for these two must come from one of them.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby, islice, pairwise, permutations

from nodes.judge.alignment import DOER, Item, same
from nodes.judge.statement import Statement
from nodes.text.opposites import NOUN_AXES
from nodes.text.wordclass import is_english_adverb

_CLAUSE_MARK = re.compile(
    r"[;:]\s|,\s(?:(?:and|but|or|while|whereas|although|though)\s)?"
    r"|\s(?:and|but|or|while|whereas|although|though)\s"
    r"|(?<=[가-힣])(?:고|며|지만|으나|는데|면서),?\s"
)
_ITEMS_MAX = 40
"""Of a clause that are looked at: a longer one is a list, not a clause."""
_CLAUSES_MAX = 12
_VERB_FORM = re.compile(
    r"[a-z]+(?:ed|[^su]s)$|(?:rose|grew|fell|sold|lent|left|bought|taught|began|won|lost|gave)$"
)
_ONLY = re.compile(r"\bonly\b|(?<=[가-힣])(?<![지하마천백십다라])만(?=[\s.,])|뿐")
_S_FORM = re.compile(r"[a-z]+[^sui]s$")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|may|must|will|would|should|do|does|did|means?|gets?"
    r"|gives?|makes?|takes?|uses?|goes|go|went|needs?)\b"
)
_PLACE_AXES = NOUN_AXES | {"order", "position", "height", "degree"}


@dataclass(frozen=True, slots=True)
class _Clause:
    """The items of each slot: "subject", "verb", "rest", "force" (one that says whether the clause
    denies or restricts), and one slot per dimension of numbers."""

    slots: dict[str, tuple[Item, ...]]
    is_passive: bool

    def has(self, item: Item) -> bool:
        return any(same(item, other) for items in self.slots.values() for other in items)

    def has_in(self, slot: str, item: Item) -> bool:
        return any(same(item, other) for other in self.slots.get(slot, ()))

    def own(self, slot: str, other: "_Clause") -> tuple[Item, ...]:
        """What fills the slot here and does not stand in `other` at all."""
        return tuple(item for item in self.slots.get(slot, ()) if not other.has(item))


@dataclass(frozen=True, slots=True)
class _Contrast:
    """Two slots that two clauses of a sentence fill each in its own way.

    `first` and `second` are what clause one has in them alone, `others_first` and `others_second`
    what the other has alone; `shared` are the nouns that both speak of, where the first slot is
    the subject. `acts_on_subject`: the first slot is the verb, the second the subject; a passive
    claim takes the former from one clause and names its doer, but the latter is what is acted on.
    `on_force`: the first slot is the subject, the second the force.
    """

    first: tuple[Item, ...]
    second: tuple[Item, ...]
    others_first: tuple[Item, ...]
    others_second: tuple[Item, ...]
    shared: tuple[Item, ...]
    acts_on_subject: bool
    on_force: bool


def joined_parts(claim: Statement, source: Statement) -> Iterator[str]:
    """What does not belong together, "a + b"; what is said of all though the source tells two
    kinds apart, "all: a"; a name in the place of another one, "a ≠ b"."""
    theirs, contrasts = _read_source(source.text, source.items)
    for ours in _read_claim(claim.text, claim.items):
        taken = cache(lambda item, ours=ours: ours.has(item))
        for one in contrasts:
            if found := _crossed(one, taken, ours.is_passive) or _generalized(one, taken):
                yield found
        for clause in theirs:
            if found := _given_to_another(ours, clause, source.items):
                yield found


def keeps_force(claim: Statement, source: Statement) -> bool:
    """Whether the claim denies, or does not, as the source does of the same subject, though the
    source does otherwise of another one beside it."""
    return any(
        any(map(ours.has, one.first)) and ours.has(one.second[0])
        for ours in _read_claim(claim.text, claim.items)
        for one in _read_source(source.text, source.items)[1]
        if one.on_force and not any(map(ours.has, one.others_first))
    )


def _crossed(one: _Contrast, taken: Callable[[Item], bool], is_passive: bool) -> str | None:
    ours = next(filter(taken, one.first), None)
    others = ours and next(filter(taken, one.others_second), None)
    if not ours or not others or any(map(taken, one.others_first)):
        return None
    if not (is_passive and one.acts_on_subject) and any(map(taken, one.second)):
        return None
    return f"{ours.surface or ours.key} + {others.surface or others.key}"


def _generalized(one: _Contrast, taken: Callable[[Item], bool]) -> str | None:
    """ "Tickets are not refunded" where those from the web are not and those from the desk are."""
    shared = next(filter(taken, one.shared), None)
    if not shared or any(map(taken, (*one.first, *one.others_first, *one.others_second))):
        return None
    return f"{shared.surface}: {one.first[0].surface}" if any(map(taken, one.second)) else None


@lru_cache(maxsize=4096)
def _read_source(
    text: str, items: tuple[Item, ...]
) -> tuple[tuple[_Clause, ...], tuple[_Contrast, ...]]:
    stretches = stretches_of(text, items)[:_CLAUSES_MAX]
    clauses = tuple(_read(text, items) for items in _with_verbs(stretches))
    return clauses, tuple(
        contrast for one, other in permutations(clauses, 2) for contrast in _contrasts(one, other)
    )


@lru_cache(maxsize=64)
def _read_claim(text: str, items: tuple[Item, ...]) -> tuple[_Clause, ...]:
    return tuple(_read(text, stretch) for stretch in _clauses(text, items))


def _contrasts(one: _Clause, other: _Clause) -> Iterator[_Contrast]:
    slots = one.slots.keys() & other.slots.keys()
    alone = {slot: (one.own(slot, other), other.own(slot, one)) for slot in slots}
    told_apart = sorted(slot for slot, sides in alone.items() if all(sides))
    for first, second in permutations(told_apart, 2):
        if "force" in (first, second) and "subject" not in (first, second):
            continue
        shared = [
            item
            for item in one.slots.get("subject", ())
            if first == "subject" and not item.light and other.has_in("subject", item)
        ]
        yield _Contrast(
            first=alone[first][0],
            second=alone[second][0],
            others_first=alone[first][1],
            others_second=alone[second][1],
            shared=tuple(shared),
            acts_on_subject=(first, second) == ("verb", "subject"),
            on_force=(first, second) == ("subject", "force"),
        )


def _given_to_another(ours: _Clause, one: _Clause, given: Sequence[Item]) -> str | None:
    """A name that the source sentence does not have, in the place of the clause's subject."""
    doers = [item for item in one.slots.get("subject", ()) if _is_doer(item)]
    if not doers or any(map(ours.has, doers)) or not one.slots.get("verb"):
        return None
    acts = any(ours.has_in("verb", verb) for verb in one.slots["verb"])
    acted_on = any(map(ours.has, one.slots.get("rest", ())))
    if acts and acted_on:
        for item in (*ours.slots.get("subject", ()), *ours.slots.get("rest", ())):
            if _is_doer(item) and not any(same(item, other) for other in given):
                return f"{item.surface} ≠ {doers[0].surface}"
    return None


def _is_doer(item: Item) -> bool:
    if _is_korean(item):
        marked = item.role in DOER or item.surface.endswith(("에는", "에서는"))
        return marked and item.kind != "number"
    return item.is_name


def stretches_of(text: str, items: Sequence[Item]) -> list[list[Item]]:
    """The items of each stretch between the marks that part clauses."""
    ends = [mark.end() for mark in _CLAUSE_MARK.finditer(text)]
    clauses = groupby(items, key=lambda item: bisect_right(ends, item.at))
    return [list(group)[:_ITEMS_MAX] for _, group in clauses]


def _clauses(text: str, items: Sequence[Item]) -> list[list[Item]]:
    """The stretches of the claim; one with neither a verb nor a number of its own is part of the
    one before it, or, at the beginning, of the next."""
    found: list[list[Item]] = []
    for stretch in stretches_of(text, items):
        if found and not (_is_clause(stretch) and _has_verb(text, found[-1])):
            found[-1] += stretch
        else:
            found.append(stretch)
    return found


def _with_verbs(stretches: Sequence[list[Item]]) -> Iterator[list[Item]]:
    """In Korean a clause that leaves its verb out has that of the next one: "A는 서쪽으로, B는
    동쪽으로 흐른다"."""
    for position, items in enumerate(stretches):
        following = stretches[position + 1] if position + 1 < len(stretches) else []
        if any(map(_is_korean, items)) and not any(map(_is_verb, items)):
            yield [*items, *filter(_is_verb, following)]
        else:
            yield items


def _has_verb(text: str, items: Sequence[Item]) -> bool:
    if any(_is_verb(item) or item.role == "passive" for item in items):
        return True
    return bool(_AUXILIARY.search(text, items[0].at)) or any(map(_is_korean, items))


def _is_clause(items: Sequence[Item]) -> bool:
    terms = any(item.kind == "term" and not item.light for item in items)
    return any(_is_verb(item) for item in items) or (
        terms and any(item.kind == "number" for item in items)
    )


def _is_verb(item: Item) -> bool:
    if item.kind == "direction":
        if item.about in _PLACE_AXES:
            return False
        if _is_korean(item):
            return not item.role or item.surface.endswith("지만")
        return bool(_VERB_FORM.match(item.surface))
    return item.kind == "verb" and not is_english_adverb(item.surface)


def _is_korean(item: Item) -> bool:
    return "가" <= item.surface[0] <= "힣"


def _read(text: str, items: Sequence[Item]) -> _Clause:
    slots: dict[str, list[Item]] = {}
    verbs = [at for at, item in enumerate(items) if _is_verb(item)] or _bare_verb(items)
    subject_end = _subject_end(text, items, verbs)
    is_acted_on = not any(item.role == "object" for item in items)
    for at, item in enumerate(items):
        if item.kind == "number":
            slots.setdefault(f"number {item.about}", []).append(item)
            part = "subject" if at < subject_end else "rest"
            slots.setdefault(part, []).append(item)
        elif at in verbs:
            slots.setdefault("verb", []).append(item)
        elif item.kind == "term":
            slot = "subject" if at < subject_end else "rest"
            slots.setdefault(slot, []).append(item)
            if slot == "subject" and is_acted_on and _is_korean(item):
                slots.setdefault("rest", []).append(item)  # a topic may be what is acted on
    if items:
        slots["force"] = [_force(text, items)]
    filled = {slot: tuple(found) for slot, found in slots.items()}
    return _Clause(filled, any(item.role == "passive" for item in items))


def _force(text: str, items: Sequence[Item]) -> Item:
    """What the clause does with what it says: denies it, restricts it ("only"), or neither."""
    if denial := next((item for item in items if item.kind == "negation"), None):
        return denial
    only = _ONLY.search(text, items[0].at, items[-1].at + len(items[-1].surface) + 1)
    return Item("negation", "only" if only else "affirmed", only[0] if only else "", items[0].at)


def _bare_verb(items: Sequence[Item]) -> list[int]:
    """ "The moth damages apples": with no surer verb, the first form in -s between two nouns that
    no preposition governs is one."""
    found = (
        at
        for at, (item, following) in enumerate(pairwise(items))
        if at and item.kind == following.kind == "term" and not item.role and not following.role
        if _S_FORM.match(item.surface)
    )
    return list(islice(found, 1))


def _subject_end(text: str, items: Sequence[Item], verbs: Sequence[int]) -> int:
    """Where the subject ends: in Korean behind the first topic or subject, in English before the
    verb, or before the first number of a clause that leaves its verb out."""
    if any(map(_is_korean, items)):
        for at, item in enumerate(items):
            if _is_doer(item) and (at + 1 == len(items) or items[at + 1].role != item.role):
                return at + 1
        return 0
    ends = list(verbs) + [at for at, item in enumerate(items) if item.role == "passive"]
    if items and (auxiliary := _AUXILIARY.search(text, items[0].at, items[-1].at)):
        ends.append(sum(item.at < auxiliary.start() for item in items))
    return min(ends or [at for at, item in enumerate(items) if item.kind == "number"] or [0])
