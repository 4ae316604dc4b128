"""Words as the second opinion compares them: tokens, their inflected forms, and turning words."""

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[%‰]|[가-힣]+|[^\W\d_가-힣]+")
_NOT = re.compile(r"n['’]t\b|(?<=\bcan)not\b")
_POSSESSIVE = re.compile(r"['’]s\b")

_FREE_WORDS = """
    a an the and of to in on at for from with as into is are was were be been being it its this
    that these those which who has have had do does did will so also there then they their them
    은 는 이 가 을 를 의 에 에서 에게 로 으로 와 과 도 이다 이며 인 입니다 및 그 것 것은 것이다
    한다 합니다 하며 하고 하는 된다 됩니다 되는
"""
_TURNING_WORDS = """
    not no never none neither nor without except unless until only if when while may might can
    could should must some most least more less fewer than under over above below before after
    almost nearly about up all every always sometimes usually often seldom but instead rather
"""
_FREE, _TURNING = frozenset(_FREE_WORDS.split()), frozenset(_TURNING_WORDS.split())
_KOREAN_TURNING = re.compile(
    r"^(?:않|못|없|아니|아닌|뿐|제외|외에|금지|경우|때|동안|이상|이하|미만|초과|최대|최소|모두|모든"
    r"|일부|대부분|항상|가끔|대신|이전|이후|전에|후에)|^(?:안|만|약|수|수는|말고)$"
    r"|(?<=[가-힣])(?:만|면|까지|부터|없이|보다|려면)$"
)
_ENGLISH_SUFFIX = re.compile(r"(?:ing|ed|es|s|d|e)$")
_KOREAN_PARTICLE = re.compile(
    r"(?<=[가-힣])(?:에서는|에서|에게|에는|으로|은|는|이|가|을|를|의|에|도|와|과|로)$"
)
# In single letters, since an ending may fuse with the stem: 두 + ㅂ니다 is 둡니다.
_KOREAN_STATES = re.compile(unicodedata.normalize("NFD", r"(?:\u11ab|\u11b8니|는|습니)?다$"))
_KOREAN_ENDING = re.compile(
    unicodedata.normalize(
        "NFD",
        r"(?:\u11ab|\u11af|\u11b7|\u11b8|\u11bb|은|는|이|가|을|를|의|에|로|와|과|도|하|되|인|일|임|입|였|며"
        r"|고|라|니|나|들|처|으로|지(?:만|는|도)?$|서).*",
    )
)
KOREAN_STEM_LETTERS_MIN = 4  # two syllables without finals


def tokens(text: str) -> list[str]:
    """Words, numbers as they are written, and signs of percent. A particle behind a foreign word is
    a token of its own."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _TOKEN.findall(_POSSESSIVE.sub("", _NOT.sub(" not", folded)))


def is_number(token: str) -> bool:
    return token[0].isdigit()


def is_free(token: str) -> bool:
    """Whether a sentence may have this word without its passage, since it says nothing alone."""
    return token in _FREE


def is_turning(token: str) -> bool:
    """A word that negates, restricts, bounds or makes possible: without it, or with it, the rest
    says something else."""
    return token in _TURNING or _KOREAN_TURNING.search(token) is not None


@lru_cache(maxsize=200_000)
def same_word(one: str, other: str) -> bool:
    """Whether two tokens are one word but for its inflection. Numbers are compared as written."""
    if one == other:
        return True
    if not (one[0].isalpha() and other[0].isalpha()):
        return False
    if _is_hangul(one) and _is_hangul(other):
        return _same_korean(one, other)
    return _english_stem(one) == _english_stem(other)


def _same_korean(one: str, other: str) -> bool:
    if _KOREAN_PARTICLE.sub("", one) == _KOREAN_PARTICLE.sub("", other):
        return True
    ours, theirs = unicodedata.normalize("NFD", one), unicodedata.normalize("NFD", other)
    if _KOREAN_STATES.sub("", ours) == _KOREAN_STATES.sub("", theirs):
        return True
    shared = next(
        (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return shared >= KOREAN_STEM_LETTERS_MIN and all(
        not rest or _KOREAN_ENDING.fullmatch(rest) for rest in (ours[shared:], theirs[shared:])
    )


def _english_stem(word: str) -> str:
    """Without the endings of plural and tense: cached, caches and caching are one."""
    while len(shorter := _ENGLISH_SUFFIX.sub("", word)) >= 2 and shorter != word:
        word = shorter
    word = re.sub(r"([^aeiouls])\1$", r"\1", word)
    return re.sub(r"y$", "i", word)


def _is_hangul(token: str) -> bool:
    return "가" <= token[0] <= "힣"
