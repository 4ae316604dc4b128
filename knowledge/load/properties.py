"""What a document says about itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from knowledge.load.normal import normalize

MAX_TAGS = 50
MAX_TAG_CHARS = 100

_DAY = re.compile(r"(\d{4})(?:[-/.]|\s*년)\s*(\d{1,2})(?:[-/.]|\s*월)\s*(\d{1,2})(?!\d)")


@dataclass(frozen=True, slots=True)
class Properties:
    """`date` is a day in ISO 8601."""

    title: str = ""
    date: str | None = None
    tags: tuple[str, ...] = ()


def first_day(stated: Iterable[str | None]) -> str | None:
    """The first of the stated dates that names a day, year first (`2024-05-01T08:00:00Z`,
    `2024. 5. 1.`, `2024년 5월 1일`), in ISO 8601."""
    for value in stated:
        match = _DAY.match((value or "").strip())
        if match:
            try:
                return date(*map(int, match.groups())).isoformat()
            except ValueError:
                continue
    return None


def tags_of(stated: Iterable[str | None]) -> tuple[str, ...]:
    """Tags from texts that list them with commas or semicolons; each once, in their order."""
    parts = (part for value in stated for part in re.split("[,;，、]", value or ""))
    tags = dict.fromkeys(" ".join(normalize(part).split()) for part in parts)
    return tuple(tag for tag in tags if 0 < len(tag) <= MAX_TAG_CHARS)[:MAX_TAGS]
