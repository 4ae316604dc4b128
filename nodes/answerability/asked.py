"""What type of answer a question asks for, read from its words; English, Korean and Chinese."""

import re
from dataclasses import dataclass
from typing import Literal

from nodes.text.terms import content_terms

AnswerType = Literal[
    "name",
    "person",
    "time",
    "place",
    "number",
    "measure",
    "money",
    "frequency",
    "reason",
    "manner",
    "other",
]

_PERSON_NOUN = (
    r"person|man|woman|people|king|queen|president|author|writer|artist|scientist|director|leader"
    r"|founder|inventor|architect|composer|general|emperor|actor|actress|singer|player|coach"
)
_TIME_NOUN = r"years?|dates?|days?|months?|century|centuries|decades?|season|weekday|hour|time|era"
_PLACE_NOUN = (
    r"city|cities|country|countries|town|place|state|region|continent|island|river|village|location"
    r"|province|county|street|room|building"
)
_NUMBER_NOUN = (
    r"number|amount|percentage|percent|share|population|ratio|rate|total|proportion|fraction"
    r"|quantity|score|figure"
)
_MEASURE_NOUN = (
    r"length|height|width|weight|size|speed|temperature|distance|area|depth|age|range|duration"
    r"|limit|altitude|capacity|volume"
)

# The first that fits decides; `how long` stands before `how`.
_ENGLISH: tuple[tuple[AnswerType, str], ...] = (
    (
        "name",
        r"\b(?:what|which)(?:'s| is| was| are| were)?(?: the)?(?: \w+)? (?:names?|titles?"
        r"|nickname)\b",
    ),
    ("frequency", r"\bhow (?:often|frequently|regularly)\b"),
    (
        "money",
        r"\bhow much (?:money|does .* costs?|is .* paid|did .* (?:cost|pay|spend))\b"
        r"|\b(?:what|which) (?:is |was )?(?:the )?(?:price|cost|fee|fare|salary|budget|revenue"
        r"|income|profit)\b",
    ),
    (
        "measure",
        r"\bhow (?:long|old|tall|high|wide|large|big|far|deep|fast|heavy|hot|cold|late"
        r"|soon|early|small|thick|close|near)\b"
        rf"|\bwhat (?:is|was|are|were)? ?(?:the )?(?:\w+ ){{0,2}}(?:{_MEASURE_NOUN})\b",
    ),
    (
        "number",
        rf"\bhow (?:many|much)\b|\b(?:what|which)(?:'s| is| was| are)?(?: the)?(?: \w+)?"
        rf" (?:{_NUMBER_NOUN})\b|\bby what (?:share|factor)\b",
    ),
    (
        "reason",
        r"\bwhy\b|\bhow come\b|\b(?:what|which) (?:is |was )?(?:the )?(?:reasons?|causes?)\b"
        r"|\bfor what reason\b|\bwhat (?:\w+ )?caused\b",
    ),
    ("time", rf"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:{_TIME_NOUN})\b|\bsince when\b"),
    ("person", rf"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:{_PERSON_NOUN})\b"),
    ("place", rf"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:{_PLACE_NOUN})\b"),
    ("manner", r"\bhow\b(?! (?:many|much))"),
)
_KOREAN: tuple[tuple[AnswerType, str], ...] = (
    ("name", r"(?:이름|명칭|제목|별명)[은이]?(?:\s*(?:뭐|뭔|무엇|어떻게|[?]?$))"),
    ("frequency", r"얼마나 자주|몇 (?:초|분|시간|일|주|달|개월|년)마다|며칠마다|주기는"),
    ("reason", r"(?<![가-힣])왜(?:[\s?]|인|일|요)|이유|까닭|원인|계기|배경은"),
    ("money", r"(?:값|가격|비용|요금|금액|돈|예산|임금|급여|연봉|상금|벌금|이용료|구입비"
              r"|통신비)[은는이가]?"
              r"(?: 총)? ?(?:얼마|몇)|얼마를 (?:내|주|지원|받|지불)|몇 (?:원|달러|유로|만 ?원)"),
    ("measure", r"(?:길이|높이|너비|폭|넓이|면적|무게|크기|속도|온도|거리|깊이|지름|나이|기간"
                r"|용량|둘레|시속|농도)"
                r"[은는이가]?(?: 총)? ?(?:얼마|몇|어느 정도|[?]?$)|몇 ?(?:미터|킬로|도|시간|분"
                r"|초|km|m|kg|살|세|년간|년 동안"
                r"|일간|일 동안|개월|퍼센트|%|주 동안|GB|MB)|며칠|얼마나 (?:오래|큰|긴|높|빨|멀"
                r"|걸)|보관 기간"),
    ("time", r"언제|몇 ?(?:년|월|일|시|세기)(?:도)?(?![간마 ]|동안)|몇 년 ?(?:에|도|부터|까지"
             r"|인)|무슨 요일|어느 (?:해|시대|계절|요일)"
             r"|(?:날짜|연도|해|년도|시기|시각|요일|시대|날|때)[은는가]?\s*(?:언제|무엇|[?]?$)"),
    ("number", r"몇|얼마|(?:수|비율|인원|개수|횟수|점수|인구|판매량|확률)[은는이가]?\s*(?:[?]?$"
           r"|무엇|어느)"),
    ("person", r"누구|누가|누굴|(?:사람|인물|왕|대통령|감독|저자|작가|창업자|설립자|배우|가수"
               r"|대장|관장|장군|황제)[은는이가]?"
               r"(?:\s*(?:이름은)?\s*[?]?$|\s*(?:은|는)?\s*무엇)"),
    ("place", r"어디|어느 (?:나라|도시|지역|곳|항구|대학|학교|주|섬|강)|(?:장소|지역|도시|나라"
              r"|국가|곳|위치|국적|출신지)"
              r"[은는이가]?\s*(?:[?]?$|무엇)"),
    ("manner", r"어떻게|방법|방식"),
)  # fmt: skip
_CHINESE: tuple[tuple[AnswerType, str], ...] = (
    ("name", r"(?:名字|名称|片名|书名|叫什么)"),
    ("reason", r"为什么|为何|原因|为啥"),
    ("time", r"什么时候|何时|哪(?:一)?年|哪(?:一)?天|几月|几号|几点|日期|时间|哪(?:一)?日|年份"),
    ("measure", r"多(?:长|高|大|远|重|久|快)|岁|长度|高度|面积|年龄"),
    ("money", r"多少钱|价格|票价|售价|(?:多少|几)(?:亿|万)?元|票房|奖金"),
    ("number", r"多少|几|人数|数量|比例|次数|率|比分"),
    ("person", r"谁|何人|哪(?:一)?位|冠军|导演|主演|作者|主席|总统|得主|扮演者|主持人"),
    ("place", r"哪里|哪儿|何地|何处|地点|哪(?:个|座)?(?:城市|国家|省|市|地)|位于|举办地"),
    ("manner", r"怎么|如何|怎样"),
)
_TABLES = tuple(
    tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in table)
    for table in (_KOREAN, _CHINESE, _ENGLISH)
)
_COUNTED = re.compile(
    r"\bhow many(?: more| other| different)? (?P<counted>[\w'-]+(?: [\w'-]+)?)", re.I
)
_KOREAN_COUNTED = re.compile(
    r"몇 ?(?P<counter>명|개|마리|권|대|건|장|곳|층|번|회|차례|배|가지|척|편|병|그루|석|위|호)"
)


