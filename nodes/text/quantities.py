"""Numbers with their units in English and Korean text, brought to one form for comparison.

1,000 = 1000 = 1k; 57-bit = 57 bits; 400 ms = 0.4 seconds = 0.4초; 두 개 = 2개 = two; 128 PiB is not
128 TiB. Units of one dimension are converted by their exact factor; a unit that is not in the
table (calls, replicas) is a word of the sentence and no part of the number.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from nodes.text.stopwords import STOP_WORDS

_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
}  # fmt: skip
_KOREAN = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6,
    "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열두": 12, "스무": 20, "스물": 20, "서른": 30,
    "백": 100,
}  # fmt: skip
_SCALES = {
    "k": 10**3, "thousand": 10**3, "천": 10**3, "만": 10**4, "백만": 10**6, "million": 10**6,
    "천만": 10**7, "억": 10**8, "billion": 10**9, "bn": 10**9, "조": 10**12, "trillion": 10**12,
    "M": 10**6, "B": 10**9,
}  # fmt: skip
_BYTES = {
    "": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15,
    "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40, "pi": 2**50,
}  # fmt: skip
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400

# surface form (lower case) -> (dimension, factor to the dimension's own unit)
_UNITS: dict[str, tuple[str, Decimal]] = {
    form: (dimension, Decimal(factor))
    for dimension, forms in {
        "second": {
            "ns nanosecond nanoseconds 나노초": "1e-9",
            "µs μs us microsecond microseconds 마이크로초": "1e-6",
            "ms millisecond milliseconds msec 밀리초": "1e-3",
            "s sec secs second seconds 초": "1",
            "min mins minute minutes 분": str(_MINUTE),
            "h hr hrs hour hours 시간": str(_HOUR),
            "day days 일": str(_DAY),
            "week weeks 주 주일": str(7 * _DAY),
        },
        "month": {"month months 개월 달": "1"},
        "calendar month": {"월": "1"},
        "year": {"year years 년": "1"},
        "percent": {"% percent 퍼센트": "1"},
        "percentage point": {"%포인트 %p 퍼센트포인트": "1"},
        "bit": {"bit bits 비트": "1"},
        "token": {"token tokens 토큰": "1"},
        "dollar": {"$ dollar dollars usd 달러": "1", "cent cents 센트": "0.01"},
        "won": {"₩ won krw 원": "1"},
        "euro": {"€ euro euros eur 유로": "1"},
        "fold": {"x × fold times 배": "1"},
        "occasion": {"번 회 차례": "1"},
        "watt": {"w watt watts 와트": "1", "kw kilowatt kilowatts 킬로와트": "1000"},
        "hertz": {"hz 헤르츠": "1", "khz": "1e3", "mhz": "1e6", "ghz": "1e9"},
        "flops": {"gflops": "1e9", "tflops": "1e12", "pflops": "1e15"},
        "degree": {"°c": "1"},
    }.items()
    for names, factor in forms.items()
    for form in names.split()
}
_UNITS |= {f"{prefix}b": ("byte", Decimal(factor)) for prefix, factor in _BYTES.items() if prefix}
_UNITS |= {f"percentage {form}": ("percentage point", Decimal(1)) for form in ("point", "points")}
_UNITS |= {form: ("byte", Decimal(1)) for form in ("byte", "bytes", "바이트")}
_UNITS |= {
    form: ("byte", Decimal(10**power))
    for power, forms in {
        3: "킬로바이트",
        6: "메가바이트",
        9: "기가바이트",
        12: "테라바이트",
    }.items()
    for form in forms.split()
}
_COUNTERS = "개|가지|건|명|대|곳"  # they say nothing of what is counted; these do:
_COUNTED_NOUNS = "단계|장|층|종류|종|쪽|줄|문항|블록|조각|칸|쌍|축|갈래"

_PER_BEHIND = re.compile(
    r"\s*(?:/|per\s+|an?\s+|each\s+)(?P<per>s|sec|seconds?|min|minute|h|hour|day|week|month|year|token)\b",
    re.IGNORECASE,
)
_PER_AHEAD = re.compile(
    r"(?P<per>초|분|시간|하루|일|주|달|월|연|년|토큰)당\s*(?:평균|최대|약)?\s*$"
)
_PER_NAMES = {
    "초": "second", "s": "second", "sec": "second", "seconds": "second", "분": "minute",
    "min": "minute", "시간": "hour", "h": "hour", "하루": "day", "일": "day", "주": "week",
    "달": "month", "월": "month", "연": "year", "년": "year", "토큰": "token",
}  # fmt: skip

_HANGUL_UNITS = "|".join(
    sorted((re.escape(u) for u in _UNITS if "가" <= u[-1] <= "힣"), key=len, reverse=True)
)
# 5분의 1 (a fifth), 3분기 (quarter), 2초과 (above 2), 두 번째 (second), 2배치, 3원칙: no units
_NO_UNIT = r"(?!의\s?\d|기|째|호|치|포|칙|소)(?<!초(?=과))"
_LATIN_UNITS = "|".join(
    sorted(
        (re.escape(u) for u in _UNITS if not "가" <= u[-1] <= "힣" and u not in "$₩€"),
        key=len,
        reverse=True,
    )
)
_NUMBER = re.compile(
    rf"""(?<![\w.])(?P<money>[$₩€])?\s?
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\.\d)
    (?:\s?(?P<koscale>천만|백만|천|만|억|조)|(?-i:(?P<letter>[kKMB]))(?![A-Za-z0-9/])
      |[\s-]?(?P<enscale>thousand|million|billion|trillion|bn)\b)?
    (?:\s?(?P<hangul>{_HANGUL_UNITS}){_NO_UNIT}|\s?(?:{_COUNTERS})(?!째)
      |[\s-]?(?P<latin>{_LATIN_UNITS})(?![A-Za-z0-9]|\s\d))?
    (?![A-Za-z0-9_])""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    rf"""\b(?<!-)(?P<word>{"|".join(_WORDS)})(?:[\s-](?P<enscale>thousand|million|billion))?
    (?:[\s-](?P<latin>{_LATIN_UNITS})(?![A-Za-z0-9]))?(?!-|\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_KOREAN_NUMBER = re.compile(
    r"(?<![가-힣])(?!세대|열대|한대)"  # generation, tropics, the like
    rf"(?P<word>{'|'.join(sorted(_KOREAN, key=len, reverse=True))})(?!\s?번째)"
    rf"(?:\s?(?P<hangul>{_HANGUL_UNITS}){_NO_UNIT}|\s?(?:{_COUNTERS})"
    rf"|\s?(?={_COUNTED_NOUNS})|(?<![한열백네])\s(?=[가-힣]{{2}}))"
    r"(?![가-힣]*당)"
)
_SOLE_KOREAN = re.compile(r"(?<![가-힣])(?P<word>하나|둘|셋|넷)(?=[은는이가을를로도만에와과]|\s|$)")
_FOLLOWING = re.compile(r"\s?[A-Za-z가-힣]+(?:\s[A-Za-z가-힣]+)?")
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_ONE_AS_PRONOUN = re.compile(
    r"\s*(?:of|or|another|can|could|may|might|must|should|has|is|was|by|that|who|after|"
    r"[a-z]+s)\b|\s*[.,;:)]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, the dimension of its unit ('' for a bare count), and what it is divided by.

    `number` is as written, thousands resolved; `factor` turns it into the dimension's own unit
    (bytes, seconds, ...); `per` is 'second' for tokens/s and '' without a divisor; `span` is where
    it stands in the text, and `surface` what stands there. `followed_by` are the next two words.
    """

    number: Decimal
    dimension: str
    factor: Decimal
    per: str
    surface: str
    span: tuple[int, int]
    followed_by: str

    @property
    def value(self) -> Decimal:
        return self.number * self.factor

    @property
    def is_spelled_one(self) -> bool:
        """'one', '하나', '한': as often an article as a count."""
        return self.number == 1 and not any(map(str.isdigit, self.surface))

    @property
    def key(self) -> str:
        """Equal for equal quantities, whatever their unit was."""
        return f"{self.value.normalize()} {self.dimension}/{self.per}"


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Every number of `text` in order; digits inside an identifier (H100) are none."""
    found = [_from_digits(match, text) for match in _NUMBER.finditer(text)]
    found += [
        _from_word(match, Decimal(_WORDS[match["word"].lower()]), text)
        for match in _WORD_NUMBER.finditer(text)
        if match["word"].lower() != "one" or not _is_pronoun(match, text)
    ]
    found += [_quantity(Decimal(2), "times", match, text) for match in _TWICE.finditer(text)]
    for pattern in (_KOREAN_NUMBER, _SOLE_KOREAN):
        found += [
            _from_word(match, Decimal(_KOREAN[match["word"]]), text)
            for match in pattern.finditer(text)
        ]
    return tuple(sorted(found, key=lambda quantity: quantity.span))


def missing_quantities(
    claimed: Iterable[Quantity], given: Iterable[Quantity], given_words: str
) -> list[Quantity]:
    """The claimed quantities that `given` does not hold.

    A claimed number without unit, and without a word that says what it counts, is held by the
    same number in any unit. A given number without
    unit holds a claimed one where its unit follows it soon ("900 prompt tokens"), or, if no word
    follows (as in a table), where `given_words`, the text without its numbers, names that unit.
    A spelled-out one is taken for an article.
    """
    pool, words = list(given), given_words.lower()
    return [
        one
        for one in claimed
        if not one.is_spelled_one and not any(_holds(other, one, words) for other in pool)
    ]


def _holds(given: Quantity, claimed: Quantity, words: str) -> bool:
    if claimed.per and given.per and claimed.per != given.per:
        return False
    if not claimed.dimension:
        counted = claimed.followed_by.split(maxsplit=1)[:1]  # "24 fields" is not "24 hours"
        other_thing = given.dimension and counted and not STOP_WORDS.issuperset(counted)
        return claimed.number == given.number and not other_thing
    if claimed.dimension == given.dimension:
        return claimed.value == given.value
    unit = claimed.surface.lstrip("0123456789.,$₩€ -").lower().rstrip("s")
    if given.dimension or claimed.number != given.number or not unit:
        return False
    return unit in (given.followed_by or words)


def _from_digits(match: re.Match[str], text: str) -> Quantity:
    number = Decimal(match["digits"].replace(",", ""))
    scale = match["koscale"] or match["enscale"]
    if scale:
        number *= _SCALES[scale.lower()]
    elif letter := match["letter"]:
        number *= _SCALES["k" if letter in "kK" else letter]
    unit = match["money"] or match["hangul"] or match["latin"]
    return _quantity(number, unit, match, text)


def _from_word(match: re.Match[str], number: Decimal, text: str) -> Quantity:
    groups = match.groupdict()
    if scale := groups.get("enscale"):
        number *= _SCALES[scale.lower()]
    return _quantity(number, groups.get("hangul") or groups.get("latin"), match, text)


def _quantity(number: Decimal, unit: str | None, match: re.Match[str], text: str) -> Quantity:
    dimension, factor = _UNITS[unit.lower()] if unit else ("", Decimal(1))
    per, end = "", match.end()
    if behind := _PER_BEHIND.match(text, end):
        per, end = _PER_NAMES.get(behind["per"].lower(), behind["per"].lower()), behind.end()
    elif ahead := _PER_AHEAD.search(text, 0, match.start()):
        per = _PER_NAMES[ahead["per"]]
    following = _FOLLOWING.match(text, end)
    return Quantity(
        number,
        dimension,
        factor,
        per,
        match[0].strip(),
        (match.start(), end),
        following[0].lower() if following else "",
    )


def _is_pronoun(match: re.Match[str], text: str) -> bool:
    """'one of', 'no one', 'this one': no count."""
    before = text[: match.start()].rstrip().rpartition(" ")[2].lower()
    return before in {
        "no",
        "any",
        "every",
        "each",
        "this",
        "that",
        "which",
        "the",
        "another",
    } or bool(_ONE_AS_PRONOUN.match(text, match.end()))
