"""Content terms of a sentence: what of its words has to be found again in a source.

English words are lowercased and lightly stemmed. Korean words lose their particles; what remains
of a noun is matched whole or by its character bigrams, since spacing between nouns is free
(부하시험, 부하 시험); verbs and adjectives are matched by the part that conjugation leaves alone.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from nodes.text.stopwords import STOP_ENGLISH, STOP_KOREAN

PREDICATE_WEIGHT = 0.5
"""Korean verbs and adjectives change their form too freely to count as much as nouns."""

BIGRAM_SHARE = 0.6
"""Share of a Korean noun's bigrams that must occur: 2 of 3, so one changed syllable fails it."""

_WORD = re.compile(r"[가-힣]+|[^\W_가-힣]+(?:['’](?=[^\W\d_])[^\W_가-힣]+)?")
_EMPTY_PREDICATE = re.compile(
    r"(?:있|없|않|못|아니|아닌|같|이다|하[다고며면지는나]|해[야서도요]|한다|했|할|되|된|될|됩|이[다며고]|인[데가])[가-힣]{0,4}$"
)
_PARTICLE = re.compile(
    r"(?:뿐이다|뿐만|뿐|으로부터|에서부터|으로써|으로서|에서는|에서도|에게서|까지는|까지의|이라는|이라고|이란|이라면|이므로|"
    r"에서의|에서만|에서|에게|에는|에도|에만|까지|부터|보다는|보다|처럼|만큼|마다|조차|밖에|라는|라고|으로는|으로도|"
    r"으로|로부터|로는|로도|로서|로써|이나|이며|이고|이면|이라|인지|이다|입니다|였다|이었다|인가요|인가|일까|들은|들이|"
    r"들을|들의|들에|들|뿐|와의|과의|와는|과는|은|는|이|가|을|를|의|에|와|과|도|만|로|나|란|다)$"
)
_VERBAL_NOUN = re.compile(
    r"(?P<noun>[가-힣]{2,})(?:하|한|할|함|합|해|했|되|된|될|됨|됩|돼|됐|시키|시킨|시켜|시킬)[가-힣]{0,5}$"
)
_PREDICATE = re.compile(
    r"[가-힣](?:다|고|며|면|지|서|려|려고|도록|므로|니|니다|까|요|던|수록|거나|지만|는데|기|게|어|아|어야|아야|"
    r"야|어도|아도|지는|지도)$"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One content word; `at` is the offset of its first character in the text.

    `root` is '' unless the word may be a Korean verb or adjective: then the part of it that
    conjugation does not change.
    """

    stem: str
    at: int
    surface: str
    weight: float = 1.0
    root: str = ""


class TermIndex:
    """The terms of one stretch of text, for asking which terms of another occur in it."""

    def __init__(self, terms: Iterable[Term], *, extra: Iterable[Term] = ()) -> None:
        own = (*terms, *extra)
        self._stems = frozenset(term.stem for term in own)
        self._roots = frozenset(verb_root(stem) for stem in self._stems if _is_hangul(stem))
        self._hangul = "".join(term.stem for term in own if _is_hangul(term.stem))
        self._latin = " ".join(term.stem for term in own if not _is_hangul(term.stem))

    def holds(self, term: Term) -> bool:
        if term.stem in self._stems:
            return True
        if term.root:
            return term.root in self._roots
        if not _is_hangul(term.stem) or len(term.stem) < 2:
            return False
        pairs = bigrams(term.stem)
        return sum(pair in self._hangul for pair in pairs) >= BIGRAM_SHARE * len(pairs)


def content_terms(text: str) -> tuple[Term, ...]:
    """The content terms of `text` in order, stop words and plain numbers left out.

    A word hyphenated at a line end ("infor-mation") is there in parts and closed up.
    """
    terms: list[Term] = []
    for match in _WORD.finditer(text):
        word = match[0]
        if _is_hangul(word):
            if term := _korean_term(word, match.start()):
                terms.append(term)
        elif not word.isdigit():
            stem = stem_english(word.lower())
            if stem not in STOP_ENGLISH and word.lower() not in STOP_ENGLISH and len(stem) > 1:
                terms.append(Term(stem, match.start(), word))
    return tuple(terms)


@lru_cache(maxsize=20_000)
def stem_english(word: str) -> str:
    """A light stem: inflection and the commonest verb and noun endings go, nothing is looked up.

    So that "caches", "cached", "caching" and "cache" meet, as do "compute" and "computation". It
    is used on both sides of a comparison, so it need not be a word.
    """
    word = re.sub(r"['’]s?$", "", word)
    word = re.sub(r"['’].*", "", word)
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ations", "ation", "ating", "ated", "ates", "ate", "ing", "edly", "ed", "ion"):
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= 3 and re.search(r"[aeiouy]", kept):
            word = kept
            break
    word = word.removesuffix("ly") if len(word) > 5 else word
    word = re.sub(r"([bdgklmnprt])\1$", r"\1", word)
    word = word.removesuffix("e") if len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


@lru_cache(maxsize=20_000)
def verb_root(word: str) -> str:
    """What conjugation leaves of a Korean verb: its first syllable, or four letters of jamo.

    A closed first syllable carries the stem (만든다, 만들어: 만); an open one needs the next
    consonant and vowel (보낸다, 보내고, 보냈다: ㅂㅗㄴㅐ).
    """
    letters = unicodedata.normalize("NFD", word)
    closed = (ord(word[0]) - 0xAC00) % 28 != 0
    return letters[:3] if closed else letters[:4]


def bigrams(word: str) -> list[str]:
    return [word[i : i + 2] for i in range(len(word) - 1)]


def _is_hangul(word: str) -> bool:
    return "가" <= word[0] <= "힣"


@lru_cache(maxsize=20_000)
def _read_korean(word: str) -> tuple[str, float, str] | None:
    """(stem, weight, root) of a Korean word, or None for a stop word or a bare particle."""
    if word in STOP_KOREAN or _EMPTY_PREDICATE.match(word):
        return None
    if verbal := _VERBAL_NOUN.match(word):
        return (verbal["noun"], 1.0, "")
    if len(word) > 1 and _PREDICATE.search(word) and not re.search(r"(?:에서|보다|이다)$", word):
        return (word, PREDICATE_WEIGHT, verb_root(word))
    stem = _PARTICLE.sub("", word)
    if not stem or stem in STOP_KOREAN:
        return None
    return (stem, 1.0, "")


def _korean_term(word: str, at: int) -> Term | None:
    read = _read_korean(word)
    return None if read is None else Term(read[0], at, word, read[1], read[2])
