"""Examples in the OpenAPI document, made by the code that makes the answers."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from graph.answer import Answered, CallRecord, Sentence
from graph.events import UsageCounted
from graph.evidence import DomainSignal, Hit, Passage, Retrieval, cite
from graph.transcript import Transcript
from serving.api.chat.completion import completion_of
from serving.api.wire import TaskPage, cursor, task_of
from serving.store.tasks import TaskRecord

EVENT_STREAM = "text/event-stream"

_ID = "55e41647176e42b3adf208fad4e8596b"

_PASSAGE = Passage(
    id="2f1c9a",
    document="handbook/휴가.pdf",
    title="휴가 규정",
    page=2,
    start=0,
    end=30,
    text="신입 사원의 연차 휴가는 입사한 해에 15일이다.",
)

_ANSWERED = Answered(
    sentences=(Sentence(text=_PASSAGE.text, citations=(1,), support=1.0, quoted=True),),
    citations=(cite(1, _PASSAGE),),
    language="ko",
)

_CALL = CallRecord(
    id="60cb4528bb014c8b89a2bed183d13bf9",
    node="answer",
    step=1,
    prompt_tokens=1_241,
    cached_tokens=1_088,
    output_tokens=29,
    seconds=0.81,
    outcome="ok",
)

_USAGE = UsageCounted(calls=(_CALL,), node_seconds={"retrieve": 0.02, "answer": 0.82}, seconds=0.9)

_RECORD = TaskRecord(
    id=_ID,
    tenant="acme",
    asked={"question": "신입 사원의 휴가는 며칠인가요?", "mode": "direct"},
    status="answered",
    result=Transcript(task_id=_ID, outcome=_ANSWERED, usage=_USAGE).as_json(),
    attached=True,
    created_s=1_796_040_000.0,
    ended_s=1_796_040_000.9,
    thread=None,
    trace_id=None,
)

TASK = task_of(_RECORD)
TASKS = TaskPage(tasks=[TASK], next=cursor(_RECORD))
COMPLETION = completion_of(_RECORD, "knowledge-agent")

RETRIEVAL = Retrieval(
    hits=(Hit(passage=_PASSAGE, dense=0.71, lexical=6.2, fused=0.97),),
    domain=DomainSignal(score=0.9, bound=0.5, dense_top=0.71, coverage=0.8, method="calibrated"),
)


def streamed(events: str) -> dict[str, Any]:
    """For a response that is `text/event-stream`, besides other media types."""
    words = {"type": "string"}
    event = {
        "type": "object",
        "required": ["data"],
        "properties": {"id": words, "event": words, "data": words},
    }
    # Of one event, as OpenAPI 3.2 has it; 3.1 knows only the stream as a whole.
    return {EVENT_STREAM: {"schema": words, "itemSchema": event, "example": events}}


def shown(value: BaseModel, also: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """For a successful response in a route's `responses`; `also` by other media types."""
    example = {"example": value.model_dump(mode="json")}
    return {"content": {"application/json": example, **(also or {})}}
