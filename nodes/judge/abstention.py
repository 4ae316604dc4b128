"""Whether a sentence only says that the passages hold no answer."""

import re

_SOURCE = r"(?:passages?|documents?|sources?|texts?|excerpts?|context)"
_NOT = r"(?:do(?:es)?\s+not|do(?:es)?n['’]?t|never)"
_SAYS = r"(?:say|state|tell|mention|specify|answer|explain)"
_HOLDS = r"(?:hold|contain|give|provide|include)"
_ANSWER = (
    r"(?:(?:an?|the|any|this|that|such|enough|sufficient)\s+)?"
    r"(?:answer|information|details?|mention)"
)
_ENGLISH = re.compile(
    rf"(?:(?:sorry|unfortunately),?\s+)?(?:"
    rf"(?:(?:the|these|those|your)\s+)?(?:(?:given|provided)\s+)?{_SOURCE}(?:\s+(?:above|provided))?"
    rf"\s+{_NOT}\s+(?:{_SAYS}|{_HOLDS}\s+{_ANSWER})\b.*"
    rf"|no\s+{_SOURCE}\s+(?:{_SAYS}s?|{_HOLDS}s?\s+{_ANSWER})\b.*"
    rf"|(?:I|we)\s+(?:(?:do\s+not|don['’]?t)\s+know"
    rf"|(?:can\s?not|can['’]?t|could\s+not|couldn['’]?t)\s+(?:find|answer|tell|say)\b"
    rf"(?:(?!\band\b)[^.])*)"
    rf"|there\s+is\s+no\s+{_ANSWER}\b.*\sin\s+the\s+{_SOURCE}"
    rf"|(?:(?:(?!\band\b)[^.])*\b(?:is|are)\s+)?not\s+(?:(?:stated|mentioned|given|said|found|answered)\s+)?"
    rf"(?:in|by)\s+the\s+{_SOURCE}"
    r")",
    re.IGNORECASE,
)
_SAYS_MORE_ENGLISH = re.compile(
    r"[;:—]|,\s|\b(?:but|although|though|while|whereas|however|because|so|only|except)\b"
    r"|\band\s+(?:the|an?|it|they|this|that)\b",
    re.IGNORECASE,
)

_KOREAN = re.compile(
    r"(?:(?:죄송하지만|아쉽게도),?\s+)?"
    r"(?P<topic>(?:\S+\s+){0,8}?\S+(?:은|는|이|가|도)\s+)?"
    r"(?:(?:이|위|제공된|주어진|해당)\s+)?(?:문서|구절|자료|근거|본문|문단)(?:들)?"
    r"(?:에|에는|에서|에서는|은|는)\s*"
    r"(?:(?:관련|해당|그)\s*)?(?:(?:답|답변|내용|정보|언급|설명)(?:이|은|을|도)?\s*)?"
    r"(?:없|(?:나와|적혀|쓰여|포함되어|언급되어|명시되어)\s*있지\s*않"
    r"|(?:나오|말하|다루|설명하|언급하|언급되|포함되|명시되)지\s*않|찾을\s+수\s+없)[가-힣]{1,4}"
)
_CANNOT_KOREAN = re.compile(
    r"(?:(?:죄송하지만|아쉽게도),?\s+)?(?:(?:제공된|주어진|이|위)\s+)?"
    r"(?:(?:정보|문서|구절|자료|내용)(?:만)?(?:으로|로)는?\s+)?"
    r"(?:(?:질문에|이에|답을)\s*)?(?:알\s+수\s+없|답할\s+수\s+없|답변할\s+수\s+없|모르겠)[가-힣]{1,4}"
)
_SAYS_MORE_KOREAN = re.compile(r"[,;:]|(?:고|며|지만|는데|으나|므로|면서|해서)\s")
_AROUND = re.compile(r"^[\s\"'“‘(]+|[\s\"'”’).!。…]+$")


def abstains(sentence: str) -> bool:
    """Whether `sentence`, free of citation marks, states nothing but that there is no answer.

    It may name what is missing ("The passages do not say how long ...", "보관 시간은 문서에
    없습니다"). With a further clause it states more, and is no abstention.
    """
    bare = _AROUND.sub("", sentence)
    if _ENGLISH.fullmatch(bare):
        without_regret = re.sub(r"^(?:sorry|unfortunately),", "", bare, flags=re.IGNORECASE)
        return not _SAYS_MORE_ENGLISH.search(without_regret)
    if _CANNOT_KOREAN.fullmatch(bare):
        return True
    found = _KOREAN.fullmatch(bare)
    return found is not None and not _SAYS_MORE_KOREAN.search(found["topic"] or "")
