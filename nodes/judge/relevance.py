"""What a question is about, and whether a text is about it too."""

import re
from collections.abc import Iterable

from nodes.text.terms import Term, TermIndex, content_terms

# Words that ask, and say nothing of what about.
_ASKING = re.compile(
    r"\b(?:explain|describe|tell|define|summari[sz]e|compare|list|please|mean(?:s|ing)?|difference"
    r"|works?|happens?|measures?|helps?|do|does)\b|(?<![가-힣])(?:설명|요약|비교|정의|알려|말해|차이|무엇|뭐|뭔|어떤|어떻|어느|얼마|몇|왜)[가-힣]*",
    re.IGNORECASE,
)


def asked_terms(question: str) -> tuple[Term, ...]:
    return content_terms(_ASKING.sub(" ", question))


def addresses(question: str, sentences: Iterable[str]) -> bool:
    """Whether any of the sentences holds a term of the question; a question without terms
    ("Summarize this") is addressed by anything."""
    terms = asked_terms(question)
    indexes = [TermIndex(content_terms(sentence)) for sentence in sentences]
    return not terms or any(index.holds(term) for index in indexes for term in terms)
