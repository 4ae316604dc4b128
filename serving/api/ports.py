"""What running a task needs of the parts that `serving.wiring` and `serving.gateway` give."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from graph.answer import CallRecord
from graph.events import UsageCounted
from graph.ports import Deps
from graph.run import Agent


class Agents(Protocol):
    def of(self, tenant: str) -> AbstractAsyncContextManager[tuple[Agent, Deps]]:
        """The tenant's agent, on its documents. Raises `KnowledgeError`."""
        ...


class Ledger(Protocol):
    def begin(
        self, task_id: str, tokens: int, priority: int, earlier: UsageCounted | None = None
    ) -> None: ...

    def end(self, task_id: str) -> None: ...

    def calls_of_task(self, task_id: str) -> tuple[CallRecord, ...]: ...

    async def note(self) -> None: ...
