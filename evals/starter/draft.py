"""Draft the set out of an index: half answerable, a quarter near, a quarter far.

Drafts are guesses by rule, and say so: every row is `reviewed: false` until a person has read it.
"""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal, TypeVar

from evals.starter.english import english_fact
from evals.starter.fact import Fact
from evals.starter.korean import korean_fact
from evals.starter.near import NearQuestion, changed_number, unsaid
from graph.errors import InputError
from graph.evidence import Language, Passage
from knowledge.asking import BANK_QUESTIONS
from knowledge.foreign import foreign_questions, sampled
from knowledge.search import Searcher
from knowledge.store import IndexAddress, empty, open_generation
from nodes.text.sentences import detect_language, split_sentences

READ_PASSAGES = 3_000
"""Of a larger corpus a part is read, spread evenly and the same each time."""

MIN_LANGUAGE_SHARE = 0.05
"""Of the passages, for a language to be asked in."""

SEARCHED = 10

_One = TypeVar("_One")
Kind = Literal["answerable", "near", "far"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A row of the set, as `evals.questions` reads it. `passage` is what the question was made of,
    and `note` says why it is taken for its kind; both are for the person who reviews."""

    id: str
    language: Language
    kind: Kind
    question: str
    document: str = ""
    page: int | None = None
    answers: tuple[str, ...] = ()
    why: str = ""
    sentence: str = ""
    passage: str = ""
    note: str = ""
    reviewed: bool = False

    def as_row(self) -> dict[str, object]:
        always = ("id", "language", "kind", "question", "reviewed")
        return {name: value for name, value in asdict(self).items() if value or name in always}


def draft_questions(address: IndexAddress, size: int, seed: int) -> list[Draft]:
    """At most `size` questions, with as many of each language; fewer where the passages give no
    more. Raises `IndexMissing`, `IndexEmpty`, and `InputError` where no sentence gives any."""
    chance = random.Random(seed)
    with open_generation(address) as store:
        if not store.catalog.passage_count():
            raise empty(address)
        passages = store.catalog.sample(READ_PASSAGES)
        searcher = Searcher(store)

        def search(question: str) -> Sequence[Passage]:
            found = searcher.search(question, None, limit=SEARCHED)
            return [hit.passage for hit in found.hits]

        by_language = _by_language(passages)
        drafts: list[Draft] = []
        for at, (language, own) in enumerate(by_language.items()):
            share = size // len(by_language) + (at < size % len(by_language))
            facts = _facts(own, language, chance)
            answerable = _answerable(facts, share - 2 * (share // 4))
            near = _near(facts, search, share // 4, chance)
            drafts += [*answerable, *near, *_far(language, share // 4, chance)]
    if not any(draft.kind == "answerable" for draft in drafts):
        raise InputError(
            "no sentence of the documents gave a question by rule; write questions by hand: "
            "docs/own-evals.md shows the format"
        )
    return drafts


def write_drafts(path: Path, drafts: Sequence[Draft], *, replace: bool) -> None:
    """Raises `InputError` where the file is there, unless it may be replaced."""
    lines = [json.dumps(draft.as_row(), ensure_ascii=False) + "\n" for draft in drafts]
    try:
        with path.open("w" if replace else "x", encoding="utf-8") as file:
            file.writelines(lines)
    except FileExistsError:
        raise InputError(f"{path} is there, and may hold reviews; --force replaces it") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _by_language(passages: Sequence[Passage]) -> dict[Language, list[Passage]]:
    found: defaultdict[Language, list[Passage]] = defaultdict(list)
    for passage in passages:
        found[detect_language(passage.text)].append(passage)
    least = MIN_LANGUAGE_SHARE * len(passages)
    return {language: found[language] for language in sorted(found) if len(found[language]) > least}


def _facts(
    passages: Sequence[Passage], language: Language, chance: random.Random
) -> list[tuple[Fact, Passage]]:
    """One of each passage before a second of any, the documents in turn."""
    make = korean_fact if language == "ko" else english_fact
    by_document: defaultdict[str, list[list[tuple[Fact, Passage]]]] = defaultdict(list)
    asked: set[str] = set()
    for passage in chance.sample(passages, len(passages)):
        facts = [fact for text in split_sentences(passage.text) if (fact := make(text))]
        chance.shuffle(facts)
        fresh = [fact for fact in facts if fact.question.casefold() not in asked]
        asked |= {fact.question.casefold() for fact in fresh}
        by_document[passage.document].append([(fact, passage) for fact in fresh])
    return _in_turn([_in_turn(of_passages) for of_passages in by_document.values()])


def _in_turn(lists: Sequence[Sequence[_One]]) -> list[_One]:
    """The first of each, the second of each, and so on."""
    return [one for each in zip_longest(*lists) for one in each if one is not None]


def _answerable(facts: Sequence[tuple[Fact, Passage]], count: int) -> list[Draft]:
    return [
        Draft(
            _id(fact.language, "answerable", fact.question),
            fact.language,
            "answerable",
            fact.question,
            document=passage.document,
            page=passage.page,
            answers=(fact.answer,),
            sentence=fact.sentence,
            passage=passage.text,
            note="a question by rule: does a person ask like this, and is this the answer?",
        )
        for fact, passage in facts[:count]
    ]


def _near(
    facts: Sequence[tuple[Fact, Passage]],
    search: Callable[[str], Sequence[Passage]],
    count: int,
    chance: random.Random,
) -> list[Draft]:
    """Every second one with a false premise, as far as there are such."""
    found: list[Draft] = []
    premises = _near_by(facts, lambda fact: changed_number(fact, search, chance))
    others = _near_by(facts, lambda fact: unsaid(fact, search, chance))
    asked: set[str] = set()
    for draft in chain.from_iterable(zip_longest(others, premises)):
        if len(found) == count:
            break
        if draft is not None and draft.question not in asked:
            asked.add(draft.question)
            found.append(draft)
    return found


def _near_by(
    facts: Sequence[tuple[Fact, Passage]], make: Callable[[Fact], NearQuestion | None]
) -> Iterator[Draft]:
    for fact, passage in facts:
        if near := make(fact):
            yield Draft(
                _id(fact.language, "near", near.question),
                fact.language,
                "near",
                near.question,
                why=near.why,
                passage=passage.text,
                note=near.note,
            )


def _far(language: Language, count: int, chance: random.Random) -> list[Draft]:
    """From the bank, without those that the gate was calibrated with, which it knows."""
    known = {one.question for one in sampled(BANK_QUESTIONS)}
    bank = [
        one for one in foreign_questions() if one.language == language and one.question not in known
    ]
    return [
        Draft(
            _id(language, "far", one.question),
            language,
            "far",
            one.question,
            note=f"from the bank ({one.field}): is it foreign?",
        )
        for one in chance.sample(bank, min(count, len(bank)))
    ]


def _id(language: Language, kind: Kind, question: str) -> str:
    """The same for the same question, whatever else the set holds."""
    return f"{language}-{kind}-{hashlib.sha256(question.encode()).hexdigest()[:10]}"
