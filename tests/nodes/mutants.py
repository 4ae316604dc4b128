"""True answers, and the same answers made false by one change: by hand in the tables of data/, or
by rule here."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import yaml

from graph.evidence import Language, Passage

Kind = Literal[
    "number", "unit", "name", "negation", "direction", "role", "verb", "clause", "restriction"
]
"""`clause`: parts of two clauses joined; `restriction`: a condition or an exception left out."""
Form = Literal["copy", "reordered", "joined", "close", "voice", "function", "summary", "free"]

CLOSE: frozenset[Form] = frozenset({"copy", "reordered", "close"})
"""Answers in the passages' own words, as an extractive model writes them; the others paraphrase."""

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Answer:
    """A true sentence, how it was made from its passage, and its mutants by what was changed."""

    text: str
    form: Form
    source: Passage
    mutants: tuple[tuple[Kind, str], ...]


def read_answers(table: str, language: Language) -> list[Answer]:
    """The answers of data/`table`_answers_`language`.yaml with all mutants, each time the same."""
    rows = yaml.safe_load((DATA / f"{table}_answers_{language}.yaml").read_text("utf-8"))
    chance = random.Random(2026)
    return [
        _read_answer(dict(row), source, given["names"], chance)
        for given in rows
        for source in [_passage(given)]
        for row in given["answers"]
    ]


def _passage(given: dict[str, str]) -> Passage:
    text = " ".join(given["text"].split())
    return Passage(
        id=given["title"],
        document=f"{given['title']}.pdf",
        title=given["title"],
        page=1,
        start=0,
        end=len(text),
        heading=tuple(given.get("heading", ())),
        text=text,
    )


KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
FORMS: dict[str, Form] = {form: form for form in get_args(Form)}


def _read_answer(
    row: dict[str, str], source: Passage, names: list[str], chance: random.Random
) -> Answer:
    (form, text), *by_hand = row.items()
    mutants = [(KINDS[kind], mutant) for kind, mutant in by_hand]
    for made, mutate in _MUTATORS.items():
        mutants += ((made, mutant) for mutant in mutate(text, source, names, chance))
    return Answer(text, FORMS[form], source, tuple(dict.fromkeys(mutants)))


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


def _other_number(
    text: str, source: Passage, names: list[str], chance: random.Random
) -> Iterator[str]:
    """One of the answer's numbers replaced by another of the passage, or by one of its size."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return
    mark = chance.choice(found)
    elsewhere = set(_NUMBER.findall(source.text)) - set(_NUMBER.findall(text))
    alike = sorted(one for one in elsewhere if len(one) == len(mark[0]))
    yield _replace(text, mark, chance.choice(alike) if alike else _changed_digit(mark[0], chance))


def _changed_digit(number: str, chance: random.Random) -> str:
    places = [place for place, sign in enumerate(number) if sign.isdigit()]
    place = chance.choice(places)
    digit = chance.choice([sign for sign in "123456789" if sign != number[place]])
    return number[:place] + digit + number[place + 1 :]


_UNITS = {
    "km/h": "m/s", "km": "m", "metres": "miles", "kg": "mg", "°C": "K", "hours": "days",
    "days": "weeks", "weeks": "years", "months": "weeks", "minutes": "seconds",
    "seconds": "minutes", "GiB": "MiB", "percentage points": "percent", "percent": "per mille",
    "%": "‰", "feet": "metres", "dollars": "pounds", "cents": "dollars", "euros": "yen",
    "tons": "grams", "million": "thousand",
    "킬로미터": "센티미터", "미터": "센티미터", "퍼센트포인트": "퍼센트", "퍼센트": "퍼밀",
    "시간": "분", "분간": "시간", "개월": "년", "리터": "밀리리터", "kWh": "MWh", "년간": "개월간",
    "GB": "TB", "만 원": "억 원", "주마다": "일마다", "일간": "주간", "톤": "킬로그램",
    "m ": "km ", "억": "만",
}  # fmt: skip
_UNIT = re.compile(
    r"(?<=\d)(?P<gap>[ -]?)(?P<unit>"
    + "|".join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))
    + r")(?![A-Za-z/])"
)


def _other_unit(
    text: str, source: Passage, names: list[str], chance: random.Random
) -> Iterator[str]:
    if found := list(_UNIT.finditer(text)):
        mark = chance.choice(found)
        yield _replace(text, mark, mark["gap"] + _UNITS[mark["unit"]])


_STRANGERS: dict[Language, tuple[str, ...]] = {
    "en": ("Aldermoor", "Petra Novak", "Kestrel", "Brunnhof"),
    "ko": ("윤태경", "금강산", "대림상사", "백령도"),
}


def _other_name(
    text: str, source: Passage, names: list[str], chance: random.Random
) -> Iterator[str]:
    """Another name of the passage where there is one, and one that it does not have."""
    if not (said := [name for name in names if name in text]):
        return
    name = chance.choice(said)
    language: Language = "ko" if re.search("[가-힣]", text) else "en"
    others = [one for one in names if one not in text and one in source.text]
    for pool in (others, _STRANGERS[language]):
        if pool:
            yield with_particle(text, name, chance.choice(list(pool)))


_ENGLISH_VERB = re.compile(r"\b(?:is|are|was|were|can|may|must|has been|have been)\b(?! not\b)")
_NEGATED = re.compile(r"\b(?:not?|never|cannot|nobody|without|unable)\b|n't\b|않|없|아니|못|안 ")
_KOREAN_ENDS = (
    ("합니다.", "하지 않습니다."), ("됩니다.", "되지 않습니다."), ("입니다.", "인 것은 아닙니다."),
    ("했습니다.", "하지 않았습니다."), ("있습니다.", "없습니다."), ("한다.", "하지 않는다."),
    ("된다.", "되지 않는다."), ("했다.", "하지 않았다."), ("하였다.", "하지 않았다."),
    ("되었다.", "되지 않았다."), ("있다.", "없다."), ("렸다.", "리지 않았다."),
    ("겼다.", "기지 않았다."),
)  # fmt: skip


def _negated(text: str, source: Passage, names: list[str], chance: random.Random) -> Iterator[str]:
    if _NEGATED.search(text):
        return
    if mark := _ENGLISH_VERB.search(text):
        verb = mark[0].split(maxsplit=1)
        yield _replace(text, mark, " ".join([verb[0], "not", *verb[1:]]))
    for ending, negated in _KOREAN_ENDS:
        if text.endswith(ending):
            yield text.removesuffix(ending) + negated
            return


_MUTATORS: dict[Kind, Callable[[str, Passage, list[str], random.Random], Iterator[str]]] = {
    "number": _other_number,
    "unit": _other_unit,
    "name": _other_name,
    "negation": _negated,
}
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"))


def with_particle(text: str, name: str, other: str) -> str:
    """`other` in the place of `name`, with the form of a Korean particle that it takes."""
    before, _, after = text.partition(name)
    final = (ord(other[-1]) - 0xAC00) % 28 if "가" <= other[-1] <= "힣" else 0
    for closed, open_ in _PARTICLES:
        for form in (closed, open_):
            if re.match(rf"{form}(?![가-힣])", after):
                return before + other + (closed if final else open_) + after[len(form) :]
    return before + other + after


def _replace(text: str, mark: re.Match[str], new: str) -> str:
    return text[: mark.start()] + new + text[mark.end() :]
