"""Numbers as they are written, in digits or in words, English and Korean: their value."""

import re
from decimal import Decimal

_ENGLISH = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    form: number for word, number in _ORDINALS.items() if number >= 3 for form in (word, f"{word}s")
}
_KOREAN_ONES = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4,
    "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_KOREAN_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90,
}  # fmt: skip
KOREAN_DAYS = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8,
    "아흐레": 9, "열흘": 10, "보름": 15,
}  # fmt: skip
_SCALES = {
    "k": 10**3, "thousand": 10**3, "million": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12, "m": 10**6, "b": 10**9,
    "백": 10**2, "천": 10**3, "만": 10**4, "십만": 10**5, "백만": 10**6, "천만": 10**7, "억": 10**8,
    "조": 10**12,
}  # fmt: skip

_KOREAN_SCALE = "천만|백만|십만|백|천|만|억|조"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
DIGITS = (
    rf"{_DIGITS}(?!\.\d)(?:\s?(?:{_KOREAN_SCALE})(?:\s?{_DIGITS}(?:{_KOREAN_SCALE}))*"
    rf"|(?-i:[kKMB])(?![A-Za-z0-9/])|[\s-]?(?:thousand|million|billion|trillion|bn)\b)?"
)
_ONES = "|".join(word for word, value in _ENGLISH.items() if value < 10)
_SMALL = "|".join(word for word, value in _ENGLISH.items() if value < 20)
_TENS = "|".join(word for word, value in _ENGLISH.items() if value >= 20)
ENGLISH = (
    rf"(?:(?:{_TENS})(?:[\s-](?:{_ONES}))?|{_SMALL}|an?(?=\s+(?:hundred|thousand|mill)))\b"
    r"(?:[\s-]hundred\b)?(?:[\s-](?:thousand|million|billion)\b)?"
)
_KOREAN_SMALL = "|".join(_KOREAN_ONES)
KOREAN = rf"(?:(?:{'|'.join(_KOREAN_TENS)})(?:{_KOREAN_SMALL})?|{_KOREAN_SMALL}|{_KOREAN_SCALE})"
ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
FRACTION = rf"(?:(?:{_SMALL}|an?)[\s-](?:{'|'.join(_PARTS)})|half|절반|\d+분의\s?\d+)"


def digits_value(surface: str) -> Decimal:
    """The value of what `DIGITS` matches: 1,000, 1k, 1천, 2만 2천, 1.5 million."""
    parts = re.findall(rf"({_DIGITS})[\s-]?([A-Za-z]+|(?:{_KOREAN_SCALE}))?", surface)
    return sum(
        (
            Decimal(number.replace(",", "")) * _SCALES.get(scale.lower(), 1)
            for number, scale in parts
        ),
        Decimal(0),
    )


def english_value(surface: str) -> Decimal:
    total = 0
    for word in re.split(r"[\s-]+", surface.lower()):
        if word == "hundred" or word in _SCALES:
            total = max(total, 1) * _SCALES.get(word, 100)
        else:
            total += _ENGLISH.get(word, 0)
    return Decimal(total)


def korean_value(surface: str) -> Decimal:
    for ten, value in _KOREAN_TENS.items():
        if surface.startswith(ten):
            return Decimal(value + _KOREAN_ONES.get(surface.removeprefix(ten), 0))
    return Decimal(_KOREAN_ONES.get(surface) or _SCALES[surface])


def ordinal_value(surface: str) -> Decimal:
    digits = re.match(r"\d+", surface)
    return Decimal(digits[0]) if digits else Decimal(_ORDINALS[surface.lower()])


def fraction_value(surface: str) -> Decimal:
    """Two thirds, a quarter, half, 절반, 3분의 2: in percent, rounded to four digits."""
    if korean := re.match(r"(\d+)분의\s?(\d+)", surface):
        value = Decimal(korean[2]) / Decimal(korean[1])
    elif surface.lower() in ("half", "절반"):
        value = Decimal("0.5")
    else:
        count, part = re.split(r"[\s-]", surface.lower())
        value = Decimal(_ENGLISH.get(count, 1)) / _PARTS[part]
    return round(100 * value, 4)
