"""Questions by rule, from sentences of both languages."""

import pytest

from evals.starter.english import english_fact
from evals.starter.korean import asking, korean_fact, topic_particle

ENGLISH = [
    (
        "When a task is cancelled, the node closes its connection to the server.",
        "What happens when a task is cancelled?",
        "the node closes its connection to the server",
    ),
    (
        "Requests are a poor unit for tokens because one may cost a hundred times another.",
        "Why are requests a poor unit for tokens?",
        "one may cost a hundred times another",
    ),
    (
        "The gateway stores only a hash of an API key.",
        "What does the gateway store?",
        "only a hash of an API key",
    ),
    (
        "Every tenant may hold two valid keys at once.",
        "How many valid keys may every tenant hold at once?",
        "two",
    ),
    (
        "Ray Serve is the model serving library of Ray.",
        "What is Ray Serve?",
        "the model serving library of Ray",
    ),
    (
        "The choice of a loop follows from the variance of the task.",
        "What does the choice of a loop follow from?",
        "the variance of the task",
    ),
]
KOREAN = [
    (
        "접두사 캐시를 여러 테넌트가 공유하면 시간 차이로 정보가 샌다.",
        "접두사 캐시를 여러 테넌트가 공유하면 어떻게 되나요?",
        "시간 차이로 정보가 샌다",
    ),
    (
        "의미 캐시를 안전하게 쓰려면 문턱값을 실제 질문의 쌍으로 정한다.",
        "의미 캐시를 안전하게 쓰려면 어떻게 해야 하나요?",
        "문턱값을 실제 질문의 쌍으로 정한다",
    ),
    (
        "응답 캐시는 답변 전체를 빠짐없이 60초 동안 보관한다.",
        "응답 캐시는 답변 전체를 빠짐없이 몇 초 동안 보관하나요?",
        "60초",
    ),
    (
        "그림자 트래픽은 실제 요청을 복사해 후보에게도 보내는 방식이다.",
        "그림자 트래픽은 무엇인가요?",
        "실제 요청을 복사해 후보에게도 보내는 방식",
    ),
    (
        "부하 시험의 입력은 언제나 실제 분포를 따라야 한다.",
        "부하 시험의 입력은 무엇을 따라야 하나요?",
        "언제나 실제 분포",
    ),
    (
        "게이트웨이가 키의 해시만 저장하는 이유는 유출의 피해를 줄이기 위해서다.",
        "게이트웨이가 키의 해시만 저장하는 이유는 무엇인가요?",
        "유출의 피해를 줄이기",
    ),
]
UNCLEAR_ENGLISH = [
    "It keeps the key and value tensors of all tokens.",
    "The limit (57 keys) is the default of the server.",
    "Thus the server needs a limit per tenant and task.",
    "A cache helps.",
    "The planned path thus sends 4.2 times the prompt tokens.",
    "What is the limit of the server in this case?",
]
UNCLEAR_KOREAN = [
    "이것은 모든 토큰의 키와 값을 오래 보관한다.",
    "그래서 서버는 테넌트마다 한도가 하나씩 필요하다.",
    "기본 한도(57개)는 서버의 설정에서 온다.",
    "캐시는 좋다.",
    "앞의 예에서 서버는 요청을 57개까지 받는다.",
    "이 경우 서버의 한도는 과연 얼마나 되는가?",
]


@pytest.mark.parametrize(("sentence", "question", "answer"), ENGLISH)
def test_an_english_sentence_is_turned_into_a_question(
    sentence: str, question: str, answer: str
) -> None:
    fact = english_fact(sentence)
    assert fact is not None
    assert (fact.question, fact.answer) == (question, answer)
    assert answer in sentence


@pytest.mark.parametrize(("sentence", "question", "answer"), KOREAN)
def test_a_korean_sentence_is_turned_into_a_question(
    sentence: str, question: str, answer: str
) -> None:
    fact = korean_fact(sentence)
    assert fact is not None
    assert (fact.question, fact.answer) == (question, answer)
    assert answer in sentence


@pytest.mark.parametrize("sentence", UNCLEAR_ENGLISH)
def test_an_english_sentence_that_does_not_stand_alone_gives_none(sentence: str) -> None:
    assert english_fact(sentence) is None


@pytest.mark.parametrize("sentence", UNCLEAR_KOREAN)
def test_a_korean_sentence_that_does_not_stand_alone_gives_none(sentence: str) -> None:
    assert korean_fact(sentence) is None


@pytest.mark.parametrize(
    ("clause", "asked"),
    [
        ("답을 보관한다", "답을 보관하나요"),
        ("밥을 먹는다", "밥을 먹나요"),
        ("한도가 있다", "한도가 있나요"),
        ("오류가 없다", "오류가 없나요"),
        ("답을 저장했다", "답을 저장했나요"),
        ("한도가 필요하다", "한도가 필요한가요"),
        ("값이 높다", "값이 높은가요"),
        ("일이 어렵다", "일이 어려운가요"),
        ("방식이다", "방식인가요"),
        ("답이 아니다", "답이 아닌가요"),
        ("답을 보관합니다", "답을 보관합니까"),
        ("답을 보관해요", None),
    ],
)
def test_a_korean_ending_asks(clause: str, asked: str | None) -> None:
    assert asking(clause) == asked


@pytest.mark.parametrize(("noun", "particle"), [("캐시", "는"), ("정책", "은"), ("TTL", "은(는)")])
def test_the_topic_particle_follows_the_last_sound(noun: str, particle: str) -> None:
    assert topic_particle(noun) == particle
