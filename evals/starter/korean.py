"""A Korean question from a sentence: the asked word takes the answer's place, the ending asks."""

import re
import unicodedata

from evals.starter.fact import Fact, stands_alone

_CONDITION = re.compile(
    r"(?P<condition>(?P<about>(?:[^\s,]+ ){0,3}?[^\s,]+?)[이가을를] [^,]{2,50}?(?<!라)면),? "
    r"(?P<result>.{6,})\.$"
)
_REASON = re.compile(
    r"(?P<effect>(?P<about>(?:[^\s,]+ ){0,3}?[^\s,]+?)[이가을를] [^,]{2,60}?[는은한던된]) "
    r"(?:것은|이유는|까닭은) (?P<reason>[^,]{6,}?) ?(?:때문|위해서|위함|덕분)(?:이다|입니다|다)\.$"
)
_TOPIC = r"(?P<topic>(?:[^\s,]+ ){0,4}?[^\s,]{2,}?)(?P<particle>은|는)"
_DEFINITION = re.compile(rf"{_TOPIC} (?P<answer>[^,]+?)(?:이다|입니다)\.$")
_COUNT = re.compile(
    r"(?P<number>\d[\d,.]*)(?P<space> ?)(?P<counter>초|분|시간|일|주|개월|년|명|개|번|회|건|장|곳|"
    r"배|가지|원|달러|페이지|쪽|토큰|블록|바이트|비트|퍼센트|%|km|kg|GB|GiB|MB|MiB|KiB)"
)
_OBJECT = re.compile(rf"{_TOPIC} (?P<object>(?:[^\s,]+ ){{0,4}}[^\s,]+?)[을를] (?P<rest>[^,]+)\.$")
_CLAUSE = re.compile(r"(?:고|며|면|서|므로|니까|지만|는데|[을를은는이가에])(?=\s)")
_NOT_INSIDE = re.compile(r"(?:[은는을던에]|[으]?로|에서|[어아여해]|하나|처음부터)$")
_ASKING = {"아니다": "아닌가요", "니다": "니까", "는다": "나요", "이다": "인가요"}
_KEEPS_ㅂ = ("좁다", "굽다", "잡다", "넓다", "짧다", "얇다", "밟다")
_ASSUMED = re.compile(r"(?:가정|생각|비교|고려|계산|다시 말|예를 들|달리 말|요약)하?[면자]")
_NO_NOUN = re.compile(r"[은는을를의에]$|\s(?:수|때|것|중|등)$|(?:하기|지)$")


def korean_fact(sentence: str) -> Fact | None:
    """None where no pattern fits, which is the case for most sentences."""
    if not stands_alone(sentence):
        return None
    for pattern in (_definition, _counted, _object, _reason, _conditional):
        if fact := pattern(sentence):
            return fact
    return None


def asking(clause: str) -> str | None:
    """The clause with its last verb in a form that asks: 보관한다 becomes 보관하나요. None for an
    ending that is not known."""
    body, word = clause[:-2], clause[-2:]
    if not clause.endswith("다"):
        return None
    for ending, asks in _ASKING.items():
        if clause.endswith(ending):
            return f"{clause.removesuffix(ending)}{asks}"
    final = _final(word[0])
    if final == "ᆫ":  # 보관한다: 보관하나요
        return f"{body}{_open(word[0])}나요"
    if final in ("ᆻ", "ᆹ", "ᆭ"):  # 했다, 있다, 없다, 않다
        return f"{clause[:-1]}나요"
    if not final:  # 크다: 큰가요
        return f"{body}{chr(ord(word[0]) + 4)}가요"
    if final == "ᆸ" and word not in _KEEPS_ㅂ:  # 어렵다: 어려운가요
        return f"{body}{_open(word[0])}운가요"
    return f"{clause[:-1]}은가요"


def topic_particle(noun: str) -> str:
    """은 behind a consonant, 는 behind a vowel, both where no Hangul tells which."""
    return "은(는)" if not "가" <= noun[-1] <= "힣" else "은" if _final(noun[-1]) else "는"


def _definition(sentence: str) -> Fact | None:
    found = _DEFINITION.match(sentence)
    if not found or not _is_noun(found["topic"]) or len(found["answer"]) < 6:
        return None
    if _COUNT.search(found["answer"]) or found["answer"].endswith((" 것", "때문", "뿐")):
        return None
    topic = found["topic"] + found["particle"]
    return Fact("ko", f"{topic} 무엇인가요?", found["answer"], found["topic"], sentence)


def _counted(sentence: str) -> Fact | None:
    """The number stands behind the topic, in its clause."""
    counts = list(_COUNT.finditer(sentence))
    topic = re.match(_TOPIC, sentence)
    end = asking(sentence[:-1])
    if len(counts) != 1 or not topic or not end or "," in sentence or not _is_noun(topic["topic"]):
        return None
    count = counts[0]
    if count.start() < topic.end():
        return None
    asked = f"{end[: count.start()]}몇 {count['counter']}{end[count.end() :]}"
    return Fact("ko", f"{asked}?", count[0], topic["topic"], sentence)


def _object(sentence: str) -> Fact | None:
    found = _OBJECT.match(sentence)
    if not found or not _is_noun(found["topic"]) or _CLAUSE.search(found["object"]):
        return None
    rest = asking(found["rest"])
    if not rest or len(found["rest"].split()) > 6 or _CLAUSE.search(found["rest"]):
        return None
    topic = found["topic"] + found["particle"]
    return Fact("ko", f"{topic} 무엇을 {rest}?", found["object"], found["topic"], sentence)


def _reason(sentence: str) -> Fact | None:
    found = _REASON.match(sentence)
    if not found or not _is_noun(found["about"]):
        return None
    asked = f"{found['effect']} 이유는 무엇인가요?"
    return Fact("ko", asked, found["reason"], found["about"], sentence)


def _conditional(sentence: str) -> Fact | None:
    found = _CONDITION.match(sentence)
    if not found or "몇 " in found["condition"] or _ASSUMED.search(found["condition"]):
        return None
    wanted = found["condition"].endswith("려면")  # an aim, and no condition
    asks = "어떻게 해야 하나요?" if wanted else "어떻게 되나요?"
    asked = f"{found['condition']} {asks}"
    about = found["about"] if _is_noun(found["about"]) else ""
    return Fact("ko", asked, found["result"], about, sentence)


def _is_noun(topic: str) -> bool:
    """Whether the topic can stand for itself: no clause, and no particle before the last one."""
    words = topic.split()
    return (
        len(topic) > 1
        and not _NO_NOUN.search(topic)
        and not any(_NOT_INSIDE.search(word) for word in words[:-1])
    )


def _final(syllable: str) -> str:
    letters = unicodedata.normalize("NFD", syllable)
    return letters[2] if len(letters) > 2 else ""


def _open(syllable: str) -> str:
    """Without its final consonant."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", syllable)[:2])
