"""The model's own verdict: asked for where it counts, believed as its rule says, gone without."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer import Answered, Refused
from graph.build import build_graph
from graph.errors import AgentError, ModelOutputUnusable, ModelRejected, ModelUnavailable
from graph.evidence import Passage, VerdictRule
from graph.ports import Deps, Limits
from graph.state import Mode
from nodes.prompt import shared_prefix
from tests.fakes import (
    EN_PASSAGES,
    KO_PASSAGES,
    FixedRetriever,
    Line,
    ScriptedModel,
    make_deps,
    verdict_rule,
)
from tests.graph.test_run import QUESTION, QUESTION_KO, TRUE, TRUE_KO, events_of, outcome, requests

PLAN = '{"steps": [{"action": "answer", "focus": "prefix cache", "after": []}]}'
BOTH = [(QUESTION, EN_PASSAGES, TRUE), (QUESTION_KO, KO_PASSAGES, TRUE_KO)]


def deps_of(
    verdict: Line | list[Line],
    passages: tuple[Passage, ...] = EN_PASSAGES,
    answer: str = TRUE,
    *,
    rule: VerdictRule | None = None,
    limits: Limits | None = None,
) -> Deps:
    lines = {"verdict": verdict, "plan": PLAN, "answer": answer, "rewrite": QUESTION}
    retriever = FixedRetriever(passages, verdict=rule or verdict_rule())
    return make_deps(lines, retriever, limits=limits)


@pytest.mark.parametrize("mode", ["auto", "direct", "plan"])
@pytest.mark.parametrize(("question", "passages", "answer"), BOTH)
async def test_a_question_without_an_answer_is_refused_at_the_price_of_one_call(
    question: str, passages: tuple[Passage, ...], answer: str, mode: Mode
) -> None:
    deps = deps_of("No", passages, answer)
    refusal = outcome(await events_of(deps, question, mode=mode))
    assert isinstance(refusal, Refused)
    assert (refusal.reason, refusal.degraded) == ("not_in_documents", ())
    assert refusal.nearest[0].document == passages[0].document
    assert requests(deps) == ["verdict"]


@pytest.mark.parametrize(("mode", "planned"), [("auto", []), ("direct", []), ("plan", ["plan"])])
@pytest.mark.parametrize(("question", "passages", "answer"), BOTH)
async def test_a_question_with_an_answer_goes_on_in_its_mode(
    question: str, passages: tuple[Passage, ...], answer: str, mode: Mode, planned: list[str]
) -> None:
    deps = deps_of("Yes", passages, answer)
    given = outcome(await events_of(deps, question, mode=mode))
    assert isinstance(given, Answered)
    assert given.degraded == ()
    assert requests(deps) == ["verdict", *planned, "answer"]


async def test_the_verdict_is_one_token_behind_the_prefix_of_the_task() -> None:
    deps = deps_of("Yes")
    await events_of(deps)
    assert isinstance(deps.model, ScriptedModel)
    asked, answered = deps.model.requests
    prefix = shared_prefix(EN_PASSAGES, QUESTION)
    assert asked.messages[0] == answered.messages[0]
    assert asked.messages[1].content.startswith(prefix)
    assert (asked.choices, asked.max_tokens) == (("Yes", "No"), 1)


async def test_without_a_rule_the_model_is_not_asked() -> None:
    deps = make_deps({"answer": TRUE})
    await events_of(deps)
    assert requests(deps) == ["answer"]


@pytest.mark.parametrize("mode", ["direct", "plan"])
@pytest.mark.parametrize(
    ("error", "calls"),
    [
        (ModelRejected("no such option"), 1),
        (ModelOutputUnusable("no logprobs"), 1),
        (ModelUnavailable("down"), 3),
    ],
)
async def test_a_task_whose_verdict_fails_goes_on_and_says_so(
    error: AgentError, calls: int, mode: Mode
) -> None:
    deps = deps_of(error)
    answer = outcome(await events_of(deps, mode=mode))
    assert isinstance(answer, Answered)
    assert [(each.what, each.why) for each in answer.degraded] == [("verdict", str(error))]
    planned = ["plan"] if mode == "plan" else []
    assert requests(deps) == ["verdict"] * calls + [*planned, "answer"]


async def test_a_verdict_that_comes_at_the_second_attempt_leaves_no_trace_in_the_answer() -> None:
    deps = deps_of([ModelUnavailable("busy"), "Yes"])
    answer = outcome(await events_of(deps))
    assert answer.degraded == ()
    assert requests(deps) == ["verdict", "verdict", "answer"]


async def test_the_rule_of_another_model_is_not_used_and_the_answer_says_so() -> None:
    deps = deps_of("No", rule=verdict_rule(model="another"))
    answer = outcome(await events_of(deps))
    assert isinstance(answer, Answered)
    assert "knowledge-agent calibrate --model" in answer.degraded[0].why
    assert requests(deps) == ["answer"]


async def test_the_rule_of_another_prompt_is_not_used_either() -> None:
    rule = verdict_rule().model_copy(update={"method": "another"})
    deps = deps_of("No", rule=rule)
    assert isinstance(outcome(await events_of(deps)), Answered)
    assert requests(deps) == ["answer"]


async def test_a_verdict_counts_against_the_call_limit_like_any_call() -> None:
    deps = deps_of("Yes", limits=Limits(model_calls=1))
    answer = outcome(await events_of(deps))
    assert isinstance(answer, Answered)
    assert all(sentence.quoted for sentence in answer.sentences)
    assert requests(deps) == ["verdict"]


@pytest.mark.parametrize(
    ("question", "passages", "kind"),
    [
        (QUESTION, EN_PASSAGES, "answered"),
        (QUESTION_KO, KO_PASSAGES, "answered"),
        ("Which colour has the logo?", EN_PASSAGES, "refused"),
        ("로고는 무슨 색인가?", KO_PASSAGES, "refused"),
    ],
)
async def test_a_model_in_doubt_is_outweighed_by_words_that_the_passages_hold(
    question: str, passages: tuple[Passage, ...], kind: str
) -> None:
    rule = verdict_rule().model_copy(update={"words_weight": 1.0, "bound": -2.0})
    deps = deps_of("No", passages, TRUE_KO if passages is KO_PASSAGES else TRUE, rule=rule)
    assert outcome(await events_of(deps, question)).kind == kind


async def test_the_verdict_on_one_question_is_not_that_on_the_next() -> None:
    deps = deps_of(["No", ModelRejected("no"), "Yes"])
    agent = build_graph(deps).compile(checkpointer=InMemorySaver())
    outcomes = [outcome(await events_of(deps, agent=agent, thread_id="t")) for _ in range(3)]
    assert [found.kind for found in outcomes] == ["refused", "answered", "answered"]
