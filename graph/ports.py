"""What nodes may ask of the world. Adapters live in `knowledge` and `serving.gateway`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from graph.answer import CallRecord
from graph.events import Event
from graph.evidence import Retrieval, Scope


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one task. `deadline_s` bounds the model's work: what follows without a model
    (verify, extract, refuse) takes milliseconds and may run after it."""

    deadline_s: float = 120.0
    model_calls: int = 12
    tokens: int = 60_000
    evidence_tokens: int = 2_400
    output_tokens: int = 256
    call_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a call is charged to; `tenant` is empty outside the service. A resumed task is a new
    run and gets fresh bounds, unless its ledger knows of the earlier one."""

    task_id: str
    run_id: str
    limits: Limits
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `on_draft` receives the text as it streams; it is no answer yet. `sampling` has
    the options, in OpenAI's names, of a caller who wrote the prompt himself; None: the agent's own.

    With `choices` the model writes one of them. They begin with ASCII letters that differ, so that
    the first token tells them apart and `max_tokens` of 1 is enough.
    """

    messages: Sequence[Message]
    account: Account
    node: str
    max_tokens: int
    step: int | None = None
    schema: dict[str, Any] | None = None
    choices: tuple[str, ...] = ()
    sampling: Mapping[str, Any] | None = None
    on_draft: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        initials = {choice[:1].lower() for choice in self.choices if choice[:1].isascii()}
        if len(initials - {""}) < len(self.choices):
            raise ValueError(f"the first token does not tell these choices apart: {self.choices}")


@dataclass(frozen=True, slots=True)
class Completion:
    """`probabilities` are those of the request's choices and add up to 1; empty without choices."""

    text: str
    cut_off: bool  # the model ran into max_tokens
    probabilities: Mapping[str, float] = field(default_factory=dict)


class ChatModel(Protocol):
    async def complete(self, request: ModelRequest) -> Completion:
        """One completion. Raises `ModelError` or `BudgetExceeded`; a cancel reaches the server.

        Raises `ModelOutputUnusable` where choices were given and the server tells no probabilities.
        """
        ...

    async def name(self) -> str:
        """The serving model's. Raises `ModelError` or `ConfigError`."""
        ...

    async def count_tokens(self, text: str) -> int:
        """Tokens of `text` for the serving model, special tokens left out."""
        ...

    async def context_tokens(self) -> int:
        """The model's window: prompt and output together."""
        ...


class Ledger(Protocol):
    def open(self, account: Account) -> None:
        """Start the deadline of this account; a second call changes nothing."""
        ...

    def calls(self, account: Account) -> tuple[CallRecord, ...]:
        """Every call of the account so far, failed and cancelled ones too."""
        ...


class Retriever(Protocol):
    async def search(self, query: str, *, limit: int, scope: Scope) -> Retrieval:
        """The best `limit` passages of the documents in `scope`. Raises `InputError` where it
        holds none, and `IndexMissing`, `IndexEmpty`, `IndexMismatch` or `IndexLocked`; works on
        words alone, and says so, when no vectors can be made."""
        ...

    async def similarities(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """How near in meaning each text is to the query, by cosine: good for ranking texts of one
        language, whichever the query's is. Empty when no vectors can be made."""
        ...


@dataclass(frozen=True, slots=True)
class Listener:
    """LangGraph's context of a run whose events somebody takes as they come. Without one they go
    to LangGraph's own stream, as in Studio."""

    emit: Callable[[Event], None]


def _discard(event: Event) -> None:
    """Nobody listens: outside a stream."""


def _unwatched(node: str, step: int | None) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Deps:
    """What a node is given. `emit` and `run_id` are set for each run by `graph.binding`, which also
    lets `watch` surround every run of a node, such as for a trace."""

    model: ChatModel
    ledger: Ledger
    retriever: Retriever
    limits: Limits
    watch: Callable[[str, int | None], AbstractContextManager[None]] = _unwatched
    emit: Callable[[Event], None] = _discard
    run_id: str = ""
    tenant: str = ""

    def account(self, task_id: str) -> Account:
        return Account(task_id, self.run_id, self.limits, self.tenant)
