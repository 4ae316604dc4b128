"""Threads as the OpenAPI document shows them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from serving.api.wire import Task, time_of
from serving.store.threads import ThreadRecord

THREAD: JsonDict = {"id": "7c1f0e5a9b7d4c6e8f2a1b3c5d7e9f01", "created_at": "2026-11-30T12:00:00Z"}


class Thread(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": THREAD})

    id: str
    created_at: datetime


class ThreadPage(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"threads": [THREAD]}})

    threads: list[Thread]
    next: str | None = Field(
        default=None, description="the next page's `after`; none: this is the last"
    )


class ThreadWithTasks(Thread):
    model_config = ConfigDict(json_schema_extra={"example": {**THREAD, "tasks": []}})

    tasks: list[Task] = Field(description="the oldest first")
    next: str | None = Field(
        default=None, description="the next page's `after`; none: this is the last"
    )


def thread_of(record: ThreadRecord) -> Thread:
    return Thread(id=record.id, created_at=time_of(record.created_s))
