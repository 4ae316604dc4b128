"""Which words are an order to the agent, and which only look like one.

An English order stands at the head of its clause ('summarize ...', not 'nodes summarize ...'); a
Korean one carries an ending that asks ('요약해 줘', not '요약하는 노드'). Words inside other words
(somehow, compare-and-swap) and nouns that name something else (summary statistics, 요약 캐시) are
left alone.
"""

import re
from typing import NamedTuple, cast

from graph.plan import Action

_IT = r"(?:(?:it|them|this|that|these|those|everything)(?: all)? )?"  # "sum them up" points back
EN_VERBS: dict[Action, str] = {
    "summarize": rf"summari[sz]e|sum {_IT}up|recap|condense|shorten|boil {_IT}down|tl;?dr|outline"
    r"|what(?:'s| is| are) the (?:gist|(?:key |main )?(?:points|takeaways))",
    "analyze": r"analy[sz]e|evaluate|assess|diagnose|examine|investigate|weigh|critique|compare"
    rf"|contrast|break {_IT}down|find (?:the )?root causes?",
    "personalize": r"recommend|suggest|advise|personali[sz]e|tailor",
    "answer": r"answer|tell|show|explain|describe|list|give|name|define|find|state|clarify|quote"
    r"|look up|identify|elaborate|walk",
}
_EN_NOUNS: dict[Action, str] = {
    "summarize": r"summary|overview|recap|digest|synopsis|gist|key points|takeaways|tl;?dr",
    "analyze": r"analysis|assessment|evaluation|comparison|diagnosis",
    "personalize": r"advice|(?<=your )recommendations?|(?<=a )recommendation",
}
_KO_NOUNS: dict[Action, str] = {  # verbs with 하다
    "summarize": r"요약|정리|축약|summari[sz]e",
    "analyze": r"분석|비교|대조|평가|진단|검토|analy[sz]e|compare",
    "personalize": r"추천|조언",
    "answer": r"설명|나열|열거|소개|정의|대답|답변|explain",
}
_KO_VERBS: dict[Action, str] = {
    "summarize": r"간추[려리]|줄여|추려"
    r"|(?:핵심|요점|요지|골자)(?:[만을를])?\s?(?:알려|말해|뽑아|짚어)",
    "analyze": r"따져|짚어",
    "personalize": r"권해|골라",
    "answer": r"알려|말해|보여|찾아|가르쳐|답해",
}
EN_WH = r"(?:what|why|how|who|whose|when|where|which)"
EN_AUX = r"(?:is|are|was|were|do|does|did|can|could|should|would|will|may|might|must|has|have)"
KO_WH = r"(?:무엇|무슨|뭐|뭘|뭔|왜|어떻게|어떤|어느|어디|언제|누가|누구|얼마|몇|어째서)"

EN_LEAD = (  # may stand before an order or a question without changing it
    r"(?:(?:please|pls|somehow|just|now|then|next|first|also|and|but|so|ok|okay|hi|hello|hey|let's"
    r"|\w+ly|help me|go ahead and|(?:how )?(?:can|could|would|will) you"
    r"|(?:i|we)(?: want| need| would like|'d like)(?: you)? to)\b[\s,]*)*+"
)
_EN_REQUEST = (
    r"(?:give|show|write|make|provide|draft|produce|create|prepare|get|send|do"
    r"|(?:i|we)(?: want| need| would like|'d like)|(?:can|could|may) (?:i|we) (?:have|get))"
)
_NO_ADJECTIVE = rf"(?:of|in|on|for|to|from|by|with|and|explain|list|describe|{EN_WH}|{EN_AUX})"
_KO_ASKS = (
    r"(?:줘|줄래|주실래|(?:줄|주실)\s?수\s?있[어나을니습]|주[세십시겠라]|달라|다오|봐|볼래|보자|부탁|바랍"
    r"|라(?!\w)|시오|십시오|세요|요?(?=[\s.!~…]*$))\w*"
)
_KO_GOES_ON = r"(?:고|서|며|여|[한준]\s?(?:뒤|다음|후)\w*)(?!\w)"


def _english(words: dict[Action, str]) -> str:
    return "|".join(f"(?P<{action}>{words_})" for action, words_ in words.items())


def _korean(light_verb: str, ending: str) -> re.Pattern[str]:
    groups = "|".join(
        rf"(?P<{action}>(?:{_KO_NOUNS[action]})(?:[을를도만]|본|문|표)?\s*(?:좀\s*)?{light_verb}"
        rf"|(?:{_KO_VERBS[action]}))"
        for action in _KO_NOUNS
    )
    return re.compile(rf"(?:{groups})\s*{ending}", re.IGNORECASE)


_EN_WANTED = re.compile(
    rf"{EN_LEAD}(?:{_EN_REQUEST}\s+)?(?:(?!{_NO_ADJECTIVE}\b)[\w'-]+\s+){{0,4}}"
    rf"(?:{_english(_EN_NOUNS)})"
    r"(?=\s+(?:of|on|about|for|between|in|please|that|and|with)\b|[\s.,!?]*$)",
    re.IGNORECASE,
)
_EN_ORDER = re.compile(rf"{EN_LEAD}(?:{_english(EN_VERBS)})(?![\w-])", re.IGNORECASE)
_KO_ORDER = _korean(r"(?:해|하여|하|할)?", _KO_ASKS)
KO_ORDER_GOES_ON = _korean(r"(?:해\s?주|해|하)?", rf"(?:주시?)?{_KO_GOES_ON}")
_QUESTION = re.compile(
    rf"{EN_LEAD}(?:{EN_WH}|{EN_AUX}(?:n't)?)\b|.*[?？]\s*$|.*{KO_WH}|.*,\s*{EN_WH}\b",
    re.IGNORECASE,
)


class Order(NamedTuple):
    action: Action
    objects: str  # the clause without the words that order


def order_in(clause: str) -> Order | None:
    """The order that `clause` gives, if it gives one."""
    found = (
        _EN_WANTED.match(clause)
        or _EN_ORDER.match(clause)
        or _KO_ORDER.search(clause)
        or _at_end(KO_ORDER_GOES_ON, clause)
    )
    if not found:
        return None
    action = cast("Action", found.lastgroup)
    return Order(action, clause[: found.start()] + " " + clause[found.end() :])


def is_question(clause: str) -> bool:
    return bool(_QUESTION.match(clause))


def _at_end(pattern: re.Pattern[str], clause: str) -> re.Match[str] | None:
    return next((m for m in pattern.finditer(clause) if m.end() == len(clause)), None)
