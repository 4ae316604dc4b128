"""What one sentence states, taken apart for comparison: terms, numbers, names, polarity."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graph.evidence import Passage
from nodes.judge.alignment import DOER, Item
from nodes.text.english_stems import stem_english
from nodes.text.names import name_form, name_tokens, read_names
from nodes.text.opposites import NOUN_AXES
from nodes.text.polarity import Polarity, read_polarity
from nodes.text.quantities import Quantity, read_quantities
from nodes.text.rates import PER_NAMES
from nodes.text.roles import read_places
from nodes.text.sentences import detect_language, split_sentences
from nodes.text.synonyms import groups_of
from nodes.text.terms import Term, TermIndex, content_terms

_MONEY = "cost price amount 비용 금액 값 가격"
_TIME = "duration period 기간 시간"
_IMPLIED_NOUNS: dict[str, frozenset[str]] = {
    dimension: frozenset(map(stem_english, nouns.split()))
    for dimension, nouns in {
        "degree": "temperature 온도", "fahrenheit": "temperature 온도",
        "cubic metre": "volume capacity 용량 부피",
        "gram": "weight 무게", "square metre": "area 면적", "percent": "share percentage 비율",
        "second": _TIME, "month": _TIME, "year": _TIME,
        **dict.fromkeys(("dollar", "won", "euro", "pound", "yen"), _MONEY),
    }.items()
}  # fmt: skip
"""Nouns that a number's unit says already; a metre may be of height or of width: it says none."""

_LEAD = re.compile(  # names the passage, not a person or a study in it
    r"^(?:according to|as (?:stated|described|mentioned) in|based on) (?:the|this|these) (?:\w+ )?"
    r"(?:passages?|documents?|texts?|guides?|manuals?|handbooks?|sources?|reports?|articles?),?\s+"
    r"|^(?:이 |위 |주어진 |제공된 )?(?:본문|문서|근거|자료|글|안내서?|설명서|규정|보고서)에 "
    r"(?:따르면|의하면),?\s+",
    re.IGNORECASE,
)


