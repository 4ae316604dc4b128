"""Parts that a sentence has exchanged: who does it and to whom, from where and where to.

Only what both sentences mark is compared: by a particle, a preposition, or the side of a verb. A
passive verb exchanges the parts without changing what is said, and so does the converse verb: A
sells to B, B buys from A.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from nodes.judge.alignment import DOER, Item, is_form_of, same
from nodes.text.opposites import CONVERSE

_KOREAN_PASSIVE = re.compile(r"[되된될됩됐됨돼당히혀힌힐힙혔]|어[지진졌질집]|의해")
_SIDE_WORDS = 4
_BOUND = frozenset({"subject", "object"})  # "3년이 넘은" is "3년을 넘긴"


def exchanged_parts(claim: Sequence[Item], source: Sequence[Item]) -> Iterator[str]:
    """What has changed its part, "a ↔ b"; `source` is the one sentence that is closest."""
    turned, unclear = _converse(claim, source)
    parts = [
        (one, frozenset(other.role for other in source if same(one, other) and other.role))
        for one in claim
        if one.role and (one.kind == "term" or (one.kind == "number" and one.role not in _BOUND))
    ]
    names = [
        (
            replace(one, role=one.role or "bare"),
            frozenset(other.role or "bare" for other in source if same(one, other)),
        )
        for one in claim
        if one.is_name
    ]
    if turned:
        yield from _kept_part(parts, claim, source)
    if not turned and not unclear:
        same_voice = _is_passive(claim) == _is_passive(source) and _same_end(claim, source)
        yield from _exchanged_roles(parts, same_voice)
        yield from _exchanged_roles(names, False)
    if not turned:
        yield from _exchanged_sides(claim, source)


def _converse(claim: Sequence[Item], source: Sequence[Item]) -> tuple[bool, bool]:
    """Whether a verb of the source is turned into its converse, and whether that cannot be told."""
    ours = {item.key for item in claim if item.about in CONVERSE}
    theirs = {item.key for item in source if item.about in CONVERSE}
    opposite = {f"{key[:-1]}{1 - int(key[-1])}" for key in ours}
    turned = bool(opposite & theirs)
    return turned and not ours & theirs, turned and bool(ours & theirs)


def _kept_part(
    parts: Sequence[tuple[Item, frozenset[str]]], claim: Sequence[Item], source: Sequence[Item]
) -> Iterator[str]:
    """With a converse verb, the doer becomes the party and the party the doer."""
    silent = {one.role for one in source if not any(same(one, other) for other in claim)}
    for one, roles in parts:
        if one.kind != "term" or one.light:
            continue
        doer, party = one.role in DOER, one.role in ("to", "from")
        if doer and ((roles and roles <= DOER) or (not roles and silent & {"to", "from"})):
            yield one.surface
        if party and not roles & DOER and silent & DOER:
            yield one.surface


def _exchanged_roles(
    parts: Sequence[tuple[Item, frozenset[str]]], same_voice: bool
) -> Iterator[str]:
    for (one, ones), (other, others) in combinations(parts, 2):
        if one.role == other.role or _is(one.role, ones) or _is(other.role, others):
            continue
        crossed = _is(other.role, ones) and _is(one.role, others) and len(ones) == len(others) == 1
        if "object" in (one.role, other.role):
            crossed = crossed and same_voice
        lost = same_voice and (
            _took_over(one, ones, other, others) or _took_over(other, others, one, ones)
        )
        if crossed or lost:
            yield f"{one.surface} ↔ {other.surface}"


def _took_over(doer: Item, was: frozenset[str], other: Item, other_was: frozenset[str]) -> bool:
    """Whether `doer` has now the part that the other one had.

    "A's B changed" for "A changed B" is fine, and a topic may be what is acted on.
    """
    if not was or not other_was:
        return False
    if doer.role in ("as", "from"):
        return doer.role in other_was
    if doer.role not in DOER or not other_was & DOER:
        return False
    if doer.role == "topic" and "object" in was:
        return False
    if other.role == "object" and other_was == {"topic"}:
        return False
    return other.role != "of" or not was <= {"object", "as"}


def _is(role: str, roles: Collection[str]) -> bool:
    return role in roles or (role in DOER and not DOER.isdisjoint(roles))


def _same_end(claim: Sequence[Item], source: Sequence[Item]) -> bool:
    """Whether the last verb of the claim is one of the source: another one may have other parts."""
    verbs = [item for item in claim if item.kind in ("verb", "direction")]
    return not verbs or any(is_form_of(verbs[-1], other) for other in source)


def _is_passive(items: Sequence[Item]) -> bool:
    return any(
        (item.kind == "verb" or item.roots) and _KOREAN_PASSIVE.search(item.surface)
        for item in items
    )


def _exchanged_sides(claim: Sequence[Item], source: Sequence[Item]) -> Iterator[str]:
    """English has the doer before an active verb, and behind "by" after a passive one."""
    for at, verb in enumerate(claim):
        if not verb.surface.isascii() or verb.kind not in ("verb", "direction"):
            continue
        for there, other in enumerate(source):
            passive = "passive" in (verb.role, other.role)
            if not is_form_of(verb, other) or (
                verb.kind == "direction" and not passive and verb.about not in CONVERSE
            ):
                continue
            ours, theirs = _sides(claim, at), _sides(source, there)
            if (verb.role == "passive") != (other.role == "passive"):
                theirs = theirs[::-1]
            left = _common(ours[0], theirs[1])
            right = _common(ours[1], theirs[0])
            if left and right and not same(left, right):
                yield f"{left.surface} ↔ {right.surface}"
            agents = ours[1] if verb.role == "passive" else []
            means = [one for one in source if one.role == "by"]
            if (
                agents
                and theirs[1]
                and not _common(agents, (*means, *source[:there]))
                and not _common(agents, theirs[1])
            ):
                yield f"{agents[0].surface} ≠ {theirs[1][0].surface}"


def _sides(items: Sequence[Item], at: int) -> tuple[list[Item], list[Item]]:
    verb = items[at]
    before = [one for one in items[:at] if _is_part(one) and one.clause == verb.clause]
    earlier = [one for one in items[:at] if one.clause == verb.clause - 1]
    if not before and (verb.role == "passive" or all(one.role != "passive" for one in earlier)):
        before = [one for one in earlier if _is_part(one)]
    after = [one for one in items[at + 1 :] if _is_part(one) and one.clause == verb.clause]
    if verb.role == "passive":
        after = [one for one in after if one.role == "by"]
    return before[-_SIDE_WORDS:], after[:_SIDE_WORDS]


def _is_part(item: Item) -> bool:
    return item.kind == "term" and item.role in ("", "by", "to")


def _common(ours: Sequence[Item], theirs: Sequence[Item]) -> Item | None:
    return next((one for one in ours if any(same(one, other) for other in theirs)), None)
