"""The files of a request: streamed to the disk, counted and checked before anything is kept."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from graph.errors import InputError, Overloaded, StoreUnavailable, TooLarge
from serving.store.uploads import Bounds, Upload, check_name

FIELD = "files"
MAX_AT_ONCE = 8
MAX_OF_TENANT = 2
RECEIVE_S = 600.0
RETRY_AFTER_S = 5
MAX_FIELDS = 10
MAX_FIELD_BYTES = 1_024
HOW = f"send documents as multipart/form-data, each as a part named `{FIELD}` with its file name"


class Receiver:
    """Takes a few requests at once, since each may fill the disk for a while."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._receiving: Counter[str] = Counter()

    @asynccontextmanager
    async def received(self, tenant: str, request: Request) -> AsyncIterator[list[Upload]]:
        """Files that may be kept, until the block ends. Raises `InputError`, `TooLarge` and
        `Overloaded`."""
        own, all_of_them = self._receiving[tenant], self._receiving.total()
        if own >= MAX_OF_TENANT or all_of_them >= MAX_AT_ONCE:
            raise Overloaded(
                f"{own} uploads of this tenant arrive already, {all_of_them} in all; "
                "send this one when they have",
                retry_after_s=RETRY_AFTER_S,
            )
        self._receiving[tenant] += 1
        try:
            form = await _form(request, self.bounds)
            try:
                yield _checked(form, self.bounds)
            finally:
                await form.close()
        finally:
            self._receiving[tenant] -= 1
            self._receiving += Counter()  # forgets who has none


async def _form(request: Request, bounds: Bounds) -> FormData:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise InputError(HOW)
    try:
        async with asyncio.timeout(RECEIVE_S):
            return await request.form(
                max_files=bounds.files, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES
            )
    except TimeoutError as error:
        raise InputError(
            f"the request did not arrive within {RECEIVE_S:g} s; send fewer documents at a time"
        ) from error
    except HTTPException as error:
        raise InputError(
            f"{error.detail} Up to {bounds.files} documents may be sent at once; {HOW}"
        ) from error
    except ClientDisconnect as error:
        raise InputError("the request broke off; send it again") from error
    except OSError as error:
        raise StoreUnavailable(
            f"the files cannot be taken in: {error.strerror or error}; try again later"
        ) from error


def _checked(form: FormData, bounds: Bounds) -> list[Upload]:
    uploads: list[Upload] = []
    for field, part in form.multi_items():
        if field != FIELD or not isinstance(part, UploadFile):
            raise InputError(f"a part is named {field[:80]!r}, or is no file: {HOW}")
        name, size = check_name(part.filename or ""), part.size or 0
        if size > bounds.file_bytes:
            raise TooLarge(
                f"{name!r} has {size:,} bytes, and a document may have {bounds.file_bytes:,}; "
                "split it, or leave out its pictures. Nothing was stored"
            )
        if any(name == other.name for other in uploads):
            raise InputError(f"two files are named {name!r}; give each its own name")
        uploads.append(Upload(name, part.file, size))
    if not uploads:
        raise InputError(f"there is no file in the request: {HOW}")
    return uploads
