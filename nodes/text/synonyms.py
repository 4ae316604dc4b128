"""Words that may stand for one another, English and Korean: a line of the table is a group.

The relation is small on purpose: what it does not hold counts as not said. It is no equivalence; a
word of two senses stands in two groups, and only words that share a group are alike.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from nodes.text.terms import Term, content_terms

_TABLE = Path(__file__).parent / "data" / "synonyms.txt"
_SHORT_VERB, _SHORT_FORM = 2, 3
"""Syllables of "쓰고", whose stem has one only, and of the forms that are looked up by it."""


def groups_of(term: Term) -> frozenset[int]:
    """The groups in which the term stands, in any of its readings."""
    short = len(term.surface) <= _SHORT_FORM
    roots = [root for root in term.roots if short or root[-1] != "|"]
    return frozenset().union(*(_GROUPS.get(form, ()) for form in (term.stem, *roots)))


def _read() -> Mapping[str, frozenset[int]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    for group, line in enumerate(_TABLE.read_text("utf-8").splitlines()):
        for word in line.split():
            found[word].add(group)  # a bare "아이" would lose its last syllable as a particle
            for term in content_terms(word):
                found[term.root or term.stem].add(group)
                if term.root and len(word) <= _SHORT_VERB and term.root[-1] != "|":
                    found.update({r: found[r] | {group} for r in term.roots if r[-1] == "|"})
    return {form: frozenset(groups) for form, groups in found.items()}


_GROUPS = _read()
