"""What the text-writing steps (answer, personalize, summarize, analyze) have in common."""

import time

from graph.errors import ModelOutputUnusable
from graph.events import TokenDrafted
from graph.plan import RetrieveStep, StepResult
from graph.ports import Deps, ModelRequest
from graph.state import StepInput, StepUpdate, numbered_passages
from nodes.prompt import instruction, results_read, task_messages


async def write_step(state: StepInput, deps: Deps, *, prompt: str) -> StepUpdate:
    """Ask the model with `prompts/PROMPT.md`. Raises `ModelOutputUnusable` for an empty text."""
    number = state["step"]
    step = state["made"].plan.steps[number - 1]
    assert not isinstance(step, RetrieveStep)  # routes send those to `search`
    started = time.perf_counter()

    texts = {n: state["results"][n].text for n in step.after if state["results"][n].text}
    known = numbered_passages(state["evidence"], state["results"])
    read = {passage.id for n in step.after for passage in state["results"][n].passages} - {
        passage.id for passage in state["evidence"]
    }
    further = {n: passage for n, passage in known.items() if passage.id in read}
    text = instruction(
        prompt,
        state["task"].language,
        focus=step.focus,
        profile=state["profile"] or "no profile was given",
    )
    completion = await deps.model.complete(
        ModelRequest(
            messages=task_messages(
                state["evidence"], state["query"], text + results_read(texts, further)
            ),
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
                seconds=time.perf_counter() - started,
            )
        }
    }
