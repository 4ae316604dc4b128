"""Documents and jobs as the OpenAPI document shows them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from knowledge.report import Phase
from serving.api.documents import Known, ShownPage, Status
from serving.api.problems import Problem, problem_of
from serving.api.wire import time_of
from serving.store.jobs import JobRecord, JobStatus
from serving.store.uploads import document_id

ROOT = "/v1/documents"


DOCUMENT: JsonDict = {
    "id": "3c1f0e5a9b7d4c6e8f2a1b3c5d7e9f01",
    "name": "휴가.pdf",
    "title": "휴가 규정",
    "bytes": 48_213,
    "pages": 4,
    "passages": 9,
    "status": "indexed",
    "changed_at": "2026-11-30T12:00:00Z",
}
JOB: JsonDict = {
    "id": "5d7e9f013c1f0e5a9b7d4c6e8f2a1b3c",
    "kind": "index",
    "status": "running",
    "progress": {"phase": "embed", "done": 64, "total": 310},
    "created_at": "2026-11-30T12:00:00Z",
    "started_at": "2026-11-30T12:00:01Z",
}


class Document(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": DOCUMENT})

    id: str = Field(description="the same when the document is replaced by one of its name")
    name: str = Field(description="as citations name it")
    title: str | None = Field(default=None, description="of what was read; null: nothing yet")
    bytes: int
    pages: int | None = Field(default=None, description="the last page with text")
    passages: int | None = None
    status: Status = Field(description="waiting: to be read by a job, for the first time or anew")
    reason: str | None = Field(
        default=None, description="why it cannot be read, or what of it could not"
    )
    changed_at: datetime | None = Field(default=None, description="when it was uploaded last")


class DocumentPage(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"documents": [DOCUMENT]}})

    documents: list[Document]
    next: str | None = Field(
        default=None, description="the next page's `after`; none: this is the last"
    )


class JobProgress(BaseModel):
    phase: Phase = Field(description="read counts documents, embed passages, calibrate questions")
    done: int
    total: int


class JobFile(BaseModel):
    """A document that the job has changed something about, or could not read."""

    id: str
    name: str
    status: str = Field(examples=["indexed", "updated", "renamed", "removed", "encrypted"])
    reason: str | None = None


class JobReport(BaseModel):
    files: list[JobFile]
    files_left_out: int = Field(description="of a report that is too long to be kept")
    documents: int = Field(description="that can be searched now")
    passages: int
    seconds: float


class Job(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": JOB})

    id: str
    kind: str
    status: JobStatus
    progress: JobProgress | None = Field(
        default=None, description="null: it has not begun to count"
    )
    report: JobReport | None = None
    error: Problem | None = Field(
        default=None, description="why it failed, or what is still to be done"
    )
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None


class JobPage(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"jobs": [JOB]}})

    jobs: list[Job]


class Uploaded(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"job": JOB, "documents": [DOCUMENT]}})

    job: Job
    documents: list[Document]


class Marked(BaseModel):
    start: int
    end: int


class Box(BaseModel):
    """From 0 to 1: shares of the picture's width and height, from its top left."""

    x: float
    y: float
    width: float
    height: float


class ReadPage(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "document": DOCUMENT,
                "page": 2,
                "pages": 4,
                "text": "신입 사원은 첫해에 휴가 11일을 받는다.",
                "marked": {"start": 0, "end": 22},
                "image": f"/v1/documents/{DOCUMENT['id']}/pages/2/image",
                "boxes": [{"x": 0.12, "y": 0.2, "width": 0.5, "height": 0.02}],
            }
        }
    )

    document: Document
    page: int
    pages: int
    text: str = Field(description="as it was read: citations count its characters")
    marked: Marked | None = None
    image: str | None = Field(
        default=None, description="a picture of the page; null: this type has none"
    )
    boxes: list[Box] = Field(description="what is marked, on the picture; empty: not found there")


def document_of(known: Known) -> Document:
    file, held = known.file, known.held
    is_read = held is not None and known.status == "indexed"
    return Document(
        id=known.id,
        name=known.name,
        title=held.row.title if held and is_read else None,
        bytes=file.bytes if file else held.row.bytes if held else 0,
        pages=held.pages if held and is_read else None,
        passages=held.passages if held and is_read else None,
        status=known.status,
        reason=(held.row.reason or None) if held and known.status != "waiting" else None,
        changed_at=time_of(file.changed_s) if file else None,
    )


def page_of(shown: ShownPage, page: int, start: int, end: int, *, pictured: bool) -> ReadPage:
    document = document_of(shown.known)
    return ReadPage(
        document=document,
        page=page,
        pages=document.pages or 0,
        text=shown.text,
        marked=Marked(start=start, end=end) if end > start else None,
        image=f"{ROOT}/{document.id}/pages/{page}/image" if pictured else None,
        boxes=[Box(x=box.x, y=box.y, width=box.width, height=box.height) for box in shown.boxes],
    )


def job_of(record: JobRecord) -> Job:
    result: Mapping[str, Any] = record.result or {}
    error = result.get("error")
    return Job(
        id=record.id,
        kind=record.kind,
        status=record.status,
        progress=JobProgress.model_validate(record.progress) if record.progress else None,
        report=_report_of(record.tenant, result) if "files" in result else None,
        error=problem_of(error, result["message"]) if error else None,
        created_at=time_of(record.created_s),
        started_at=None if record.started_s is None else time_of(record.started_s),
        ended_at=None if record.ended_s is None else time_of(record.ended_s),
    )


def _report_of(tenant: str, result: Mapping[str, Any]) -> JobReport:
    files = [
        JobFile(
            id=document_id(tenant, file["path"]),
            name=file["path"],
            status=file["status"],
            reason=file["reason"] or None,
        )
        for file in result["files"]
    ]
    return JobReport.model_validate({**result, "files": files})
