"""What an answer says besides its sentences: its sources, and what it had to do without."""

from typing import TypedDict

from graph.answer import Answered, Degraded, Removed, Sentence
from graph.evidence import Passage, Retrieval, cite
from graph.plan import StepResult
from graph.state import Failure, Task, numbered_passages


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
        citations=tuple(cite(number, passages[number]) for number in numbers),
        language=state["task"].language,
        removed=removed,
        degraded=(*degraded(state), *also),
    )


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
