"""Content words of a text in English, Korean and Chinese, and how surely a text holds one."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from nodes.answerability.vocabulary import OPPOSITES, SYNONYMS
from nodes.text.terms import content_terms

AKIN = 0.7
"""How surely a word is held by one of its family (found, founder) or meaning (begin, start)."""

FAMILY_LETTERS, FAMILY_SHARE = 4, 0.6
"""English words are of one family where they begin alike for so many letters, and for this share
of the longer one."""

SPELLING_SHARE = 0.85
"""Of the letters of a name and a misspelt one, as `difflib` counts those that they share."""

BIGRAM_SHARE = 0.6
"""Share of a Korean noun's pairs of syllables that must occur: nouns are spaced freely."""

CHINESE_WEIGHT = 0.5
"""Chinese is cut into overlapping pairs of characters, about two for a word."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_EMPTY_HAN = frozenset(
    "的了是在有和与及或也就都而被把对从到由向其这那此个一为以于等中上下什么哪多少怎谁几何"
)
_ADJECTIVE = re.compile(r"[a-z](?:ish|ese|ean|[ai]an|ern)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A content word at an offset; `root` is what a Korean verb keeps in all forms, or empty."""

    stem: str
    surface: str
    at: int
    weight: float
    root: str = ""

    @property
    def synonyms(self) -> frozenset[int]:
        return SYNONYMS.get(self.root or self.stem, frozenset())

    @property
    def opposites(self) -> frozenset[tuple[int, int]]:
        return OPPOSITES.get(self.root or self.stem, frozenset())

    @property
    def is_name(self) -> bool:
        """Capitalised inside a text, or with a digit behind a letter (10k is an amount); what is in
        Hangul cannot be told by form. "European" and "Northern" say of which kind a thing is."""
        capital = self.surface[0].isupper() and self.at > 0 and not _ADJECTIVE.search(self.surface)
        return capital or (self.surface[0].isalpha() and any(map(str.isdigit, self.surface)))


def read_words(text: str) -> tuple[Word, ...]:
    """The content words of `text` in order."""
    words = [
        Word(term.stem, term.surface, term.at, term.weight, term.root)
        for term in content_terms(text)
        if not _HAN.search(term.stem)
    ]
    for run in _HAN.finditer(text):
        for at in range(len(run[0]) - 1):
            pair = run[0][at : at + 2]
            if _EMPTY_HAN.isdisjoint(pair):
                words.append(Word(pair, pair, run.start() + at, CHINESE_WEIGHT))
    return tuple(sorted(words, key=lambda word: word.at))


class Stretch:
    """The words of a stretch of text, for asking which words of another it holds."""

    def __init__(self, words: Iterable[Word]) -> None:
        self._words = tuple(words)
        self._forms = {form for word in self._words for form in (word.stem, word.root) if form}
        self._synonyms = {group for word in self._words for group in word.synonyms}
        self._opposites = {side for word in self._words for side in word.opposites}
        self._hangul = "".join(word.stem for word in self._words if _is_hangul(word.stem))
        self._families: defaultdict[str, set[str]] = defaultdict(set)
        for form in self._forms:
            if form.isascii() and form.isalpha():
                self._families[form[:FAMILY_LETTERS]].add(form)

    def holds(self, word: Word) -> float:
        """1 for the word itself, `AKIN` for one of its family or meaning, else 0."""
        if word.stem in self._forms or word.root in self._forms:
            return 1.0
        if _is_hangul(word.stem) and not word.root and self._holds_pairs(word.stem):
            return 1.0
        family = self._families.get(word.stem[:FAMILY_LETTERS], ())
        if not word.synonyms.isdisjoint(self._synonyms) or any(
            _of_one_family(word.stem, form) for form in family
        ):
            return AKIN
        if word.is_name and get_close_matches(word.stem, self._forms, 1, SPELLING_SHARE):
            return AKIN
        return 0.0

    def opposes(self, word: Word) -> bool:
        """Whether the opposite of `word` stands here, and nothing on its own side."""
        own = word.opposites
        against = {(pair, 1 - side) for pair, side in own}
        return not against.isdisjoint(self._opposites) and own.isdisjoint(self._opposites)

    def places(self, word: Word) -> list[int]:
        """Offsets at which `word`, or what holds it, stands."""
        return [own.at for own in self._words if _meet(own, word)]

    def _holds_pairs(self, noun: str) -> bool:
        pairs = [noun[at : at + 2] for at in range(len(noun) - 1)]
        return bool(pairs) and sum(pair in self._hangul for pair in pairs) >= BIGRAM_SHARE * len(
            pairs
        )


def _meet(one: Word, other: Word) -> bool:
    if one.stem == other.stem or (one.root and one.root == other.root):
        return True
    if _is_hangul(one.stem) and _is_hangul(other.stem) and min(len(one.stem), len(other.stem)) > 1:
        return one.stem in other.stem or other.stem in one.stem
    return not one.synonyms.isdisjoint(other.synonyms) or _of_one_family(one.stem, other.stem)


def _of_one_family(one: str, other: str) -> bool:
    if not (one.isascii() and other.isascii() and one.isalpha() and other.isalpha()):
        return False
    alike = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        alike += 1
    return alike >= max(FAMILY_LETTERS, FAMILY_SHARE * max(len(one), len(other)))


def _is_hangul(word: str) -> bool:
    return "가" <= word[0] <= "힣"