_CONTINUES = re.compile(
    r"^(?:[^,]{1,40},\s)?"
    r"(?:it|its|they|their|he|his|she|her|this|that|these|those|both|such)\b"
    r"|^(?:또한? |그리고 |다만 |단,? )?(?:이 |그 |두 |이는|이것|이들|이때|이를|이에|이와"
    r"|이런|이러한|그것|그는|그녀|그들|그때|그런|그러한)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and all that a comparison needs of it.

    `bare` is `text` with its numbers and their units blanked out, at the same offsets. `index`,
    `quantities` and `tokens` (words as `read_names` gives them) hold the headings' words as well.
    `groups` are those of its words in the table of synonyms, `term_groups` those of each term.
    `items` are what a near copy must keep, in order.
    """

    text: str
    bare: str
    terms: tuple[Term, ...]
    index: TermIndex
    own_index: TermIndex
    groups: frozenset[int]
    term_groups: tuple[frozenset[int], ...]
    quantities: tuple[Quantity, ...]
    names: frozenset[str]
    tokens: frozenset[str]
    polarity: Polarity
    items: tuple[Item, ...]

    @property
    def continues(self) -> bool:
        """Whether it speaks of what the sentence before named: by a pronoun, or in Korean by naming
        nothing that it speaks of."""
        if _CONTINUES.search(self.text):
            return True
        korean = detect_language(self.text) == "ko"
        return korean and not any(item.role in DOER for item in self.items)

    def holds(self, claim: "Statement", *, with_headings: bool = True) -> int:
        """A bit per term of `claim`, the first lowest, then one per number: whether it stands here.

        A word of direction is held by any other of its axis (rises, lower): whether they point
        the same way is judged by itself.
        """
        pointing = {one.at: one.axis for one in claim.polarity.directions}
        here = {one.axis for one in self.polarity.directions} - NOUN_AXES
        paid_by = {one.per for one in self.quantities}  # "an annual fee of 85 pounds"
        denied = [
            range(one.at, one.at + len(one.surface) + 1)
            for one in claim.polarity.negations
            if self.polarity.negations
        ]
        implied = implied_nouns(
            one
            for one in claim.quantities
            if any(one.value == other.value for other in self.quantities)
        )
        found = 0
        index = self.index if with_headings else self.own_index
        for position, term in enumerate(claim.terms):
            if (
                index.holds(term)
                or term.stem in implied
                or PER_NAMES.get(term.stem, term.stem) in paid_by
                or any(term.at in span for span in denied)  # "forbidden" for "not allowed"
                or pointing.get(term.at) in here
                or not self.groups.isdisjoint(claim.term_groups[position])
            ):
                found |= 1 << position
        for position, one in enumerate(claim.quantities, start=len(claim.terms)):
            if any(one.value == other.value for other in self.quantities):
                found |= 1 << position
        return found


def implied_nouns(quantities: Iterable[Quantity]) -> frozenset[str]:
    """Stems of the nouns that the units of these numbers say: weight for 18 kilograms."""
    return frozenset[str]().union(*(_IMPLIED_NOUNS.get(one.dimension, ()) for one in quantities))


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
    return read_statement(_LEAD.sub("", sentence))


def read_statement(text: str, context: str = "") -> Statement:
    quantities = read_quantities(text)
    letters = list(text)
    for quantity in quantities:  # "400 ms" is compared as a number, not as the word "ms"
        if quantity.surface.lower().startswith(("first", "첫")):
            continue  # the opposite of "last" is a number and a direction
        for start, end in (quantity.span, *quantity.bound_at):
            letters[start:end] = " " * (end - start)
    bare = "".join(letters)
    terms = content_terms(bare)
    polarity = read_polarity(bare, terms)
    own = TermIndex(terms)
    term_groups = tuple(map(groups_of, terms))
    return Statement(
        text=text,
        bare=bare,
        terms=terms,
        index=TermIndex(terms, extra=content_terms(context)) if context else own,
        own_index=own,
        groups=frozenset[int]().union(*term_groups),
        term_groups=term_groups,
        quantities=quantities + (read_quantities(context) if context else ()),
        names=read_names(bare),
        tokens=name_tokens(f"{text} {context}"),
        polarity=polarity,
        items=_items(text, terms, quantities, polarity),
    )


def _items(
    text: str, terms: Sequence[Term], quantities: Sequence[Quantity], polarity: Polarity
) -> tuple[Item, ...]:
    items = [
        Item("direction", f"{one.axis} {one.pole}", one.surface, one.at, one.axis)
        for one in polarity.directions
    ]
    directed = {item.at for item in items}
    named = read_names(text)
    items += [
        Item(
            "verb" if term.verb else "term",
            term.root or term.stem,
            term.surface,
            term.at,
            is_name=name_form(term.surface) in named,
            light=term.light,
            roots=term.roots,
            groups=groups_of(term),
        )
        for term in terms
        if term.at not in directed
    ]
    items += [
        Item("number", one.key, one.surface, one.span[0], _counted(one)) for one in quantities
    ]
    items += [Item("negation", "not", one.surface, one.at) for one in polarity.negations]
    return _placed(text, sorted(items, key=lambda item: item.at))


def _counted(quantity: Quantity) -> str:
    """The dimension; a bare number of four digits is mostly a year."""
    year = not quantity.dimension and re.fullmatch(r"[12]\d{3}", quantity.surface)
    return "calendar year" if year else quantity.dimension


def _placed(text: str, items: Sequence[Item]) -> tuple[Item, ...]:
    spans = [(item.at, item.at + len(item.surface) - _particle(item)) for item in items]
    places = read_places(text, spans, korean=detect_language(text) == "ko")
    return tuple(
        replace(item, role=place.role, clause=place.clause)
        for item, place in zip(items, places, strict=True)
    )


def _particle(item: Item) -> int:
    """Length of the particle that belongs to the surface of a Korean noun."""
    if item.kind == "term" and item.surface.startswith(item.key):
        return len(item.surface) - len(item.key)
    return 0
