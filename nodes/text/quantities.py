"""Numbers with their units in English and Korean text, brought to one form for comparison.

1,000 = 1000 = 1k = 1천; 57-bit = 57 bits; 400 ms = 0.4 seconds = 0.4초; 두 개 = 2개 = two;
128 PiB is not 128 TiB. Units of one dimension are converted by their exact factor; a unit that is
not in the table (calls, replicas) is a word of the sentence and no part of the number.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from nodes.text import numerals
from nodes.text.bounds import Bound, read_bound
from nodes.text.dates import read_dates
from nodes.text.rates import read_rate
from nodes.text.stopwords import STOP_WORDS
from nodes.text.units import SYMBOLS, WORDS, unit_of

# Counters say nothing of what is counted; counted nouns stay words of the sentence.
_COUNTERS = "개|가지|건|명|대(?!\\s?\\d)|곳|군데|마리|그루|권|살|세(?![가-힣]{2})"
_COUNTED_NOUNS = (
    "단계|장|층|종류|종|쪽|줄|문항|블록|조각|칸|쌍|축|갈래|마당|편|채|척|자루|잔|병|벌|켤레|송이|게임|사람|분|"
    "해|주|군데|차례|번째|째|나라|도시|곡|점|판|팀"
)


def _any_of(forms: Iterable[str]) -> str:
    by_length = sorted(forms, key=len, reverse=True)
    return "|".join(re.escape(form).replace("\\ ", r"\s+") for form in by_length)


_HANGUL_UNITS = _any_of(form for form in WORDS if "가" <= form[-1] <= "힣")
_LATIN_WORDS = _any_of(form for form in WORDS if form[-1].isascii())
_SYMBOLS = _any_of(form for form in SYMBOLS if form not in "$₩€£¥")
_LATIN_UNITS = rf"{_LATIN_WORDS}|(?-i:{_SYMBOLS})"
# 5분의 1 (a fifth), 3분기 (quarter), 2초과 (above 2), 두 번째 (second), 2배치, 3원칙: no units
_NO_UNIT = r"(?<!분(?=의\s\d))(?<!분(?=의\d))(?!기(?!에)|째|호|치|포|칙|소|식)(?<!초(?=과))"
_BEHIND = (
    rf"(?:\s?(?P<hangul>{_HANGUL_UNITS}){_NO_UNIT}|\s?(?:{_COUNTERS})(?!째)"
    rf"|[\s-]?(?P<latin>{_LATIN_UNITS})(?![A-Za-z0-9]|\s\d))?"
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<minus>(?:(?<![\w)\]]\s)(?<!\w)[-−]|영하\s|\bminus\s))?(?P<money>[$₩€£¥])?\s?"
    rf"(?P<number>{numerals.DIGITS}){_BEHIND}(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    rf"\b(?<!-)(?P<number>{numerals.ENGLISH})(?:[\s-](?P<latin>{_LATIN_UNITS})(?![A-Za-z0-9]))?"
    rf"(?!-?\w)(?!-)",
    re.IGNORECASE,
)
_KOREAN_NUMBER = re.compile(
    r"(?<![가-힣])(?!(?<=에\s)한해|세대|열대|한대|서너|네트|한\s?(?:편|번에|쪽))"
    rf"(?P<number>{numerals.KOREAN})(?!\s?번째|\s?째)"
    rf"(?:\s?(?P<hangul>{_HANGUL_UNITS}){_NO_UNIT}(?![가-힣]{{3}})|\s?(?:{_COUNTERS})"
    rf"|\s?(?={_COUNTED_NOUNS})|(?<![한열백네석천만억조])\s(?=[가-힣]{{2}}))"
    r"(?![가-힣]*(?<!마)당)"
)
_SOLE_KOREAN = re.compile(
    r"(?<![가-힣])(?P<number>하나|둘|셋|넷)(?=[은는이가을를로도만에와과]|\s|$)"
)
_KOREAN_DAYS = re.compile(
    rf"(?<![가-힣])(?P<number>{'|'.join(numerals.KOREAN_DAYS)})(?=\s|[은는이가을를의만간도]|에|동안|$)(?!에?\s?\d)"
)
_ORDINAL = re.compile(
    rf"(?<![\w-])(?P<number>{numerals.ORDINAL})(?=[\s-][A-Za-z]|[.,;)]|$)"
    r"|(?<![가-힣])(?P<korean>첫)(?:\s?번째|째)?(?=\s)"
    rf"|(?<![가-힣\d])(?P<counted>{numerals.KOREAN}|\d+)\s?(?:번째|째)(?=[\s은는이가을를로])",
    re.IGNORECASE,
)
_SECOND_IN_TIME = re.compile(r"(?:\bper|\d|\beach|\bone)\s+$")
_FRACTION = re.compile(rf"(?<![\w-])(?P<number>{numerals.FRACTION})(?![A-Za-z-])", re.IGNORECASE)
_DECADE = re.compile(r"\b(?P<number>\d{3}0)(?:s\b|년대)")
_TWICE = re.compile(
    r"\b(?P<number>twice|thrice|once(?=\s+(?:an?|per|every|each)\b))", re.IGNORECASE
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}

_TIME_DIMENSIONS = frozenset(
    ("second", "month", "year", "clock", "century", "decade", "calendar day", "calendar month")
)
_ORDER = re.compile(r"(?:after|before)\b", re.IGNORECASE)
_FIRST_YEAR = 1000  # a bare number of four digits is mostly a year
_FOLLOWING = re.compile(r"\s?[A-Za-z가-힣]+(?:\s[A-Za-z가-힣]+)?")
_RANGE = re.compile(
    r"\s*(?:to|and|or|[-–—~]|에서|부터|과|와|이나|또는)\s*(?:about\s+)?", re.IGNORECASE
)
_YEAR = re.compile(r"\d{4}$")
_MEASURES = frozenset(dimension for dimension, _ in (SYMBOLS | WORDS).values()) - {"year"}
_BETWEEN = re.compile(r"\bbetween\s+(?:about\s+)?$")
_REACH = 30  # characters before a number that are looked at
_RANGE_END = re.compile(r"\s?(?:사이|까지)")
_ONE_AS_PRONOUN = re.compile(
    r"\s*(?:of|or|another|can|could|may|might|must|should|has|is|was|by|that|who|after|"
    r"[a-z]+s)\b|\s*[.,;:)]",
    re.IGNORECASE,
)
_BEFORE_PRONOUN = frozenset(
    ("no", "any", "every", "each", "this", "that", "which", "the", "another")
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, the dimension of its unit ('' for a bare count), and what it is divided by.

    `number` is as written, thousands resolved; `factor` turns it into the dimension's own unit
    (bytes, seconds, ...); `per` is 'second' for tokens/s and '' without a divisor; `span` is where
    it stands in the text, and `surface` what stands there. `followed_by` are the next two words.
    `bound_at` are the places of the words of its `bound` ("at least").
    """

    number: Decimal
    dimension: str
    factor: Decimal
    per: str
    surface: str
    span: tuple[int, int]
    followed_by: str
    bound: Bound = ""
    bound_at: tuple[tuple[int, int], ...] = ()

    @property
    def value(self) -> Decimal:
        return self.number * self.factor

    @property
    def is_time(self) -> bool:
        """A duration, a time of day, a date; a bare number of four digits is mostly a year."""
        return self.dimension in _TIME_DIMENSIONS or (
            not self.dimension and self.number >= _FIRST_YEAR
        )

    @property
    def is_spelled_one(self) -> bool:
        """'one', '하나', '한': as often an article as a count."""
        return self.surface.lower() in ("one", "하나", "한", "a")

    @property
    def key(self) -> str:
        """Equal for equal quantities, whatever their unit was."""
        return f"{self.value.normalize()} {self.dimension}/{self.per}"


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Every number of `text` in order; digits inside an identifier (H100) are none."""
    found: list[Quantity] = []
    taken = bytearray(len(text))
    for one in _readings(text):
        if not any(taken[slice(*one.span)]):
            found.append(one)
            taken[slice(*one.span)] = b"\1" * (one.span[1] - one.span[0])
    found.sort(key=lambda quantity: quantity.span)
    return tuple(_bounded(text, _with_shared_units(text, found)))


def missing_quantities(
    claimed: Iterable[Quantity], given: Iterable[Quantity], given_words: str
) -> list[Quantity]:
    """The claimed quantities that `given` does not hold.

    A claimed number without unit, and without a word that says what it counts, is held by the
    same number in any unit. A given number without unit holds a claimed one where its unit follows
    it soon ("900 prompt tokens"), or, if no word follows (as in a table), where `given_words`, the
    text without its numbers, names that unit. A spelled-out one is taken for an article.
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
    if {claimed.dimension, given.dimension} == {"", "year"} and claimed.number >= _FIRST_YEAR:
        return claimed.number == given.number
    if not claimed.dimension:
        counted = claimed.followed_by.split(maxsplit=1)[:1]  # "24 fields" is not "24 hours"
        measured = given.dimension not in ("", "fold", "occasion")
        other_thing = measured and counted and not STOP_WORDS.issuperset(counted)
        return claimed.number == given.number and not other_thing
    if claimed.dimension == given.dimension:
        return claimed.value == given.value
    unit = claimed.surface.lstrip("0123456789.,$₩€ -").lower().rstrip("s")
    if given.dimension or claimed.number != given.number or not unit:
        return False
    return unit in (given.followed_by or words)


