"""Whether a piece of a model's text is a sentence of its own at all, whatever it says."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from graph.evidence import Language, Passage
from nodes.text.sentences import detect_language

WORD_TIMES, STRETCH_TIMES = 3, 2
"""A word, or a stretch of several, that stands this often in a row is a loop."""
STRETCH_WORDS_MAX = 12
SHORT_WORDS, LOOPED_BYTES_MIN = 14, 4
"""So is a word of so many bytes, two syllables of Hangul, that a short sentence has `WORD_TIMES`:
"the work of the work of the work"."""
ECHO_WORDS_MIN = 4
STATEMENT_WORDS_MIN = 2
SAME_SHARE = 0.9
"""Two sentences that share this part of their words say the same."""
SAME_WITHIN = 200
"""Earlier sentences that one is compared with."""

_TOKEN = re.compile(r"[a-z0-9_]+|[가-힣]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LONE_PARTICLE = re.compile(r"(?<=[^\W\d])\s[은는을를](?=\s)")
_OF_ITSELF = re.compile(r"\b(\w{3,})\w{0,3}\sof\s(?:the\s|an?\s)?\1", re.IGNORECASE)
_FOREIGN = re.compile(  # Cyrillic, Hebrew, Arabic, scripts of India, Thai, Lao, kana, Han
    r"[\u0400-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff]"
)
_OF_THE_PROMPT = re.compile(
    r"(?:the|this|these|both)\s(?:given\s|above\s|provided\s)?passages?\b(?!\sof\b)"
    r"|(?:this|the\s(?:given|above|provided))\s(?:question|sentence|text)\b"
    r"|(?:위|이|본|해당|주어진)\s?(?:구절|본문|지문|문장|질문|글)(?:들)?(?:[은는이가의에을를]|에서)",
    re.IGNORECASE,
)


def is_loop(text: str) -> bool:
    if _OF_ITSELF.search(text):
        return True
    words = _TOKEN.findall(text.lower())
    counts = Counter(word for word in words if len(word.encode()) >= LOOPED_BYTES_MIN)
    if len(words) <= SHORT_WORDS and max(counts.values(), default=0) >= WORD_TIMES:
        return True
    for size in range(1, STRETCH_WORDS_MAX + 1):
        times = WORD_TIMES if size == 1 else STRETCH_TIMES
        run = 0
        for earlier, later in zip(words, words[size:], strict=False):
            run = run + 1 if earlier == later else 0
            if run >= size * (times - 1):
                return True
    return False


def echoes(sentence: str, prompt: str) -> bool:
    """Whether the sentence stands in the prompt, or the prompt in it, word for word."""
    ours, theirs = _squeeze(sentence), _squeeze(prompt)
    if not theirs or len(ours.split()) < ECHO_WORDS_MIN:
        return bool(theirs) and ours == theirs
    return ours in theirs or (len(theirs.split()) >= ECHO_WORDS_MIN and theirs in ours)


def is_about_the_prompt(text: str) -> bool:
    """About what the model was given, and not about what that says."""
    return _OF_THE_PROMPT.match(text) is not None


def is_fragment(text: str, passages: Iterable[Passage]) -> bool:
    """A number or a date alone, a title, a Korean sentence in pieces, or the rest of a sentence:
    what begins with a small letter and begins no sentence of the passages so ("vLLM" does)."""
    given = list(passages)
    if len(_WORD.findall(text)) < STATEMENT_WORDS_MIN:
        return True
    title = _squeeze(text)
    if any(title in map(_squeeze, (one.title, *one.heading)) for one in given):
        return True
    if _LONE_PARTICLE.search(text):
        return True
    first = re.match(r"[a-z][\w'’.-]*", text)
    if first is None:
        return False
    begins = re.compile(rf"(?:^|[.!?]\s+|\n\s*[-*•]\s+){re.escape(first[0])}(?!\w)")
    return not any(begins.search(one.text) for one in given)


def is_foreign(text: str, language: Language) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    if 3 * len(_FOREIGN.findall(text)) > len(letters):
        return True
    return len(text.split()) > 2 and detect_language(text) != language


def says_the_same(one: str, other: str) -> bool:
    ours, theirs = _words(one), _words(other)
    if any(any(map(str.isdigit, word)) for word in ours ^ theirs):
        return False
    return len(ours & theirs) >= SAME_SHARE * len(ours | theirs)


@lru_cache(maxsize=2 * SAME_WITHIN)
def _words(text: str) -> frozenset[str]:
    return frozenset(_squeeze(text).split())


def _squeeze(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
