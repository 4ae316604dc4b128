"""Words: how texts become terms, and a BM25 index of them inside SQLite (FTS5).

Words of scripts with spaces become lower-case terms without a plural ending. Runs of Chinese,
Japanese and Korean become overlapping pairs of characters, so that a Korean noun is found with
any particle behind it.
"""

import math
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

_CJK = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_RUNS = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
# Korean PDFs break a line inside a word, with nothing that marks it.
_BROKEN_WORD = re.compile(r"(?<=[\uac00-\ud7a3])\n(?=[\uac00-\ud7a3])")

MAX_QUERY_TERMS = 64

Script = Literal["latin", "hangul", "han", "other"]
_SCRIPTS: tuple[tuple[Script, re.Pattern[str]], ...] = (
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f]")),
    ("hangul", re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    ("han", re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
)
# A Korean or Japanese text on a technical subject holds many Latin letters and stays what it is.
_SYLLABLE_WEIGHT = 3


def script(text: str) -> Script:
    """The script that carries the text; it stands for the language, which needs no model here."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    letters = sum(map(str.isalpha, text))
    counts["other"] = letters - sum(counts.values())
    for name in ("hangul", "han"):
        counts[name] *= _SYLLABLE_WEIGHT
    return max(counts, key=lambda name: counts[name]) if letters else "other"


def terms(text: str) -> list[str]:
    """Terms in their order, repeats kept."""
    text = unicodedata.normalize("NFKC", _BROKEN_WORD.sub("", text)).casefold()
    found: list[str] = []
    for run in _RUNS.findall(text):
        if not _IS_CJK.match(run):
            found.append(_singular(run))
        elif len(run) == 1:
            found.append(run)
        else:
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _singular(word: str) -> str:
    """Without the English plural ending (the S-stemmer of Harman, 1991)."""
    if len(word) > 3 and word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("es") and word[-3] in "sxzh":
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and word[-2] not in "us":
        return word[:-1]
    return word


class LexicalIndex:
    """BM25 over the rows of a table; takes part in the transactions of its connection.

    Terms are made here and not by SQLite, whose tokenizers know no Korean.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS lexical USING fts5(terms, tokenize = 'ascii')"
        )
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab('lexical', 'row')"
        )

    def add(self, row: int, text: str) -> None:
        self._connection.execute(
            "INSERT INTO lexical (rowid, terms) VALUES (?, ?)", (row, " ".join(terms(text)))
        )

    def remove(self, rows: Iterable[int]) -> None:
        self._connection.executemany(
            "DELETE FROM lexical WHERE rowid = ?", ((row,) for row in rows)
        )

    def search(self, query: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Rows that hold any of the terms `query`, with their BM25 score, best first. Two terms
        that stand side by side as in the query score once more, as a phrase."""
        wanted = list(query)[:MAX_QUERY_TERMS]
        if not wanted:
            return []
        phrases = [*wanted, *(f"{one} {next_one}" for one, next_one in pairwise(wanted))]
        expression = " OR ".join(f'"{phrase}"' for phrase in dict.fromkeys(phrases))
        rows = self._connection.execute(
            "SELECT rowid, bm25(lexical) FROM lexical WHERE lexical MATCH ? "
            "ORDER BY bm25(lexical), rowid LIMIT ?",
            (expression, limit),
        )
        return [(int(row), max(0.0, -float(score))) for row, score in rows]

    def rarity(self, query: Iterable[str], passages: int) -> dict[str, float]:
        """Inverse document frequency per term, ln(1 + (N - n + 0.5) / (n + 0.5)) as in BM25."""
        wanted = list(dict.fromkeys(query))
        marks = ", ".join("?" * len(wanted))
        known = dict(
            self._connection.execute(
                f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", wanted
            ).fetchall()
        )
        return {
            term: math.log1p((passages - known.get(term, 0) + 0.5) / (known.get(term, 0) + 0.5))
            for term in wanted
        }
