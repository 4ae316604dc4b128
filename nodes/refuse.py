"""Say that there is no answer, why, and what could help; in the question's language."""

from typing import NotRequired, TypedDict

from graph.answer import Nearest, RefusalReason, Refused
from graph.evidence import Language
from graph.ports import Deps
from graph.state import Task
from nodes.closing import DegradedInput, degraded

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


class RefuseInput(DegradedInput):
    task: Task
    in_domain: bool
    refusal: NotRequired[RefusalReason]


class RefuseUpdate(TypedDict):
    outcome: Refused


async def refuse(state: RefuseInput, deps: Deps) -> RefuseUpdate:
    """The nearest documents are named without a claim that they answer; nothing is cited."""
    reason: RefusalReason = state["refusal"] if state["in_domain"] else "out_of_domain"
    nearest: dict[str, Nearest] = {}
    for hit in state["retrieval"].hits:
        passage = hit.passage
        nearest.setdefault(
            passage.document, Nearest(document=passage.document, title=passage.title)
        )
    language = state["task"].language
    return {
        "outcome": Refused(
            reason=reason,
            message=MESSAGES[language][reason],
            nearest=tuple(nearest.values())[:MAX_NEAREST],
            language=language,
            degraded=degraded(state),
        )
    }
