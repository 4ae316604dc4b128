"""Pairs of opposite words, English and Korean: more and less, faster and slower, 높다 and 낮다."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# axis: (forms of one pole, forms of the other)
_ENGLISH = {
    "amount": (
        "more most high higher highest large larger largest great greater greatest big bigger"
        " biggest increase increases increased increasing rise rises rising rose risen grow grows"
        " growing grew grown raise raises raised raising above exceed exceeds exceeded exceeding"
        " double doubles doubled",
        "less least low lower lowest lowers lowered lowering small smaller smallest fewer fewest"
        " decrease decreases decreased decreasing fall falls fell falling shrink shrinks shrank"
        " shrinking reduce reduces reduced reducing drop drops dropped dropping below decline"
        " declines declined halve halves halved",
    ),
    "speed": (
        "fast faster fastest quick quicker quickest quickly accelerate accelerates accelerated",
        "slow slower slowest slowly slows slowed slowing",
    ),
    "length": ("long longer longest lengthen lengthens", "short shorter shortest shorten shortens"),
    "order": ("before earlier earliest first", "after later latest last"),
    "quality": (
        "better best improve improves improved improving",
        "worse worst worsen worsens degrade degrades degraded",
    ),
    "price": ("cheap cheaper cheapest", "expensive dear dearer dearest costlier"),
    "permission": (
        "allow allows allowed accept accepts accepted permit permits permitted",
        "forbid forbids forbidden reject rejects rejected refuse refuses refused deny denies"
        " denied prohibit prohibits prohibited",
    ),
    "switch": ("enable enables enabled enabling", "disable disables disabled disabling"),
    "part": ("include includes included including", "exclude excludes excluded excluding"),
    "outcome": ("succeed succeeds succeeded success successful", "fail fails failed failure"),
    "effort": ("easy easier easiest easily", "hard harder hardest difficult"),
}
# Korean stems with what may follow, where the bare syllable begins other words too:
# 적다 (few) is not 적용 (to apply), 줄다 (to shrink) is not 줄 (line)
_KOREAN = {
    "amount": (
        r"높[가-힣]+|많[가-힣]+|늘(?:어|려|린|리|었|면|고|릴)[가-힣]*|증가[가-힣]*|커[지진질져]?[가-힣]*|큰"
        r"|크(?:다|게|고|면|지|므)[가-힣]*|올(?:라|리|린|려|릴)[가-힣]*|오[르른][가-힣]*|이상(?!하|한|해|치)[가-힣]*|초과[가-힣]*"
        r"|넘[가-힣]+|최대(?:로|한)?|적어도",
        r"낮[가-힣]+|적(?:다|은|게|고|으|을|지|어지|었)[가-힣]*|줄(?:어|여|인|었|면|고|일|이)[가-힣]*|감소[가-힣]*"
        r"|작(?:다|은|게|고|아|을|으|지)[가-힣]*|내(?:려|리|린|릴)[가-힣]*|떨어[가-힣]*|이하[가-힣]*|미만[가-힣]*"
        r"|이내[가-힣]*|최소(?:로|한)?",
    ),
    "speed": (r"빠[르른][가-힣]*|빨[라리][가-힣]*", r"느[리린려릴][가-힣]*|늦[가-힣]+"),
    "length": (r"길(?:다|어|게|고|면|수|지)[가-힣]*|긴", r"짧[가-힣]+"),
    "order": (
        r"앞[가-힣]*|먼저|이전[가-힣]*|전에|처음[가-힣]*|첫",
        r"뒤[가-힣]*|나중[가-힣]*|이후[가-힣]*|후에|마지막[가-힣]*",
    ),
    "quality": (r"좋[가-힣]+|나[아은]지[가-힣]*|개선[가-힣]*", r"나[쁘쁜빠][가-힣]*|악화[가-힣]*"),
    "price": (r"싸(?:다|게|고|지|면|진)[가-힣]*|싼|저렴[가-힣]*", r"비[싸싼][가-힣]*"),
    "permission": (
        r"허용[가-힣]*|수락[가-힣]*|받아들[가-힣]+",
        r"금지[가-힣]*|거절[가-힣]*|거부[가-힣]*",
    ),
    "switch": (r"[켜켠켤킨][가-힣]*|활성화[가-힣]*", r"[끄끈꺼끌][가-힣]*|비활성화[가-힣]*"),
    "part": (r"포함[가-힣]*", r"제외[가-힣]*"),
    "outcome": (r"성공[가-힣]*", r"실패[가-힣]*"),
    "effort": (r"쉽[가-힣]+|쉬[운워][가-힣]*", r"어렵[가-힣]+|어려[운워][가-힣]*"),
}

_POLE_OF = {
    form: (axis, pole)
    for axis, poles in _ENGLISH.items()
    for pole, forms in enumerate(poles)
    for form in forms.split()
} | {"at least": ("amount", 0), "at most": ("amount", 1)}
_BOUNDS = {
    "no less than": "at least",
    "no fewer than": "at least",
    "no more than": "at most",
    "no longer than": "at most",
    "no later than": "at most",
    "up to": "at most",
}
_ENGLISH_WORD = re.compile(
    r"\b(?:at (?:least|most)|up to|no (?:less|fewer|more|longer|later) than"
    r"|f[ae]lls?\s+back|a\s+few|[a-z]+)\b",
    re.IGNORECASE,
)
_KOREAN_WORD = re.compile(
    "|".join(
        rf"(?P<{axis}_{pole}>(?<![가-힣])(?:{forms})(?![가-힣]))"
        for axis, poles in _KOREAN.items()
        for pole, forms in enumerate(poles)
    )
)


@dataclass(frozen=True, slots=True)
class PoleMark:
    """A word of a pair; `pole` 0 or 1 says which of the two."""

    axis: str
    pole: int
    start: int
    end: int


def pole_marks(text: str) -> Iterator[PoleMark]:
    """Every word of `text` that has an opposite in the table."""
    for match in _ENGLISH_WORD.finditer(text):
        form = match[0].lower()
        if found := _POLE_OF.get(_BOUNDS.get(form, form)):
            yield PoleMark(*found, match.start(), match.end())
    for match in _KOREAN_WORD.finditer(text):
        axis, _, pole = (match.lastgroup or "").rpartition("_")
        yield PoleMark(axis, int(pole), match.start(), match.end())
