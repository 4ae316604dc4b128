"""What one sentence states, taken apart for comparison: terms, numbers, names, polarity."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.evidence import Passage
from nodes.judge.alignment import Item
from nodes.text.names import name_tokens, read_names
from nodes.text.polarity import NEAR_TERMS, Polarity, read_polarity
from nodes.text.quantities import Quantity, read_quantities
from nodes.text.sentences import split_sentences
from nodes.text.terms import Term, TermIndex, content_terms


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and all that a comparison needs of it.

    `bare` is `text` with its numbers and their units blanked out, at the same offsets. `index`,
    `quantities` and `tokens` (words as `read_names` gives them) hold the headings' words as well.
    `figures` are the sentence's own quantities with the terms around each.
    `items` are what a near copy must keep, in order.
    """

    text: str
    bare: str
    terms: tuple[Term, ...]
    index: TermIndex
    quantities: tuple[Quantity, ...]
    figures: tuple[tuple[Quantity, frozenset[str]], ...]
    names: frozenset[str]
    tokens: frozenset[str]
    polarity: Polarity
    items: tuple[Item, ...]

    def holds(self, claim: "Statement") -> int:
        """A bit per term of `claim`, the first lowest: whether it stands here.

        A word of direction is also held by another one for the same direction (rises, higher).
        """
        pointing = {one.at: (one.axis, one.pole) for one in claim.polarity.directions}
        here = {(one.axis, one.pole) for one in self.polarity.directions}
        found = 0
        for position, term in enumerate(claim.terms):
            if self.index.holds(term) or pointing.get(term.at) in here:
                found |= 1 << position
        return found


@lru_cache(maxsize=512)
def read_passage(passage: Passage) -> tuple[Statement, ...]:
    """The statements of a passage; its headings lend their words (they name the subject).

    Kept for the next sentence that cites the passage; the 512 last used ones stay.
    """
    context = " / ".join((passage.title, *passage.heading))
    return tuple(read_statement(text, context) for text in split_sentences(passage.text))


@lru_cache(maxsize=64)
def read_claim(sentence: str) -> Statement:
    """The statement of a sentence under review; one sentence meets several passages in turn."""
    return read_statement(sentence)


def read_statement(text: str, context: str = "") -> Statement:
    quantities = read_quantities(text)
    letters = list(text)
    for quantity in quantities:  # "400 ms" is compared as a number, not as the word "ms"
        start, end = quantity.span
        letters[start:end] = " " * (end - start)
    bare = "".join(letters)
    terms = content_terms(bare)
    polarity = read_polarity(bare, terms)
    return Statement(
        text=text,
        bare=bare,
        terms=terms,
        index=TermIndex(terms, extra=content_terms(context)),
        quantities=quantities + (read_quantities(context) if context else ()),
        figures=tuple((one, frozenset(_near(one.span[0], terms))) for one in quantities),
        names=read_names(bare),
        tokens=name_tokens(f"{text} {context}"),
        polarity=polarity,
        items=_items(terms, quantities, polarity),
    )


def _near(at: int, terms: Sequence[Term]) -> Iterator[str]:
    """The stems around the offset `at`, `NEAR_TERMS` on each side."""
    following = bisect_left(terms, at, key=lambda term: term.at)
    for term in terms[max(0, following - NEAR_TERMS) : following + NEAR_TERMS]:
        yield term.stem


def _items(
    terms: Sequence[Term], quantities: Sequence[Quantity], polarity: Polarity
) -> tuple[Item, ...]:
    items = [
        Item("direction", f"{one.axis} {one.pole}", one.surface, one.at, one.axis)
        for one in polarity.directions
    ]
    directed = {item.at for item in items}
    items += [
        Item("verb" if term.root else "term", term.root or term.stem, term.surface, term.at)
        for term in terms
        if term.at not in directed
    ]
    items += [
        Item("number", one.key, one.surface, one.span[0], one.dimension) for one in quantities
    ]
    items += [Item("negation", "not", one.surface, one.at, one.head) for one in polarity.negations]
    return tuple(sorted(items, key=lambda item: item.at))
