"""Sentences whose words stand in an order that no sentence has.

A weak model mixes the words of a passage. Each of them is in the passage, so only their order
tells: a Korean sentence goes on after its final verb, or ends in a noun with a particle; in English
an article stands before a preposition or a verb, or ends the sentence. Only what no sound sentence
has is looked for, so much that is merely odd is not found.
"""

import re
from collections.abc import Sequence

from nodes.text.sentences import detect_language

_BROKEN_ENGLISH = re.compile(
    r"\b(?:an?|the)\s+(?:an?|the|of|in|on|at|to|by|for|from|with|and|or|is|are|was|were|has|have|had"
    r"|be|been|than|it|its|their)\b"
    r"|\b(?:of|from|by|into|than)\s+(?:is|are|was|were|has|had|of|to)\b"
    r"|\b(?:is|are|was|were)\s+(?:is|are|was|were|has|have)\b"
    r"|\b(?:an?|the|and|or)$"
    r"|(?<=[a-z]\s)(?:The|It|This|These|When|If|They|He|She)\s[a-z]"
)
_KOREAN_FINAL = re.compile(r"[가-힣]+(?:다|까|습니다|니다|어요|아요|해요)$")
_KOREAN_NEVER_LAST = re.compile(
    r"(?:[을를]|에서|에게|으로|부터|보다|마다|까지|[가-힣]{2}(?:의|은|는|고|며|지만|면서?|므로|여서?))$"
)
_END = " .!?。"
_QUOTING = re.compile(r"(?:라?고|는|라는|며|면서)?\s?(?:하|말|보고|밝|쓰|적|알|믿|생각|판단|주장)")


def is_broken(sentence: str, source: Sequence[str]) -> bool:
    """Whether the order of words is impossible.

    The last words of the sentences of `source` may, in Korean, stand nowhere else.
    """
    bare = sentence.rstrip(_END)
    if detect_language(sentence) == "en":
        return bool(_BROKEN_ENGLISH.search(bare))
    *inner, last = bare.split() or [""]
    if _KOREAN_NEVER_LAST.search(last):
        return True
    if not inner:
        return False
    finals = (one.rstrip(_END).rpartition(" ")[2] for one in source)
    ends = {word for word in finals if _KOREAN_FINAL.fullmatch(word)}
    return any(
        word in ends and not _QUOTING.match(following)
        for word, following in zip(inner, [*inner[1:], last], strict=True)
    )
