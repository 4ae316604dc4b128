"""What a number is divided by: per second, a day, 시간당, 매달."""

import re

PER_NAMES = {
    form: name
    for name, forms in {
        "second": ("초", "s", "sec", "seconds"), "minute": ("분", "min"),
        "hour": ("시간", "시", "h", "한 시간"), "day": ("하루", "일", "매일", "날마다"),
        "week": ("주", "매주", "일주일", "한 주", "주마다"),
        "month": ("달", "월", "매달", "매월", "한 달", "월간", "달마다"),
        "year": ("연", "년", "해", "매년", "1년", "연간", "해마다"), "token": ("토큰",),
        "kilogram": ("kg",), "kilometre": ("km",), "ton": ("tonne",),
    }.items()
    for form in forms
}  # fmt: skip
_PER_BEHIND = re.compile(
    r"\s*(?:/\s?|per\s+|an?\s+|each\s+|every\s+)(?P<per>s|sec|seconds?|min|minute|h|hour|day|night|week"
    r"|month|year|token|ton|tonne|kg|km|person|page|piece)(?![A-Za-z])",
    re.IGNORECASE,
)
_PER_AHEAD = re.compile(
    r"(?<![가-힣])(?:(?P<unit>초|분|시간|하루|일|주|달|월|연|년|토큰|해)당"
    r"|(?P<often>매일|매주|매달|매월|매년|월간|연간|월|연|[날주달해]마다|하루(?=\s))"
    r"|(?P<speed>초|분|시)속|(?P<within>하루|일주일|한\s?시간|한\s?주|한\s?달|1년)에)(?:(?<=[마매].)\s[가-힣]{2,4})?\s*(?:평균|최대|최소|약|대략|한)?\s*$"
)

_REACH = 30  # characters before a number in which "매달" may stand


def read_rate(text: str, start: int, end: int) -> tuple[str, int]:
    """What the number at `start`:`end` is divided by ('' for nothing), and where both end."""
    per = ""
    if behind := _PER_BEHIND.match(text, end):
        per, end = behind["per"].lower(), behind.end()
    elif ahead := _PER_AHEAD.search(text, max(0, start - _REACH), start):
        per = next(filter(None, ahead.group("unit", "often", "speed", "within")))
    return PER_NAMES.get(per, per), end
