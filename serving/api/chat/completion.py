"""What a client gets: how a task ended, in OpenAI's shape."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from graph.answer import Degraded, Nearest, RefusalReason
from graph.evidence import Citation
from serving.api.chat.errors import OpenAIError
from serving.api.wire import Task, task_of
from serving.api.wire_documents import ROOT
from serving.store.tasks import TaskRecord
from serving.store.uploads import document_id

FinishReason = Literal["stop", "length"]

MARK = re.compile(r"\[(\d+)\]")


class UrlCitation(BaseModel):
    """`start_index` and `end_index` are those of the mark, such as [2], in the content: characters,
    the last one not included."""

    start_index: int
    end_index: int
    title: str
    url: str = Field(description="of the page at this server, with the cited passage marked")
    number: int
    document: str
    page: int
    passage_id: str


class Annotation(BaseModel):
    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ChatAnswer(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation] = Field(default=[], description="one for each mark")


class Choice(BaseModel):
    index: Literal[0] = 0
    message: ChatAnswer
    finish_reason: FinishReason
    logprobs: None = None


class PromptTokensDetails(BaseModel):
    cached_tokens: int


class CompletionUsage(BaseModel):
    """Of all model calls of the task."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails


class AgentReport(BaseModel):
    """What OpenAI's shape has no place for."""

    task_id: str
    status: Literal["answered", "refused", "completed"]
    refusal_reason: RefusalReason | None = None
    nearest: list[Nearest] = Field(default=[], description="near documents, of a refusal")
    degraded: list[Degraded] = []


class ChatCompletion(BaseModel):
    id: str = Field(description="chatcmpl- and the id of the task")
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: CompletionUsage
    knowledge_agent: AgentReport


def completion_of(record: TaskRecord, model: str) -> ChatCompletion:
    """Raises `OpenAIError` for a task that ended without a text."""
    task = task_of(record)
    content, annotations, finish_reason = _text(task, record.tenant)
    assert task.usage is not None  # it has ended
    return ChatCompletion(
        id=completion_id(task.id),
        created=int(record.created_s),
        model=model,
        choices=[
            Choice(
                message=ChatAnswer(content=content, annotations=annotations),
                finish_reason=finish_reason,
            )
        ],
        usage=CompletionUsage(
            prompt_tokens=task.usage.prompt_tokens,
            completion_tokens=task.usage.output_tokens,
            total_tokens=task.usage.prompt_tokens + task.usage.output_tokens,
            prompt_tokens_details=PromptTokensDetails(cached_tokens=task.usage.cached_tokens),
        ),
        knowledge_agent=_report(task),
    )


def completion_id(task_id: str) -> str:
    return f"chatcmpl-{task_id}"


def _text(task: Task, tenant: str) -> tuple[str, list[Annotation], FinishReason]:
    if (answer := task.answer) is not None:
        return answer.text, list(_annotations(answer.text, answer.citations, tenant)), "stop"
    if task.refusal is not None:
        return task.refusal.message, [], "stop"
    if task.completion is not None:
        return task.completion.text, [], "length" if task.completion.cut_off else "stop"
    raise _error(task)


def _error(task: Task) -> OpenAIError:
    if task.error is not None:
        name = task.error.type.rpartition(":")[2]
        return OpenAIError(name, task.error.detail, task_id=task.id)
    if task.status == "cancelled" and task.cancelled != "shutdown":
        return OpenAIError("TaskCancelled", "the task was cancelled", task_id=task.id)
    message = "the server that ran the task has ended, or cannot write down its end; send it again"
    return OpenAIError("TaskInterrupted", message, task_id=task.id)


def _annotations(text: str, citations: list[Citation], tenant: str) -> Iterator[Annotation]:
    by_number: Mapping[int, Citation] = {one.number: one for one in citations}
    for mark in MARK.finditer(text):
        if (cited := by_number.get(int(mark[1]))) is not None:
            yield Annotation(
                url_citation=UrlCitation(
                    start_index=mark.start(),
                    end_index=mark.end(),
                    title=cited.title,
                    url=_page_url(tenant, cited),
                    number=cited.number,
                    document=cited.document,
                    page=cited.page,
                    passage_id=cited.passage_id,
                )
            )


def _page_url(tenant: str, cited: Citation) -> str:
    page = f"{ROOT}/{document_id(tenant, cited.document)}/pages/{cited.page}"
    return f"{page}?start={cited.start}&end={cited.end}"


def _report(task: Task) -> AgentReport:
    told: dict[str, Any] = {"task_id": task.id, "status": task.status}
    if task.refusal is not None:
        told["refusal_reason"] = task.refusal.reason
        told["nearest"] = task.refusal.nearest
    if (found := task.answer or task.refusal) is not None:
        told["degraded"] = found.degraded
    return AgentReport.model_validate(told)
