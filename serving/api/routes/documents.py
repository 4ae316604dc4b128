"""/v1/documents: upload, list, read, delete."""

import base64
import binascii
from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated, Any, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from graph.errors import InputError
from knowledge.load.formats import has_pictures
from serving.api.identity import MayChangeDocuments, MayReadDocuments
from serving.api.problems import documented
from serving.api.service import OwnService
from serving.api.uploads import FIELD
from serving.api.wire_documents import (
    ROOT,
    Document,
    DocumentPage,
    ReadPage,
    Uploaded,
    document_of,
    job_of,
    page_of,
)
from serving.store.uploads import MAX_NAME_BYTES

CHUNK_BYTES = 64 * 1024
MAX_PAGE = 1_000_000
MAX_CHARS = 10_000_000
GUARDED = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
}
"""A document is never to be shown as a page of this service, with its rights."""

MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".txt": "text/plain",
    ".md": "text/plain",
    ".markdown": "text/plain",
}
OTHER_TYPE = "application/octet-stream"

DocumentId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
PageNumber = Annotated[int, Path(ge=1, le=MAX_PAGE)]
Place = Annotated[int, Query(ge=0, le=MAX_CHARS)]

FILES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "description": "documents, each with its file name",
                        }
                    },
                }
            }
        },
    }
}

router = APIRouter(prefix=ROOT, tags=["documents"])


@router.post(
    "",
    summary="Upload documents",
    status_code=HTTPStatus.ACCEPTED,
    openapi_extra=FILES,
    responses=documented(
        HTTPStatus.CONFLICT,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    ),
)
async def upload(
    request: Request, response: Response, principal: MayChangeDocuments, service: OwnService
) -> Uploaded:
    """Keep documents: all of the request, or none. A job indexes them. One of a known name takes
    the older one's place."""
    async with service.receiver.received(principal.tenant, request) as uploads:
        job, known = await service.documents.take(principal.tenant, uploads)
    for each in known:
        await service.audit.add(
            principal.tenant, "document.uploaded", each.id, {"document": each.name}
        )
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    return Uploaded(job=job_of(job), documents=[document_of(each) for each in known])


@router.get("", summary="List the documents")
async def page(
    principal: MayReadDocuments,
    service: OwnService,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    after: Annotated[str | None, Query(max_length=2 * MAX_NAME_BYTES)] = None,
    name: Annotated[
        str | None, Query(max_length=1_000, description="only the one that citations name so")
    ] = None,
) -> DocumentPage:
    """The tenant's documents, by name."""
    if name is not None:
        known = await service.documents.named(principal.tenant, name)
        return DocumentPage(documents=[document_of(each) for each in known], next=None)
    position = None if after is None else _read_cursor(after)
    known, last = await service.documents.page(principal.tenant, limit, position)
    return DocumentPage(
        documents=[document_of(each) for each in known],
        next=None if last is None else _cursor(last),
    )


@router.get(
    "/{document_id}", summary="Look up a document", responses=documented(HTTPStatus.NOT_FOUND)
)
async def look_up(
    document_id: DocumentId, principal: MayReadDocuments, service: OwnService
) -> Document:
    """How it stands: whether a job has read it, and what came of that."""
    return document_of(await service.documents.find(principal.tenant, document_id))


@router.delete(
    "/{document_id}",
    summary="Delete a document",
    status_code=HTTPStatus.NO_CONTENT,
    responses=documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
async def remove(
    document_id: DocumentId, principal: MayChangeDocuments, service: OwnService
) -> None:
    """Delete the file, and take the document out of all answers that begin from now on."""
    known = await service.documents.find(principal.tenant, document_id)
    await service.audit.add(
        principal.tenant, "document.deleted", document_id, {"document": known.name}
    )
    await service.documents.remove(principal.tenant, document_id)


@router.get(
    "/{document_id}/content",
    summary="Get the original file",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The file, as it was uploaded",
            "content": {kind: {} for kind in sorted({*MEDIA_TYPES.values(), OTHER_TYPE})},
        },
        **documented(HTTPStatus.NOT_FOUND),
    },
)
async def content(
    document_id: DocumentId, principal: MayReadDocuments, service: OwnService
) -> Response:
    """As it was uploaded, to be saved: browsers show none of it."""
    known, file = await service.documents.content(principal.tenant, document_id)
    suffix = f".{known.name.rpartition('.')[2].lower()}"
    name = known.name.rpartition("/")[2]
    return StreamingResponse(
        _chunks(file),
        media_type=MEDIA_TYPES.get(suffix, OTHER_TYPE),
        headers={**GUARDED, "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
    )


@router.get(
    "/{document_id}/pages/{page}",
    summary="Read a page",
    responses=documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
async def read(
    document_id: DocumentId,
    page: PageNumber,
    principal: MayReadDocuments,
    service: OwnService,
    start: Place = 0,
    end: Place = 0,
) -> ReadPage:
    """The text of a page as it was read, and where the characters `start` to `end` of it, such as
    those of a citation, stand on the page's picture."""
    shown = await service.documents.shown(principal.tenant, document_id, page, start, end)
    file = shown.known.file
    pictured = file is not None and has_pictures(file.path)
    return page_of(shown, page, start, end, pictured=pictured)


@router.get(
    "/{document_id}/pages/{page}/image",
    summary="Get the picture of a page",
    response_class=Response,
    responses={
        200: {"description": "The page's picture", "content": {"image/png": {}}},
        **documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    },
)
async def image(
    document_id: DocumentId, page: PageNumber, principal: MayReadDocuments, service: OwnService
) -> Response:
    """A page of a PDF, 1,200 pixels wide."""
    png = await service.documents.picture(principal.tenant, document_id, page)
    return Response(png, media_type="image/png", headers=GUARDED)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _read_cursor(text: str) -> str:
    try:
        padded = text + "=" * (-len(text) % 4)
        return base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (ValueError, binascii.Error) as error:
        raise InputError("`after` is none that a page gave as `next`") from error
