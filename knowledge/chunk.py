"""Pages to passages, along headings, paragraphs and sentences, measured in the embedder's tokens.

A passage never crosses a page, and every character that is not white space lies in a passage.
"""

import hashlib
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from graph.evidence import Passage
from knowledge.load.document import Heading, Loaded, Page

TARGET_TOKENS = 350
OVERLAP_TOKENS = 40
MAX_TOKENS = 480
"""What an embedder with a window of 512 surely takes, prefix and special tokens included."""

VERSION = f"sentences-2-{TARGET_TOKENS}-{OVERLAP_TOKENS}"

TokenCounter = Callable[[str], int]

# A sentence ends at its mark, closing quotes included, before white space; or at an empty line.
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？][\"'”’」』)\]]*|\n[ \t]*(?=\n)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or a piece of one that is too long: `page_text[start:end]`."""

    start: int
    end: int
    tokens: int
    opens_section: bool = False
    opens_paragraph: bool = False


def chunk(document: str, loaded: Loaded, count_tokens: TokenCounter) -> list[Passage]:
    """The passages of a document in reading order. `document` is its path inside the folder."""
    passages: list[Passage] = []
    above: tuple[Heading, ...] = ()
    for page in loaded.pages:
        path, still_below = above, deque(page.headings)
        for start, end in _spans(page, count_tokens):
            text = page.text[start:end]
            # A heading counts for the passage that it opens, not for one that only ends with it.
            while still_below and still_below[0].start <= start:
                path = _path(path, [still_below.popleft()])
            passages.append(
                Passage(
                    id=_id(document, page.number, start, text),
                    document=document,
                    title=loaded.title,
                    page=page.number,
                    start=start,
                    end=end,
                    heading=tuple(heading.title for heading in path),
                    text=text,
                )
            )
        above = _path(path, still_below)
    return passages


def _id(document: str, page: int, start: int, text: str) -> str:
    """Equal content at an equal place has an equal id, in every run and on every machine."""
    key = "\0".join((document, str(page), str(start), text))
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]


def _path(above: tuple[Heading, ...], headings: Iterable[Heading]) -> tuple[Heading, ...]:
    path = list(above)
    for heading in headings:
        path = [outer for outer in path if outer.level < heading.level]
        path.append(heading)
    return tuple(path)


def _spans(page: Page, count_tokens: TokenCounter) -> Iterator[tuple[int, int]]:
    """Fill passages up to the target; prefer to break where a section or a paragraph opens."""
    units = list(_units(page, count_tokens))
    current: list[_Unit] = []
    groups: list[list[_Unit]] = []
    for unit in units:
        tokens = sum(part.tokens for part in current)
        full = tokens + unit.tokens > TARGET_TOKENS
        good_break = (unit.opens_section and tokens > TARGET_TOKENS // 3) or (
            unit.opens_paragraph and tokens > TARGET_TOKENS * 3 // 4
        )
        if current and (full or good_break):
            groups.append(current)
            current = [] if unit.opens_section else _overlap(current, unit)
        current.append(unit)
    if current:
        groups.append(_merged_tail(groups, current))
    for group in groups:
        yield group[0].start, group[-1].end


def _overlap(units: list[_Unit], following: _Unit) -> list[_Unit]:
    """The last sentences of `units`, as far as they fit in the overlap."""
    kept: list[_Unit] = []
    room = min(OVERLAP_TOKENS, MAX_TOKENS - following.tokens)
    for unit in reversed(units[1:]):
        room -= unit.tokens
        if room < 0:
            break
        kept.insert(0, unit)
    return kept


def _merged_tail(groups: list[list[_Unit]], tail: list[_Unit]) -> list[_Unit]:
    """A short rest of a page joins the passage before it, where both fit."""
    tokens = sum(unit.tokens for unit in tail)
    if not groups or tokens > TARGET_TOKENS // 4:
        return tail
    before = groups[-1]
    new = [unit for unit in tail if unit.start > before[-1].start]
    if sum(unit.tokens for unit in before + new) > MAX_TOKENS:
        return tail
    groups.pop()
    return before + new


def _units(page: Page, count_tokens: TokenCounter) -> Iterator[_Unit]:
    text = page.text
    sections = sorted(heading.start for heading in page.headings)
    breaks = {0, len(text)} | {match.end() for match in _SENTENCE_END.finditer(text)}
    for heading in page.headings:
        line_end = text.find("\n", heading.start)
        breaks |= {heading.start, line_end if line_end >= 0 else len(text)}
    paragraphs = [match.start() for match in _PARAGRAPH.finditer(text)]
    previous_end = 0
    for rough_start, rough_end in pairwise(sorted(breaks)):
        piece = text[rough_start:rough_end]
        start = rough_start + len(piece) - len(piece.lstrip())
        end = rough_end - (len(piece) - len(piece.rstrip()))
        if start >= end:
            continue
        opens_section = _has_between(sections, rough_start, start + 1)
        opens_paragraph = _has_between(paragraphs, previous_end, start)
        previous_end = end
        unit = _Unit(start, end, count_tokens(text[start:end]), opens_section, opens_paragraph)
        yield from _halved(unit, text, count_tokens)


def _has_between(places: Sequence[int], start: int, end: int) -> bool:
    """Whether one of the sorted places is at or after `start` and before `end`."""
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


def _halved(unit: _Unit, text: str, count_tokens: TokenCounter) -> Iterator[_Unit]:
    """A unit within the target, or its halves: split at white space near the middle if any."""
    if unit.tokens <= TARGET_TOKENS or unit.end - unit.start < 2:
        yield unit
        return
    middle = (unit.start + unit.end) // 2
    space = text.rfind(" ", unit.start + 1, middle)
    line = text.rfind("\n", unit.start + 1, middle)
    cut = max(space, line) if max(space, line) > unit.start else middle
    for start, end, keeps_marks in ((unit.start, cut, True), (cut, unit.end, False)):
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if start >= end:
            continue
        half = replace(unit, start=start, end=end, tokens=count_tokens(text[start:end]))
        if not keeps_marks:
            half = replace(half, opens_section=False, opens_paragraph=False)
        yield from _halved(half, text, count_tokens)
