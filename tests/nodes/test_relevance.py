"""What a question is about, and which answers are about it; as many rows in each language."""

import pytest

from nodes.judge.relevance import addresses, asked_terms

SUBJECTS = [
    ("How does list work?", ["list"]),
    ("What does compare do?", ["compare"]),
    ("How does work help?", ["work", "help"]),
    ("What is a measure?", ["measure"]),
    ("Explain how the list works.", ["list"]),
    ("What is the difference between prefill and decode?", ["prefill", "decode"]),
    ("Please tell me how long it is.", []),
    ("Summarize this.", []),
    ("왜곡은 무엇인가?", ["왜곡은"]),
    ("정의역은 무엇인가?", ["정의역은"]),
    ("비교기는 무엇인가?", ["비교기는"]),
    ("정의란 무엇인가?", ["정의란"]),
    ("알려진 한계를 알려 주세요.", ["알려진", "한계를"]),
    ("프리필과 디코드는 무엇이 다른가요?", ["프리필과", "디코드는"]),
    ("왜 그런가요? 설명을 해 줘.", []),
    ("이것을 요약해 주세요.", []),
]
ANSWERS = [
    ("How many tokens does a prefix cache save?", "It saves 768 of 876 prompt tokens."),
    ("What does the cache salt do?", "It keeps the blocks of two tenants apart."),
    ("What is decode bound by?", "It is bound by memory bandwidth."),
    ("How often is a failed call tried again?", "It is tried again at most two times."),
    ("When does Ray Serve add a replica?", "Ray Serve adds one above five ongoing requests."),
    ("How long does the response cache keep an answer?", "It keeps answers for 60 seconds."),
    (
        "What does a prefix cache save, and how long does the response cache keep an answer?",
        "A prefix cache saves 768 of 876 prompt tokens.",
    ),
    ("What does renting the node cost?", "Renting the node costs 2.50 dollars an hour."),
    ("접두사 캐시는 토큰을 몇 개 아끼나?", "프롬프트 토큰 876개 중 768개를 아낀다."),
    ("캐시 솔트는 무엇을 하나?", "두 테넌트의 블록을 서로 나눈다."),
    ("디코드는 무엇에 묶이나요?", "그것은 메모리 대역폭에 묶인다."),
    ("실패한 호출은 몇 번 다시 시도하나요?", "최대 두 번 다시 시도한다."),
    ("Ray Serve는 언제 복제본을 늘리나?", "진행 중인 요청이 다섯 개를 넘으면 복제본을 늘린다."),
    ("응답 캐시는 얼마 동안 보관하나?", "60초 동안 보관한다."),
    (
        "접두사 캐시는 무엇을 아끼고, 응답 캐시는 답변을 얼마 동안 보관하나?",
        "접두사 캐시는 프롬프트 토큰 876개 중 768개를 아낀다.",
    ),
    ("캐시 솔트는 무엇을 막아 주는가?", "테넌트끼리 블록을 나눠 쓰는 것을 막는다."),
]
OFF_TOPIC = [
    ("What does the cache salt prevent?", "The response cache watches the hit rate."),
    ("What does the cache salt prevent?", "It watches the hit rate."),
    ("How long does the response cache keep an answer?", "A prefix cache reuses full blocks only."),
    ("How many tokens does a prefix cache save?", "Decode takes 18 ms for each token."),
    ("When does Ray Serve add a replica?", "A warm replica answers faster than a cold one."),
    ("How often is a failed call tried again?", "They are kept in blocks of 16 tokens."),
    ("What does renting the node cost?", "The gateway refuses a request without a tenant."),
    ("How does list work?", "The cat is cute."),
    ("캐시 솔트는 무엇을 막아 주는가?", "응답 캐시는 적중률, 퇴출을 본다."),
    ("캐시 솔트는 무엇을 막아 주는가?", "적중률을 본다."),
    ("응답 캐시는 얼마 동안 보관하나?", "접두사 캐시는 가득 찬 블록만 다시 쓴다."),
    ("접두사 캐시는 토큰을 몇 개 아끼나?", "디코드에는 토큰마다 18ms가 걸렸다."),
    ("Ray Serve는 언제 복제본을 늘리나?", "데워진 복제본은 차가운 복제본보다 빠르게 답한다."),
    ("실패한 호출은 몇 번 다시 시도하나요?", "그것은 키와 값을 블록에 보관한다."),
    ("노드를 빌리는 값은 얼마인가요?", "게이트웨이는 테넌트가 없는 요청을 거절한다."),
    ("왜곡은 무엇인가?", "고양이는 귀엽다."),
]


@pytest.mark.parametrize(("question", "words"), SUBJECTS)
def test_the_words_of_a_question_that_only_ask_are_left_out(
    question: str, words: list[str]
) -> None:
    assert [term.surface for term in asked_terms(question)] == words


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_an_answer_may_be_short_and_leave_the_subject_out(question: str, answer: str) -> None:
    assert addresses(question, [answer])


@pytest.mark.parametrize(("question", "sentence"), OFF_TOPIC)
def test_a_word_in_common_is_no_answer(question: str, sentence: str) -> None:
    assert not addresses(question, [sentence])


@pytest.mark.parametrize(
    ("question", "sentences"),
    [
        (
            "What do prefill, decode, batches and replicas depend on?",
            ["Prefill is bound by arithmetic.", "Larger batches lower the speed."],
        ),
        (
            "프리필, 디코드, 배치, 복제본은 무엇에 달려 있나?",
            ["프리필은 연산에 묶인다.", "배치는 클수록 느리다."],
        ),
    ],
)
def test_sentences_address_a_question_together(question: str, sentences: list[str]) -> None:
    assert addresses(question, sentences)
    assert not addresses(question, sentences[:1])
