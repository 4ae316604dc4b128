"""Which stretches of a sentence could be an answer of a type; English, Korean and Chinese."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from nodes.answerability.asked import Asked
from nodes.text.quantities import Quantity, read_quantities
from nodes.text.terms import content_terms

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\."
)
_TIME = re.compile(
    rf"\b(?:{_MONTHS})\b(?:\s\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s\d{{4}})?"
    r"|(?<![\d.,$€£])\b(?:1[0-9]|20)\d\d(?:s\b|\b)(?![.,]\d)"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b(?:\sand\s\d{1,2}(?:st|nd|rd|th))?(?:\scentur\w+)?"
    r"|\b(?:early|mid|late)[- ](?:\w+ )?(?:century|\d{4}s?)|\b\d+ (?:BC|BCE|AD|CE)\b"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\b"
    r"|\b\d{1,2}:\d\d\b|\b(?:noon|midnight|today|spring|summer|autumn|winter|dawn|night)\b"
    r"|\d+\s?(?:년대|년도?|월|세기|시)(?![간가-힣]*동안|간)|\d+\s?일(?!\s?[간동])"
    r"|(?:월|화|수|목|금|토|일)요일|(?:오전|오후|아침|저녁|새벽|정오|자정|상순|중순|하순|봄|여름"
    r"|가을|겨울)(?![가-힣]{2})"
    r"|\d{2,4}\s?年|\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?|[周星]期?[一二三四五六日]"
    r"|\d{1,2}\s?[日点时]",
)
_CLAUSE_OF_TIME = re.compile(
    r"\b(?:when|after|before|until|once|during|since|while|as soon as|within)\b|(?:때|뒤|후|전"
    r"|동안|이래)(?=[에\s,])"
    r"|[가-힣]면(?=\s)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|in order to|as a result|therefore|thus|led to|caused?"
    r"|owing to|thanks to|reasons?|so as to|on account of|for fear|responsible for|result(?:ed"
    r"|s)?)\b"
    r"|(?<=[,\w]) (?:as|so|for) (?=[a-z])|\bto [a-z]{3,}\b"
    r"|때문|위해|위한|위하여|므로|[아어여해]서(?=[\s,])|[으]?니까|느라|인해|말미암|탓|덕분|까닭"
    r"|이유|원인|보안상"
    r"|으로(?=\s)|자(?=\s)|아\s|어\s|뒤(?=\s)|지만"
    r"|因为|由于|因此|所以|导致|为了|因|以便",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    r"\b(?:every|each|once|twice|times|daily|weekly|monthly|yearly|annual(?:ly)?|hourly|per"
    r"|regularly|continuously|always)\b|마다|매[일주월년달번]|간격|한 번|\d+번|주기|每",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\b(?:by|through|via|using|with|into|with the help|means|from|to)\b|으로|로(?=\s)|통해"
    r"|[아어여해]서|[고며](?=\s)|通过|以|用|利用",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:[A-Z][\w'’.-]*)(?:\s(?:of|de|la|von|van|al|bin|the|and)(?=\s[A-Z])|\s[A-Z][\w'’.-]*)*"
)
_OPENING = re.compile(r"(?:^|[.!?:]\s|[\"“])$")
_FUNCTION_WORD = re.compile(
    r"(?:The|A|An|In|On|At|It|He|She|They|This|That|These|Those|His|Her|Its|Their|As|By|For|From"
    r"|After|Before|When|While|Since|Although|However|But|And|Or|If|Some|Many|Most|Each|Every|One"
    r"|Two|There|Then|Thus|To|Of|With|All|Both|During|Because|Unlike|Until|Not|No|Other|Its|About"
    r"|Also|Another|Such|Under|Through|Despite|Later|Today|Once|What|Which|Who|How|Why"
    r"|Where)\b[\s']*"
)
_QUOTED = re.compile(r"[\"“'‘《〈『「][^\"“”'‘’》〉』」]{1,60}[\"”'’》〉』」]")
_IDENTIFIER = re.compile(r"\b[a-z]+[_-][a-z_-]+\b|(?<=[가-힣] )[A-Za-z][\w.-]*")
_ROLE = re.compile(
    r"\b\w*(?:er|or|ist|ian|man|men|woman|women|ant|people|members?|head|chief|king|queen|pope"
    r"|team|police|army|government|council|child|children|wife|husband|son|daughter|father|mother"
    r"|brother|sister|family|students?|cyclists?)s?\b"
)
_KOREAN_NAME = re.compile(
    r"(?<![가-힣])(?:남궁|황보|제갈|선우"
    r"|[김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지엄채원천방공"
    r"현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편])[가-힣]{2}(?=은|는|이|가"
    r"|을|를|의|에게|과|와|도|[,\s(]|으로|$)"
    r"|[가-힣]{1,6}(?:씨|왕|대왕|장군|교수|박사|감독|대통령|의원|관장|팀장|대표|여왕|황제|회장"
    r"|장관|선수|작가|총리|약사|노동자|근로자|학생"
    r"|사람|모임|조합|팀|의 자녀|여사|신부|목사)(?![가-힣]{3})|[가-힣]{2,7}(?=\([A-Z一-龥])"
)
_KOREAN_PLACE = re.compile(
    r"[가-힣]{1,7}(?:시|도|군|구|읍|면|동|리|산|강|섬|역|항|대학교?|병원|학교|공원|나라|국|주|성"
    r"|궁|사|교회|관|원|층|창고|마을|논|밭|별관"
    r"|거리|건물|공항|지역|지방)(?=에|에서|의|으로|로|을|를|은|는|이|가|과|와|[\s,])"
    r"|[가-힣]{2,8}(?=에서|에(?:는|도)?\s)"
)
_ENGLISH_PLACE = re.compile(
    r"\b(?:in|at|on|from|to|near|into|inside|outside|between|through|across|around|within|of|along)"
    r" (?:the |an? )?(?=[A-Za-z])"
)
_CHINESE_NAME = re.compile(r"[\u4e00-\u9fff·]{2,10}")
_CHINESE_PLACE = re.compile(
    r"[\u4e00-\u9fff]{1,8}(?:市|省|县|区|国|州|镇|村|馆|场|岛|山|城)|在[\u4e00-\u9fff]{2,6}"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_UNIT_BEHIND = re.compile(
    r"[\s-]?(?:[kcm]?m²?\b|km|kg|g\b|mm|metres?|meters?|miles?|feet|foot|ft|inch|acres?"
    r"|hectares?|square"
    r"|pounds?|tons?|tonnes?|litres?|degrees?|mph|centuries|decades?|per ?cent|°|kilos?|cubic"
    r"|gallons?|light|lb"
    r"|미터|킬로|제곱|톤|도|그램|리터|평|살|세|인치|센티|마일|규빗|헥타르|米|公里|公斤|千克|吨"
    r"|岁|平方|度|厘米|天|年|小时|分钟)"
)  # fmt: skip
_MONEY_BEHIND = re.compile(
    r"[\s-]?(?:pounds?|euros?|dollars?|cents?|pence|francs?|yen|원|전|냥|달러|유로|엔|元|美元|亿)"
)
_ORDINAL_BEHIND = re.compile(r"(?:st|nd|rd|th)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stretch that could be the answer; `fit` 1 where its form says so, less where it may be."""

    text: str
    start: int
    end: int
    fit: float = 1.0


