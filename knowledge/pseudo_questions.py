"""Questions that a corpus surely can answer: made out of its own passages, without a model.

They stand in for what users will ask. Nobody asks in the words of the passage: so a question keeps
some words of a sentence, and some of those give way to words that have nothing to do with it.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p

from graph.evidence import Passage
from knowledge.lexical import Script, script, terms

_WORDS = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,2}|[^\W_]+")
_ENGLISH = (
    "What is {}?",
    "How does {} work?",
    "Why {}?",
    "Who {}?",
    "When {}?",
    "which {}",
    "explain {}",
    "And what about {}?",
    "Tell me about {}, please.",
    "How much {}?",
)
_KOREAN = (
    "{} 무엇인가?",
    "{} 어떻게 하나요?",
    "{} 무슨 뜻이야?",
    "{} 왜 그런가요?",
    "{} 누구인가?",
    "{} 언제인가요?",
    "{} 알려줘",
    "그럼 {}은?",
    "{}에 대해 설명해 주세요",
    "{} 얼마나 되나?",
)
_CHINESE = ("{}是什么？", "{}？", "为什么{}？", "{}在哪里？", "{}是谁？", "{}是哪一年？")
_ANY = ("{}?", "{}")
_FRAMES: Mapping[Script, Sequence[str]] = {
    "latin": _ENGLISH,
    "hangul": _KOREAN,
    "han": _CHINESE,
    "other": _ANY,
}
_KOREAN_AROUND_ENGLISH = (
    "{}에 대해 자세히 설명해 주세요",
    "이 문서에서 {} 관련 내용이 뭐라고 되어 있나요?",
    "{} 어떻게 동작하는지 알려 줘",
    "{} 쓰는 이유가 무엇인지 궁금합니다",
    "{} 쓸 때 주의할 점은 무엇인가요?",
    "{} 뜻하는 게 뭐야? 쉽게 말해 줘",
)
_ENGLISH_AROUND_OTHERS = (
    "Could you explain to me in more detail what {} means here?",
    "What do these documents say about the subject of {}?",
    "I would like to know how {} works, step by step",
    "Please tell me what I have to watch out for when using {}",
)
KNOWN_WORDS = 20_000
SUBJECTS = 8
MAX_WORDS = 40
MIN_WORDS = 3

KEPT_SHARES = (0.2, 0.6)
"""Least and greatest part of a sentence's words in a question."""

REPLACED_SHARE = 0.2
"""Of the kept words, in every second question. With these shares the questions of four public
sets scatter about as theirs do (docs/decisions/013)."""

MISSPELT_SHARE = 0.05
CAPITALS_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class PseudoQuestion:
    text: str
    source: Passage


Subject = tuple[list[str], int]
Rarity = Callable[[Sequence[str]], Mapping[str, float]]
"""Inverse document frequency of each term (`Searcher.rarities`)."""


def pseudo_questions(
    passage: Passage, rarity: Rarity, others: Mapping[Script, Sequence[str]]
) -> Iterator[PseudoQuestion]:
    """One question of each kind from a passage, the same in every run: two whole ones, the second
    with words of `others` in its script, bare words as typed into a search box, and words of it in
    a Korean question, or in an English one where it is in another script than Latin."""
    chance = random.Random(passage.id)
    subjects = _subjects(passage, rarity)
    if not subjects:
        return
    of = script(passage.text)
    frames, space = _FRAMES[of], "" if of == "han" else " "
    foreign_words = others.get(of) or others["latin"]
    for replaced in (0.0, REPLACED_SHARE):
        words = _kept(chance.choice(subjects), chance)
        words = [
            chance.choice(foreign_words) if chance.random() < replaced else word for word in words
        ]
        asked = chance.choice(frames).format(_mistyped(space.join(words), chance))
        yield PseudoQuestion(asked, passage)
    yield PseudoQuestion(
        space.join(_phrase(chance.choice(subjects), chance.randint(1, 3))), passage
    )
    around = _KOREAN_AROUND_ENGLISH if of == "latin" else _ENGLISH_AROUND_OTHERS
    phrase = space.join(_phrase(chance.choice(subjects), chance.randint(2, 4)))
    yield PseudoQuestion(chance.choice(around).format(phrase), passage)


def _subjects(passage: Passage, rarity: Rarity) -> list[Subject]:
    """Where the passage names what it is about: words of a sentence, and the place in them of a
    word that the passage repeats and the corpus seldom holds."""
    counts = Counter(terms(passage.text))
    rare = rarity([term for term, _ in counts.most_common()])
    found: list[tuple[float, list[str], int]] = []
    for sentence in _SENTENCES.split(passage.text):
        words = (_WITHOUT_SPACES if script(sentence) == "han" else _WORDS).findall(sentence)
        for place, word in enumerate(words if len(words) > MIN_WORDS else []):
            own = _terms_of_word(word)
            weight = max((log1p(counts[term]) * rare.get(term, 0.0) for term in own), default=0.0)
            found.append((weight, words, place))
    found.sort(key=lambda subject: -subject[0])
    return [(words, place) for _, words, place in found[:SUBJECTS]]


@lru_cache(maxsize=KNOWN_WORDS)
def _terms_of_word(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _kept(subject: Subject, chance: random.Random) -> list[str]:
    """The subject and some of the words around it, in their order."""
    words, place = subject
    start = max(0, place - MAX_WORDS // 2)
    share = chance.uniform(*KEPT_SHARES)
    near = list(enumerate(words))[start : start + MAX_WORDS]
    kept = {at for at, _ in near if at == place or chance.random() < share}
    kept |= set(chance.sample([at for at, _ in near], max(0, MIN_WORDS - len(kept))))
    return [words[at] for at in sorted(kept)]


def _phrase(subject: Subject, size: int) -> list[str]:
    """`size` neighbouring words around the subject, which stands last or next to last."""
    words, place = subject
    end = min(len(words), place + 1 + (size > 2))
    return words[max(0, end - size) : end]


def _mistyped(phrase: str, chance: random.Random) -> str:
    if chance.random() < CAPITALS_SHARE:
        return phrase.upper()
    word = phrase.rsplit(" ", 1)[-1]
    if len(word) < 4 or chance.random() >= MISSPELT_SHARE:
        return phrase
    at = chance.randrange(len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return phrase[: -len(word)] + swapped
