"""What the passages have of a question: the parts from which the score is made."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import islice

from graph.evidence import Passage
from nodes.answerability.asked import Asked, read_asked
from nodes.answerability.candidates import Candidate, find_candidates
from nodes.answerability.words import Stretch, read_words
from nodes.text.opposites import pole_marks
from nodes.text.quantities import missing_quantities, read_quantities
from nodes.text.sentences import detect_language, split_sentences

MAX_SENTENCES = 400
"""Of the passages together; what stands behind is not read."""

READ_CLOSELY = 6
"""Sentences, with most of the question's words, in which candidates are looked for."""

IN_CONTEXT, IN_PASSAGE = 0.6, 0.35
"""What a word counts that only the sentence before or the title has, or only the passage."""

ASKED_NOUN_WEIGHT = 0.3
NO_TYPE = 0.5
"""The fit where the question's type has no form by which a candidate could be known."""

_NEAR_CHARS, _NEAR_CHARS_KOREAN = 60, 25
_CHINESE_END = re.compile(r"(?<=[。！？])(?=\S)")
_ASKS = re.compile(r"(?:무엇|무슨|뭐|뭔|뭘|누구|누가|언제|어디|어느|어떤|어떻|얼마|몇|왜|며칠)")
_DENIES = re.compile(
    r"\b(?:not(?! only)|never|none|nobody|nothing|neither|nor|cannot)\b|n['’]t\b"
    r"|지\s?(?:않|못)(?!으면|나요\s*\?*$)|(?<!수밖에 )없(?!으면|이)|아닌|(?<![가-힣])(?:안|못)\s"
    r"|不(?!同|过|久)|没|未|非",
    re.IGNORECASE,
)
# "What is done when a plan does not validate?" takes nothing for false.
_CONDITION = re.compile(
    r"(?<=\w) (?:if|when|that|because|while|where|which|who)\b[^,?]*"
    r"|\S*(?: 안| 못)? \S*(?:면|려면|도록|[을할될는은던] ?때)(?=[\s,])",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not(?! only)|never|no|none|nobody|nothing|neither|nor|cannot|without|except|besides"
    r"|unlike"
    r"|fail(?:s|ed)?|lack(?:s|ed)?|other than)\b|n['’]t\b"
    r"|지\s?(?:않|못|말)|(?<!수밖에 )없|아닌|아니(?!라)|(?<![가-힣])(?:안|못)\s|제외"
    r"|不|没|未|无|非",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Each from 0 to 1, where 1 speaks for an answer. Shares are of the question's words, weighted
    by rarity; `sentence` is the best one, which the parts below `lead` are about."""

    sentence: float
    """Share of the words that the best sentence holds."""
    context: float
    """The same with the sentence before it, its title and its passage."""
    passage: float
    """Share of the words that its passage holds."""
    anywhere: float
    """Share of the words that any passage holds."""
    lead: float
    """By how much its share is above that of any other passage, on a scale with 0.5 for equal."""
    typed: float
    """How well something in it has the form of the answer's type, and is not in the question."""
    near: float
    """How many of the words stand near such a thing."""
    together: float
    """1, less what its passage holds and the sentence does not: words from here and there."""
    names: float
    """0 if some name of the question is in no passage, 0.5 if not in this one, 0.8 if not in the
    sentence or its context."""
    numbers: float
    """The same for its numbers, which only the sentence itself may hold."""
    agrees: float
    """0 if it has the opposite of one of the words."""
    denial: float
    """0 if the question, unless it asks why or how, denies something and the sentence nothing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`passage` is the index of that with the best sentence, `text`; `missing` is in none."""

    parts: Parts
    passage: int
    text: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    text: str
    passage: int
    words: Stretch
    held: Mapping[str, float]
    """Of each stem of the question, how surely the sentence holds it."""
    context: Mapping[str, float]
    """The same of the sentence before and the title."""


class _Question:
    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: Asked = read_asked(text)
        words = {word.stem: word for word in read_words(text) if not _ASKS.match(word.surface)}
        self.words = tuple(words.values())
        self.stretch = Stretch(self.words)
        self.quantities = read_quantities(text)
        self.names = () if text.isupper() else tuple(w.stem for w in self.words if w.is_name)
        explains = self.asked.type in ("reason", "manner")
        self.denies = not explains and bool(_DENIES.search(_CONDITION.sub("", text)))

    def held_in(self, text: str) -> tuple[Stretch, Mapping[str, float]]:
        words = Stretch(read_words(text))
        return words, {word.stem: words.holds(word) for word in self.words}


def measure(
    question: str, passages: Sequence[Passage], rarity: Callable[[str], float] | None = None
) -> Measured | None:
    """None where the question has no content words or the passages no sentences.

    `rarity` weighs a word of the question as it stands there; without it, a word is rare that few
    sentences of the passages hold.
    """
    asked = _Question(question)
    places, wholes = _read(asked, passages)
    if not asked.words or not places:
        return None
    weights = _weights(asked, places, rarity)
    total = sum(weights.values())

    def share(held: Mapping[str, float]) -> float:
        return sum(weights[stem] * sure for stem, sure in held.items()) / total

    def seen(place: _Place) -> float:
        return share(_in_context(place, wholes[place.passage]))

    ranked = sorted(places, key=lambda place: share(place.held) + seen(place), reverse=True)
    typed: list[tuple[float, float, float, int]] = []
    for position, place in enumerate(ranked[:READ_CLOSELY]):
        fit, near = _candidate(asked, place, weights)
        value = (share(place.held) + seen(place)) / 2 + 0.3 * fit + 0.3 * near / total
        typed.append((value, fit, near / total, position))
    _, fit, near, position = max(typed, key=lambda one: (one[0], -one[3]))
    best = ranked[position]
    others = (share(place.held) for place in places if place.passage != best.passage)
    whole = wholes[best.passage]
    anywhere = reduce(_either, wholes)
    missing = tuple(word.surface for word in asked.words if not anywhere[word.stem])
    parts = Parts(
        sentence=share(best.held),
        context=seen(best),
        passage=share(whole),
        anywhere=share({stem: float(sure > 0) for stem, sure in anywhere.items()}),
        lead=(1 + share(best.held) - max(others, default=0.0)) / 2,
        typed=fit,
        near=near,
        together=1 - max(0.0, share(whole) - share(best.held)),
        names=_names(asked, best, whole, anywhere),
        numbers=_numbers(asked, best, passages),
        agrees=_agrees(asked, best),
        denial=0.0 if asked.denies and not _NEGATED.search(best.text) else 1.0,
    )
    return Measured(parts, best.passage, best.text, missing)


def _read(
    asked: _Question, passages: Sequence[Passage]
) -> tuple[list[_Place], list[Mapping[str, float]]]:
    """The sentences of all passages, and how surely each passage with its title holds each stem."""
    places: list[_Place] = []
    wholes = []
    for number, passage in enumerate(passages):
        title = asked.held_in(" / ".join((passage.title, *passage.heading)))[1]
        before = whole = title
        for text in islice(_sentences(passage.text), MAX_SENTENCES - len(places)):
            words, held = asked.held_in(text)
            places.append(_Place(text, number, words, held, _either(title, before)))
            before, whole = held, _either(whole, held)
        wholes.append(whole)
    return places, wholes


def _either(one: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    return {stem: max(sure, other[stem]) for stem, sure in one.items()}


def _sentences(text: str) -> Iterator[str]:
    for sentence in split_sentences(text):
        yield from filter(None, _CHINESE_END.split(sentence))


def _weights(
    asked: _Question, places: Sequence[_Place], rarity: Callable[[str], float] | None
) -> dict[str, float]:
    """Inverse frequency among the sentences, ln(1 + N / (1 + n)), if no other rarity is given."""
    weights = {}
    for word in asked.words:
        holding = sum(place.held[word.stem] > 0 for place in places)
        rare = rarity(word.surface) if rarity else math.log(1 + len(places) / (1 + holding))
        light = ASKED_NOUN_WEIGHT if word.stem == asked.asked.noun else 1.0
        weights[word.stem] = max(1e-6, rare * word.weight * light)
    return weights


def _in_context(place: _Place, whole: Mapping[str, float]) -> dict[str, float]:
    return {
        stem: max(sure, IN_CONTEXT * place.context[stem], IN_PASSAGE * whole[stem])
        for stem, sure in place.held.items()
    }


def _candidate(
    asked: _Question, place: _Place, weights: Mapping[str, float]
) -> tuple[float, float]:
    """The best fit of a candidate in the sentence, and the most weight that stands near one."""
    if asked.asked.type == "other":
        return NO_TYPE, 0.0
    korean = detect_language(place.text) == "ko"
    reach = _NEAR_CHARS_KOREAN if korean else _NEAR_CHARS
    spots = [
        (weights[word.stem] * place.held[word.stem], place.words.places(word))
        for word in asked.words
        if place.held[word.stem]
    ]
    best_fit = best_near = 0.0
    for one in find_candidates(asked.asked, place.text):
        if _repeats(one, asked):
            continue
        near = sum(
            weight * max(math.exp(-_gap(one, at) / reach) for at in found)
            for weight, found in spots
            if found
        )
        best_fit, best_near = max(best_fit, one.fit), max(best_near, one.fit * near)
    return best_fit, best_near


def _gap(one: Candidate, at: int) -> int:
    return max(one.start - at, at - one.end, 0)


def _repeats(one: Candidate, asked: _Question) -> bool:
    """What the question itself says is no answer to it."""
    if one.start == one.end:
        return False
    words = read_words(one.text)
    if words:
        return all(asked.stretch.holds(word) == 1.0 for word in words)
    return any(map(str.isdigit, one.text)) and one.text.lower() in asked.text.lower()


def _names(
    asked: _Question, place: _Place, whole: Mapping[str, float], anywhere: Mapping[str, float]
) -> float:
    in_context = _either(place.held, place.context)
    for held, level in ((in_context, 1.0), (whole, 0.8), (anywhere, 0.5)):
        if all(held[stem] for stem in asked.names):
            return level
    return 0.0


def _numbers(asked: _Question, place: _Place, passages: Sequence[Passage]) -> float:
    def lacks(text: str) -> bool:
        return bool(missing_quantities(asked.quantities, read_quantities(text), text))

    if not lacks(place.text):
        return 1.0
    if not lacks(passages[place.passage].text):
        return 0.8
    return 0.0 if lacks("\n".join(passage.text for passage in passages)) else 0.5


def _agrees(asked: _Question, place: _Place) -> float:
    stated = {(mark.axis, mark.pole) for mark in pole_marks(place.text)}
    for mark in pole_marks(asked.text):
        if (mark.axis, 1 - mark.pole) in stated and (mark.axis, mark.pole) not in stated:
            return 0.0
    return float(
        not any(place.held[word.stem] < 1 and place.words.opposes(word) for word in asked.words)
    )


PART_NAMES = tuple(field.name for field in fields(Parts))
