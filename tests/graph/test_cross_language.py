"""A question in another language than the passages: words cannot be compared, meanings can."""

import pytest

from graph.answer import Answered, Refused
from graph.evidence import Passage
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, make_deps
from tests.graph.test_run import events_of, outcome

CASES = [
    (
        "응답을 얼마 동안 보관하나요?",
        EN_PASSAGES,
        "A response cache keeps whole answers",
        "뜻이 가장",
    ),
    (
        "How long are answers kept?",
        KO_PASSAGES,
        "응답 캐시는 답변 전체를",
        "nearest ones in meaning",
    ),
]


@pytest.mark.parametrize(("question", "passages", "words", "note"), CASES)
async def test_the_sentences_nearest_in_meaning_are_quoted_and_said_to_be_unchecked(
    question: str, passages: tuple[Passage, ...], words: str, note: str
) -> None:
    answering = passages[1].text
    retriever = FixedRetriever(passages, near={answering: 0.9})
    answer = outcome(await events_of(make_deps({"answer": "?"}, retriever), question))
    assert isinstance(answer, Answered)
    assert any(sentence.text.startswith(words) for sentence in answer.sentences)
    assert all(sentence.quoted for sentence in answer.sentences)
    assert any(note in each.why for each in answer.degraded)


@pytest.mark.parametrize(("question", "passages", "words", "note"), CASES)
async def test_without_vectors_the_first_sentences_of_the_nearest_passages_are_quoted(
    question: str, passages: tuple[Passage, ...], words: str, note: str
) -> None:
    answer = outcome(
        await events_of(make_deps({"answer": "?"}, FixedRetriever(passages)), question)
    )
    assert isinstance(answer, Answered)
    assert {sentence.citations for sentence in answer.sentences} == {(1,), (2,)}


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("로고는 무슨 색인가요?", (*KO_PASSAGES, *EN_PASSAGES)),
        ("Which colour has the logo?", (*EN_PASSAGES, *KO_PASSAGES)),
    ],
)
async def test_where_the_best_passages_are_in_its_language_no_other_is_quoted_instead(
    question: str, passages: tuple[Passage, ...]
) -> None:
    near = {passage.text: 0.9 for passage in passages}
    deps = make_deps({"answer": "?"}, FixedRetriever(passages, near=near))
    assert isinstance(outcome(await events_of(deps, question)), Refused)
