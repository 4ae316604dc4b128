"""Words: how texts become terms, and which passages hold them (an inverted index in SQLite, FTS5).

Words of scripts with spaces become stems. Runs of Chinese, Japanese and Korean become overlapping
pairs of characters, so that a Korean noun is found with any particle behind it.
"""

import json
import re
import sqlite3
import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import Stemmer
from numpy.typing import NDArray

from graph.evidence import Passage
from knowledge.bm25 import rarity, saturation

_CJK = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_WORDS = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_FIRST_CJK = "\u1100"
# Korean PDFs break a line inside a word, with nothing that marks it.
_BROKEN_WORD = re.compile(r"\n(?<=[\uac00-\ud7a3]\n)(?=[\uac00-\ud7a3])")

MAX_COUNTED = 2_500
"""Up to how many passages with a term are counted; of more the number is estimated."""

MARKS: Mapping[str, float] = {"\u00b2": 1.2, "\u00b3": 1.45}
"""A passage holds a term with a mark behind it too where the term's `saturation` is this or more.
No term ends so by itself, since NFKC makes plain digits of these characters."""

USUAL_LENGTH = 200
"""Terms in a passage, for the marks; an exact score takes the mean of the passages compared."""

PIECE_CHARS = 5
MAX_PIECES = 40

