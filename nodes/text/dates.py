"""Days, months and times of day in English and Korean text, taken apart into numbers.

2026-11-30 = 30 November 2026 = November 30, 2026 = 2026년 11월 30일; 9 pm = 21:00 = 오후 9시.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_SHORT = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_MONTH = (
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November"
    r"|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_ENGLISH = re.compile(
    rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?![a-z])|\b{_MONTH.replace('month', 'month_first')}\s+"
    rf"{_DAY.replace('day', 'day_last')}(?![\d%:]|,\d{{3}})"
)
# "May" and "March" are months only where a date may stand.
_MONTH_ALONE = re.compile(
    rf"(?:\b(?:in|since|until|till|by|of|from|to|and|between|early|late|mid|each|every|last|next)\s+)"
    rf"{_MONTH}(?![a-z])|{_MONTH.replace('month', 'with_year')}(?=,?\s+\d{{4}}\b)"
)
_NUMERIC = re.compile(
    r"(?<![\d./-])(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?![\d/-])"
)
_KOREAN = re.compile(r"(?<!\d)(?P<month>\d{1,2})월\s?(?P<day>\d{1,2})일(?!간|동안)")
_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half>[ap]\.?m\b\.?))?"
    r"|(?<![\d:.])(?P<hour_alone>\d{1,2})\s?(?P<half_alone>[ap]\.?m\b\.?)"
    r"|(?P<half_korean>오전|오후|아침|저녁|밤|새벽)\s(?P<hour_korean>\d{1,2})시",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DatePart:
    """`dimension` is 'year', 'calendar month', 'calendar day', 'clock' (hours) or 'second'."""

    value: Decimal
    dimension: str
    start: int
    end: int


def read_dates(text: str) -> Iterator[DatePart]:
    """The parts of every date and time of day; a bare year is left to the numbers."""
    for match in _NUMERIC.finditer(text):
        yield DatePart(Decimal(match["year"]), "year", *match.span("year"))
        yield _part(match, "month", "calendar month")
        yield _part(match, "day", "calendar day")
    for match in _KOREAN.finditer(text):
        yield DatePart(Decimal(match["month"]), "calendar month", *_grown(match, "month"))
        yield DatePart(Decimal(match["day"]), "calendar day", *_grown(match, "day"))
    dated: list[tuple[int, int]] = []
    for match in _ENGLISH.finditer(text):
        day, month = ("day", "month") if match["day"] else ("day_last", "month_first")
        dated.append(match.span())
        yield _part(match, day, "calendar day")
        yield _month(match, month)
    for match in _MONTH_ALONE.finditer(text):
        name = "month" if match["month"] else "with_year"
        if not any(start <= match.start(name) < end for start, end in dated):
            yield _month(match, name)
    yield from _clock_times(text)


def _clock_times(text: str) -> Iterator[DatePart]:
    for match in _CLOCK.finditer(text):
        kind = next(k for k in ("", "_alone", "_korean") if match[f"hour{k}"])
        half = (match[f"half{kind}"] or "").lower()
        hour = int(match[f"hour{kind}"]) % 12 if half else int(match[f"hour{kind}"])
        afternoon = half.startswith("p") or half in ("오후", "저녁", "밤")
        minutes = int(match["minute"] or 0)
        value = Decimal(hour + 12 * afternoon) + Decimal(minutes) / 60
        yield DatePart(value, "clock", *match.span())


def _part(match: re.Match[str], name: str, dimension: str) -> DatePart:
    return DatePart(Decimal(match[name]), dimension, *match.span(name))


def _grown(match: re.Match[str], name: str) -> tuple[int, int]:
    """With the 월 or 일 behind it."""
    return match.start(name), match.end(name) + 1


def _month(match: re.Match[str], name: str) -> DatePart:
    number = _SHORT[match[name].lower()[:3]]
    return DatePart(Decimal(number), "calendar month", *match.span(name))
