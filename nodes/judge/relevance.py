"""What a question is about, and whether a text is about it too."""

import re
from collections.abc import Iterable

from nodes.judge.statement import implied_nouns
from nodes.text.quantities import read_quantities
from nodes.text.sentences import detect_language
from nodes.text.terms import Term, TermIndex, content_terms

ADDRESSED_SHARE = 0.4
"""Share of a question's terms that the sentences of an answer must hold together.

On the table of tests/nodes/test_relevance.py the answers hold 0.5 and up (the least: an answer to
one of two parts), and the sentences about something else 0.33 and down: one word of three.
"""

_LEFT_OUT_TERMS = 1
"""Terms of the question that a left-out subject stands for; it may be more, but not less."""

_GIVE = r"(?:\s*(?:줘요?|주(?:세요|십시오|시겠어요|실래요|시오|라)|봐요?|달라|다오))"
_TASK = r"(?:설명|요약|비교|정의|정리)"

# Words that ask, and say nothing of what about. What may also be a subject ("list") asks only
# where a command stands; Korean ones have their endings bounded, since 왜곡 is not 왜.
_ASKING = re.compile(
    r"(?:^|(?<=[.,;:!?]\s)|(?<=\byou\s)|(?<=\bplease\s)|(?<=\band\s)|(?<=\bthen\s))"
    r"(?:explain|describe|define|summari[sz]e|compare|list)\b"
    r"|\b(?:tell|please|differ(?:s|ences?)?|happens?|how\s+(?:long|often|large|big|fast))\b"
    r"|(?<![가-힣])(?:"
    rf"{_TASK}(?:[을를]|\s+좀)?\s*(?:해{_GIVE}?|하(?:라|시오|세요|십시오|고|여|면)|부탁[가-힣]*)"
    rf"|{_TASK}(?=\s*[.!?]*$)"
    rf"|(?:알려|말해){_GIVE}?"
    r"|차이점?(?:은|는|이|가|을|를|도|의)?"
    r"|(?:다른|다르)(?:가요?|지요?|나요?|니|점(?:은|이|을)?)?"
    r"|왜(?:인가요?|인지|일까요?|죠|요|냐)?"
    r"|누가|그런(?:가요?|지)"
    r")(?![가-힣])"
    r"|(?<![가-힣])(?:(?:무엇|뭐|뭔|어떤|어떻|어느|얼마)[가-힣]*(?:\s동안)?|몇)"
    rf"|(?<=[아어여려해])(?:\s+(?:주|두|놓)(?:는가|나요?|는지|니)|{_GIVE})(?![가-힣])",
    re.IGNORECASE,
)
# Words that mostly ask as well, but are the subject of a question that names no other.
_ASKING_BESIDE_OTHERS = re.compile(
    r"\b(?:works?|measures?|helps?|meaning)\b"
    rf"|(?<![가-힣]){_TASK}(?:은|는|이|가|을|를|도|의|란|이란)?(?![가-힣])",
    re.IGNORECASE,
)
# "나누나?" and "나누는가?" are read like "나누나요?": as a verb, by its root.
_ASKED_VERB = re.compile(r"(?<=[가-힣])(?:는가|나|니|냐)(?=\s*[?？]*\s*$)")
_PRONOUN_FIRST = re.compile(
    r"(?:it|they|he|she)\b|(?:이|그)(?:것|것들|들)?(?:은|는|이|가)(?=\s)", re.IGNORECASE
)
# A topic holds for the whole sentence, a subject for its clause; "쓰는 것" has neither.
_TOPIC = re.compile(r"\S(?:은|는)(?=[\s,])(?!\s(?:것|동안|때|경우|중|데))")
_SUBJECT = re.compile(r"\S(?:이|가)(?=[\s,])")
_CLAUSE_END = re.compile(r"(?:면|고|며|므로|지만|서),?\s")


def asked_terms(question: str) -> tuple[Term, ...]:
    """The terms of the question's subject, each once; none where it has none ("Summarize this")."""
    asked = _ASKED_VERB.sub("나요", _ASKING.sub(" ", question.strip()))
    terms = content_terms(_ASKING_BESIDE_OTHERS.sub(" ", asked)) or content_terms(asked)
    named = (
        term for term in terms if len(term.stem) > 1 or not term.stem.isascii()
    )  # not "A", "B"
    return tuple({term.stem: term for term in named}.values())


def addresses(question: str, sentences: Iterable[str]) -> bool:
    """Whether the sentences together hold `ADDRESSED_SHARE` of the question's terms; "18 kilograms"
    holds the weight that was asked for.

    A first sentence that leaves its subject out ("It keeps ...", "60초 동안 보관한다.") takes it
    from the question. A question without terms is addressed by anything. Words are compared, so
    an answer in wholly other words than the question's does not count as one.
    """
    terms, texts = asked_terms(question), list(sentences)
    indexes = [TermIndex(content_terms(text)) for text in texts]
    implied = implied_nouns(one for text in texts for one in read_quantities(text))
    held = sum(
        term.stem in implied or any(index.holds(term) for index in indexes) for term in terms
    )
    if texts and _leaves_subject_out(texts[0]):
        held += _LEFT_OUT_TERMS
    return held >= ADDRESSED_SHARE * len(terms)


def _leaves_subject_out(sentence: str) -> bool:
    if _PRONOUN_FIRST.match(sentence):
        return True
    if detect_language(sentence) == "en" or _TOPIC.search(sentence):
        return False
    return not _SUBJECT.search(_CLAUSE_END.split(sentence)[-1])
