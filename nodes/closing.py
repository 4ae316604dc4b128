"""What an answer says besides its sentences: its sources, and what it had to do without."""

from collections.abc import Mapping
from typing import TypedDict

from graph.answer import Answered, Degraded, Removed, Sentence
from graph.evidence import Language, Passage, Retrieval, cite
from graph.plan import StepResult
from graph.state import Failure, Task, numbered_passages
from nodes.judge.injection import content_of

MAX_NAMED = 3

LEFT_OUT: dict[Language, str] = {
    "en": "text addressed to a language model was neither quoted nor taken for a source: {}",
    "ko": "언어 모델에게 하는 말이 들어 있어 그 부분은 인용하지도, 근거로 삼지도 않았습니다: {}",
}
_PAGE: dict[Language, str] = {"en": "{} page {}", "ko": "{} {}쪽"}


class DegradedInput(TypedDict):
    retrieval: Retrieval
    results: dict[int, StepResult]
    failures: dict[str, Failure]


class ClosingInput(DegradedInput):
    task: Task
    evidence: tuple[Passage, ...]


def answered(
    state: ClosingInput,
    sentences: tuple[Sentence, ...],
    removed: tuple[Removed, ...],
    *,
    also: tuple[Degraded, ...] = (),
) -> Answered:
    """Sentences keep their citation numbers; only passages that are cited become sources."""
    passages = numbered_passages(state["evidence"], state["results"])
    numbers = sorted({number for sentence in sentences for number in sentence.citations})
    return Answered(
        sentences=sentences,
        citations=tuple(cite(number, content_of(passages[number])) for number in numbers),
        language=state["task"].language,
        removed=removed,
        degraded=(*degraded(state), *also, *left_out(passages, state["task"].language)),
    )


def left_out(passages: Mapping[int, Passage], language: Language) -> tuple[Degraded, ...]:
    """Which of the passages hold orders to a model, so that their owner can look at them."""
    places = dict.fromkeys(
        _PAGE[language].format(passage.document, passage.page)
        for passage in passages.values()
        if content_of(passage) is not passage
    )
    if not places:
        return ()
    named = ", ".join(list(places)[:MAX_NAMED]) + (", …" if len(places) > MAX_NAMED else "")
    return (Degraded(what="documents", why=LEFT_OUT[language].format(named)),)


def degraded(state: DegradedInput) -> tuple[Degraded, ...]:
    """What retrieval and failed nodes cost this task; the same cause is said once.

    A plan that fell to the rules costs nothing of the answer: the plan itself says who made it.
    """
    searches = (state["retrieval"].degraded, *(one.degraded for one in state["results"].values()))
    causes = [Degraded(what="retrieval", why=why) for search in searches for why in search]
    causes += [
        Degraded(what=failure.node, why=failure.message)
        for failure in state["failures"].values()
        if failure.node != "plan"
    ]
    return tuple(dict.fromkeys(causes))