def find_candidates(asked: Asked, sentence: str) -> list[Candidate]:
    """Empty for a type that has no form of its own (`other`)."""
    return list(_FINDERS[asked.type](sentence, asked)) if asked.type in _FINDERS else []


def _all(pattern: re.Pattern[str], text: str, fit: float = 1.0) -> Iterator[Candidate]:
    for match in pattern.finditer(text):
        yield Candidate(match[0], match.start(), match.end(), fit)


def _times(sentence: str, asked: Asked) -> Iterator[Candidate]:
    yield from _all(_TIME, sentence)
    yield from _all(_CLAUSE_OF_TIME, sentence, 0.5)


def _names(sentence: str) -> Iterator[Candidate]:
    for match in _NAME.finditer(sentence):
        opening = _FUNCTION_WORD.match(match[0])
        start = match.start() + (opening.end() if opening else 0)
        text = sentence[start : match.end()].rstrip(".,'’-")
        if len(text) > 1:
            sure = bool(opening) or not _OPENING.search(sentence[: match.start()]) or " " in text
            yield Candidate(text, start, start + len(text), 1.0 if sure else 0.5)


def _persons(sentence: str, asked: Asked) -> Iterator[Candidate]:
    yield from _names(sentence)
    yield from _all(_ROLE, sentence, 0.5)
    yield from _all(_KOREAN_NAME, sentence)
    yield from _all(_CHINESE_NAME, sentence, 0.5)


