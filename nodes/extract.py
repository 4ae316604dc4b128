"""When no sentence of the model stands: quote the passages, word for word."""

import asyncio
from typing import TypedDict

from graph.answer import Answered, Degraded, RefusalReason, RemovalFlag, Removed, Sentence
from graph.evidence import Language, Passage
from graph.plan import PlanMade
from graph.ports import Deps
from graph.state import numbered_passages
from nodes.answerability.judgement import answerability
from nodes.closing import ClosingInput, answered
from nodes.judge.injection import contents_of
from nodes.judge.quotes import best_quotes, in_other_language, nearest_quotes, quotable

MAX_QUOTES = 5
MAX_COMPARED = 30
"""Sentences whose meaning is compared with the question's: half a second on two cores."""
LEADING = 2
"""In another language, passages may answer if retrieval has one among so many best ones."""

DRAFTED: frozenset[RemovalFlag] = frozenset(("unsupported", "off_topic", "injected"))
"""Flags of sentences that did say something."""

NOT_CHECKED: dict[Language, str] = {
    "en": "no sentence shares enough words with the question: those quoted are the nearest ones in "
    "meaning, and whether they answer was not checked",
    "ko": "질문과 낱말이 충분히 겹치는 문장이 없어 뜻이 가장 가까운 문장을 인용했습니다. "
    "답이 되는지는 확인하지 않았습니다",
}
WITHHELD: dict[Language, str] = {
    "en": "nothing that the model wrote is borne by the passages, so they are quoted instead",
    "ko": "모델이 쓴 문장을 문서가 뒷받침하지 않아 문서의 문장을 그대로 인용합니다",
}
NO_QUOTE: dict[Language, str] = {
    "en": "no sentence of the passages shares enough words with the question",
    "ko": "질문과 낱말이 충분히 겹치는 문장이 없습니다",
}


class ExtractInput(ClosingInput):
    query: str
    made: PlanMade
    removed: tuple[Removed, ...]


class ExtractUpdate(TypedDict, total=False):
    """An outcome, or a refusal and its cause."""

    outcome: Answered
    refusal: RefusalReason
    cause: str


async def extract(state: ExtractInput, deps: Deps) -> ExtractUpdate:
    """An answer of quotes, or the reason to refuse when no passage addresses the question.

    It needs no model, so a task ends well without one.
    """
    language = state["task"].language
    passages = await asyncio.to_thread(
        contents_of, numbered_passages(state["evidence"], state["results"])
    )
    also: list[Degraded] = []
    quotes = await asyncio.to_thread(_quotes, state, passages)
    if not quotes and (unread := _not_compared(state, passages)):
        quotes = await _nearest(state, unread, deps)
        also.append(Degraded(what="extract", why=NOT_CHECKED[language]))
    flags = {removed.flag for removed in state["removed"]}
    if "abstained" in flags and quotes:
        found = await asyncio.to_thread(answerability, state["query"], list(passages.values()))
        # Neither is trusted alone: a weak model abstains at random, and words come in other forms.
        if found.broken_premise:
            return {"refusal": "not_in_documents", "cause": found.broken_premise}
    if not quotes:
        if flags & DRAFTED and "abstained" not in flags:
            return {"refusal": "unsupported", "cause": ""}  # what was withheld tells why
        return {"refusal": "not_in_documents", "cause": NO_QUOTE[language]}
    if state["removed"]:
        also.append(Degraded(what="verify", why=WITHHELD[language]))
    return {"outcome": answered(state, quotes, state["removed"], also=tuple(also))}


def _not_compared(state: ExtractInput, passages: dict[int, Passage]) -> dict[int, Passage]:
    """The passages that may answer though no sentence of them holds the question's words: all of
    them when the model failed, so that nobody can say that there is no answer, and those in another
    language where a calibrated gate says that the question belongs here."""
    if state["failures"] and not state["removed"]:
        return passages
    other = in_other_language(state["query"], passages)
    leading = {hit.passage.id for hit in state["retrieval"].hits[:LEADING]}
    leads = any(passage.id in leading for passage in other.values())
    return other if leads and state["retrieval"].domain.method == "calibrated" else {}


async def _nearest(
    state: ExtractInput, passages: dict[int, Passage], deps: Deps
) -> tuple[Sentence, ...]:
    ranking = [hit.passage.id for hit in state["retrieval"].hits]
    sentences = (await asyncio.to_thread(quotable, passages, ranking))[:MAX_COMPARED]
    near = await deps.retriever.similarities(state["query"], sentences)
    return nearest_quotes(passages, dict(zip(sentences, near, strict=False)), ranking=ranking)


def _quotes(state: ExtractInput, passages: dict[int, Passage]) -> tuple[Sentence, ...]:
    """Quotes for the question, then for each part that the plan saw in it, in reading order.

    A question with several parts has no sentence that addresses all of them.
    """
    ranking = [hit.passage.id for hit in state["retrieval"].hits]
    steps = state["made"].plan.steps
    parts = [step.query if step.action == "retrieve" else step.focus for step in steps]
    chosen: dict[str, Sentence] = {}
    for part in dict.fromkeys((state["query"], *parts)):
        for quote in best_quotes(part, passages, ranking=ranking):
            chosen.setdefault(quote.text, quote)
    best = list(chosen.values())[:MAX_QUOTES]
    return tuple(sorted(best, key=lambda quote: quote.citations))
