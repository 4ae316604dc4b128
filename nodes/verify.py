"""Check each sentence against the passages that it cites; keep what they bear."""

import asyncio
from typing import NamedTuple, TypedDict

from graph.answer import Answered, Removed, Sentence
from graph.plan import Plan, PlanMade, StepResult
from graph.ports import Deps
from graph.state import numbered_passages
from nodes.closing import ClosingInput, answered
from nodes.judge.injection import contents_of
from nodes.judge.review import review
from nodes.prompt import wording


class VerifyInput(ClosingInput):
    query: str
    made: PlanMade
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    revision: str | None


class VerifyUpdate(TypedDict):
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    outcome: Answered | None


async def verify(state: VerifyInput, deps: Deps) -> VerifyUpdate:
    """The first time over the texts that the plan ended with, then over the model's revision.

    The task is answered here when every sentence stood, or when some did and the revision, which
    is asked for once, has been checked too. What is left over goes to `revise` or `extract`.
    """
    plan, revision = state["made"].plan, state["revision"]
    if revision is None:
        drafts = [
            _Draft(number, plan.steps[number - 1].action, result.text, result.cut_off)
            for number in _speaking_steps(plan, state["results"])
            if (result := state["results"][number])
        ]
    else:
        drafts = [_Draft(max(plan.final_steps()), "revise", revision)]
    focuses = [step.focus for step in plan.steps if step.action != "retrieve"]
    # Tens of milliseconds for a long text: other tasks of this event loop must not wait for it.
    kept, removed = await asyncio.to_thread(_checked, state, drafts, focuses)
    kept = _without_twins((*state["kept"], *kept))
    removed = (*state["removed"], *removed)
    unsupported = any(one.worth_asking_again for one in removed)
    done = bool(kept) and (revision is not None or not unsupported)
    return {
        "kept": kept,
        "removed": removed,
        "outcome": answered(state, kept, removed) if done else None,
    }


def _speaking_steps(plan: Plan, results: dict[int, StepResult]) -> list[int]:
    """The plan's last steps; for one that failed, those that it would have read."""

    def speaking(number: int) -> list[int]:
        if results[number].text:
            return [number]
        return [found for read in plan.steps[number - 1].after for found in speaking(read)]

    return sorted({found for number in plan.final_steps() for found in speaking(number)})


class _Draft(NamedTuple):
    step: int
    prompt: str
    text: str
    cut_off: bool = False


def _checked(
    state: VerifyInput, drafts: list[_Draft], focuses: list[str]
) -> tuple[tuple[Sentence, ...], tuple[Removed, ...]]:
    passages = contents_of(numbered_passages(state["evidence"], state["results"]))
    question, language = state["query"], state["task"].language
    kept: list[Sentence] = []
    removed: list[Removed] = []
    for draft in drafts:
        reviewed = review(
            draft.text,
            passages,
            question,
            language,
            instruction=wording(draft.prompt),
            focuses=focuses,
            cut_off=draft.cut_off,
        )
        kept += (one.model_copy(update={"step": draft.step}) for one in reviewed.kept)
        removed += reviewed.removed
    return tuple(kept), tuple(removed)


def _without_twins(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Two parts of an answer need not say the same; the first that did keeps its place."""
    first: dict[str, Sentence] = {}
    for sentence in sentences:
        first.setdefault(sentence.text, sentence)
    return tuple(first.values())
