"""The bank of foreign questions: what people ask that has nothing to do with the documents."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from graph.evidence import Language
from knowledge.lexical import Script, is_cjk, script, terms, words


@dataclass(frozen=True, slots=True)
class ForeignQuestion:
    language: Language
    field: str
    question: str


@cache
def foreign_questions() -> tuple[ForeignQuestion, ...]:
    """All of the bank, from small talk to expert fields, half of it Korean."""
    lines = files("knowledge").joinpath("data/foreign_questions.jsonl").read_text("utf-8")
    return tuple(ForeignQuestion(**json.loads(line)) for line in lines.splitlines())


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """How many of the bank's `questions` hold a term; 0 for one that none does."""

    questions: int
    holding: Counter[str]


@cache
def question_terms() -> QuestionTerms:
    bank = foreign_questions()
    return QuestionTerms(
        len(bank), Counter(term for one in bank for term in {*terms(one.question)})
    )


def sampled(size: int) -> list[ForeignQuestion]:
    """As many of each language, the same in every run."""
    by_hash = sorted(foreign_questions(), key=lambda one: sha256(one.question.encode()).hexdigest())
    languages = dict.fromkeys(one.language for one in by_hash)
    each = size // len(languages)
    return [
        one
        for language in languages
        for one in [one for one in by_hash if one.language == language][:each]
    ]


@cache
def foreign_words() -> Mapping[Script, Sequence[str]]:
    """Words of the bank that carry a meaning, by length, in each script."""
    found: dict[Script, list[str]] = {}
    for one in foreign_questions():
        for word in words(one.question):
            if len(word) >= (2 if is_cjk(word) else 4):
                found.setdefault(script(word), []).append(word)
    return found
