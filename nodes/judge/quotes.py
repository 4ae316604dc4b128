"""Quote the sentences of passages that address a question, word for word.

A sentence is scored by the question's terms that it holds, each weighted by its rarity among the
sentences at hand; headings lend their words at half weight, and a better-ranked passage wins a
near tie. Korean terms are matched without particles or by character bigrams.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph.answer import Sentence
from graph.evidence import Passage
from nodes.text.quantities import read_quantities
from nodes.text.sentences import block_sentences, detect_language, is_complete, read_blocks
from nodes.text.terms import Term, TermIndex, content_terms

ADDRESSED = 0.5
"""Share of the question's weighted terms that the best sentence must hold.

Below half, a sentence shares a common word with the question and no more: on the tables of
tests/nodes/test_quotes.py answered questions reach 0.58 and up, foreign ones 0.21 and down.
"""

NEXT_BEST_SHARE = 0.6
"""A further quote must score at least this part of the best one."""

_RANK_BONUS = 0.1  # for the best-ranked passage, falling as 1 / rank
_HEADING_WEIGHT = 0.5
_FIGURE_BONUS = 0.15  # a question for an amount, a sentence with a number
_WORDS = range(4, 81)
_ASKS_AMOUNT = re.compile(r"\bhow (?:much|many|long|large|big|fast|often)\b|몇|얼마", re.IGNORECASE)
_ASKING = re.compile(
    r"\b(?:explain|describe|tell|define|summari[sz]e|compare|list|please|meaning|difference|works?"
    r"|happens?)\b|(?<![가-힣])(?:설명|요약|비교|정의|알려|말해|차이|무엇|뭐|뭔|어떤|어떻|어느|얼마|몇|왜)[가-힣]*",
    re.IGNORECASE,
)
_FIGURES_IN_A_ROW = re.compile(r"(?:[\d.,%]+\s+){3,}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    number: int
    rank: int
    place: tuple[tuple[str, int, int], int]
    index: TermIndex
    context: TermIndex


def best_quotes(
    question: str,
    passages: Mapping[int, Passage],
    *,
    ranking: Sequence[str] = (),
    limit: int = 3,
) -> tuple[Sentence, ...]:
    """The up to `limit` sentences that address `question` best, in reading order.

    Empty where no sentence holds `ADDRESSED` of the question's weighted terms: then nothing is
    quoted. `passages` maps citation numbers to passages; `ranking` has passage ids, best first.
    A quote equals the passage's text but for whitespace and Markdown emphasis: line breaks of a
    PDF are folded, a word hyphenated at a line end keeps its hyphen. Headings, table rows, page
    furniture and fragments are never quoted.
    """
    candidates = list(_candidates(passages, ranking))
    terms = content_terms(_ASKING.sub(" ", question))
    if crosses_language(question, passages):
        terms = tuple(term for term in terms if term.surface.isascii())
    weights = {term.stem: _rarity(term, candidates) for term in terms}
    total = sum(weights.values())
    if not total:
        return ()
    scored = [(_coverage(one, terms, weights) / total, one) for one in candidates]
    if max((share for share, _ in scored), default=0.0) < ADDRESSED:
        return ()
    wants_figure = bool(_ASKS_AMOUNT.search(question))
    ranked = sorted(
        ((share + _bonus(one, wants_figure), one) for share, one in scored if share),
        key=lambda pair: (-pair[0], pair[1].place),
    )
    return _quoted(_choose(ranked, limit))


def leading_quotes(
    passages: Mapping[int, Passage], ranking: Sequence[str], *, limit: int = 3
) -> tuple[Sentence, ...]:
    """The first whole sentence of each of the `limit` best-ranked passages, in reading order.

    For a question in another language than the passages, whose words cannot be compared. The
    quotes are true to the documents, but only retrieval says that they address the question:
    whoever shows them must say so.
    """
    first: dict[int, _Candidate] = {}
    for candidate in sorted(_candidates(passages, ranking), key=lambda one: (one.rank, one.place)):
        first.setdefault(candidate.number, candidate)
    return _quoted(list(first.values())[:limit])


def crosses_language(question: str, passages: Mapping[int, Passage]) -> bool:
    """Whether no passage is in the language of the question."""
    asked_in = detect_language(question)
    return all(detect_language(passage.text) != asked_in for passage in passages.values())


def _candidates(passages: Mapping[int, Passage], ranking: Sequence[str]) -> Iterator[_Candidate]:
    rank_of = {passage_id: rank for rank, passage_id in enumerate(ranking, start=1)}
    for number, passage in passages.items():
        context = TermIndex(content_terms(" / ".join((passage.title, *passage.heading))))
        position = 0
        for block in read_blocks(passage.text):
            for sentence in block_sentences(block):
                position += 1
                if block.kind in ("prose", "item") and _is_quotable(sentence):
                    yield _Candidate(
                        text=sentence,
                        number=number,
                        rank=rank_of.get(passage.id, len(passages) + 1),
                        place=(passage.order, position),
                        index=TermIndex(content_terms(sentence)),
                        context=context,
                    )


def _is_quotable(sentence: str) -> bool:
    """A whole sentence of prose; one that opens in lower case is the tail of a cut one."""
    fragment = sentence[0].islower() and not any(map(str.isupper, sentence.split()[0]))
    letters = sum(map(str.isalpha, sentence))
    return (
        not fragment
        and is_complete(sentence)
        and not sentence.endswith(("?", "？"))
        and len(sentence.split()) in _WORDS
        and 2 * letters > len(sentence)
        and not _FIGURES_IN_A_ROW.search(sentence)
        and "|" not in sentence
    )


def _rarity(term: Term, candidates: Sequence[_Candidate]) -> float:
    """Inverse document frequency over the sentences at hand, smoothed: ln(1 + N / (1 + n))."""
    holding = sum(candidate.index.holds(term) for candidate in candidates)
    return term.weight * math.log(1 + len(candidates) / (1 + holding))


def _coverage(candidate: _Candidate, terms: Sequence[Term], weights: Mapping[str, float]) -> float:
    share = {
        term.stem: 1.0
        if candidate.index.holds(term)
        else _HEADING_WEIGHT * candidate.context.holds(term)
        for term in terms
    }
    return sum(weights[stem] * part for stem, part in share.items())


def _bonus(candidate: _Candidate, wants_figure: bool) -> float:
    figure = wants_figure and bool(read_quantities(candidate.text))
    return _RANK_BONUS / candidate.rank + _FIGURE_BONUS * figure


def _choose(ranked: Sequence[tuple[float, _Candidate]], limit: int) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    for score, candidate in ranked:
        if len(chosen) == limit or score < NEXT_BEST_SHARE * ranked[0][0]:
            break
        if candidate.text not in {other.text for other in chosen}:
            chosen.append(candidate)
    return chosen


def _quoted(chosen: Sequence[_Candidate]) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(text=one.text, citations=(one.number,), support=1.0, quoted=True)
        for one in sorted(chosen, key=lambda one: one.place)
    )