def _readings(text: str) -> Iterator[Quantity]:
    """What may be a number, the surest readings of a place first."""
    for part in read_dates(text):
        surface = text[part.start : part.end]
        yield _quantity(
            text, part.value, (part.dimension, Decimal(1)), surface, part.start, part.end
        )
    plain = Decimal(1)
    for match in _DECADE.finditer(text):
        yield _from(match, text, Decimal(match["number"]), ("decade", plain))
    for match in _FRACTION.finditer(text):
        yield _from(match, text, numerals.fraction_value(match["number"]), ("percent", plain))
    for match in _NUMBER.finditer(text):
        number = numerals.digits_value(match["number"])
        unit = match["money"] or match["hangul"] or match["latin"]
        yield _from(match, text, -number if match["minus"] else number, unit and unit_of(unit))
    for match in _WORD_NUMBER.finditer(text):
        if match["number"].lower() != "one" or not _is_pronoun(match, text):
            number = numerals.english_value(match["number"])
            yield _from(match, text, number, match["latin"] and unit_of(match["latin"]))
    for match in _TWICE.finditer(text):
        yield _from(match, text, Decimal(_TIMES[match["number"].lower()]), unit_of("times"))
    for match in _ORDINAL.finditer(text):
        ahead = max(0, match.start() - _REACH)
        if match["number"] and _SECOND_IN_TIME.search(text, ahead, match.start()):
            continue
        yield _from(match, text, _ordinal(match), ("ordinal", plain))
    for match in _KOREAN_DAYS.finditer(text):
        yield _from(match, text, Decimal(numerals.KOREAN_DAYS[match["number"]]), unit_of("일"))
    for match in _KOREAN_NUMBER.finditer(text):
        number = numerals.korean_value(match["number"])
        yield _from(match, text, number, match["hangul"] and unit_of(match["hangul"]))
    for match in _SOLE_KOREAN.finditer(text):
        yield _from(match, text, numerals.korean_value(match["number"]), None)


