"""Text that decodes to nonsense: what the fonts of a file say does not mean what they show."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from math import hypot

UNREADABLE = "\ufffd"
"""Stands for a character that no font maps to Unicode."""

MAX_UNREADABLE_SHARE = 0.25
"""Formulas in old fonts have up to 0.1 on honest pages; unmapped fonts have 0.6 and more."""

LETTERS_MIN = 100
MAX_MOJIBAKE_SHARE = 0.3
MAX_SCRIPT_BLOCKS = 10
HONEST_LIKENESS_MIN = 0.7
SHIFTED_LIKENESS_MIN = 0.8

_ENGLISH = "etaoinshrdlcumwfgypbvkjxqz"
_PER_CENT = (
    *(12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8, 2.8),
    *(2.4, 2.4, 2.2, 2.0, 2.0, 1.9, 1.5, 1.0, 0.8, 0.15, 0.15, 0.1, 0.07),
)
_FREQUENCY = dict(zip(_ENGLISH, _PER_CENT, strict=True))
"""Of letters in English; other languages in Latin letters are much nearer to it than shifted text.
Source: Lewand, Cryptological Mathematics (2000), table of relative frequencies."""
_FREQUENCY_NORM = hypot(*_PER_CENT)

_BULLETS = re.compile(r"(?<!\S)[\ue000-\uf8ff](?!\S)")
"""Symbol fonts put them into the private area."""
_MOJIBAKE = re.compile("[\u00a1-\u00ff]{2,}")


def is_garbled(text: str) -> bool:
    return (
        unreadable_share(text) > MAX_UNREADABLE_SHARE
        or mojibake_share(text) > MAX_MOJIBAKE_SHARE
        or script_blocks(text) > MAX_SCRIPT_BLOCKS
        or is_shifted(text)
    )


def unreadable_share(text: str) -> float:
    """Of the characters but spaces: unmapped, private (unless bullets), unassigned, controls."""
    counts = Counter(_BULLETS.sub("", text))
    seen = {char: count for char, count in counts.items() if not char.isspace()}
    total = seen.values()
    bad = sum(count for char, count in seen.items() if is_unreadable(char))
    return bad / sum(total) if seen else float(bool(text.strip()))


def is_unreadable(char: str) -> bool:
    return char == UNREADABLE or unicodedata.category(char) in ("Cc", "Co", "Cn", "Cs")


def mojibake_share(text: str) -> float:
    """Of the characters that are not spaces: runs of accented letters and signs of Latin-1, which
    is how Korean, Chinese and Cyrillic bytes look that were taken for Western text."""
    inked = sum(count for char, count in Counter(text).items() if not char.isspace())
    runs = sum(len(run) for run in _MOJIBAKE.findall(text))
    return runs / inked if inked >= 20 else 0.0


def script_blocks(text: str) -> int:
    """How many blocks of 128 code points hold nine tenths of the letters, where Han and Hangul
    count as one each. Glyph numbers that were taken for characters are spread over dozens."""
    blocks: Counter[int] = Counter()
    for char, count in Counter(text).items():
        if char.isalpha():
            blocks[_block(ord(char))] += count
    total = blocks.total()
    if total < LETTERS_MIN:
        return 0
    held = 0
    for number, (_, count) in enumerate(blocks.most_common(), start=1):
        held += count
        if held >= 0.9 * total:
            return number
    return 0


def _block(code: int) -> int:
    if 0x4E00 <= code <= 0x9FFF:
        return 0x4E00 >> 7
    if 0xAC00 <= code <= 0xD7A3:
        return 0xAC00 >> 7
    return code >> 7


def is_shifted(text: str) -> bool:
    """Whether letters become those of a language when all are moved by one number, and are none as
    they stand: `7KH TXLFN` is `The quick` in a font whose glyph numbers are its codes less 29."""
    counts = {
        ord(char): count
        for char, count in Counter(text).items()
        if "!" <= char <= "~" and not char.isdigit()
    }
    if sum(counts.values()) < LETTERS_MIN or likeness(counts, 0) > HONEST_LIKENESS_MIN:
        return False
    return any(likeness(counts, shift) >= SHIFTED_LIKENESS_MIN for shift in range(1, 64))


def likeness(counts: Mapping[int, int], shift: int) -> float:
    """How near characters, each moved by `shift`, come to English letters: the cosine between the
    frequencies, between 0 and 1. What is no letter counts as one that English does not have."""
    letters: Counter[str] = Counter()
    others = 0
    for code, count in counts.items():
        letter = chr(code + shift).lower()
        if letter in _FREQUENCY:
            letters[letter] += count
        else:
            others += count
    dot = sum(count * _FREQUENCY[letter] for letter, count in letters.items())
    return dot / (_FREQUENCY_NORM * hypot(others, *letters.values())) if counts else 0.0
