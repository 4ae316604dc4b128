"""What the text-writing steps (answer, personalize, summarize, analyze) have in common."""

import time
from collections.abc import Iterator

from graph.errors import ModelOutputUnusable
from graph.events import TokenDrafted
from graph.plan import RetrieveStep, StepResult
from graph.ports import Deps, ModelRequest
from graph.state import StepInput, StepUpdate, numbered_passages
from nodes.prompt import instruction, numbered_text, task_messages
from nodes.room import fitting, own_room


async def write_step(state: StepInput, deps: Deps, *, prompt: str) -> StepUpdate:
    """Ask the model with `prompts/PROMPT.md`. Raises `ModelOutputUnusable` for an empty text."""
    number = state["step"]
    step = state["made"].plan.steps[number - 1]
    assert not isinstance(step, RetrieveStep)  # routes send those to `search`
    started = time.perf_counter()

    text = instruction(
        prompt,
        state["task"].language,
        focus=step.focus,
        profile=state["task"].profile or "no profile was given",
    )
    room = await own_room(deps, state["evidence"], state["query"], text)
    read = await fitting(deps, _what_it_reads(state, step.after), room)
    completion = await deps.model.complete(
        ModelRequest(
            messages=task_messages(state["evidence"], state["query"], "\n\n".join((text, *read))),
            account=deps.account(state["task"].id),
            node=prompt,
            step=number,
            max_tokens=deps.limits.output_tokens,
            on_draft=lambda piece: deps.emit(TokenDrafted(node=prompt, step=number, text=piece)),
        )
    )
    if not completion.text.strip():
        raise ModelOutputUnusable("the model wrote nothing")
    return {
        "results": {
            number: StepResult(
                step=number,
                action=step.action,
                text=completion.text.strip(),
                cut_off=completion.cut_off,
                seconds=time.perf_counter() - started,
            )
        }
    }


def _what_it_reads(state: StepInput, after: tuple[int, ...]) -> Iterator[str]:
    """The texts of earlier steps, then the passages that earlier searches found."""
    results = [state["results"][number] for number in after]
    for result in results:
        if result.text:
            yield f"Result of step {result.step}:\n{result.text}"
    found = {passage.id for result in results for passage in result.passages}
    for number, passage in numbered_passages(state["evidence"], state["results"]).items():
        if passage.id in found:
            yield numbered_text(number, passage).strip()
