"""Quote the sentences of passages that address a question, word for word.

A sentence is scored by the question's terms that it holds, each weighted by its rarity among the
sentences at hand; headings lend their words at half weight, and a better-ranked passage wins a
near tie. Korean terms are matched without particles or by character bigrams.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graph.answer import Sentence
from graph.evidence import Language, Passage
from nodes.judge.relevance import asked_terms
from nodes.text.quantities import read_quantities
from nodes.text.sentences import block_sentences, detect_language, read_blocks
from nodes.text.terms import Term, TermIndex, content_terms

ADDRESSED = 0.5
"""Share of the question's weighted terms that the best sentences of one passage must hold.

Below half, a passage shares a common word with the question and no more.
"""

NEXT_BEST_SHARE = 0.6
"""A further quote must score at least this part of the best one."""

_RANK_BONUS = 0.1  # for the best-ranked passage, falling as 1 / rank
_NEAR_RANK_BONUS = 0.04  # the same for nearness in meaning, whose values differ by less
_HEADING_WEIGHT = 0.5
_PHRASE_BONUS = 0.4  # for a sentence with all neighbouring words of the question side by side
_FIGURE_BONUS = 0.15  # a question for an amount, a sentence with a number
# A Korean word carries its particles and endings: "솔트는 격리한다." is "The salt isolates them."
_WORDS_MIN: dict[Language, int] = {"en": 4, "ko": 2}
_WORDS_MAX = 80
_ASKS_AMOUNT = re.compile(r"\bhow (?:much|many|long|large|big|fast|often)\b|몇|얼마", re.IGNORECASE)
# A line of a PDF may break anywhere, also behind what looks like a Korean ending: "처음", "다음".
_ENDS = re.compile(r"[.!。！…][\"'”’»)\]」』]*$")
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

    Empty where no passage has sentences that hold `ADDRESSED` of the question's weighted terms:
    then nothing is quoted. `passages` maps citation numbers to passages; `ranking` has passage ids,
    best first. A quote equals the passage's text but for whitespace and Markdown emphasis: line
    breaks of a PDF are folded, a word hyphenated at a line end keeps its hyphen. Headings, table
    rows, page furniture and fragments are never quoted.
    """
    candidates = list(_candidates(passages, ranking))
    terms = asked_terms(question)
    if len(in_other_language(question, passages)) == len(passages):
        terms = tuple(term for term in terms if term.surface.isascii())
    weights = {term.stem: _rarity(term, candidates) for term in terms}
    total = sum(weights.values())
    if not total:
        return ()
    held = {one.text: _held(one, terms, weights) for one in candidates}
    scored = [(sum(held[one.text].values()) / total, one) for one in candidates]
    ranked = sorted(
        ((share + _bonus(one, question), one) for share, one in scored if share),
        key=lambda pair: (-pair[0], pair[1].place),
    )
    if _addressed(ranked, held, limit) < ADDRESSED * total:
        return ()
    return _quoted(_choose(ranked, limit))


def nearest_quotes(
    passages: Mapping[int, Passage],
    similarities: Mapping[str, float],
    *,
    ranking: Sequence[str] = (),
    limit: int = 3,
) -> tuple[Sentence, ...]:
    """The `limit` sentences that are nearest in meaning to a question, in reading order.

    For a question whose words cannot be compared, as it is in another language than the passages.
    `similarities` has those of `quotable`. Without any, the first sentence of each of the
    best-ranked passages is taken. The quotes are true to the documents, but nothing says for sure
    that they address the question: whoever shows them must say so.
    """
    candidates = sorted(_candidates(passages, ranking), key=lambda one: (one.rank, one.place))
    if not similarities:
        candidates = list({one.number: one for one in reversed(candidates)}.values())[::-1]
    scores = {
        one.text: similarities.get(one.text, 0.0) + _NEAR_RANK_BONUS / one.rank
        for one in candidates
    }
    best = sorted(scores, key=lambda text: -scores[text])[:limit]
    first = {one.text: one for one in reversed(candidates)}
    return _quoted([first[text] for text in best])


def quotable(passages: Mapping[int, Passage], ranking: Sequence[str] = ()) -> list[str]:
    """Each sentence that may be quoted, once; those of the best-ranked passages first."""
    candidates = sorted(_candidates(passages, ranking), key=lambda one: (one.rank, one.place))
    return list(dict.fromkeys(one.text for one in candidates))


def in_other_language(question: str, passages: Mapping[int, Passage]) -> dict[int, Passage]:
    """The passages that are not in the language of the question."""
    asked_in = detect_language(question)
    return {
        number: passage
        for number, passage in passages.items()
        if detect_language(passage.text) != asked_in
    }


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
        and _ENDS.search(sentence) is not None
        and not sentence.endswith(("?", "？"))
        and _WORDS_MIN[detect_language(sentence)] <= len(sentence.split()) <= _WORDS_MAX
        and 2 * letters > len(sentence)
        and not _FIGURES_IN_A_ROW.search(sentence)
        and "|" not in sentence
    )


def _rarity(term: Term, candidates: Sequence[_Candidate]) -> float:
    """Inverse document frequency over the sentences at hand, smoothed: ln(1 + N / (1 + n))."""
    holding = sum(candidate.index.holds(term) for candidate in candidates)
    return term.weight * math.log(1 + len(candidates) / (1 + holding))


def _held(
    candidate: _Candidate, terms: Sequence[Term], weights: Mapping[str, float]
) -> dict[str, float]:
    """The weight of each term as far as the sentence, or half of it its heading, holds it."""
    return {
        term.stem: weights[term.stem]
        * (1.0 if candidate.index.holds(term) else _HEADING_WEIGHT * candidate.context.holds(term))
        for term in terms
    }


def _addressed(
    ranked: Sequence[tuple[float, _Candidate]], held: Mapping[str, Mapping[str, float]], limit: int
) -> float:
    """The weight that the best `limit` sentences of one passage hold together."""
    of_passage: dict[int, list[Mapping[str, float]]] = {}
    for _, candidate in ranked:
        of_passage.setdefault(candidate.number, []).append(held[candidate.text])
    return max(
        (
            sum(max(weight) for weight in zip(*(one.values() for one in best[:limit]), strict=True))
            for best in of_passage.values()
        ),
        default=0.0,
    )


def _bonus(candidate: _Candidate, question: str) -> float:
    wants_figure = _ASKS_AMOUNT.search(question) and read_quantities(candidate.text)
    asked, said = _neighbours(question), _neighbours(candidate.text)
    return (
        _RANK_BONUS / candidate.rank
        + _FIGURE_BONUS * bool(wants_figure)
        + _PHRASE_BONUS * len(asked & said) / max(1, len(asked))
    )


def _neighbours(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text.lower())
    return set(pairwise(words))


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
