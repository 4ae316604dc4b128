"""Pages of PDFs as pictures, drawn in processes of their own, a few at a time."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local

from graph.errors import Conflict, Overloaded
from knowledge.load.document import PLAIN, PageRequest, PageView, Unreadable
from knowledge.reader import Reader

VIEWERS = 2
MAX_WAITING = 32
VIEW_TIMEOUT_S = 10.0
RETRY_AFTER_S = 2


class PageViews:
    """A page that takes too long or breaks its process is refused, and harms no other."""

    def __init__(self, timeout_s: float = VIEW_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        # A reader's process lives as long as the thread that has started it.
        self._threads = ThreadPoolExecutor(VIEWERS, "page")
        self._own = local()
        self._readers: list[Reader] = []
        self._asked = 0

    async def view(self, path: Path, asked: PageRequest) -> PageView:
        """Raises `Conflict` for a page that cannot be shown, and `Overloaded`."""
        if self._asked == MAX_WAITING:
            raise Overloaded(
                f"{MAX_WAITING} pages wait to be drawn; ask again in a moment",
                retry_after_s=RETRY_AFTER_S,
            )
        self._asked += 1
        try:
            loop = asyncio.get_running_loop()
            view = await loop.run_in_executor(self._threads, self._view, path, asked)
        finally:
            self._asked -= 1
        if isinstance(view, PageView):
            return view
        raise Conflict(f"this page cannot be shown: {view.reason}")

    def _view(self, path: Path, asked: PageRequest) -> PageView | Unreadable:
        reader: Reader | None = getattr(self._own, "reader", None)
        if reader is None:
            reader = self._own.reader = Reader(PLAIN, self._timeout_s)
            self._readers.append(reader)
        return reader.view(path, asked)

    async def aclose(self) -> None:
        for reader in self._readers:
            reader.stop()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for reader in self._readers:
            reader.close()
