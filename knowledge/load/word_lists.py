"""The numbers and marks that Word puts before paragraphs and keeps out of their text."""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from knowledge.load.word_styles import MAX_LEVEL, W, level_of, number, value

LEVELS = MAX_LEVEL + 1


@dataclass(frozen=True, slots=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1


class Numbering:
    """Counts along the document: `label` is asked for each numbered paragraph, in its order."""

    def __init__(self, root: etree._Element) -> None:
        self._levels: dict[str, list[_Level]] = {}
        self._counts: dict[str, list[int]] = defaultdict(lambda: [0] * LEVELS)
        self._list_of: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        for abstract in root.iterfind(f"{W}abstractNum"):
            levels = [_Level()] * LEVELS
            for element in abstract.iterfind(f"{W}lvl"):
                levels[level_of(element.get(f"{W}ilvl"))] = _Level(
                    format=value(element, "numFmt") or "decimal",
                    text=value(element, "lvlText"),
                    start=number(value(element, "start"), 1),
                )
            self._levels[abstract.get(f"{W}abstractNumId", "")] = levels
        for concrete in root.iterfind(f"{W}num"):
            number_id = concrete.get(f"{W}numId", "")
            self._list_of[number_id] = value(concrete, "abstractNumId")
            self._restarts[number_id] = {
                level_of(override.get(f"{W}ilvl")): number(value(override, "startOverride"), 1)
                for override in concrete.iterfind(f"{W}lvlOverride")
                if override.find(f"{W}startOverride") is not None
            }

    def label(self, number_id: str, level: int) -> str:
        """Such as `3.`, `제2조` or `(나)`; `-` for any bullet; empty where Word shows none."""
        list_id = self._list_of.get(number_id, "")
        levels = self._levels.get(list_id)
        if levels is None:
            return ""
        if levels[level].format == "bullet":
            return "-"
        counts = self._counts[list_id]
        for restarted, start in self._restarts.pop(number_id, {}).items():
            counts[restarted] = start - 1
        counts[level] = (counts[level] or levels[level].start - 1) + 1
        counts[level + 1 :] = [0] * (LEVELS - level - 1)

        def numeral(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            return _numeral(counts[place] or levels[place].start, levels[place].format)

        return re.sub("%([1-9])", numeral, levels[level].text)


def _numeral(number: int, form: str) -> str:
    make = _FORMS.get(form, str)
    return make(number) if 0 < number < 4000 else str(number)


def _from(signs: str) -> Callable[[int], str]:
    """The sign of a number; the plain number where there are no more."""
    return lambda number: signs[number - 1] if number <= len(signs) else str(number)


def _letters(number: int) -> str:
    """a to z, aa to zz: as Word goes on."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    made = ""
    for worth, sign in _ROMAN:
        made += sign * (number // worth)
        number %= worth
    return made


_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)

_FORMS: dict[str, Callable[[int], str]] = {
    "none": lambda number: "",
    "decimalZero": lambda number: f"{number:02}",
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "ganada": _from("가나다라마바사아자차카타파하"),
    "chosung": _from("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "decimalEnclosedCircle": _from("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
}
