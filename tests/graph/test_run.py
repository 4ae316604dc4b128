"""One task from question to events, on fakes: what goes where, and what is said about it."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from graph.answer import Answered, Refused
from graph.build import build_graph
from graph.errors import IndexEmpty, ModelRejected
from graph.events import AnswerGiven, Event, RefusalGiven, StepFinished, TaskFailed, UsageCounted
from graph.evidence import EVERYTHING, Passage, Retrieval, Scope
from graph.ports import Deps
from graph.run import Agent, run_task
from graph.state import AgentInput, Mode
from tests.fakes import (
    EN_PASSAGES,
    KO_PASSAGES,
    FixedRetriever,
    Line,
    ScriptedModel,
    make_deps,
    passage,
)

TRUE = "A prefix cache keeps the key and value tensors of prompt tokens [1]."
TRUE_KO = "접두사 캐시는 프롬프트 토큰의 키와 값 텐서를 보관한다 [1]."
FALSE = "A prefix cache costs 5,000 dollars a month [1]."
QUESTION = "What does a prefix cache keep?"
QUESTION_KO = "접두사 캐시는 무엇을 보관하나?"


async def events_of(
    deps: Deps,
    question: str = QUESTION,
    *,
    mode: Mode = "auto",
    agent: Agent | None = None,
    thread_id: str | None = None,
) -> list[Event]:
    agent = agent or build_graph(deps).compile()
    task_input = AgentInput(question=question, mode=mode, profile=None)
    return [event async for event in run_task(agent, task_input, deps, thread_id=thread_id)]


def outcome(events: list[Event]) -> Answered | Refused:
    (found,) = [event for event in events if isinstance(event, (AnswerGiven, RefusalGiven))]
    return found.answer if isinstance(found, AnswerGiven) else found.refusal


def requests(deps: Deps) -> list[str]:
    assert isinstance(deps.model, ScriptedModel)
    return [request.node for request in deps.model.requests]


@pytest.mark.parametrize(
    ("question", "line", "passages", "document"),
    [
        (QUESTION, TRUE, EN_PASSAGES, "caching.pdf"),
        (QUESTION_KO, TRUE_KO, KO_PASSAGES, "캐시.pdf"),
    ],
)
async def test_a_look_up_takes_one_call_and_cites_its_page(
    question: str, line: str, passages: tuple[Passage, ...], document: str
) -> None:
    deps = make_deps({"answer": line}, FixedRetriever(passages))
    answer = outcome(await events_of(deps, question))
    assert isinstance(answer, Answered)
    assert answer.text == line.replace(" [1].", ". [1]")
    assert [(c.number, c.document, c.page) for c in answer.citations] == [(1, document, 1)]
    assert requests(deps) == ["answer"]


@pytest.mark.parametrize(
    ("question", "language"),
    [("Who won the cup in 2018?", "en"), ("2018년 월드컵은 누가 이겼어?", "ko")],
)
async def test_a_foreign_question_is_refused_without_a_model_call(
    question: str, language: str
) -> None:
    deps = make_deps(retriever=FixedRetriever(score=0.1))
    refusal = outcome(await events_of(deps, question))
    assert isinstance(refusal, Refused)
    assert (refusal.reason, refusal.language) == ("out_of_domain", language)
    assert [nearest.document for nearest in refusal.nearest] == ["caching.pdf"]
    assert requests(deps) == []


@pytest.mark.parametrize(
    ("mode", "question", "calls"),
    [
        ("auto", QUESTION, ["answer"]),
        ("direct", "Compare both caches, then summarize them", ["answer"]),
        ("plan", QUESTION, ["plan", "answer", "summarize"]),
        ("auto", "Explain prefix caches, then summarize them", ["plan", "answer", "summarize"]),
        ("auto", "접두사 캐시를 설명하고 요약해 줘", ["plan", "answer", "summarize"]),
    ],
)
async def test_the_mode_and_the_question_decide_whether_a_plan_is_asked_for(
    mode: Mode, question: str, calls: list[str]
) -> None:
    plan = {
        "steps": [
            {"action": "answer", "focus": "prefix caches"},
            {"action": "summarize", "focus": "them", "after": [1]},
        ]
    }
    line, passages = (TRUE, EN_PASSAGES) if question.isascii() else (TRUE_KO, KO_PASSAGES)
    lines = {"plan": json.dumps(plan), **dict.fromkeys(("answer", "summarize"), line)}
    deps = make_deps(lines, FixedRetriever(passages))
    await events_of(deps, question, mode=mode)
    assert requests(deps) == calls


async def test_a_sentence_that_nothing_bears_is_asked_for_once_more_and_then_removed() -> None:
    deps = make_deps({"answer": f"{TRUE} {FALSE}", "revise": FALSE})
    answer = outcome(await events_of(deps))
    assert isinstance(answer, Answered)
    assert "5,000" not in answer.text
    assert [removed.text for removed in answer.removed] == [FALSE.replace(" [1]", "")] * 2
    assert requests(deps) == ["answer", "revise"]


async def test_a_revision_that_stands_joins_what_was_kept() -> None:
    better = "A response cache keeps whole answers for a time to live of 60 seconds [2]."
    deps = make_deps({"answer": f"{TRUE} {FALSE}", "revise": better})
    answer = outcome(await events_of(deps))
    assert isinstance(answer, Answered)
    assert answer.text == f"{TRUE.replace(' [1].', '. [1]')} {better.replace(' [2].', '. [2]')}"


async def test_when_no_sentence_stands_the_passages_are_quoted_and_the_answer_says_so() -> None:
    deps = make_deps({"answer": FALSE, "revise": FALSE})
    answer = outcome(await events_of(deps))
    assert isinstance(answer, Answered)
    assert all(sentence.quoted for sentence in answer.sentences)
    assert [degraded.what for degraded in answer.degraded] == ["verify"]


async def test_when_no_passage_addresses_the_question_it_is_refused() -> None:
    deps = make_deps({"answer": FALSE, "revise": FALSE})
    refusal = outcome(await events_of(deps, "Which colour has the logo of the vendor?"))
    assert isinstance(refusal, Refused)
    assert refusal.reason == "unsupported"


async def test_parallel_steps_end_before_the_step_that_reads_them_begins() -> None:
    plan = {
        "steps": [
            {"action": "retrieve", "query": "response cache"},
            {"action": "answer", "focus": "prefix cache"},
            {"action": "analyze", "focus": "both", "after": [1, 2]},
        ]
    }
    found = passage("A semantic cache compares embeddings.", document="semantic.pdf")
    retriever = FixedRetriever(further={"response cache": [found]})
    quoting = "A semantic cache compares embeddings [3]."
    lines = {"plan": json.dumps(plan), "answer": TRUE, "analyze": quoting}
    events = await events_of(make_deps(lines, retriever), mode="plan")
    steps = [event.result.step for event in events if isinstance(event, StepFinished)]
    assert (sorted(steps[:2]), steps[2]) == ([1, 2], 3)
    answer = outcome(events)
    assert isinstance(answer, Answered)
    assert answer.citations[0].document == "semantic.pdf"


async def test_a_failed_step_does_not_lose_the_others() -> None:
    plan = {
        "steps": [
            {"action": "answer", "focus": "prefix cache"},
            {"action": "analyze", "focus": "costs"},
        ]
    }
    lines: Mapping[str, Line] = {
        "plan": json.dumps(plan),
        "answer": TRUE,
        "analyze": ModelRejected("no analysis today"),
    }
    events = await events_of(make_deps(lines), mode="plan")
    answer = outcome(events)
    assert isinstance(answer, Answered)
    assert answer.text.startswith("A prefix cache keeps")
    assert [(one.what, one.why) for one in answer.degraded] == [("analyze", "no analysis today")]


async def test_when_the_last_step_fails_what_it_would_have_read_is_the_answer() -> None:
    plan = {
        "steps": [
            {"action": "answer", "focus": "prefix cache"},
            {"action": "summarize", "focus": "in short", "after": [1]},
        ]
    }
    lines: Mapping[str, Line] = {
        "plan": json.dumps(plan),
        "answer": TRUE,
        "summarize": ModelRejected("no summary today"),
    }
    answer = outcome(await events_of(make_deps(lines), mode="plan"))
    assert isinstance(answer, Answered)
    assert [(one.text, one.quoted) for one in answer.sentences] == [
        (TRUE.replace(" [1]", ""), False)
    ]
    assert [one.why for one in answer.degraded] == ["no summary today"]


@pytest.mark.parametrize("question", ["", "   ", "무엇" * 50_000, "what " * 20_000])
async def test_a_question_that_cannot_be_read_is_an_error_and_costs_nothing(question: str) -> None:
    deps = make_deps()
    events = await events_of(deps, question)
    (failed,) = [event for event in events if isinstance(event, TaskFailed)]
    assert failed.error == "InputError"
    assert requests(deps) == []


async def test_an_error_of_the_index_ends_the_task_and_is_no_refusal() -> None:
    retriever = FixedRetriever(error=IndexEmpty("the index holds no passage"))
    events = await events_of(make_deps(retriever=retriever))
    assert [event.type for event in events if event.type in ("error", "refusal", "answer")] == [
        "error"
    ]


async def test_a_defect_of_ours_is_raised_and_not_mended_by_a_fallback() -> None:
    deps = make_deps({"answer": ZeroDivisionError("a defect")})
    with pytest.raises(ZeroDivisionError):
        await events_of(deps)


async def test_the_bill_is_the_last_event_of_every_task() -> None:
    for deps in (make_deps({"answer": TRUE}), make_deps(retriever=FixedRetriever(score=0.0))):
        last = (await events_of(deps))[-1]
        assert isinstance(last, UsageCounted)
        assert "retrieve" in last.node_seconds


@pytest.mark.parametrize(("question", "line"), [(QUESTION, TRUE), (QUESTION_KO, TRUE_KO)])
async def test_a_look_up_with_a_profile_is_answered_for_that_reader(
    question: str, line: str
) -> None:
    deps = make_deps({"personalize": line}, FixedRetriever((*EN_PASSAGES, *KO_PASSAGES)))
    task_input = AgentInput(question=question, mode="auto", profile="초보 운영자")
    async for _ in run_task(build_graph(deps).compile(), task_input, deps):
        pass
    assert requests(deps) == ["personalize"]
    assert isinstance(deps.model, ScriptedModel)
    assert "초보 운영자" in deps.model.requests[0].messages[1].content


async def test_what_a_later_search_went_without_is_said() -> None:
    plan = {
        "steps": [
            {"action": "retrieve", "query": "response cache"},
            {"action": "answer", "focus": "prefix cache", "after": [1]},
        ]
    }
    deps = make_deps({"plan": json.dumps(plan), "answer": TRUE}, WordsAloneLater())
    answer = outcome(await events_of(deps, mode="plan"))
    assert [degraded.why for degraded in answer.degraded] == ["searched by words alone"]


class WordsAloneLater(FixedRetriever):
    """The embedder breaks after the first search."""

    async def search(self, query: str, *, limit: int, scope: Scope = EVERYTHING) -> Retrieval:
        found = await super().search(query, limit=limit, scope=scope)
        later = len(self.queries) > 1
        return found.model_copy(update={"degraded": ("searched by words alone",) if later else ()})


async def test_a_search_that_never_ends_is_an_error_and_no_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graph.binding.RETRIEVAL_TIMEOUT_S", 0.2)

    class Endless(FixedRetriever):
        async def search(self, query: str, *, limit: int, scope: Scope = EVERYTHING) -> Retrieval:
            await asyncio.sleep(3_600)
            raise AssertionError

    events = await events_of(make_deps(retriever=Endless()))
    (failed,) = [event for event in events if isinstance(event, TaskFailed)]
    assert failed.error == "DeadlineExceeded"
