"""A task that this process runs: its events so far, and who follows them."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager

from graph.events import Event, TokenDrafted
from serving.api.observation import ObservedTask
from serving.store.events import NumberedEvent

DRAFTS_S = 0.2
"""Between two events of drafts: pieces that arrive meanwhile become one."""


class Run:
    """`on_abandoned`, where there is one, is called when the last one who followed has left before
    the end. A task that was reviewed had events before, up to the number `earlier`."""

    def __init__(
        self,
        task_id: str,
        tenant: str,
        on_abandoned: Callable[[], None] | None,
        observed: ObservedTask,
        earlier: int = 0,
    ) -> None:
        self.task_id = task_id
        self.tenant = tenant
        self.observed = observed
        self.earlier = earlier
        self.ending = False
        self.ended = False
        self._on_abandoned = on_abandoned
        self._events: list[NumberedEvent] = []
        self._unsaved: list[NumberedEvent] = []
        self._followers = 0
        self._started_s = time.monotonic()
        self._more = asyncio.Event()
        self._draft: TokenDrafted | None = None
        self._draft_due: asyncio.TimerHandle | None = None
        self._drafted_s = -math.inf

    @contextmanager
    def followed(self) -> Iterator[None]:
        """While somebody waits for what the task gives."""
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1
            if not self._followers and not self.ended and self._on_abandoned is not None:
                self._on_abandoned()

    async def events(self, after: int = 0) -> AsyncGenerator[NumberedEvent, None]:
        """Those after this number, as they come, until the task has ended; of this run alone."""
        given = max(0, after - self.earlier)
        while True:
            while given < len(self._events):
                given += 1
                yield self._events[given - 1]
            if self.ended:
                return
            await self._more.wait()

    def take(self, event: Event) -> None:
        self.observed.take(event)
        if not isinstance(event, TokenDrafted):
            self._flush()
            self.add(event.type, event.model_dump_json())
            return
        draft = self._draft
        if draft is not None and (draft.node, draft.step) == (event.node, event.step):
            self._draft = draft.model_copy(update={"text": draft.text + event.text})
            return
        self._flush()
        self._draft = event
        wait_s = self._drafted_s + DRAFTS_S - time.monotonic()
        if wait_s > 0:
            self._draft_due = asyncio.get_running_loop().call_later(wait_s, self._flush)
        else:  # as of a slow engine: no timer for each piece
            self._flush()

    def add(self, kind: str, data: str) -> None:
        self._unsaved.append(self._number(kind, data))

    def end(self) -> None:
        self._flush()
        self.ended = True
        self._wake()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._started_s

    def unsaved(self) -> list[NumberedEvent]:
        """What is to be kept and is not yet. Drafts are not kept: only the verified answer
        counts."""
        return list(self._unsaved)

    def saved(self, count: int) -> None:
        del self._unsaved[:count]

    def _flush(self) -> None:
        draft, self._draft = self._draft, None
        if self._draft_due is not None:
            self._draft_due.cancel()
            self._draft_due = None
        if draft is not None:
            self._drafted_s = time.monotonic()
            self._number(draft.type, draft.model_dump_json())

    def _number(self, kind: str, data: str) -> NumberedEvent:
        event = NumberedEvent(self.earlier + len(self._events) + 1, kind, data)
        self._events.append(event)
        self._wake()
        return event

    def _wake(self) -> None:
        self._more.set()
        self._more.clear()
