"""What a near copy of a sentence changed: a term, a number, a negation or a direction.

A sentence that follows its source nearly word for word is held to it: what stands in the place of
something else was altered, even if it occurs elsewhere in the passage. A sentence in other words
is no copy, and nothing is concluded here.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from nodes.text.opposites import BINARY, CONVERSE
from nodes.text.terms import alike_nouns

NEAR_COPY = 0.6
"""Share of a sentence's items that must stand in the source in the same order."""

REPLACED_MAX = 1
"""Items that one change replaces."""

_WORDS = ("term", "verb")
ItemKind = Literal["term", "verb", "number", "negation", "direction"]


@dataclass(frozen=True, slots=True)
class Item:
    """One unit of a sentence; `key` is equal for what means the same, `at` is its offset.

    `about` is the term that a negation is about, the axis of a direction, a number's dimension.
    """

    kind: ItemKind
    key: str
    surface: str
    at: int
    about: str = ""
    role: str = ""
    clause: int = 0
    is_name: bool = False
    light: bool = False
    roots: tuple[str, ...] = ()
    groups: frozenset[int] = frozenset()

    @property
    def value(self) -> str:
        """A number without its unit."""
        return self.key.partition(" ")[0]


DOER = frozenset({"subject", "topic"})
"""What a Korean sentence says something of; English has no mark for it."""

KINDRED: dict[str, frozenset[str]] = {
    role: frozenset(roles.split())
    for role, roles in {
        "topic": "topic subject object", "subject": "subject topic",
        "object": "object topic", "of": "of topic subject",
    }.items()
}  # fmt: skip
"""The roles in the source that a word of a role may have had: a topic is often what is acted on."""


def same(one: Item, other: Item) -> bool:
    """Whether two items say the same, be it in another word of the same meaning."""
    return is_form_of(one, other) or (
        one.kind in _WORDS and other.kind in _WORDS and not one.groups.isdisjoint(other.groups)
    )


def is_form_of(one: Item, other: Item) -> bool:
    """Whether two items are one word; Korean nouns are spaced freely, verbs have many forms."""
    if one.key == other.key:
        return True
    if one.kind == other.kind == "number":
        return one.value == other.value and (
            one.about == other.about or not (one.about and other.about)
        )
    if one.kind in ("number", "direction") or other.kind in ("number", "direction"):
        return False
    if one.roots and other.roots and not set(one.roots).isdisjoint(other.roots):
        return True
    return _is_hangul(one.key) and _is_hangul(other.key) and alike_nouns(one.key, other.key)


def _is_hangul(word: str) -> bool:
    return "가" <= word[0] <= "힣"


def alterations(
    claim: Sequence[Item], source: Sequence[Item], foreign: Collection[str]
) -> Iterator[tuple[ItemKind, str]]:
    """Each change that a near copy made to `source`: its kind and the words, "new ≠ old".

    `foreign` are the keys of the claim's terms that the source does not hold in any form.
    """
    matcher = SequenceMatcher(
        None, [item.key for item in source], [item.key for item in claim], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    if sum(block.size for block in blocks) < NEAR_COPY * len(claim):
        return
    said = {item.key for item in claim}
    given = {item.key for item in source if item.kind == "direction"}
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        new, old = claim[j1:j2], source[i1:i2]
        if j1 == 0:  # what the source says around its copied part is merely left out
            old = old[max(0, len(old) - len(new)) :]
        elif j2 == len(claim):
            old = old[: len(new)]
        if new and new[0].key not in given:  # words of direction may well stand both ways
            yield from _changed_item(new, old, said, foreign)


def _changed_item(
    new: Sequence[Item], old: Sequence[Item], said: set[str], foreign: Collection[str]
) -> Iterator[tuple[ItemKind, str]]:
    if max(len(new), len(old)) > REPLACED_MAX:
        return  # rewritten rather than replaced
    for ours, theirs in zip(new, old, strict=False):
        if _replaces(ours, theirs, said, foreign):
            yield ours.kind, f"{ours.surface} ≠ {theirs.surface}"


def _replaces(ours: Item, theirs: Item, said: set[str], foreign: Collection[str]) -> bool:
    if same(ours, theirs) or ours.about in BINARY or ours.about in CONVERSE:
        return False  # "does not include" for "excludes", "buys" for "sells"
    if ours.kind == "verb" or ours.light:  # these are said in other words
        return False
    if ours.kind in ("number", "direction") and ours.kind == theirs.kind:
        return ours.about == theirs.about
    if ours.role and theirs.role and theirs.role not in KINDRED.get(ours.role, {ours.role}):
        return False
    return ours.key in foreign and theirs.kind in ("term", "direction") and theirs.key not in said
