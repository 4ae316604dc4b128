"""Say that there is no answer, why, and what could help; in the question's language."""

import asyncio
from typing import NotRequired, TypedDict

from graph.answer import Degraded, Nearest, RefusalReason, Refused, Removed
from graph.evidence import EVERYTHING, Language, Passage
from graph.ports import Deps
from graph.state import Task, numbered_passages
from nodes.closing import DegradedInput, degraded, left_out
from nodes.judge.injection import title_of

MAX_NEAREST = 3

MESSAGES: dict[Language, dict[RefusalReason, str]] = {
    "en": {
        "out_of_domain": "The documents here are about something else, so this question is not "
        "answered. Ask about their subject, or add documents that cover yours.",
        "not_in_documents": "The documents touch on this subject but do not hold the answer. "
        "Try other words, a narrower question, or add a document that covers it.",
        "unsupported": "An answer was drafted, but the documents do not bear what it said, so it "
        "is withheld. Try a narrower question, or add a document that covers it.",
    },
    "ko": {
        "out_of_domain": "여기 있는 문서는 다른 주제를 다루므로 이 질문에는 답하지 않습니다. "
        "문서의 주제에 대해 묻거나, 이 주제를 다루는 문서를 추가해 주세요.",
        "not_in_documents": "문서가 이 주제를 다루기는 하지만 답은 들어 있지 않습니다. "
        "다른 표현이나 더 좁은 질문을 써 보거나, 답이 있는 문서를 추가해 주세요.",
        "unsupported": "답을 작성했지만 그 내용을 문서가 뒷받침하지 않아 보여 드리지 않습니다. "
        "더 좁은 질문을 써 보거나, 답이 있는 문서를 추가해 주세요.",
    },
}

LIMITED: dict[Language, str] = {
    "en": "Only the documents, tags or dates that were asked for were searched; "
    "ask without that limit to search them all.",
    "ko": "요청한 문서, 태그 또는 날짜의 범위 안에서만 검색했습니다. "
    "모든 문서를 검색하려면 범위를 정하지 말고 다시 물어보세요.",
}


AGAINST: dict[Language, str] = {
    "en": "What speaks against an answer: {}.",
    "ko": "답이 없어 보이는 까닭: {}.",
}
BY_VERDICT: dict[Language, str] = {
    "en": "asked whether the passages hold one, the model said no",
    "ko": "문서에 답이 있는지 모델에 물었더니 없다고 했습니다",
}


class RefuseInput(DegradedInput):
    task: Task
    query: str
    in_domain: bool
    refusal: NotRequired[RefusalReason]
    cause: NotRequired[str]
    removed: tuple[Removed, ...]
    evidence: tuple[Passage, ...]


class RefuseUpdate(TypedDict):
    outcome: Refused


async def refuse(state: RefuseInput, deps: Deps) -> RefuseUpdate:
    """The nearest documents are named without a claim that they answer; nothing is cited. What a
    scope kept out may hold the answer, and the message says so."""
    reason: RefusalReason = state["refusal"] if state["in_domain"] else "out_of_domain"
    nearest: dict[str, Nearest] = {}
    for hit in state["retrieval"].hits:
        passage = hit.passage
        nearest.setdefault(
            passage.document, Nearest(document=passage.document, title=title_of(passage))
        )
    language = state["task"].language
    message = MESSAGES[language][reason]
    if reason == "not_in_documents":
        cause = state.get("cause") or BY_VERDICT[language]
        message = f"{message} {AGAINST[language].format(cause)}"
    notes: tuple[Degraded, ...] = ()
    if state["in_domain"]:
        passages = numbered_passages(state["evidence"], state["results"])
        notes = await asyncio.to_thread(left_out, passages, language)
    if state["task"].scope != EVERYTHING:
        message = f"{message} {LIMITED[language]}"
    return {
        "outcome": Refused(
            reason=reason,
            message=message,
            nearest=tuple(nearest.values())[:MAX_NEAREST],
            language=language,
            removed=state["removed"],
            degraded=(*degraded(state), *notes),
        )
    }
