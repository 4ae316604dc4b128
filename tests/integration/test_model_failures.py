"""Whatever the model server does, the task ends well, and says what it went without."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable

import pytest

from graph.answer import Answered
from graph.build import build_graph
from graph.events import TokenDrafted
from graph.evidence import Passage
from graph.ports import Deps, Limits
from graph.run import run_task
from graph.state import AgentInput, Mode
from graph.transcript import Transcript
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_DEGRADED, exit_code_of
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever
from tests.stub_engine import PLAN, BreakOff, Fail, Hang, Say, StubEngine
from tests.waiting import until

LOOK_UP = "What does a prefix cache keep?"
LOOK_UP_KO = "접두사 캐시는 무엇을 보관하나?"
COMPLEX = "What does a prefix cache keep? Then summarize it."
FIRST_SENTENCE = "A prefix cache keeps the key and value tensors of prompt tokens."

DepsFactory = Callable[..., Deps]


@pytest.fixture
async def make_deps(stub_engine: StubEngine) -> AsyncIterator[DepsFactory]:
    opened: list[GatewayModel] = []

    def make(limits: Limits | None = None, retriever: FixedRetriever | None = None) -> Deps:
        ledger = MemoryLedger()
        opened.append(GatewayModel(ModelServer(stub_engine.url, None, None), ledger, None))
        return Deps(
            model=opened[-1],
            ledger=ledger,
            retriever=retriever or FixedRetriever(),
            limits=limits or Limits(),
        )

    yield make
    for model in opened:
        await model.aclose()


async def transcript_of(deps: Deps, question: str, mode: Mode = "auto") -> Transcript:
    transcript = Transcript()
    agent = build_graph(deps).compile()
    async for event in run_task(agent, AgentInput(question=question, mode=mode), deps):
        transcript.take(event)
    return transcript


def quoted(transcript: Transcript) -> bool:
    outcome = transcript.outcome
    return isinstance(outcome, Answered) and all(one.quoted for one in outcome.sentences)


async def test_a_healthy_server_gives_a_whole_answer(make_deps: DepsFactory) -> None:
    transcript = await transcript_of(make_deps(), LOOK_UP)
    assert exit_code_of(transcript) == EXIT_ANSWERED
    assert isinstance(transcript.outcome, Answered)
    assert transcript.outcome.text == f"{FIRST_SENTENCE} [1]"
    assert transcript.failures == []


@pytest.mark.parametrize(
    ("question", "passages"), [(LOOK_UP, EN_PASSAGES), (LOOK_UP_KO, KO_PASSAGES)]
)
async def test_without_a_server_the_passages_are_quoted_and_the_answer_says_why(
    question: str, passages: tuple[Passage, ...], stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    deps = make_deps(retriever=FixedRetriever(passages))
    stub_engine.stop()
    transcript = await transcript_of(deps, question)
    assert quoted(transcript)
    assert exit_code_of(transcript) == EXIT_DEGRADED
    assert transcript.outcome is not None
    assert "cannot be reached" in transcript.outcome.degraded[0].why


async def test_a_server_that_dies_within_a_step_leaves_an_answer_of_quotes(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.extend([Say(json.dumps(PLAN)), BreakOff(), Fail(500), Fail(500)])
    stub_engine.script.extend([Fail(500)] * 6)
    transcript = await transcript_of(make_deps(), COMPLEX)
    assert quoted(transcript)
    assert exit_code_of(transcript) == EXIT_DEGRADED
    assert [step.failure is not None for step in transcript.steps] == [True, True]


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_server_that_fails_once_is_asked_again(
    status: int, stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.append(Fail(status))
    transcript = await transcript_of(make_deps(), LOOK_UP)
    assert exit_code_of(transcript) == EXIT_ANSWERED
    assert transcript.usage is not None
    assert [call.outcome for call in transcript.usage.calls] == ["failed", "ok"]
    assert [failure.fallback for failure in transcript.failures] == ["answer"]


async def test_a_call_that_is_rejected_is_not_repeated(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.append(Fail(401, "no such key"))
    transcript = await transcript_of(make_deps(), LOOK_UP)
    assert len(stub_engine.requests) == 1
    assert quoted(transcript)
    assert transcript.outcome is not None
    assert "no such key" in transcript.outcome.degraded[0].why


async def test_a_server_that_hangs_costs_no_more_than_the_deadline(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.extend([Hang()] * 9)
    started = time.monotonic()
    transcript = await transcript_of(make_deps(Limits(deadline_s=1.0)), COMPLEX)
    assert time.monotonic() - started < 10
    assert quoted(transcript)
    assert exit_code_of(transcript) == EXIT_DEGRADED
    assert {failure.error for failure in transcript.failures} == {
        "ModelTimeout",
        "DeadlineExceeded",
    }


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("I would first look it up.", "not JSON"),
        ('{"steps": [{"action": "browse", "focus": "the web"}]}', "browse"),
        ('{"steps": []}', "at least 1"),
        (
            '{"steps": [{"action": "answer", "focus": "x", "after": [2]},'
            ' {"action": "summarize", "focus": "x", "after": []}]}',
            "step 1 reads step 2",
        ),
        ('{"steps": [{"action": "answer", "focus": "prefix cache"}]}', "asks for summarize"),
    ],
)
async def test_a_bad_plan_is_asked_for_once_more_and_then_made_by_rules(
    reply: str, complaint: str, stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.extend([Say(reply), Say(reply)])
    transcript = await transcript_of(make_deps(), COMPLEX)
    assert transcript.made is not None
    assert transcript.made.maker == "rules"
    assert complaint in transcript.made.reason
    assert complaint in stub_engine.requests[1]["messages"][-1]["content"]
    (failure,) = transcript.failures
    assert (failure.error, failure.fallback) == ("PlanInvalid", "plan_by_rules")
    assert exit_code_of(transcript) == EXIT_ANSWERED


async def test_a_second_plan_that_is_valid_is_used(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.append(Say('{"steps": []}'))
    transcript = await transcript_of(make_deps(), COMPLEX)
    assert transcript.made is not None
    assert transcript.made.maker == "model"
    assert "at least 1" in transcript.made.reason


async def test_evidence_is_cut_to_a_small_window(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.max_model_len = 1_600
    long = tuple(one.model_copy(update={"text": one.text + " filler" * 60}) for one in EN_PASSAGES)
    transcript = await transcript_of(make_deps(retriever=FixedRetriever(long)), LOOK_UP)
    prompt = stub_engine.requests[0]["messages"][-1]["content"]
    assert "[1]" in prompt
    assert "\n[2]" not in prompt
    assert exit_code_of(transcript) == EXIT_ANSWERED


async def test_a_prompt_too_long_for_the_model_ends_in_quotes(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    overflow = Fail(400, "This model's maximum context length is 100 tokens")
    stub_engine.script.extend([overflow] * 4)
    transcript = await transcript_of(make_deps(), LOOK_UP)
    assert quoted(transcript)
    assert [failure.error for failure in transcript.failures] == ["ContextOverflow"]


async def test_an_empty_text_is_a_failure_and_no_answer(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.append(Say("   "))
    transcript = await transcript_of(make_deps(), LOOK_UP)
    assert quoted(transcript)
    assert [failure.error for failure in transcript.failures] == ["ModelOutputUnusable"]


async def test_the_call_limit_ends_the_task_with_what_it_has(make_deps: DepsFactory) -> None:
    transcript = await transcript_of(make_deps(Limits(model_calls=2)), COMPLEX)
    assert isinstance(transcript.outcome, Answered)
    assert transcript.usage is not None
    assert len(transcript.usage.calls) == 2
    assert [failure.error for failure in transcript.failures] == ["CallLimitExceeded"]


async def test_who_leaves_the_stream_cancels_the_call(
    stub_engine: StubEngine, make_deps: DepsFactory
) -> None:
    stub_engine.script.append(Hang())
    deps = make_deps()
    events = run_task(build_graph(deps).compile(), AgentInput(question=LOOK_UP), deps)

    async def read() -> None:
        async for event in events:
            assert not isinstance(event, TokenDrafted)

    reader = asyncio.create_task(read())
    await until(lambda: stub_engine.open_streams == 1)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    await events.aclose()
    await until(lambda: stub_engine.open_streams == 0)


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("How often is the starter fed?", EN_PASSAGES),
        ("발효종은 얼마나 자주 먹이는가?", KO_PASSAGES),
    ],
)
async def test_without_a_server_nobody_says_that_the_documents_do_not_hold_the_answer(
    question: str,
    passages: tuple[Passage, ...],
    stub_engine: StubEngine,
    make_deps: DepsFactory,
) -> None:
    deps = make_deps(retriever=FixedRetriever(passages))
    stub_engine.stop()
    transcript = await transcript_of(deps, question)
    assert quoted(transcript)
    assert exit_code_of(transcript) == EXIT_DEGRADED
    assert transcript.outcome is not None
    assert {degraded.what for degraded in transcript.outcome.degraded} == {"answer", "extract"}
