"""Content terms of a sentence: what of its words has to be found again in a source.

English words are lowercased and lightly stemmed. Korean words lose their particles; what remains
of a noun is matched whole or by its character bigrams, since spacing between nouns is free
(부하시험, 부하 시험); verbs and adjectives are matched by the part that conjugation leaves alone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from nodes.text.english_stems import related, stem_english
from nodes.text.korean_verbs import final_of, verb_roots
from nodes.text.stopwords import LIGHT_WORDS, STOP_ENGLISH, STOP_KOREAN
from nodes.text.wordclass import is_english_adverb, is_english_verb

PREDICATE_WEIGHT = 0.5
"""Verbs are said in other words more freely than nouns."""

LIGHT_WEIGHT = 0.25
"""Words so general that an answer may add them: way, reason, occur, 방법, 이유."""

BIGRAM_SHARE = 0.6
"""Share of a Korean noun's bigrams that must occur: 2 of 3, so one changed syllable fails it."""

_WORD = re.compile(r"[가-힣]+|[^\W_가-힣]+(?:['’](?=[^\W\d_])[^\W_가-힣]+)?")
_EMPTY_PREDICATE = re.compile(
    r"(?:(?:있|없|않|못|아니|아닌|같|이다|하[다고며면지는나]|해[야서도요]|한다|했|됐|됩|였|이었|이[다며고]|인[데가]"
    r"|되[다고며면지는어었기므거도])[가-힣]{0,4}|되|된다?|[될할](?:지|까|수록)?)$"
)
_PARTICLE = re.compile(
    r"(?:뿐이다|뿐만|뿐|으로부터|에서부터|으로써|으로서|에서는|에서도|에게서|까지는|까지의|이라는|이라고|이란|이라면|이므로|"
    r"에서의|에서만|에서|에게는|에게도|에게로|에게만|에게|한테서|한테는|한테|께서는|께서|에는|에도|에만|까지|부터|보다는|보다|처럼|만큼|마다|조차|밖에|라는|라고|으로는|으로도|"
    r"으로|이기도|이기는|로부터|로는|로도|로서|로써|이나|이며|이고|이면|이라|인지|이다|입니다|였다|이었다|인가요|인가|일까|들은|들이|"
    r"들을|들의|들에|들|뿐|대로|와의|과의|와는|과는|은|는|이|가|을|를|의|에|와|과|도|만|로|나|란|다)$"
)
_VERBAL_NOUN = re.compile(
    r"(?P<noun>[가-힣]{2,})(?:하|한|할|함|합|해|했|되|된|될|됨|됩|돼|됐|시키|시킨|시켜|시킬|받|당하|당한|당했)[가-힣]{0,5}$"
)
_PREDICATE = re.compile(
    r"[가-힣](?:다|고|며|면|지|서|려|려고|도록|므로|니|니다|까|요|던|수록|거나|지만|는데|기|게|어|아|어야|아야|"
    r"야|어도|아도|지는|지도|져|켜|쳐|겨|줘|꿔|춰|둬|눠)$"
)
_NOUN_ENDING = re.compile(r"(?:에서|보다|이다|에게서?|한테서?|로부터)$")
_ADNOMINAL = re.compile(r"[은는을던려워러여나]$|이[는가를의]?$")
_ADNOMINAL_ENDING = re.compile(r"[은는을던]$")
_AMBIGUOUS = re.compile(r"(?<![는은던])지(?:는|도)?$")
_LETTER = re.compile(r"(?<=[a-zA-Z가-힣]\s)[A-HJ-Z](?![\w'’])")
_LABEL = re.compile(r"(?:^|(?<=[가-힣.,]\s))[가나다라](?=\s[가-힣]{1,3}[은는이가을를의에])")
_COPULA = re.compile(r"(?:입니다|이?었습니다|였습니다|이?었다|였다|이?다|이?며|이?고)$")
_BEHIND_VERB = re.compile(
    r"\s?(?:않|못|말|마(?![가-힣]*[지흔을])|아니)|\s(?:수|때|줄|뿐)(?![가-힣]{2})|(?<=도)\s(?:되|돼|된|됩|좋)|(?<=[서면]는)\s안\s"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One content word; `at` is the offset of its first character in the text.

    `roots` are empty unless the word may be a Korean verb or adjective: then they are what
    conjugation may have left of it. `verb` is for adverbs too. `light` words say little.
    """

    stem: str
    at: int
    surface: str
    weight: float = 1.0
    roots: tuple[str, ...] = ()
    verb: bool = False
    light: bool = False

    @property
    def root(self) -> str:
        """The likeliest root of a Korean verb, '' for what is none."""
        return self.roots[0] if self.roots and self.verb else ""

    @property
    def names(self) -> bool:
        """Whether it is a noun or an adjective that says something of its own."""
        return not self.verb and not self.light


class TermIndex:
    """The terms of one stretch of text, for asking which terms of another occur in it."""

    def __init__(self, terms: Iterable[Term], *, extra: Iterable[Term] = ()) -> None:
        own = (*terms, *extra)
        self._stems = frozenset(term.stem for term in own)
        self._roots = frozenset(root for term in own for root in term.roots)
        self._hangul = "".join(term.stem for term in own if _is_hangul(term.stem))

    def holds(self, term: Term) -> bool:
        if term.stem in self._stems:
            return True
        if not self._roots.isdisjoint(term.roots):
            return True
        if _is_english(term.stem):
            return any(related(term.stem, stem) for stem in self._stems)
        if term.root:
            return _COPULA.sub("", term.surface) in self._stems
        if not _is_hangul(term.stem) or len(term.stem) < 2:
            return False
        if term.stem.endswith("자") and term.stem[:-1] in self._stems:  # 예약자: 예약한 사람
            return True
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
            if _LABEL.match(text, match.start()):  # "가 조"
                terms.append(Term(word, match.start(), word))
                continue
            verbal = bool(_BEHIND_VERB.match(text, match.end()))
            if term := _korean_term(word, match.start(), verbal):
                terms.append(term)
        elif not word.isdigit():
            stem = stem_english(word.lower())
            if _LETTER.match(text, match.start()):  # plan B
                terms.append(Term(word, match.start(), word))
            elif stem not in STOP_ENGLISH and word.lower() not in STOP_ENGLISH and len(stem) > 1:
                verb = is_english_verb(text, *match.span()) or is_english_adverb(word)
                light = stem in _LIGHT_STEMS
                terms.append(
                    Term(
                        stem,
                        match.start(),
                        word,
                        LIGHT_WEIGHT if light else PREDICATE_WEIGHT if verb else 1.0,
                        verb=verb,
                        light=light,
                    )
                )
    return tuple(terms)


@lru_cache(maxsize=50_000)
def alike_nouns(one: str, other: str) -> bool:
    """Whether two Korean nouns share most of the shorter one's bigrams: 귤나무, 귤 나무."""
    short, long = sorted((one, other), key=len)
    pairs = bigrams(short)
    return bool(pairs) and sum(pair in long for pair in pairs) > BIGRAM_SHARE * len(pairs)


def bigrams(word: str) -> list[str]:
    return [word[i : i + 2] for i in range(len(word) - 1)]


_LIGHT_STEMS = frozenset(stem_english(word) if word.isascii() else word for word in LIGHT_WORDS)


def _is_english(stem: str) -> bool:
    return "a" <= stem[0] <= "z" and stem.isalpha()


def _is_hangul(word: str) -> bool:
    return "가" <= word[0] <= "힣"


@lru_cache(maxsize=20_000)
def _read_korean(word: str, verbal: bool) -> Term | None:
    """The term of a Korean word at offset 0, or None for a stop word or a bare particle.

    "잡지는" is a magazine, but `verbal`, before a negation, it is the verb "to catch".
    """
    if word in STOP_KOREAN or _EMPTY_PREDICATE.match(word):
        return None
    if found := _VERBAL_NOUN.match(word):
        noun = found["noun"]
        light = noun in LIGHT_WORDS
        return Term(
            noun, 0, word, LIGHT_WEIGHT if light else PREDICATE_WEIGHT, verb=True, light=light
        )
    predicate = _PREDICATE.search(word) and not _NOUN_ENDING.search(word)
    if predicate and (verbal or not _AMBIGUOUS.search(word)):
        return Term(word, 0, word, PREDICATE_WEIGHT, verb_roots(word), verb=True)
    if verbal and (final_of(word[-1]) == "ㄹ" or word.endswith(("도", "서는"))):
        return Term(word, 0, word, PREDICATE_WEIGHT, verb_roots(word), verb=True)
    stem = _PARTICLE.sub("", word)
    if not stem or stem in STOP_KOREAN:
        return None
    light = stem in LIGHT_WORDS
    return Term(stem, 0, word, LIGHT_WEIGHT if light else 1.0, _adnominal_roots(word), light=light)


def _adnominal_roots(word: str) -> tuple[str, ...]:
    """ "맡은 사람" is who took over, "값은" is the price: such a word has both readings."""
    if not _ADNOMINAL.search(word) and final_of(word[-1]) not in ("ㄴ", "ㄹ") and len(word) > 1:
        return ()
    roots = verb_roots(word)
    stem = _ADNOMINAL_ENDING.sub("", word)
    sure = stem == word or len(stem) < 2
    return roots if sure and len(word) < 3 else tuple(root for root in roots if root[0] == "+")


def _korean_term(word: str, at: int, verbal: bool) -> Term | None:
    read = _read_korean(word, verbal)
    return None if read is None else replace(read, at=at)