def _ordinal(match: re.Match[str]) -> Decimal:
    if match["number"]:
        return numerals.ordinal_value(match["number"])
    counted = match["counted"]
    if not counted:
        return Decimal(1)
    return Decimal(counted) if counted.isdigit() else numerals.korean_value(counted)


def _from(
    match: re.Match[str], text: str, number: Decimal, unit: tuple[str, Decimal] | str | None
) -> Quantity:
    known = unit if isinstance(unit, tuple) else ("", Decimal(1))
    start = match.end() - len(match[0].lstrip())
    return _quantity(text, number, known, match[0].strip(), start, match.end())


def _quantity(
    text: str, number: Decimal, unit: tuple[str, Decimal], surface: str, start: int, end: int
) -> Quantity:
    per, end = read_rate(text, start, end)
    following = _FOLLOWING.match(text, end)
    return Quantity(
        number,
        *unit,
        per=per,
        surface=surface,
        span=(start, end),
        followed_by=following[0].lower().strip() if following else "",
    )


def _with_shared_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """In "15 to 20 kg" and "4에서 6미터 사이" the first number has the unit of the second one."""
    shared = list(found)
    for position in range(len(found) - 1, 0, -1):
        first, second = shared[position - 1], shared[position]
        gap = _RANGE.fullmatch(text, first.span[1], second.span[0])
        if not gap:
            continue
        if not first.dimension and second.dimension in _MEASURES and not _YEAR.match(first.surface):
            first = replace(first, dimension=second.dimension, factor=second.factor)
        if first.dimension == second.dimension and (
            _BETWEEN.search(text, max(0, first.span[0] - _REACH), first.span[0])
            or _RANGE_END.match(text, second.span[1])
            or (gap[0].strip() in "~–—-" and first.dimension == "clock")
        ):
            first, second = replace(first, bound="at least"), replace(second, bound="at most")
        shared[position - 1], shared[position] = first, second
    return shared


def _bounded(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    for one in found:
        if one.bound or one.dimension == "ordinal":
            yield one
        else:
            bound, places = read_bound(text, *one.span)
            if places and _ORDER.match(text, places[0][0]) and not one.is_time:
                bound, places = "", ()  # "after five retries" counts them
            yield replace(one, bound=bound, bound_at=places)


def _is_pronoun(match: re.Match[str], text: str) -> bool:
    """'one of', 'no one', 'this one': no count."""
    before = (
        text[max(0, match.start() - _REACH) : match.start()].rstrip().rpartition(" ")[2].lower()
    )
    if match["latin"]:
        return False
    return before in _BEFORE_PRONOUN or bool(_ONE_AS_PRONOUN.match(text, match.end()))
