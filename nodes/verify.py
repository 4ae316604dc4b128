"""Check each sentence against the passages that it cites; keep what they bear."""

from typing import TypedDict

from graph.answer import Answered, Removed, Sentence
from graph.plan import PlanMade
from graph.ports import Deps
from graph.state import numbered_passages
from nodes.closing import ClosingInput, answered
from nodes.review import review


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
    """The first time over the texts of the plan's last steps, then over the model's revision.

    The task is answered here when every sentence stood, or when some did and the revision, which
    is asked for once, has been checked too. What is left over goes to `revise` or `extract`.
    """
    if state["revision"] is None:
        drafts = {step: state["results"][step].text for step in state["made"].plan.final_steps()}
        kept, removed = _checked(state, drafts)
        done = bool(kept) and not removed
    else:
        last = max(state["made"].plan.final_steps())
        more, removed = _checked(state, {last: state["revision"]})
        known = {sentence.text for sentence in state["kept"]}
        kept = (*state["kept"], *(one for one in more if one.text not in known))
        removed = (*state["removed"], *removed)
        done = bool(kept)
    outcome: Answered | None = answered(state, kept, removed) if done else None
    return {"kept": kept, "removed": removed, "outcome": outcome}


def _checked(
    state: VerifyInput, drafts: dict[int, str]
) -> tuple[tuple[Sentence, ...], tuple[Removed, ...]]:
    passages = numbered_passages(state["evidence"], state["results"])
    kept: list[Sentence] = []
    removed: list[Removed] = []
    for step, text in drafts.items():
        if not text:
            continue
        reviewed = review(
            text, passages, question=state["query"], language=state["task"].language
        )
        kept += (one.model_copy(update={"step": step}) for one in reviewed.kept)
        removed += reviewed.removed
    return tuple(kept), tuple(removed)
