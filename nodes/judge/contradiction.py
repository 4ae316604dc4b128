"""Where two sentences contradict: one denies what the other says, or points the other way."""

from collections.abc import Sequence

from nodes.text.negation import Negation
from nodes.text.opposites import BINARY, CONVERSE, NOUN_AXES
from nodes.text.polarity import Direction, Polarity
from nodes.text.quantities import Quantity
from nodes.text.scope import Word, shared, stands

CONTRASTS = frozenset({"대신", "아니", "이 아니라", "아니라", "말고", "instead of", "rather than"})
"""Negations that name one thing and put another in its place: what they name must be the same."""


def unmatched_negation(
    claim: Polarity, stated: Sequence[Polarity], closest: Polarity
) -> str | None:
    """The mark of a negation that is on one side only, or None; `closest` is one of `stated`.

    A negation of the claim may have its like in any stated sentence. A negation of the closest
    sentence must come back where the claim says what is negated, of whom, and two thirds of the
    words around.
    """
    settled = _settled(claim, stated)
    given = [other for one in stated for other in one.negations if other not in settled]
    matched, answered = _matched(claim, given)
    for own in claim.negations:
        if own.scope and own not in matched and own not in settled:
            return own.surface
    for other in closest.negations:
        if other in settled:
            continue
        spoken_of = (
            stands(other.head, claim.said)
            and all(stands(word, claim.said) for word in other.subject)
            and 3 * shared(other.scope, claim.said) >= 2 * len(other.scope)
        )
        if spoken_of and other not in answered:
            return other.surface
    return None


def _settled(claim: Polarity, stated: Sequence[Polarity]) -> set[Negation]:
    """Negations that only turn a word round whose axis both sides speak of: "do not include" is
    compared as "exclude"."""
    sides = [claim, *stated]
    axes = {one.axis for one in claim.directions} & {
        d.axis for one in stated for d in one.directions
    }
    turning = {
        (side, one.negated_at)
        for side in sides
        for one in side.directions
        if one.axis in axes & BINARY
    }
    return {own for side in sides for own in side.negations if (side, own.at) in turning}


def _matched(claim: Polarity, given: Sequence[Negation]) -> tuple[set[Negation], set[Negation]]:
    """The claim's negations that have a like among the given ones, and these, one to one."""
    pairs = [
        (own, other)
        for own in claim.negations
        for other in given
        if _may_deny_the_same(own, other, claim.said) and _of_the_same(own, other, claim.said)
    ]
    pairs.sort(key=lambda pair: not pair[0].head & pair[1].head)
    matched: set[Negation] = set()
    answered: set[Negation] = set()
    for own, other in pairs:
        if own not in matched and other not in answered:
            matched.add(own)
            answered.add(other)
    return matched, answered


def turned_direction(claim: Polarity, stated: Sequence[Polarity]) -> str | None:
    """What of the claim points the other way than the stated sentences do, or None.

    Turned round twice ("A is faster than B", "B is slower than A") is no contradiction.
    """
    given = [direction for one in stated for direction in one.directions]
    turned = [own.surface for own in claim.directions if _is_turned(own, given, claim.said)]
    exchanged = exchanged_standard(claim, stated)
    if turned and exchanged:
        return None
    return turned[0] if turned else exchanged


def exchanged_standard(claim: Polarity, stated: Sequence[Polarity]) -> str | None:
    """What the claim compares with where a stated sentence compares it with something else."""
    for one in stated:
        ours = [word for word in claim.standard if not stands(word, one.standard)]
        theirs = [word for word in one.standard if not stands(word, claim.standard)]
        if ours and theirs and shared(ours, one.said):
            return ", ".join(sorted(min(word) for word in ours))
    return None


def _is_turned(own: Direction, given: Sequence[Direction], said: Sequence[Word]) -> bool:
    """Whether the opposite of `own` stands closer to what `own` is about than its like does.

    "A before B" is "B after A": where the other word governs what stands around ours, its
    opposite is its like.
    """
    same = [0]
    opposite = [0]
    for other in given:
        if other.axis == own.axis and own.axis not in CONVERSE | NOUN_AXES:
            near = shared(own.scope, other.scope)
            alike = other.pole == own.pole
            if (
                own.axis == "order"
                and own.sided
                and other.sided
                and not near
                and shared(other.scope, said)
            ):
                alike, near = not alike, 1
            if own.axis in BINARY:
                alike ^= (own.negated_at >= 0) != (other.negated_at >= 0)
                near += 1  # "not X" must be answered for even where little else is said
            (same if alike else opposite).append(near)
    unheard = len(same) == 1 and len(opposite) > 1
    return max(opposite) > max(same) or unheard


def exceeded_bound(claimed: Quantity, given: Sequence[Quantity]) -> bool:
    """Whether each like of `claimed` among `given` bounds it otherwise (at least, at most)."""
    likes = [one for one in given if one.value == claimed.value and one.number == claimed.number]
    return bool(likes) and all(_bounds_otherwise(claimed, one) for one in likes)


def _bounds_otherwise(claimed: Quantity, given: Quantity) -> bool:
    """A claim makes no bound up, nor leaves one out, but for one in time or of a range: what
    happened after 1990 may be told without the "after", and "between 4 and 6" is "from 4 to 6"."""
    if given.bound and claimed.bound:
        return claimed.bound != given.bound
    if given.bound:
        return bool(given.bound_at) and not given.is_time
    return bool(claimed.bound_at)


def _may_deny_the_same(own: Negation, other: Negation, said: Sequence[Word]) -> bool:
    """Whether the denied word of one is among the words around the other.

    `said` are the words of the claim: "no dividend" is what "will not pay a dividend" says, unless
    the claim speaks of paying besides.
    """
    if own.surface in CONTRASTS and other.surface in CONTRASTS:
        return bool(own.head & other.head)
    if not own.head or not other.head:
        return shared(own.scope, other.scope) > 0
    alone = len(own.scope) == len(other.scope) == 1 and not own.nominal
    if own.head & other.head or alone:
        return True
    ours, theirs = (*own.scope, *own.subject), (*other.scope, *other.subject)
    near = (stands(own.head, theirs), stands(other.head, ours))
    if own.nominal and other.nominal:
        return False
    if own.nominal != other.nominal:
        unsaid = other.surface != "without" and not stands(other.head, said)
        return near[0] and (near[1] or unsaid)
    return any(near) or shared(own.scope, other.scope) > 1


def _of_the_same(own: Negation, other: Negation, said: Sequence[Word]) -> bool:
    """ "There is no dividend" names nobody who could be another than the source's."""
    return (own.nominal and not own.subject) or all(stands(word, said) for word in other.subject)
