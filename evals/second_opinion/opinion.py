"""What a written sentence changed of the passage that it cites.

The product's judge asks whether a passage covers what a sentence says. Here the sentence is aligned
word by word with the closest stretch of its passage, and what the alignment leaves over is told:
words that the passage does not have, words from another place in it, turning words such as "not" or
"only" that were dropped or added, numbers and repeated words that were passed over (as between two
parallel clauses), parts of several sentences. A model of meaning says besides whether another
sentence of the passage is nearer.

It is a sieve for a person who reads: suspicious is not false, since any word of one's own is
reported, and unsuspicious is not proven. No number in it was fitted to answers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evals.second_opinion.alignment import align
from evals.second_opinion.words import is_free, is_number, is_turning, same_word, tokens
from graph.evidence import Passage

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Vectors of the length 1, one a text."""

_SENTENCE_END = re.compile(r"(?<=[.!?。])[\"'”’)\]]*\s+|\n\s*\n|\n(?=\s*(?:[-*•|#]|\d+\.))")
_BETWEEN = re.compile(r"[\s*_`]*")
_BEGINS = r"(?:^|\n|[.!?。…:;][\"'”’)\]]*\s|[-*•]\s)[\s*_`]*"


@dataclass(frozen=True, slots=True)
class Opinion:
    """`reasons` to look at the sentence; none: unsuspicious. `similarity` is the cosine with the
    nearest sentence of the passage. `passage` is the one that it was compared with."""

    passage: Passage
    score: float
    similarity: float
    reasons: tuple[str, ...] = field(default=())

    @property
    def suspicious(self) -> bool:
        return bool(self.reasons)


def second_opinion(sentence: str, cited: Sequence[Passage], embed: Embed) -> Opinion:
    """Against that cited passage which leaves the fewest reasons. Raises `ValueError` without
    passages."""
    opinions = [_compared(sentence, passage, embed) for passage in cited]
    if not opinions:
        raise ValueError(f"no passage is cited for {sentence!r}")
    return min(opinions, key=lambda one: (len(one.reasons), -one.score))


def is_word_for_word(quote: str, cited: Iterable[Passage]) -> bool:
    """Whether a quote stands in a cited passage, letter for letter but for white space and
    emphasis, and begins where a sentence or a line does: the rest of a sentence can say something
    else than the whole."""
    letters = [re.escape(letter) for letter in _BETWEEN.sub("", quote)]
    anywhere = re.compile(_BEGINS + _BETWEEN.pattern.join(letters))
    return bool(letters) and any(anywhere.search(passage.text) for passage in cited)


def _compared(sentence: str, passage: Passage, embed: Embed) -> Opinion:
    parts = [part.strip() for part in _SENTENCE_END.split(passage.text) if part and tokens(part)]
    vectors = embed([sentence, *parts])
    cosines = vectors[1:] @ vectors[0]
    nearest = int(np.argmax(cosines))
    score, told = _told(
        tokens(sentence), parts, nearest, " / ".join((passage.title, *passage.heading))
    )
    reasons = tuple(f"{reason}: {', '.join(words)}" for reason, words in told.items() if words)
    if sentence.split(maxsplit=1)[0].islower():
        reasons = ("begins like the rest of another sentence", *reasons)
    return Opinion(passage, score, float(cosines[nearest]), reasons)


def _told(
    ours: Sequence[str], parts: Sequence[str], nearest: int, headings: str
) -> tuple[float, Mapping[str, Sequence[str]]]:
    """The score of the alignment, and what each reason has to show. `parts` are the sentences of
    the passage."""
    theirs = [(word, at) for at, part in enumerate(parts) for word in tokens(part)]
    words = [word for word, _ in theirs]
    score, pairs = align(ours, words)
    taken, used = {i for i, _ in pairs}, {j for _, j in pairs}
    kept = [word for i, word in enumerate(ours) if i in taken and not is_free(word)]
    rest = [word for i, word in enumerate(ours) if i not in taken and not is_free(word)]
    new = [word for word in rest if not _among(word, words)]
    touched = sorted({theirs[j][1] for i, j in pairs if not is_free(ours[i])})
    dropped = [w for j, (w, at) in enumerate(theirs) if at in touched and j not in used]
    passed = [words[j] for j in range(min(used, default=0), max(used, default=0)) if j not in used]
    return score, {
        "number not in the passage": [w for w in new if is_number(w)],
        "word not in the passage": [
            w for w in new if not is_number(w) and not _among(w, tokens(headings))
        ],
        "word from elsewhere": [w for w in rest if w not in new],
        "added": [w for w in rest if is_turning(w)],
        "dropped": [w for w in dropped if is_turning(w)],
        "passed over": [w for w in passed if is_number(w) or _among(w, kept)],
        "joined": [parts[at] for at in touched] if len(touched) > 1 else [],
        "nearer in meaning": [] if nearest in touched else [parts[nearest]],
    }


def _among(word: str, others: Iterable[str]) -> bool:
    return any(same_word(word, other) for other in others)