Script = Literal["latin", "hangul", "han", "other"]
_SCRIPTS: tuple[tuple[Script, re.Pattern[str]], ...] = (
    ("latin", re.compile(r"[\u00c0-\u024f]")),
    ("hangul", re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    ("han", re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
)
_ASCII = re.compile(r"[\x00-\x7f]+")
_ASCII_LETTERS = re.compile(r"[A-Za-z]+")
# A Korean or Japanese text on a technical subject holds many Latin letters and stays what it is.
_SYLLABLE_WEIGHT = 3


def script(text: str) -> Script:
    """The script that carries the text; it stands for the language, which needs no model here."""
    ascii_letters = sum(map(len, _ASCII_LETTERS.findall(text)))
    rest = _ASCII.sub("", text)  # of an English text next to nothing
    counts = {name: len(pattern.findall(rest)) for name, pattern in _SCRIPTS}
    counts["latin"] += ascii_letters
    letters = ascii_letters + sum(map(str.isalpha, rest))
    counts["other"] = letters - sum(counts.values())
    for name in ("hangul", "han"):
        counts[name] *= _SYLLABLE_WEIGHT
    return max(counts, key=lambda name: counts[name]) if letters else "other"


def is_cjk(word: str) -> bool:
    """Whether a word is written in Chinese characters, kana or Hangul: none has others too."""
    return word >= _FIRST_CJK and bool(_IS_CJK.match(word))


def words(text: str) -> list[str]:
    """Words in their order, in lower case, repeats kept."""
    text = unicodedata.normalize("NFKC", _BROKEN_WORD.sub("", text)).casefold()
    return _WORDS.findall(text)


def terms(text: str) -> list[str]:
    """Terms in their order, repeats kept."""
    return _terms_of(words(text))


def _terms_of(found: Iterable[str]) -> list[str]:
    made: list[str] = []
    for word in found:
        if not is_cjk(word):
            made.append(_stem(word))
        elif len(word) == 1:
            made.append(word)
        else:
            made.extend(word[at : at + 2] for at in range(len(word) - 1))
    return made


class _Stemmers(threading.local):
    """A stemmer must not be called by two threads at once."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english", 0)


_stemmers = _Stemmers()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    stem: str = _stemmers.english.stemWord(word)
    return stem


def pieces(found: Iterable[str]) -> list[str]:
    """The first `MAX_PIECES` distinct pieces of words: stretches of `PIECE_CHARS`, with a space
    before and behind each word; of Chinese, Japanese and Korean each character."""
    made: dict[str, None] = {}
    for word in found:
        spaced = f" {word} "
        stretches = (spaced[at : at + PIECE_CHARS] for at in range(len(spaced) - PIECE_CHARS + 1))
        made.update(dict.fromkeys(word if is_cjk(word) else stretches))
    return list(made)[:MAX_PIECES]


@dataclass(frozen=True, slots=True)
class PassageWords:
    """What the index keeps of a passage, in strings with a space before and behind each word:
    `terms` of its text, repeats kept; `context`, those of its title and headings that the text
    lacks; `words` of both."""

    script: Script
    terms: str
    context: str
    words: str


class LexicalIndex:
    """Which passages of the table `passages` hold a term, and the words of each; takes part in the
    transactions of its connection.

    Terms are made here and not by SQLite, whose tokenizers know no Korean. FTS5 keeps no counts
    (`detail = none`): its own BM25 takes a microsecond for every passage that holds any term of the
    question, and a search has time for a few thousand. Instead a passage that says a lot with a
    term holds it with marks too, and lists of marked terms are short.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS lexical USING fts5("
            "terms, context, marked, words UNINDEXED, "
            "tokenize = 'ascii', detail = none, columnsize = 0)"
        )
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS scope (row INTEGER PRIMARY KEY)")

    def add(self, row: int, passage: Passage) -> None:
        own = words(passage.text)
        held = _terms_of(own)
        above = words("\n".join((passage.title, *passage.heading)))
        context = dict.fromkeys(_terms_of(above))
        self._connection.execute(
            "INSERT INTO lexical (rowid, terms, context, marked, words) VALUES (?, ?, ?, ?, ?)",
            (row, *map(" ".join, (held, context, _marked(held), dict.fromkeys([*above, *own])))),
        )

    def remove(self, rows: Iterable[int]) -> None:
        self._connection.executemany(
            "DELETE FROM lexical WHERE rowid = ?", ((row,) for row in rows)
        )

    def restrict(self, documents: Collection[str]) -> int:
        """From now on `scoped` means passages of these documents; how many they are."""
        self._connection.execute("DELETE FROM scope")
        return self._connection.execute(
            "INSERT INTO scope SELECT row FROM passages "
            "WHERE document IN (SELECT value FROM json_each(?))",
            (json.dumps(list(documents)),),
        ).rowcount

    def holding(self, term: str, *, scoped: bool = False) -> int:
        """How many passages hold a term. Above `MAX_COUNTED` an estimate: as if it stood in all of
        them as often as in the first ones that hold it."""
        n, first, last = self._connection.execute(
            "SELECT count(*), min(rowid), max(rowid) FROM "
            f"(SELECT rowid FROM lexical WHERE {_CONDITION[scoped]} LIMIT ?)",
            (_quoted([term]), MAX_COUNTED + 1),
        ).fetchone()
        if n <= MAX_COUNTED:
            return int(n)
        end = self._connection.execute("SELECT max(row) FROM passages").fetchone()[0]
        return int(n * (end - first + 1) / (last - first + 1))

    def rows(self, together: Iterable[str], *, scoped: bool = False) -> NDArray[np.int64]:
        """Up to `MAX_COUNTED` rows of passages that hold all of some terms, in their order."""
        (listed,) = self._connection.execute(
            # One string is four times as fast as thousands of results.
            "SELECT group_concat(rowid, ' ') FROM "
            f"(SELECT rowid FROM lexical WHERE {_CONDITION[scoped]} LIMIT ?)",
            (_quoted(together), MAX_COUNTED),
        ).fetchone()
        return np.fromstring(listed or "", np.int64, sep=" ")

    def rarity(self, query: Iterable[str], passages: int) -> dict[str, float]:
        """Of each term, in an index of `passages` passages."""
        return {
            term: rarity(passages, min(self.holding(term), passages))
            for term in dict.fromkeys(query)
        }

    def ids(self, rows: Sequence[int]) -> list[str]:
        """Of the passages in these rows, in their order."""
        found = self._connection.execute(
            "SELECT row, id FROM passages WHERE row IN (SELECT value FROM json_each(?))",
            (json.dumps(rows),),
        )
        by_row = dict(found.fetchall())
        return [by_row[row] for row in rows]

    def words_of(self, ids: Iterable[str]) -> dict[str, PassageWords]:
        """What passages hold; an id without a passage is left out."""
        found = self._connection.execute(
            "SELECT id, script, lexical.terms, lexical.context, lexical.words "
            "FROM passages JOIN lexical ON lexical.rowid = passages.row "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {
            identity: PassageWords(of, f" {own} ", f" {above} ", f" {plain} ")
            for identity, of, own, above, plain in found
        }


_CONDITION = {
    False: "lexical MATCH ?",
    # The plus keeps SQLite from asking FTS5 for one row at a time.
    True: "lexical MATCH ? AND +rowid IN (SELECT row FROM scope)",
}


def _quoted(together: Iterable[str]) -> str:
    return " AND ".join(f'"{term}"' for term in together)


def _marked(held: Sequence[str]) -> Iterator[str]:
    counts = Counter(held)
    marks = {count: _marks(count, len(held)) for count in set(counts.values())}
    for term, count in counts.items():
        yield from (term + mark for mark in marks[count])


def _marks(count: int, length: int) -> list[str]:
    share = saturation(count, length, USUAL_LENGTH)
    return [mark for mark, least in MARKS.items() if share >= least]
