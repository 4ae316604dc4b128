"""Words that a clause has more often than its source: a weak writer puts one where another belongs
("a JSON-RPC error is a JSON-RPC error with a code")."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nodes.judge.statement import Statement


def repeated(claim: Statement, source: Sequence[Statement]) -> Iterator[str]:
    """Content words that stand twice or more in a clause of the claim, and less often in the
    source; headings lend each word once. A comparison may name twice what the source names once."""
    if any(item.role == "than" for item in claim.items):
        return
    words = [item for item in claim.items if item.kind == "term" and not item.light]
    for (clause, key), count in Counter((word.clause, word.key) for word in words).items():
        if count < 2:
            continue
        surface = next(one.surface for one in words if (one.clause, one.key) == (clause, key))
        given = sum(item.key == key for one in source for item in one.items)
        term = next((one for one in claim.terms if one.surface == surface), None)
        lent = any(
            one.index.holds(term) and not one.own_index.holds(term) for one in source if term
        )
        if given + lent < count:
            yield surface
