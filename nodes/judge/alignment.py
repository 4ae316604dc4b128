"""What a near copy of a sentence changed: a term, a number, a negation or a direction.

A sentence that follows its source nearly word for word is held to it: what stands in the place of
something else was altered, even if it occurs elsewhere in the passage. A sentence in other words
is no copy, and nothing is concluded here.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

NEAR_COPY = 0.6
"""Share of a sentence's items that must stand in the source in the same order."""

REPLACED_MAX = 1
"""Items that one change replaces."""

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
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        new, old = claim[j1:j2], source[i1:i2]
        yield from _changed_negation(new, old, said)
        if j1 == 0:  # what the source says around its copied part is merely left out
            old = old[max(0, len(old) - len(new)) :]
        elif j2 == len(claim):
            old = old[: len(new)]
        yield from _changed_item(new, old, said, foreign)


def _changed_negation(
    new: Sequence[Item], old: Sequence[Item], said: set[str]
) -> Iterator[tuple[ItemKind, str]]:
    added = [item for item in new if item.kind == "negation"]
    stood = [item for item in old if item.kind == "negation"]
    lost = [item for item in stood if item.about in said]
    if len(added) != len(stood) and (added or lost):
        yield "negation", (added or lost)[0].surface


def _changed_item(
    new: Sequence[Item], old: Sequence[Item], said: set[str], foreign: Collection[str]
) -> Iterator[tuple[ItemKind, str]]:
    if max(len(new), len(old)) > REPLACED_MAX:
        return  # rewritten rather than replaced
    for ours, theirs in zip(new, old, strict=False):
        if _replaces(ours, theirs, said, foreign):
            yield ours.kind, f"{ours.surface} ≠ {theirs.surface}"


def _replaces(ours: Item, theirs: Item, said: set[str], foreign: Collection[str]) -> bool:
    if ours.key == theirs.key:
        return False
    if ours.kind in ("number", "direction") and ours.kind == theirs.kind:
        return ours.about == theirs.about
    return ours.key in foreign and theirs.kind in ("term", "direction") and theirs.key not in said
