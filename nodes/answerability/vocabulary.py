"""Everyday words of the same and of opposite meaning, English and Korean."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from nodes.text.terms import content_terms

_DATA = Path(__file__).parent / "data"


def _forms(words: str) -> Iterator[str]:
    for word in words.split():
        for term in content_terms(word):
            yield term.root or term.stem


def _synonyms() -> Mapping[str, frozenset[int]]:
    """A line is a group."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for group, line in enumerate((_DATA / "synonyms.txt").read_text("utf-8").splitlines()):
        for form in _forms(line):
            found[form].add(group)
    return {form: frozenset(groups) for form, groups in found.items()}


def _opposites() -> Mapping[str, frozenset[tuple[int, int]]]:
    """A line has the words of one side, a bar, and those of the other."""
    found: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for pair, line in enumerate((_DATA / "opposites.txt").read_text("utf-8").splitlines()):
        for side, words in enumerate(line.split("|")):
            for form in _forms(words):
                found[form].add((pair, side))
    return {form: frozenset(sides) for form, sides in found.items()}


SYNONYMS = _synonyms()
"""From a stem, or the root of a Korean verb, to its groups."""

OPPOSITES = _opposites()
"""From a stem, or the root of a Korean verb, to its pairs and the side on which it stands."""
