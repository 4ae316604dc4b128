"""Quotes: word for word, whole sentences, and only what addresses the question."""

import pytest

from graph.evidence import Passage
from nodes.judge.quotes import best_quotes, in_other_language, nearest_quotes, quotable
from tests.nodes.texts import (
    CACHE_EN,
    CACHE_KO,
    ENGLISH,
    KOREAN,
    LATENCY_EN,
    LATENCY_KO,
    OPERATIONS_EN,
    OPERATIONS_KO,
    passage,
)

ASKED = [
    ("What does a prefix cache reuse?", CACHE_EN, "reuses full blocks only"),
    ("How much memory does the cache take per token?", CACHE_EN, "128 KiB per token"),
    ("What is decode bound by?", LATENCY_EN, "memory bandwidth"),
    ("When is speculative decoding not used?", LATENCY_EN, "JSON schema"),
    ("How often is a failed call tried again?", OPERATIONS_EN, "at most two times"),
    ("What does renting the node cost?", OPERATIONS_EN, "2.50 dollars"),
    ("접두사 캐시는 무엇을 다시 쓰나요?", CACHE_KO, "가득 찬 블록만"),
    ("캐시는 토큰당 메모리를 얼마나 차지하나요?", CACHE_KO, "128KiB"),
    ("디코드는 무엇에 묶이나요?", LATENCY_KO, "메모리 대역폭"),
    ("추측 디코딩은 언제 쓰지 않나요?", LATENCY_KO, "JSON 스키마"),
    ("실패한 호출은 몇 번 다시 시도하나요?", OPERATIONS_KO, "최대 두 번"),
    ("노드를 빌리는 값은 얼마인가요?", OPERATIONS_KO, "2.50달러"),
]
FOREIGN = [
    "What is the capital of France?",
    "How do I bake sourdough bread?",
    "Who won the world cup in 2018?",
    "Which vitamins prevent the flu?",
    "How long is the flight to Tokyo?",
    "프랑스의 수도는 어디인가요?",
    "김치찌개는 어떻게 끓이나요?",
    "2018년 월드컵은 누가 이겼나요?",
    "독감을 막는 비타민은 무엇인가요?",
    "도쿄까지 비행기로 얼마나 걸리나요?",
]


def _numbered(*passages: Passage) -> dict[int, Passage]:
    return dict(enumerate(passages, start=1))


@pytest.mark.parametrize(("question", "source", "words"), ASKED)
def test_the_sentence_that_answers_is_quoted(question: str, source: Passage, words: str) -> None:
    passages = _numbered(*(ENGLISH if source in ENGLISH else KOREAN))
    quotes = best_quotes(question, passages)
    (answering,) = [quote for quote in quotes if words in quote.text]
    assert passages[answering.citations[0]] == source
    assert all(quote.quoted and quote.support == 1.0 for quote in quotes)
    assert len(quotes) <= 3


@pytest.mark.parametrize("question", FOREIGN)
def test_a_question_about_something_else_gets_no_quote(question: str) -> None:
    assert best_quotes(question, _numbered(*ENGLISH, *KOREAN)) == ()


@pytest.mark.parametrize(("question", "source", "words"), ASKED)
def test_a_quote_is_the_passage_word_for_word(question: str, source: Passage, words: str) -> None:
    broken = source.model_copy(update={"text": source.text.replace(" ", "\n", 3)})
    for quote in best_quotes(question, {7: broken}):
        assert "".join(quote.text.split()) in "".join(broken.text.split())
        assert quote.citations == (7,)


def test_quotes_stand_in_reading_order() -> None:
    second = passage("cache-en", "A prefix cache is dropped when the engine restarts.", page=2)
    quotes = best_quotes("What about the prefix cache?", {1: second, 2: CACHE_EN})
    assert [quote.citations for quote in quotes] == [(2,), (1,)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does rent cost?", "Rent and cost\n\nRent cost 2.50 3.00 4.25 5.10 dollars."),
        ("What does rent cost?", "| rent | cost |\n\n3\n\nrent of the node adds to the cost."),
        ("What does rent cost?", "# What the rent will cost.\n\nWhat does the rent cost here?"),
        ("임대료는 얼마인가요?", "임대료와 비용\n\n임대료 비용 2.50 3.00 4.25 5.10 달러다."),
        ("임대료는 얼마인가요?", "| 임대료 | 비용 |\n\n3\n\n임대료의 비용"),
        ("임대료는 얼마인가요?", "# 임대료는 이만큼 든다.\n\n임대료는 과연 얼마나 들게 될까요?"),
    ],
)
def test_headings_tables_fragments_and_questions_are_not_quoted(question: str, text: str) -> None:
    assert best_quotes(question, {1: passage("rent", text)}) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How are blocks evicted?", "Old blocks are evicted first."),
        ("블록은 어떻게 비우나요?", "오래된 블록을 먼저 비운다고 한다."),
    ],
)
def test_of_two_equal_sentences_the_better_ranked_passage_is_quoted(
    question: str, text: str
) -> None:
    passages = _numbered(passage("first", text), passage("second", text))
    (quote,) = best_quotes(question, passages, ranking=["second", "first"])
    assert quote.citations == (2,)


