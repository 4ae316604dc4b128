"""When no sentence of the model stands: quote the passages, word for word."""

import asyncio
from typing import TypedDict

from graph.answer import Answered, Degraded, RefusalReason, Removed, Sentence
from graph.evidence import Language, Passage
from graph.plan import PlanMade
from graph.ports import Deps
from graph.state import numbered_passages
from nodes.answerability.judgement import answerability
from nodes.closing import ClosingInput, answered
from nodes.judge.quotes import best_quotes, crosses_language, leading_quotes

MAX_QUOTES = 5

NOT_CHECKED: dict[Language, str] = {
    "en": "no sentence shares enough words with the question: those quoted are the first ones of "
    "the nearest passages, and whether they answer was not checked",
    "ko": "질문과 낱말이 충분히 겹치는 문장이 없어 가장 가까운 구절의 첫 문장을 인용했습니다. "
    "답이 되는지는 확인하지 않았습니다",
}
WITHHELD: dict[Language, str] = {
    "en": "nothing that the model wrote is borne by the passages, so they are quoted instead",
    "ko": "모델이 쓴 문장을 문서가 뒷받침하지 않아 문서의 문장을 그대로 인용합니다",
}


class ExtractInput(ClosingInput):
    query: str
    made: PlanMade
    removed: tuple[Removed, ...]


class ExtractUpdate(TypedDict, total=False):
    """One of the two."""

    outcome: Answered
    refusal: RefusalReason


async def extract(state: ExtractInput, deps: Deps) -> ExtractUpdate:
    """An answer of quotes, or the reason to refuse when no passage addresses the question.

    It needs no model, so a task ends well without one.
    """
    language, passages = (
        state["task"].language,
        numbered_passages(state["evidence"], state["results"]),
    )
    ranking = [hit.passage.id for hit in state["retrieval"].hits]
    also: list[Degraded] = []
    quotes = await asyncio.to_thread(_quotes, state, passages, ranking)
    if not quotes and (_nothing_was_written(state) or _may_cross_languages(state, passages)):
        quotes = leading_quotes(passages, ranking)
        also.append(Degraded(what="extract", why=NOT_CHECKED[language]))
    said_so = any(removed.flag == "abstained" for removed in state["removed"])
    if said_so and quotes and not await asyncio.to_thread(_premise_holds, state, passages):
        return {"refusal": "not_in_documents"}
    if not quotes:
        unsupported = any(removed.worth_asking_again for removed in state["removed"])
        return {"refusal": "unsupported" if unsupported and not said_so else "not_in_documents"}
    if state["removed"]:
        also.append(Degraded(what="verify", why=WITHHELD[language]))
    return {"outcome": answered(state, quotes, state["removed"], also=tuple(also))}


def _premise_holds(state: ExtractInput, passages: dict[int, Passage]) -> bool:
    """Whether the words of the question leave room for an answer where the model saw none. Neither
    is trusted alone: a weak model abstains at random, and words come in other forms."""
    parts = answerability(state["query"], list(passages.values())).parts
    return parts is None or parts.premise_holds


def _nothing_was_written(state: ExtractInput) -> bool:
    """The model failed, so nobody can say that the documents do not hold the answer."""
    return bool(state["failures"]) and not state["removed"]


def _may_cross_languages(state: ExtractInput, passages: dict[int, Passage]) -> bool:
    """Words cannot be compared, and a calibrated gate says that the question belongs here."""
    calibrated = state["retrieval"].domain.method == "calibrated"
    return calibrated and crosses_language(state["query"], passages)


def _quotes(
    state: ExtractInput, passages: dict[int, Passage], ranking: list[str]
) -> tuple[Sentence, ...]:
    """Quotes for the question, then for each part that the plan saw in it, in reading order.

    A question with several parts has no sentence that addresses all of them.
    """
    steps = state["made"].plan.steps
    parts = [step.query if step.action == "retrieve" else step.focus for step in steps]
    chosen: dict[str, Sentence] = {}
    for part in dict.fromkeys((state["query"], *parts)):
        for quote in best_quotes(part, passages, ranking=ranking):
            chosen.setdefault(quote.text, quote)
    best = list(chosen.values())[:MAX_QUOTES]
    return tuple(sorted(best, key=lambda quote: quote.citations))
