"""How much may stand behind the shared prefix of a task's prompts."""

from collections.abc import Iterable, Sequence

from graph.evidence import Passage
from graph.ports import Deps
from nodes.prompt import shared_prefix

OWN_SHARE = 0.5
"""A call's own part has at most this many tokens per token of the shared one.

The server then finds about 1 / 1.5 = 67% of each later prompt in its prefix cache, less a block and
the chat template, however many results and passages a step would like to read.
"""


async def own_room(deps: Deps, evidence: Sequence[Passage], query: str, instruction: str) -> int:
    """Tokens left for what a step reads, after its instruction."""
    shared = await deps.model.count_tokens(shared_prefix(evidence, query))
    return int(OWN_SHARE * shared) - await deps.model.count_tokens(instruction)


async def fitting(deps: Deps, texts: Iterable[str], room: int) -> list[str]:
    """The first texts that fit into `room` tokens together; the very first in any case, since a
    step that was to read something and reads nothing writes about something else."""
    chosen: list[str] = []
    for text in texts:
        room -= await deps.model.count_tokens(text)
        if chosen and room < 0:
            break
        chosen.append(text)
    return chosen
