"""Questions near the documents: about a thing that they name, for what they do not seem to say."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evals.starter.fact import Fact
from evals.starter.korean import topic_particle
from graph.evidence import Language, Passage
from nodes.answerability.asked import read_asked
from nodes.answerability.candidates import find_candidates
from nodes.text.sentences import split_sentences
from nodes.text.terms import TermIndex, content_terms

TEMPLATES: Mapping[Language, Sequence[str]] = {
    "en": (
        "Who came up with {}?",
        "In which year did {} first appear?",
        "Who is in charge of {}?",
        "In which country did {} first come into use?",
    ),
    "ko": (
        "{은} 누가 처음 만들었나요?",
        "{은} 몇 년도에 처음 나왔나요?",
        "{} 책임자는 누구인가요?",
        "{은} 어느 나라에서 처음 쓰이기 시작했나요?",
    ),
}
_NUMBER = re.compile(r"(?<![\w.,])(?<!\ba )(?<!\ban )\d+(?!\w*[.,]\d)")
_VAGUE = re.compile(r"\d|^(?:the|an?) [a-z]+$")
SURE_FIT = 0.7
"""Of a stretch whose form says that it is a name, year or sum; then the question is dropped."""

Search = Callable[[str], Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class NearQuestion:
    question: str
    why: str
    note: str


def unsaid(fact: Fact, search: Search, chance: random.Random) -> NearQuestion | None:
    """Asks of the fact's subject what no passage found seems to tell: in each, no sentence about it
    holds a name, year or sum by which it could be answered."""
    if not fact.about or _VAGUE.search(fact.about):
        return None
    for template in chance.sample(TEMPLATES[fact.language], len(TEMPLATES[fact.language])):
        question = _filled(template, fact.about)
        asked, named = read_asked(question), content_terms(fact.about)
        about = (
            sentence
            for passage in search(question)
            for sentence in split_sentences(passage.text)
            if all(TermIndex(content_terms(sentence)).holds(term) for term in named)
        )
        if not any(one.fit >= SURE_FIT for each in about for one in find_candidates(asked, each)):
            note = f"a guess: no passage found seems to tell this of '{fact.about}'"
            return NearQuestion(question, "not_covered", note)
    return None


def changed_number(fact: Fact, search: Search, chance: random.Random) -> NearQuestion | None:
    """The fact's question with another number in its premise, which no passage found holds."""
    numbers = list(_NUMBER.finditer(fact.question))
    if not numbers:
        return None
    number = chance.choice(numbers)
    held = {token for passage in search(fact.question) for token in _NUMBER.findall(passage.text)}
    # The last digit stays, for the sake of the Korean particle behind it.
    others = (str(int(number[0]) + step) for step in chance.sample(range(10, 200, 10), 19))
    other = next((other for other in others if other not in held), None)
    if other is None:
        return None
    question = fact.question[: number.start()] + other + fact.question[number.end() :]
    note = f"a guess: the documents say {number[0]} and not {other}"
    return NearQuestion(question, "false_premise", note)


def _filled(template: str, about: str) -> str:
    return template.replace("{은}", f"{about}{topic_particle(about)}").replace("{}", about)
