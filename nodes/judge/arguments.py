"""The noun that a Korean predicate is said of, left out.

"어댑터가 여럿이고 적다" has only words of "어댑터가 여럿이고 저마다 트래픽이 적다", in their order;
but it is the traffic that is low. English shows by its order what a verb is said of.
"""

from collections.abc import Iterator, Sequence

from nodes.judge.alignment import Item, same
from nodes.judge.statement import Statement

_ARGUMENTS = ("subject", "object")


def lost_arguments(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """What the claim's last predicate is said of in the source, if the claim has it nowhere. A
    predicate that stands in several places has one of theirs."""
    predicate = claim.items[-1] if claim.items else None
    if predicate is None or predicate.kind not in ("verb", "direction", "negation"):
        return
    said_of = [
        _argument(one.items, at)
        for one in source
        for at, item in enumerate(one.items)
        if same(item, predicate)
    ]
    lost = [one for one in said_of if one and not any(same(one, ours) for ours in claim.items)]
    if lost and len(lost) == len(said_of):
        yield f"{lost[0].surface} {predicate.surface}"


def _argument(items: Sequence[Item], at: int) -> Item | None:
    """The nearest before the predicate, in its clause."""
    for item in reversed(items[:at]):
        if item.clause != items[at].clause:
            return None
        if item.role in _ARGUMENTS:
            return item
    return None
