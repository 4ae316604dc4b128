"""When the model says that the passages hold no answer."""

import pytest

from graph.answer import Answered, Refused
from graph.evidence import Passage
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, make_deps
from tests.graph.test_run import events_of, outcome, requests


@pytest.mark.parametrize(
    ("question", "abstention", "passages", "cause"),
    [
        (
            "Which colour has the logo?",
            "The passages do not say.",
            EN_PASSAGES,
            "no sentence of the passages shares enough words",
        ),
        ("로고는 무슨 색인가?", "문서에 없습니다.", KO_PASSAGES, "충분히 겹치는 문장이 없습니다"),
    ],
)
async def test_a_model_that_says_the_answer_is_not_there_is_believed_when_no_quote_contradicts(
    question: str, abstention: str, passages: tuple[Passage, ...], cause: str
) -> None:
    deps = make_deps({"answer": abstention}, FixedRetriever(passages))
    refusal = outcome(await events_of(deps, question))
    assert isinstance(refusal, Refused)
    assert refusal.reason == "not_in_documents"
    assert cause in refusal.message
    assert [removed.flag for removed in refusal.removed] == ["abstained"]
    assert requests(deps) == ["answer"]


MISNAMED = "How many prompt tokens does the prefix cache save on the Orion 7?"
MISNAMED_KO = "오리온 7에서 접두사 캐시는 토큰 몇 개를 아끼는가?"


@pytest.mark.parametrize(
    ("question", "abstention", "passages", "reason"),
    [
        (MISNAMED, "The passages do not say.", EN_PASSAGES, "not found"),
        (MISNAMED_KO, "문서에 없습니다.", KO_PASSAGES, "나오지 않"),
    ],
)
async def test_a_model_that_sees_no_answer_is_believed_when_a_name_or_number_is_missing(
    question: str, abstention: str, passages: tuple[Passage, ...], reason: str
) -> None:
    deps = make_deps({"answer": abstention}, FixedRetriever(passages))
    refusal = outcome(await events_of(deps, question))
    assert isinstance(refusal, Refused)
    assert refusal.reason == "not_in_documents"
    assert reason in refusal.message


@pytest.mark.parametrize(
    ("question", "abstention", "passages"),
    [
        ("How many prompt tokens does the cache save?", "The passages do not say.", EN_PASSAGES),
        ("접두사 캐시는 토큰 몇 개를 아끼는가?", "문서에 없습니다.", KO_PASSAGES),
    ],
)
async def test_a_model_that_sees_no_answer_is_not_believed_when_the_passages_hold_one(
    question: str, abstention: str, passages: tuple[Passage, ...]
) -> None:
    deps = make_deps({"answer": abstention}, FixedRetriever(passages))
    answer = outcome(await events_of(deps, question))
    assert isinstance(answer, Answered)
    assert any("768" in sentence.text for sentence in answer.sentences)