# "What treaty ended the war?": an answer may name it without saying that it is a treaty.
_ASKED_NOUN = re.compile(
    r"\b(?:what|which|whose)((?: [\w-]+){1,3}?) (?:is|are|was|were|did|do|does|has|have|had|can"
    r"|could"
    r"|would|will|may|\w+(?:ed|s)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The type of the answer. `noun` is the stem of the word that names it ("what treaty"), or
    empty; of a number, `counted` are the stems of what is counted, `counter` its Korean counter."""

    type: AnswerType
    noun: str = ""
    counted: tuple[str, ...] = ()
    counter: str = ""


def read_asked(question: str) -> Asked:
    """What no pattern fits is of type `other`: a thing, a definition, yes or no."""
    text = " ".join(question.split())
    named = _ASKED_NOUN.search(text)
    noun = _stems(named[1])[-1:] if named else ()
    kind: AnswerType = next(
        (kind for table in _TABLES for kind, pattern in table if pattern.search(text)), "other"
    )
    english, korean = _COUNTED.search(text), _KOREAN_COUNTED.search(text)
    return Asked(
        kind,
        noun[0] if noun else "",
        _stems(english["counted"]) if english else (),
        korean["counter"] if korean else "",
    )


def _stems(text: str) -> tuple[str, ...]:
    return tuple(term.stem for term in content_terms(text))
