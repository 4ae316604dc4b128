"""Which documents a scope lets in (`graph.evidence.Scope`), and what they are known by."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from fnmatch import translate
from pathlib import PurePosixPath

from graph.errors import InputError
from graph.evidence import Scope
from knowledge.sqlite import Connection, marks

MAX_NAMED = 3
MAX_COMPARED = 2_000
"""Paths that a pattern without a match is compared with, to name near ones."""

FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"


def document_tags(path: str, own: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are kept and compared: the document's own, and the folders on its path."""
    return tuple(dict.fromkeys(fold(tag) for tag in (*own, *PurePosixPath(path).parts[:-1])))


def fold(text: str) -> str:
    """Without case, and in Unicode's composed form: Hangul is typed in either."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def paths_in(connection: Connection, scope: Scope) -> frozenset[str]:
    """Indexed documents that the scope lets in. Raises `InputError` where there are none."""
    conditions, values = ["status = 'indexed'"], []
    if scope.tags:
        tags = [fold(tag) for tag in scope.tags]
        conditions.append(
            f"EXISTS (SELECT 1 FROM json_each(tags) WHERE json_each.value IN ({marks(tags)}))"
        )
        values += tags
    if scope.since or scope.until:
        conditions.append("coalesce(nullif(own_date, ''), modified) BETWEEN ? AND ?")
        values += [str(scope.since or FIRST_DAY), str(scope.until or LAST_DAY)]
    rows = connection.execute(
        f"SELECT path FROM documents WHERE {' AND '.join(conditions)}", values
    )
    matches = _matcher(scope.documents)
    found = frozenset(path for (path,) in rows if matches(path))
    if not found:
        raise _nothing(connection, scope)
    return found


def _matcher(patterns: Iterable[str]) -> Callable[[str], object]:
    """A name matches itself also where it holds signs of a pattern: `report [final].pdf`."""
    composed = [unicodedata.normalize("NFC", pattern) for pattern in patterns]
    either = [rf"{re.escape(pattern)}\Z|{translate(pattern)}" for pattern in composed]
    return re.compile("|".join(either)).match


def _nothing(connection: Connection, scope: Scope) -> InputError:
    asked = [
        *(f"document {pattern}" for pattern in scope.documents[:MAX_NAMED]),
        *(f"tag {tag}" for tag in scope.tags[:MAX_NAMED]),
        *([f"since {scope.since}"] if scope.since else []),
        *([f"until {scope.until}"] if scope.until else []),
    ]
    status = dict(connection.execute("SELECT path, status FROM documents ORDER BY path"))
    near = ", ".join(
        path if status[path] == "indexed" else f"{path} ({status[path]})"
        for path in _near(scope.documents[:MAX_NAMED], list(status))
    )
    return InputError(
        f"no document of the index is in the scope ({', '.join(asked)})"
        + (f"; near by name: {near}" if near else "")
        + "; knowledge-agent documents shows names, dates and tags"
    )


def _near(patterns: Iterable[str], paths: Sequence[str]) -> list[str]:
    """Paths that hold what the pattern says between its stars, then those that are like it, as a
    whole or by the file's name."""
    forms = {fold(path): path for path in paths}
    names = {fold(PurePosixPath(path).name): path for path in paths[:MAX_COMPARED]}
    found: dict[str, None] = {}
    for pattern in patterns:
        wanted = fold(pattern).strip("*")
        if wanted:
            found |= dict.fromkeys(path for form, path in forms.items() if wanted in form)
        for known in (names, forms):
            like = get_close_matches(wanted, list(known)[:MAX_COMPARED], n=MAX_NAMED)
            found |= dict.fromkeys(known[form] for form in like)
    return list(found)[:MAX_NAMED]
