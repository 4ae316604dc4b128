"""Words that stand before another noun than in the source: "pear trees" for "apple trees"."""

from collections.abc import Iterator
from itertools import pairwise

from nodes.judge.alignment import Item, same
from nodes.judge.clauses import stretches_of
from nodes.judge.statement import Statement


def exchanged_modifiers(claim: Statement, source: Statement) -> Iterator[str]:
    """ "Pear trees" where the source has "apple trees", and its pears in another clause."""
    theirs = list(_adjacent(source))
    for modifier, noun in _adjacent(claim):
        before = [first for first, second in theirs if same(second, noun)]
        alone = len(before) == sum(same(other, noun) for other in source.items)
        if not alone or any(same(modifier, one) for one in before):
            continue
        if not modifier.is_name and not any(same(modifier, one) for one in source.items):
            continue  # a heading has it
        near = any(
            any(same(noun, one) for one in stretch) and any(same(modifier, one) for one in stretch)
            for stretch in stretches_of(source.text, source.items)
        )
        strange = [one for one in before if not any(same(one, other) for other in claim.items)]
        if before and not near and len(strange) == len(before):
            yield f"{modifier.surface} ≠ {strange[0].surface}"


def _adjacent(sentence: Statement) -> Iterator[tuple[Item, Item]]:
    for one, other in pairwise(sentence.items):
        nouns = one.kind == other.kind == "term" and one.role in ("", "of", other.role)
        if nouns and sentence.text[one.at + len(one.surface) : other.at] == " ":
            yield one, other
