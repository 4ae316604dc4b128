"""Names in English and Korean text: proper names, acronyms and identifiers in Latin letters.

Hangul has no capitals, so a name in Hangul cannot be told from a noun by its form; it counts as a
content term. Latin words inside Korean text keep their capitals and are read as here.
"""

import re
from collections.abc import Iterator

from simplemma import is_known

from nodes.text.sentences import detect_language
from nodes.text.stopwords import STOP_ENGLISH

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\.\d+)*")
_MARKED = re.compile(r".*[A-Z].*[A-Z0-9]|.*[a-z0-9][A-Z]|[A-Za-z]+\d")
_LETTERS = frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZ")
_BEFORE_LETTER = re.compile(r"[a-z가-힣]\s$")
_REACH = 5  # characters before a word that are looked at
_NO_START = re.compile(r"[a-z0-9가-힣)%,;&/’'\-] *$")


def read_names(text: str) -> frozenset[str]:
    """The names of one sentence, lower case, without plural s.

    A word with a capital inside it, two capitals or a digit is a name anywhere (vLLM, GPUs, H100);
    a plainly capitalised one ("Ray") where no sentence or quotation opens, before another, or
    where it is no English word ("Hermod").
    """
    return frozenset(_names(text))


def name_form(word: str) -> str:
    """One word in the form that `read_names` gives."""
    return _plain(re.split("['’]", word)[0])


def name_tokens(text: str) -> frozenset[str]:
    """Every word of `text` in the form that `read_names` gives, for looking names up."""
    return frozenset(_plain(match[0]) for match in _TOKEN.finditer(text))


def _names(text: str) -> Iterator[str]:
    tokens = list(_TOKEN.finditer(text))
    korean = detect_language(text) == "ko"  # there only names are capitalised
    for position, match in enumerate(tokens):
        word = match[0]
        if _MARKED.match(word) or _is_letter_name(text, match):
            yield _plain(word)
        elif word[0].isupper() and len(word) > 1 and word.lower() not in STOP_ENGLISH:
            inside = bool(_NO_START.search(text, max(0, match.start() - _REACH), match.start()))
            follower = tokens[position + 1] if position + 1 < len(tokens) else None
            adjoins = follower is not None and text[match.end() : follower.start()] == " "
            if (
                korean
                or inside
                or not is_known(word.lower(), "en")
                or (adjoins and follower is not None and follower[0][0].isupper())
            ):
                yield _plain(word)


def _is_letter_name(text: str, match: re.Match[str]) -> bool:
    """The letter of "hepatitis B" or "plan A"."""
    return match[0] in _LETTERS and bool(
        _BEFORE_LETTER.search(text, max(0, match.start() - _REACH), match.start())
    )


def _plain(word: str) -> str:
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
