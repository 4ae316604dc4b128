"""What a question asks for in so many words, read by rule: no model, the same every time."""

import re
import unicodedata

from graph.evidence import Frozen
from graph.plan import Action
from nodes.question.clauses import clauses
from nodes.question.comparison import things_compared
from nodes.question.orders import is_question, order_in

READ_CHARS = 4_000  # of a longer text the head and the tail are read: there the asking stands

_FOR_THE_READER = re.compile(
    r"\b(?:for my|my (?:situation|level|role|budget|experience))\b"
    r"|\b(?:best|right|better|good|suitable) for (?:me|us|our)\b"
    r"|\b(?:suit|fit)s? (?:me|us|my|our|an? (?:\w+ )?(?:team|company|startup|person))\b"
    r"|\bshould (?:i|we) (?:choose|pick|use|take|prefer|adopt|buy|learn|read|start|go|switch|try)\b"
    r"|^\W*should (?:i|we) [^.?!;]{1,100}? or \w"
    r"|\b(?:do|would) you (?:recommend|suggest|advise)\b"
    r"|\b(?:for|to) (?:an? (?:absolute |complete )?)?(?:beginner|novice|newcomer|non-expert)s?\b"
    r"|(?<!\w)(?:(?:나|저|우리)(?:에게|한테)|내게|제게|(?:내|제|우리|저희)\s)[^.?]{0,12}?"
    r"(?:맞|적합|어울|알맞|고려|추천)"
    r"|\S(?:에게|한테|께)\s?(?:맞|적합|어울|알맞)"
    r"|(?:초보|입문|초심|신입|비전문)\S*?(?:에게|한테|도|용|[를을]\s?위|\s?수준|\s?눈높이)"
    r"|(?:골라|선택해|써|사용해|도입해|배워|시작해|읽어)야\s?[할하해될되돼]|\w야\s?[할될]까",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:pros and cons|trade-?offs|strengths and weaknesses|advantages and disadvantages)\b"
    r"|장단점|득실|상충",
    re.IGNORECASE,
)
_POINTING = r"its?|them|their|this|these|those|both|each|그것|이것|그걸|이걸|이를|이|그|둘|위|각각"
_POINTS = re.compile(_POINTING)
_NAMES_NOTHING = re.compile(
    rf"{_POINTING}|\w+ly|a|all|also|answers?|again|and|bullets?|comparison|details?|differences?"
    r"|english|everything|few|findings?|for|here|how|in|korean|lines?|me|of|or|paragraph|please"
    r"|points?|that|the|then|one|two|three|too?|us|what|why|with|words?|you|sentences?|short|single"
    r"|root|causes?|impacts?|reasons?|results?|risks?"
    r"|결과|내용|답|답변|원인|이유|영향|위험|차이|차이점|비교|왜|좀|한|두|세|네|다섯|모두|전부|전체|함께"
    r"|(?:줄|문장|문단|단어|한국어|영어)(?:으?로)?|짧[게은]|쉽게|자세히|간[단략](?:히|하게)|그리고|그런"
    r"|그?다음|이어서|마지막으로|먼저|다시"
)
_KO_PARTICLE = re.compile(r"(?<=\w)(?:[을를은는이가도만의에]|까지)$")


class Ask(Frozen):
    """One thing asked for: the action that gives it, and the words that ask."""

    action: Action
    text: str
    compared: tuple[str, ...] = ()
    points_back: bool = False


class Intent(Frozen):
    """What a question asks for, in order of appearance: one thing at least."""

    asks: tuple[Ask, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """Each action asked for, once."""
        return tuple(dict.fromkeys(ask.action for ask in self.asks))

    @property
    def is_look_up(self) -> bool:
        """Whether one question asks one thing, so that no plan is needed."""
        return len(self.asks) == 1 and self.asks[0].action == "answer"

    @property
    def required(self) -> tuple[Action, ...]:
        """The actions that a plan must hold. A look-up requires none: any text may answer it."""
        return () if self.is_look_up else self.actions


def read_intent(question: str) -> Intent:
    """Read what `question` asks for; a text that asks nothing is a look-up."""
    text = _clean(question)
    asks: list[Ask] = []
    for clause in clauses(text):
        found = _asks_of(clause)
        if asks and len(found) == 1 and found[0].action == "answer" and _adds_nothing(clause):
            asks[-1] = asks[-1].model_copy(update={"text": f"{asks[-1].text} {clause}"})
        else:
            asks += found
    return Intent(asks=tuple(asks) or (Ask(action="answer", text=text),))


def _clean(question: str) -> str:
    """Composed characters, single blanks, no broken halves of a character, a bounded length."""
    if len(question) > READ_CHARS:
        question = f"{question[: READ_CHARS // 2]}\n{question[-READ_CHARS // 2 :]}"
    text = unicodedata.normalize("NFC", question.encode(errors="replace").decode())
    lines = (" ".join(line.split()) for line in text.splitlines())
    return re.sub(r"\bvs\.", "vs", "\n".join(line for line in lines if line), flags=re.IGNORECASE)


def _asks_of(clause: str) -> list[Ask]:
    """What one clause asks for: nothing if it is a statement, more than one thing at times."""
    order = order_in(clause)
    compared = things_compared(clause)
    action: Action = order.action if order else "answer"
    if action == "answer" and _WEIGHS.search(clause):
        action = "analyze"
    for_the_reader = action == "personalize" or _FOR_THE_READER.search(clause) is not None
    if not (order or compared or for_the_reader or is_question(clause)):
        return []
    points_back = order is not None and _points_back(order.objects)
    asks: list[Ask] = []
    if compared:
        asks.append(Ask(action="analyze", text=clause, compared=compared, points_back=points_back))
    elif action == "analyze" or (action == "answer" and not for_the_reader):
        asks.append(Ask(action=action, text=clause, points_back=points_back))
    if action == "summarize":
        back = points_back or bool(compared)
        asks.append(Ask(action="summarize", text=clause, points_back=back))
    if for_the_reader:
        asks.append(Ask(action="personalize", text=clause))
    return asks


def _points_back(objects: str) -> bool:
    """Whether an order has an earlier result as its object: by a pronoun, or by naming nothing."""
    return _names_nothing(objects) or any(_is(_POINTS, word) for word in _words(objects))


def _names_nothing(text: str) -> bool:
    return all(_is(_NAMES_NOTHING, word) for word in _words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _is(kind: re.Pattern[str], word: str) -> bool:
    return bool(kind.fullmatch(word) or kind.fullmatch(_KO_PARTICLE.sub("", word)))


def _adds_nothing(clause: str) -> bool:
    """Whether a clause only says how to put what was asked before it ('explain it briefly')."""
    order = order_in(clause)
    return _names_nothing(order.objects if order else clause)