@pytest.mark.parametrize(
    ("question", "source", "words"),
    [
        ("KubeRay는 cluster upgrade를 어떻게 하나요?", OPERATIONS_EN, "KubeRay starts"),
        ("What does KubeRay do?", OPERATIONS_KO, "KubeRay는 첫"),
    ],
)
def test_across_languages_shared_names_decide(question: str, source: Passage, words: str) -> None:
    assert in_other_language(question, {1: source})
    quotes = best_quotes(question, {1: source})
    assert words in quotes[0].text


@pytest.mark.parametrize(
    ("question", "sources"),
    [("접두사 캐시란 무엇인가요?", ENGLISH), ("What is a prefix cache?", KOREAN)],
)
def test_across_languages_the_ranking_can_be_quoted_instead(
    question: str, sources: tuple[Passage, ...]
) -> None:
    passages = _numbered(*sources)
    assert in_other_language(question, passages) == passages
    assert best_quotes(question, passages) == ()
    ranking = [sources[2].id, sources[0].id]
    quotes = nearest_quotes(passages, {}, ranking=ranking, limit=2)
    assert [quote.citations for quote in quotes] == [(1,), (3,)]
    assert quotes[0].text == sources[0].text.split(". ")[0] + "."


@pytest.mark.parametrize("sources", [ENGLISH, KOREAN])
def test_the_sentences_nearest_in_meaning_are_quoted_whole_and_in_reading_order(
    sources: tuple[Passage, ...],
) -> None:
    passages = _numbered(*sources)
    sentences = quotable(passages)
    near = dict.fromkeys(sentences, 0.7) | {sentences[-1]: 0.9, sentences[1]: 0.85}
    quotes = nearest_quotes(passages, near, limit=2)
    assert [quote.text for quote in quotes] == [sentences[1], sentences[-1]]
    assert all(quote.quoted for quote in quotes)


def test_of_mixed_passages_those_in_the_other_language_are_told() -> None:
    passages = {1: CACHE_EN, 2: CACHE_KO}
    assert in_other_language("What is a prefix cache?", passages) == {2: CACHE_KO}
    assert in_other_language("접두사 캐시란 무엇인가요?", passages) == {1: CACHE_EN}


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        ("What does the salt isolate?", "The salt isolates tenants.", True),
        ("What is a salt?", "Salts isolate tenants.", False),
        ("솔트는 무엇을 격리하나요?", "솔트는 테넌트를 격리한다.", True),
        ("솔트는 무엇을 하나요?", "솔트로 격리한다.", True),
        ("솔트는 무엇을 하나요?", "솔트입니다.", False),
    ],
)
def test_a_short_sentence_is_whole_by_the_count_of_its_language(
    question: str, text: str, quoted: bool
) -> None:
    assert bool(best_quotes(question, {1: passage("salt", text)})) == quoted


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How does list work?", "The command list shows every index."),
        ("What does compare do?", "The command compare reads two indexes."),
        ("What is a measure?", "A measure maps sets to numbers."),
        ("왜곡은 무엇인가?", "왜곡은 신호가 달라지는 현상이다."),
        ("정의역은 무엇인가?", "정의역은 함수에 넣는 값의 집합이다."),
        ("비교기는 무엇인가?", "비교기는 두 전압 가운데 큰 쪽을 알린다."),
    ],
)
def test_a_subject_that_looks_like_an_asking_word_is_found(question: str, text: str) -> None:
    (quote,) = best_quotes(question, {1: passage("subject", text)})
    assert quote.text == text


@pytest.mark.parametrize("question", ["", "?", "What is it?", "무엇인가요?"])
def test_a_question_without_content_gets_no_quote(question: str) -> None:
    assert best_quotes(question, _numbered(*ENGLISH, *KOREAN)) == ()
