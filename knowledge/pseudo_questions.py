"""Questions that a corpus surely can answer: made out of its own passages, without a model.

They stand in for what users will ask, so they come short and long, asked and just typed in,
misspelt, and in mixed languages (an English term in a Korean question).
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p

from graph.evidence import Passage
from knowledge.lexical import script, terms

_WORDS = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SENTENCES = re.compile(r"(?<=[.!?。])\s+")
_ENGLISH = (
    "What is {}?",
    "How does {} work?",
    "Why {}?",
    "What does the document say about {}?",
    "when should I use {}",
    "explain {}",
    "Tell me about {}, please.",
    "How much {}?",
)
_KOREAN = (
    "{} 무엇인가?",
    "{} 어떻게 하나요?",
    "{} 무슨 뜻이야?",
    "{} 왜 필요한가요?",
    "{}에 대해 설명해 주세요",
    "{} 언제 쓰나요?",
    "{} 알려줘",
    "{} 얼마나 되나?",
)
MISSPELT_SHARE = 0.2
SUBJECTS = 8
MAX_WORDS = 40


@dataclass(frozen=True, slots=True)
class PseudoQuestion:
    text: str
    source: Passage


Subject = tuple[list[str], int]
Rarity = Callable[[Sequence[str]], Mapping[str, float]]
"""Inverse document frequency of each term (`LexicalIndex.rarity`)."""


def pseudo_questions(passage: Passage, rarity: Rarity) -> Iterator[PseudoQuestion]:
    """One question of each kind from a passage, the same in every run."""
    chance = random.Random(passage.id)
    subjects = _subjects(passage, rarity)
    for kind in (_typed, _asked, _asked_long, _sentence, _mixed) if subjects else ():
        yield PseudoQuestion(kind(chance.choice(subjects), passage, chance), passage)


def _subjects(passage: Passage, rarity: Rarity) -> list[Subject]:
    """Where the passage names what it is about: words of a sentence, and the place in them of a
    word that the passage repeats and the corpus seldom holds."""
    counts = Counter(terms(passage.text))
    rare = rarity([term for term, _ in counts.most_common()])
    found: list[tuple[float, list[str], int]] = []
    for sentence in _SENTENCES.split(passage.text):
        words = _WORDS.findall(sentence)
        for place, word in enumerate(words if len(words) >= 4 else []):
            own = terms(word)
            weight = max((log1p(counts[term]) * rare.get(term, 0.0) for term in own), default=0.0)
            found.append((weight, words, place))
    found.sort(key=lambda subject: -subject[0])
    return [(words, place) for _, words, place in found[:SUBJECTS]]


def _typed(subject: Subject, _: Passage, chance: random.Random) -> str:
    return _phrase(subject, chance.randint(1, 3))


def _asked(subject: Subject, passage: Passage, chance: random.Random) -> str:
    phrase = _phrase(subject, chance.randint(2, 4))
    if chance.random() < MISSPELT_SHARE:
        phrase = _misspelt(phrase, chance)
    return chance.choice(_frames(passage)).format(phrase)


def _asked_long(subject: Subject, passage: Passage, chance: random.Random) -> str:
    """With half of the sentence's other words around the subject."""
    words, place = subject
    near = range(max(0, place - 8), min(len(words), place + 8))
    kept = [words[at] for at in near if abs(at - place) <= 1 or chance.random() < 0.5]
    return chance.choice(_frames(passage)).format(" ".join(kept))


def _sentence(subject: Subject, passage: Passage, chance: random.Random) -> str:
    """With half of the words of the subject's whole sentence."""
    kept = [word for word in subject[0][:MAX_WORDS] if chance.random() < 0.5]
    return chance.choice(_frames(passage)).format(" ".join(kept or subject[0][:3]))


def _mixed(subject: Subject, _: Passage, chance: random.Random) -> str:
    return chance.choice(_KOREAN).format(_phrase(subject, chance.randint(1, 3)))


def _frames(passage: Passage) -> tuple[str, ...]:
    return _KOREAN if script(passage.text) == "hangul" else _ENGLISH


def _phrase(subject: Subject, size: int) -> str:
    """`size` neighbouring words around the subject, which stands last or next to last."""
    words, place = subject
    end = min(len(words), place + 1 + (size > 2))
    return " ".join(words[max(0, end - size) : end])


def _misspelt(phrase: str, chance: random.Random) -> str:
    word = phrase.rsplit(" ", 1)[-1]
    if len(word) < 4:
        return phrase
    at = chance.randrange(len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return phrase[: -len(word)] + swapped
