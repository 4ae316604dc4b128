"""A call that a client sends past the agent to the engine: a task, so that it is bounded, billed,
cancelled and found like any other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import uuid4

from graph.errors import ContextOverflow
from graph.events import CompletionGiven, TokenDrafted
from graph.ports import Account, ChatModel, Limits, Message, ModelRequest

NODE = "engine"

DEFAULT_OUTPUT_TOKENS = 1_024
"""Of a request that names no bound: all that may be written is reserved of the quota."""


class Engine(ChatModel, Protocol):
    async def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """At most; exact where the server counts them."""
        ...


@dataclass(frozen=True, slots=True)
class EngineCall:
    """`tokens` are all that it may take, prompt and output."""

    engine: Engine
    messages: Sequence[Message]
    max_tokens: int
    sampling: Mapping[str, Any]
    limits: Limits
    tokens: int

    async def run(
        self, task_id: str, tenant: str, on_draft: Callable[[TokenDrafted], None]
    ) -> CompletionGiven:
        """Raises `ModelError`, `BudgetExceeded` and `QuotaExceeded`."""
        completion = await self.engine.complete(
            ModelRequest(
                messages=self.messages,
                account=Account(task_id, uuid4().hex, self.limits, tenant),
                node=NODE,
                max_tokens=self.max_tokens,
                sampling=self.sampling,
                on_draft=lambda text: on_draft(TokenDrafted(node=NODE, text=text)),
            )
        )
        return CompletionGiven(text=completion.text, cut_off=completion.cut_off)


async def engine_call(
    engine: Engine,
    limits: Limits,
    messages: Sequence[Message],
    max_tokens: int | None,
    sampling: Mapping[str, Any],
) -> EngineCall:
    """Raises `ContextOverflow` where prompt and output do not fit the engine's window."""
    prompt, window = await engine.prompt_tokens(messages), await engine.context_tokens()
    output = max_tokens or min(DEFAULT_OUTPUT_TOKENS, window - prompt)
    if output < 1 or prompt + output > window:
        raise ContextOverflow(
            f"the messages have up to {prompt:,} tokens and {max(output, 0):,} may be written, but "
            f"the model's window has {window:,}: send less, or a smaller max_tokens"
        )
    of_call = replace(limits, model_calls=1, call_timeout_s=limits.deadline_s)
    return EngineCall(engine, messages, output, sampling, of_call, prompt + output)
