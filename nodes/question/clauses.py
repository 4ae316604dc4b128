"""Cutting a question into clauses, each of which asks for one thing or is a statement."""

import re
from collections.abc import Callable

from nodes.question.orders import (
    EN_AUX,
    EN_LEAD,
    EN_VERBS,
    EN_WH,
    KO_ORDER_GOES_ON,
    KO_WH,
    is_question,
    order_in,
)

MAX_CUTS = 12  # in one sentence: far more than a plan has steps; the search is quadratic

_ORDERS = f"(?:{EN_VERBS['summarize']}|{EN_VERBS['analyze']}|{EN_VERBS['personalize']})(?![\\w-])"

_SENTENCE_END = re.compile(
    r"(?<=[.;])(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[?!？！。])\s*|\s*\n\s*", re.IGNORECASE
)
_EN_JOINT = re.compile(
    r"(?P<comma>\s*,\s*|\s+)(?P<word>(?:(?:and|then|but|also|plus)\s+)*+)", re.IGNORECASE
)
_EN_LEAD = re.compile(EN_LEAD, re.IGNORECASE)
_EN_BARE_ORDER = re.compile(EN_LEAD + _ORDERS, re.IGNORECASE)
_EN_ORDER_THAT_POINTS = re.compile(rf"{_ORDERS}\s+(?:it|this|that)\W*$", re.IGNORECASE)
_EN_NEXT_ORDER = re.compile(
    rf"{_ORDERS}|(?:tell|show|give|explain|describe|list)\s+(?:me|us|the|all|it|{EN_WH})\b"
    r"|(?:i|we)(?: want| need| would like|'d like)\b"
    r"|an? (?:\w+ )?(?:summary|overview|analysis|assessment|comparison)\b",
    re.IGNORECASE,
)
_EN_NEXT_QUESTION = re.compile(
    rf"{EN_WH}\s+(?:\w+\s+)?{EN_AUX}\b|{EN_AUX}\s+(?:it|they|i|we|the|there|this|that)\b",
    re.IGNORECASE,
)
_EN_EMBEDDED_QUESTION = re.compile(r"\b(?:what|why|how|who|when to|where to)\s+\w", re.IGNORECASE)
_EN_AWAITS_VERB = re.compile(  # 'how do nodes search and ...': the next bare verb belongs to 'do'
    r"\b(?:do|does|did|can|could|should|would|will|(?-i:may)|might|must|how to)\b|\b"
    + _ORDERS
    + "$",
    re.IGNORECASE,
)
_KO_END = re.compile(
    r"(?:[했됐났갔왔었았렸졌]어요?|[뭐이]야|뭐지|뭔가|(?<=\w)[인는은른한운]가요?|나요|까요?|[예에]요"
    r"|줘요?|주세요|주십시오|[하해]라|하세요|하시오)(?=\s)"
)
_KO_WHAT_IS = re.compile(r"(?:무엇이|누구|뭐|어디|언제|얼마)(?:고|며)(?=,?\s)")
_KO_QUESTION_GOES_ON = re.compile(
    rf"{KO_WH}\S*?(?:\s+\S+?){{0,6}}?(?:고|며|지|지와|지하고)(?=,?\s.*{KO_WH})"
)


def clauses(text: str) -> list[str]:
    """The clauses of `text` in order, without the words that join them; none is empty."""
    found: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        rest = sentence
        for _ in range(MAX_CUTS):
            end, start = _first_cut(rest)
            found.append(rest[:end].strip(" ,"))
            rest = rest[start:]
            if not rest:
                break
        found.append(rest.strip(" ,"))
    return [clause for clause in found if clause]


def _first_cut(sentence: str) -> tuple[int, int]:
    """Where the first clause ends, and where the next one starts."""
    cuts = [(len(sentence), len(sentence))]
    for joint in _EN_JOINT.finditer(sentence):
        if _joins_english(sentence[: joint.start()], joint, sentence[joint.end() :]):
            cuts.append(joint.span())
            break
    for pattern, joins in _KO_CLAUSE_ENDS:
        for end in pattern.finditer(sentence):
            right = sentence[end.end() :].lstrip(" ,")
            if joins(right):
                cuts.append((end.end(), len(sentence) - len(right)))
                break
    return min(cuts)


def _joins_english(left: str, joint: re.Match[str], right: str) -> bool:
    """Whether `joint` stands between two clauses, and not between two words of one."""
    if not left:
        return False
    if _EN_ORDER_THAT_POINTS.match(right):
        return True
    if not joint["word"] and "," not in joint["comma"]:
        return False
    head = _EN_LEAD.sub("", right, count=1)
    if _EN_NEXT_ORDER.match(head):
        in_sequence = re.search(r"then|also", joint["word"], re.IGNORECASE) or head != right
        left = _EN_LEAD.sub("", left, count=1)
        return bool(
            in_sequence or _EN_BARE_ORDER.fullmatch(left) or not _EN_AWAITS_VERB.search(left)
        )
    asked, embedded = _EN_NEXT_QUESTION.match(head), _EN_EMBEDDED_QUESTION.match(head)
    if not asked and not embedded:
        return False
    order = order_in(left)
    if order is None:
        return is_question(left) and bool(asked or joint["word"])
    # 'explain what it is, how it works and why ...': each is asked; 'summarize what ...' is one
    tells = order.action == "answer" and embedded
    return bool(asked or (tells and (joint["word"] or _EN_EMBEDDED_QUESTION.search(order.objects))))


def _asks_on(right: str) -> bool:
    """Whether a Korean question goes on in `right`; an order there takes both as its object."""
    order = order_in(right)
    return is_question(right) and (order is None or order.action == "answer")


_KO_CLAUSE_ENDS: tuple[tuple[re.Pattern[str], Callable[[str], object]], ...] = (
    (_KO_END, bool),
    (KO_ORDER_GOES_ON, order_in),
    (_KO_WHAT_IS, _asks_on),
    (_KO_QUESTION_GOES_ON, _asks_on),
)
