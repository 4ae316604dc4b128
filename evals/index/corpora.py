"""Folders of documents to measure with: equal for equal arguments, on every machine.

Generated text has the words of the handbook's sources at the head of each vocabulary and made-up
words in its tail; how often a word comes follows Zipf and Mandelbrot, 1 / (rank + 2.7).
"""

import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "ko")

SOURCES = Path("examples/sources")
HANDBOOK = Path("examples/handbook")
WARM_UP_FILES = 2
"""Of the handbook: enough passages that the gate gets calibrated."""

VOCABULARY = 60_000
ZIPF_SHIFT = 2.7
SENTENCE_WORDS = {"en": (8, 24), "ko": (5, 15)}
PARAGRAPH_SENTENCES = (3, 8)
SECTION_PARAGRAPHS = 4

_WORD: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"[a-z]+"),
    "ko": re.compile(r"[\uac00-\ud7a3]+"),
}
_ONSETS = (*"bcdfghklmnprstv", "br", "cl", "dr", "pl", "st", "tr")
_RHYMES = (*"aeiou", "an", "er", "in", "or", "al", "en", "ist", "ation", "ing", "ment")
_SYLLABLES = tuple(map(chr, range(0xAC00, 0xD7A4, 23)))
_PARTICLES = ("은", "는", "이", "가", "을", "를", "의", "에", "에서", "으로", "와", "과", "도")


class Writer:
    """Writes text in one language."""

    def __init__(self, language: Language, seed: int, vocabulary: int = VOCABULARY) -> None:
        self.language = language
        self._random = np.random.default_rng((seed, LANGUAGES.index(language)))
        self._words = _vocabulary(language, vocabulary)
        shares = 1.0 / (np.arange(vocabulary) + 1 + ZIPF_SHIFT)
        self._cumulated = np.cumsum(shares) / shares.sum()

    def words(self, count: int) -> list[str]:
        at = np.searchsorted(self._cumulated, self._random.random(count))
        return [self._words[place] for place in at.tolist()]

    def heading(self) -> str:
        return " ".join(self.words(4)).capitalize()

    def paragraph(self) -> str:
        low, high = SENTENCE_WORDS[self.language]
        lengths = self._random.integers(low, high, self._random.integers(*PARAGRAPH_SENTENCES))
        words = iter(self.words(int(lengths.sum())))
        end = "." if self.language == "en" else "다."
        return " ".join(
            " ".join(islice(words, length)).capitalize() + end for length in lengths.tolist()
        )

    def document(self, paragraphs: int) -> str:
        """Markdown with a title, and a heading before every fourth paragraph."""
        parts = [f"# {self.heading()}"]
        for number in range(paragraphs):
            if number % SECTION_PARAGRAPHS == 0:
                parts.append(f"## {self.heading()}")
            parts.append(self.paragraph())
        return "\n\n".join(parts) + "\n"


@cache
def _vocabulary(language: Language, size: int) -> list[str]:
    """The words of the handbook's sources, the most frequent first, then made-up ones."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(SOURCES.glob("*.md"))).lower()
    words = dict.fromkeys(word for word, _ in Counter(_WORD[language].findall(text)).most_common())
    made_up = random.Random(0)
    while len(words) < size:
        if language == "en":
            syllables = range(made_up.randint(2, 4))
            word = "".join(made_up.choice(_ONSETS) + made_up.choice(_RHYMES) for _ in syllables)
        else:
            syllables = range(made_up.randint(2, 3))
            word = "".join(made_up.choice(_SYLLABLES) for _ in syllables)
            word += made_up.choice(_PARTICLES)
        words.setdefault(word)
    return list(words)[:size]


def write_markdown(folder: Path, documents: int, paragraphs: int, seed: int = 1) -> None:
    """Documents in English and Korean by turns, in folders of a hundred."""
    writers = [Writer(language, seed) for language in LANGUAGES]
    for number in range(documents):
        path = folder / f"{number // 100:04d}" / f"{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = writers[number % len(writers)].document(paragraphs)
        path.write_text(text, encoding="utf-8")


def copy_pdfs(folder: Path, count: int, sources: Path = HANDBOOK) -> None:
    """`count` PDFs with the text of `sources` and bytes of their own: a comment behind the end."""
    originals = sorted(sources.glob("*.pdf"))
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        original = originals[number % len(originals)]
        content = original.read_bytes() + f"\n% copy {number}\n".encode("ascii")
        (folder / f"{number:04d}-{original.name}").write_bytes(content)


def copy_files(files: Sequence[Path], folder: Path) -> None:
    folder.mkdir(parents=True)
    for file in files:
        shutil.copyfile(file, folder / file.name)


@contextmanager
def warm_up_files() -> Iterator[tuple[Path, Path]]:
    """A folder of a few PDFs to ingest before time is taken, and where the index may go: packages
    that are imported at their first use are then there, in each system."""
    with tempfile.TemporaryDirectory(prefix="warm-up-") as scratch:
        folder = Path(scratch, "documents")
        copy_pdfs(folder, WARM_UP_FILES)
        yield folder, Path(scratch, "index")


def questions(count: int, seed: int = 2) -> Iterator[str]:
    """Questions in English and Korean by turns, in the words of the generated documents."""
    english, korean = Writer("en", seed), Writer("ko", seed)
    for number in range(count):
        if number % 2:
            yield f"{' '.join(korean.words(6))}에 대해 무엇을 알 수 있나요?"
        else:
            yield f"What is known about {' '.join(english.words(7))}?"
