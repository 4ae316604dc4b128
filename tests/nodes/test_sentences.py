"""Splitting, language and citation marks; as many Korean rows as English ones."""

import pytest

from graph.evidence import Language
from nodes.text.sentences import (
    detect_language,
    is_complete,
    read_blocks,
    split_sentences,
    take_citations,
)

SPLITS = [
    ("It batches requests. It also caches.", ["It batches requests.", "It also caches."]),
    (
        "Use a cache, e.g. a prefix cache. It helps.",
        ["Use a cache, e.g. a prefix cache.", "It helps."],
    ),
    (
        "See Fig. 3 and Dr. Lee et al. (2022). Done.",
        ["See Fig. 3 and Dr. Lee et al. (2022).", "Done."],
    ),
    (
        "TPOT is 18.5 ms in vLLM 0.32.0. TTFT is 0.4 s.",
        ["TPOT is 18.5 ms in vLLM 0.32.0.", "TTFT is 0.4 s."],
    ),
    ("It works. vLLM does it.", ["It works.", "vLLM does it."]),
    (
        'He asked "Why?" and left. (It was late.) Then',
        ['He asked "Why?" and left.', "(It was late.)", "Then"],
    ),
    (
        "It is fast. [1] It is cheap [2, 3]. Yes! [1][2]",
        ["It is fast. [1]", "It is cheap [2, 3].", "Yes! [1][2]"],
    ),
    (
        "# Caches\n\n- One cache.\n- Two caches\n1. First step",
        ["Caches", "One cache.", "Two caches", "First step"],
    ),
    (
        "**Bold** text\nruns over the line of a page that is wide.",
        ["Bold text", "runs over the line of a page that is wide."],
    ),
    (
        "The engine keeps key-\nvalue pairs of finished\ntokens in its blocks.",
        ["The engine keeps key-value pairs of finished tokens in its blocks."],
    ),
    ("엔진은 요청을 묶는다. 캐시도 쓴다.", ["엔진은 요청을 묶는다.", "캐시도 쓴다."]),
    ("요청을 묶습니다.캐시도 씁니다.", ["요청을 묶습니다.", "캐시도 씁니다."]),
    ("왜 빠를까? 캐시를 쓰니까요. 그렇죠!", ["왜 빠를까?", "캐시를 쓰니까요.", "그렇죠!"]),
    (
        "TPOT은 18.5ms이고 vLLM 0.32.0을 썼다. TTFT는 0.4초다.",
        ["TPOT은 18.5ms이고 vLLM 0.32.0을 썼다.", "TTFT는 0.4초다."],
    ),
    ("잘 된다. vLLM이 한다.", ["잘 된다.", "vLLM이 한다."]),
    (
        '그는 "왜?" 라고 물었다. (늦은 밤이었다.) 그리고',
        ['그는 "왜?" 라고 물었다.', "(늦은 밤이었다.)", "그리고"],
    ),
    ("빠르다. [1] 싸다 [2, 3]. 좋다! [1][2]", ["빠르다. [1]", "싸다 [2, 3].", "좋다! [1][2]"]),
    ("# 캐시\n\n- 캐시 하나.\n- 캐시 둘\n1. 첫 단계", ["캐시", "캐시 하나.", "캐시 둘", "첫 단계"]),
    (
        "**굵은** 글\n넓은 쪽의 줄을 넘어가는 글이 여기에서 이어진다.",
        ["굵은 글", "넓은 쪽의 줄을 넘어가는 글이 여기에서 이어진다."],
    ),
    (
        "엔진은 끝난 토큰의 키와 값을\n블록에 보관하고 다시 쓸 수\n있게 한다.",
        ["엔진은 끝난 토큰의 키와 값을 블록에 보관하고 다시 쓸 수 있게 한다."],
    ),
]


@pytest.mark.parametrize(("text", "sentences"), SPLITS)
def test_text_is_cut_where_a_reader_would_cut_it(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize("text", ["", "  \n\n ", "---", "```\n```"])
def test_text_without_words_has_no_sentence(text: str) -> None:
    assert split_sentences(text) == []


def test_blocks_know_what_they_are() -> None:
    text = "## Cost\nRent is paid hourly.\n\n| a | b |\n\n- an item\n- 항목"
    assert [block.kind for block in read_blocks(text)] == [
        "heading",
        "prose",
        "table",
        "item",
        "item",
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is a prefix cache?", "en"),
        ("What does 누락 mean?", "en"),
        ("vLLM", "en"),
        ("", "en"),
        ("접두사 캐시란 무엇인가?", "ko"),
        ("PagedAttention이란?", "ko"),
        ("vLLM의 prefix caching은 왜 빠른가요?", "ko"),
        ("캐시", "ko"),
    ],
)
def test_the_language_is_that_of_the_grammar(text: str, language: Language) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("sentence", "text", "numbers"),
    [
        ("It is fast [1].", "It is fast.", (1,)),
        ("It is fast. [1,2]", "It is fast.", (1, 2)),
        ("It is fast [1][2][1].", "It is fast.", (1, 2)),
        ("It is fast [1-3].", "It is fast.", (1, 2, 3)),
        ("It is fast (source 1).", "It is fast.", (1,)),
        ("According to [2], it is fast.", "it is fast.", (2,)),
        ("A is fast [1] and B is cheap [2].", "A is fast and B is cheap.", (1, 2)),
        (
            "The interval [0, 1] and the year [2024].",
            "The interval [0, 1] and the year [2024].",
            (),
        ),
        ("빠르다 [1].", "빠르다.", (1,)),
        ("빠르다. [1,2]", "빠르다.", (1, 2)),
        ("빠르다 [1][2][1].", "빠르다.", (1, 2)),
        ("빠르다 [1~3].", "빠르다.", (1, 2, 3)),
        ("빠르다(출처 1).", "빠르다.", (1,)),
        ("[출처 2]에 따르면 빠르다.", "빠르다.", (2,)),
        ("A는 빠르고 [1] B는 싸다 [2].", "A는 빠르고 B는 싸다.", (1, 2)),
        ("구간 [0, 1]과 해 [2024]이다.", "구간 [0, 1]과 해 [2024]이다.", ()),
    ],
)
def test_citation_marks_are_taken_off(sentence: str, text: str, numbers: tuple[int, ...]) -> None:
    assert take_citations(sentence) == (text, numbers)


@pytest.mark.parametrize(
    ("sentence", "complete"),
    [
        ("It is fast.", True),
        ('"It is fast." [1]', True),
        ("It is as fast as the", False),
        ("빠르다.", True),
        ("빠릅니다 [1]", True),
        ("캐시는 블록을", False),
    ],
)
def test_a_sentence_that_breaks_off_is_not_complete(sentence: str, complete: bool) -> None:
    assert is_complete(sentence) is complete