def _titles(sentence: str, asked: Asked) -> Iterator[Candidate]:
    yield from _names(sentence)
    yield from _all(_QUOTED, sentence)
    yield from _all(_IDENTIFIER, sentence)


def _places(sentence: str, asked: Asked) -> Iterator[Candidate]:
    names = list(_names(sentence))
    for match in _ENGLISH_PLACE.finditer(sentence):
        named = next((one for one in names if one.start == match.end()), None)
        if named:
            yield named
        else:
            yield Candidate(sentence[match.end() : match.end() + 12], match.end(), match.end(), 0.5)
    yield from _all(_KOREAN_PLACE, sentence)
    yield from _all(_CHINESE_PLACE, sentence)


def _numbers(sentence: str, asked: Asked) -> Iterator[Candidate]:
    """A year is a count only where nothing else can be; a number of the counted thing is best."""
    for one in read_quantities(sentence):
        behind = sentence[one.span[1] : one.span[1] + 40]
        if _ORDINAL_BEHIND.match(behind) or _is_year(one, sentence):
            continue
        fit = 0.7
        if asked.counter:
            counted = asked.counter in sentence[one.span[0] : one.span[1] + 2]
            fit = 1.0 if counted else 0.3
        elif asked.counted:
            near = {term.stem for term in content_terms(behind)[:3]}
            fit = 0.6 if near.isdisjoint(asked.counted) else 1.0
        yield Candidate(one.surface, *one.span, fit)


def _measures(sentence: str, asked: Asked) -> Iterator[Candidate]:
    for one in read_quantities(sentence):
        behind = sentence[one.span[1] : one.span[1] + 14]
        measured = one.dimension or _UNIT_BEHIND.match(behind)
        if measured and not _is_year(one, sentence):
            yield Candidate(one.surface, *one.span)


def _sums(sentence: str, asked: Asked) -> Iterator[Candidate]:
    for one in read_quantities(sentence):
        money = one.dimension in ("dollar", "won", "euro") or _MONEY_BEHIND.match(
            sentence[one.span[1] : one.span[1] + 8]
        )
        ahead = sentence[max(0, one.span[0] - 1) : one.span[0]] in ("£", "¥", "$", "€", "₩")
        yield Candidate(one.surface, *one.span, 1.0 if money or ahead else 0.3)


def _is_year(one: Quantity, sentence: str) -> bool:
    if one.dimension == "year" and one.surface.endswith("년"):
        return 1000 <= one.number <= 2100
    plain = not one.dimension and "," not in one.surface and one.surface.isdigit()
    return plain and 1000 <= one.number <= 2100 and bool(_TIME.match(sentence, one.span[0]))


_FINDERS: Mapping[str, Callable[[str, Asked], Iterator[Candidate]]] = {
    "name": _titles,
    "time": _times,
    "person": _persons,
    "place": _places,
    "number": _numbers,
    "measure": _measures,
    "money": _sums,
    "frequency": lambda sentence, asked: _all(_FREQUENCY, sentence),
    "reason": lambda sentence, asked: _all(_REASON, sentence),
    "manner": lambda sentence, asked: _all(_MANNER, sentence),
}
