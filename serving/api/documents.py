"""A tenant's documents: taken in, listed, shown and deleted."""

import asyncio
import logging
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, Literal
from unicodedata import normalize

from graph.errors import AgentError, Conflict, IndexEmpty, IndexMissing, InputError, NotFound
from graph.ports import Deps
from graph.run import Agent
from knowledge.load.document import PageBox, PageRequest
from knowledge.load.formats import has_pictures
from knowledge.status import DocumentStatus
from serving.api.job_runner import JobRunner
from serving.api.ports import Agents
from serving.store.jobs import JobRecord, JobStore
from serving.store.uploads import Bounds, StoredFile, Upload, UploadStore, content_of, document_id
from serving.wiring.indexing import Indexing
from serving.wiring.pages import PageViews

Status = Literal["waiting", "indexed", "unreadable"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """A document of a tenant: as its file lies here, and as the index holds it. One of the two may
    be missing: of an index that follows another folder there are no files here."""

    id: str
    name: str
    file: StoredFile | None
    held: DocumentStatus | None
    status: Status


@dataclass(frozen=True, slots=True)
class ShownPage:
    known: Known
    text: str
    boxes: tuple[PageBox, ...]


class Documents:
    def __init__(
        self, files: UploadStore, indexing: Indexing, views: PageViews, runner: JobRunner
    ) -> None:
        self._files = files
        self._indexing = indexing
        self._views = views
        self._runner = runner

    @property
    def bounds(self) -> Bounds:
        return self._files.bounds

    async def take(self, tenant: str, uploads: Sequence[Upload]) -> tuple[JobRecord, list[Known]]:
        """Keep all of them, and begin to index them. Raises `Conflict`, `TooLarge` and
        `StoreUnavailable`."""
        await asyncio.to_thread(self._indexing.claim, tenant)
        await asyncio.to_thread(self._files.keep, tenant, uploads)
        job = await self._runner.begin(tenant)
        names = [upload.name for upload in uploads]
        return job, await asyncio.to_thread(self._known, tenant, lambda _: names)

    async def catch_up(self, tenants: Sequence[str]) -> None:
        """Begin the jobs that a process has left undone which died between a change and its job."""
        try:
            for tenant in tenants:
                if await asyncio.to_thread(self._is_behind, tenant):
                    await self._runner.begin(tenant)
        except AgentError as error:
            logger.warning("whether all documents are indexed was not found out: %s", error)

    def _is_behind(self, tenant: str) -> bool:
        here = {file.name for file in self._files.files(tenant)}
        return self._indexing.follows_uploads(tenant) and here != set(self._indexing.names(tenant))

    async def page(
        self, tenant: str, limit: int, after: str | None
    ) -> tuple[list[Known], str | None]:
        """Those whose names follow `after`, and the last name where there are more."""

        def chosen(names: Sequence[str]) -> Sequence[str]:
            first = 0 if after is None else bisect_right(names, after)
            return names[first : first + limit + 1]

        known = await asyncio.to_thread(self._known, tenant, chosen)
        return known[:limit], known[limit - 1].name if len(known) > limit else None

    async def named(self, tenant: str, name: str) -> list[Known]:
        """The one with this name, or none."""
        return await asyncio.to_thread(self._known, tenant, lambda _: [normalize("NFC", name)])

    async def find(self, tenant: str, wanted: str) -> Known:
        """Raises `NotFound`, for documents of others too."""

        def chosen(names: Sequence[str]) -> Sequence[str]:
            return [name for name in names if document_id(tenant, name) == wanted]

        known = await asyncio.to_thread(self._known, tenant, chosen)
        if not known:
            raise NotFound("there is no such document")
        return known[0]

    async def remove(self, tenant: str, wanted: str) -> None:
        """No search that begins afterwards finds it; a job takes out what is left of it."""
        known = await self.find(tenant, wanted)
        await asyncio.to_thread(self._indexing.claim, tenant)
        await asyncio.shield(asyncio.create_task(self._remove(tenant, known)))

    async def _remove(self, tenant: str, known: Known) -> None:
        # First the file: an ingest that is reading it looks for it before it stores anything.
        if known.file is not None:
            await asyncio.to_thread(self._files.remove, tenant, known.file)
        await asyncio.to_thread(self._indexing.forget, tenant, known.name)
        await self._runner.begin(tenant)

    async def content(self, tenant: str, wanted: str) -> tuple[Known, BinaryIO]:
        """The open file. Raises `NotFound`."""
        known = await self.find(tenant, wanted)
        with suppress(FileNotFoundError):
            if known.file is not None:
                return known, await asyncio.to_thread(known.file.path.open, "rb")
        raise NotFound("the file of this document is not kept here")

    async def shown(self, tenant: str, wanted: str, page: int, start: int, end: int) -> ShownPage:
        """A page as it was read, and where on its picture the characters `start` to `end` stand.
        Raises `NotFound`, `Conflict` for a document that is not read, and `InputError`."""
        known = await self._page_of(tenant, wanted, page)
        text = await asyncio.to_thread(self._indexing.page_text, tenant, known.name, page)
        if not 0 <= start <= end <= len(text):
            raise InputError(
                f"`start` and `end` are characters of the page, which has {len(text):,}"
            )
        boxes: tuple[PageBox, ...] = ()
        if end > start and (file := _pictured(known)) is not None:
            with suppress(Conflict):  # a text without marks is of use too
                asked = PageRequest(page, text, start, end)
                boxes = (await self._views.view(file.path, asked)).boxes
        return ShownPage(known, text, boxes)

    async def picture(self, tenant: str, wanted: str, page: int) -> bytes:
        """A PNG. Raises as `shown` does."""
        known = await self._page_of(tenant, wanted, page)
        file = _pictured(known)
        if file is None:
            raise NotFound("pages of this document have no picture; read their text")
        return (await self._views.view(file.path, PageRequest(page, drawn=True))).png

    async def _page_of(self, tenant: str, wanted: str, page: int) -> Known:
        known = await self.find(tenant, wanted)
        if known.status == "waiting":
            raise Conflict("this document is being read; ask again when its job is done")
        if known.held is None or known.status == "unreadable":
            raise Conflict("this document could not be read, and has no pages to show")
        if page > known.held.pages:
            raise NotFound(f"this document has {known.held.pages} pages")
        return known

    def _known(self, tenant: str, choose: Callable[[Sequence[str]], Sequence[str]]) -> list[Known]:
        """Those that are chosen of all names, which are given in order."""
        files: dict[str, StoredFile] = {}
        if uploaded := self._indexing.follows_uploads(tenant):
            files = {file.name: file for file in self._files.files(tenant)}
        names = choose(sorted(files if uploaded else self._indexing.names(tenant)))
        held = self._indexing.statuses(tenant, list(names))
        return [
            Known(
                document_id(tenant, name),
                name,
                files.get(name),
                held.get(name),
                _status(files.get(name), held.get(name)),
            )
            for name in names
            if name in files or (not uploaded and name in held)
        ]


def _status(file: StoredFile | None, held: DocumentStatus | None) -> Status:
    if held is None or (file is not None and held.row.sha256 != content_of(file.path)):
        return "waiting"
    return "indexed" if held.row.status == "indexed" else "unreadable"


def _pictured(known: Known) -> StoredFile | None:
    return known.file if known.file is not None and has_pictures(known.file.path) else None


class IndexedAgents:
    """Says why there is nothing to answer from: the documents are being read, or there are none."""

    def __init__(self, agents: Agents, jobs: JobStore) -> None:
        self._agents = agents
        self._jobs = jobs

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        try:
            async with self._agents.of(tenant) as found:
                yield found
        except (IndexMissing, IndexEmpty) as error:
            if job := await self._jobs.current(tenant):
                raise Conflict(
                    f"the documents are being read: GET /v1/jobs/{job.id} tells how far; "
                    "ask again in a moment"
                ) from error
            raise type(error)(
                "there are no documents with text to answer from; upload some: POST /v1/documents"
            ) from error
