"""What a written sentence changed of its passage is told, in both languages alike."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from evals.second_opinion.alignment import align
from evals.second_opinion.opinion import is_word_for_word, second_opinion
from evals.second_opinion.words import same_word, tokens
from graph.evidence import Language, Passage
from tests.nodes.mutants import read_answers

ENGLISH = (
    "A cache salt keeps tenants apart. It does not encrypt anything. Without a salt, blocks of 16 "
    "tokens are shared by all users only if their prompts begin alike. A request waits at most "
    "30 seconds."
)
KOREAN = (
    "캐시 솔트는 테넌트를 격리한다. 암호화는 하지 않는다. 솔트가 없으면 16토큰 블록을 모든 "
    "사용자가 함께 쓴다. 요청은 최대 30초를 기다린다."
)


def passage(text: str, title: str = "vLLM") -> Passage:
    return Passage(id=text, document="d", title=title, page=1, start=0, end=len(text), text=text)


def shared_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """Counts of words, in place of a model of meaning."""
    vocabulary = sorted({word for text in texts for word in tokens(text)})
    counts = np.array([[tokens(text).count(word) for word in vocabulary] for text in texts])
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return np.asarray(counts / lengths, dtype=np.float32)


@pytest.mark.parametrize(
    ("sentence", "reasons"),
    [
        ("A cache salt keeps tenants apart.", ()),
        ("Requests wait at most 30 seconds.", ()),
        ("vLLM's cache salt is keeping the tenants apart.", ()),
        ("cache salt keeps tenants apart.", ("begins like the rest of another sentence",)),
        ("It does encrypt anything.", ("dropped: not",)),
        ("A request waits 30 seconds.", ("dropped: most",)),
        (
            "A request waits at most 60 seconds.",
            ("number not in the passage: 60", "passed over: 30"),
        ),
        ("A cache salt keeps providers apart.", ("word not in the passage: providers",)),
        ("Tenants keep a cache salt apart.", ("word from elsewhere: tenants, keep",)),
        (
            "A cache salt never keeps tenants apart.",
            ("word not in the passage: never", "added: never"),
        ),
        ("캐시 솔트는 테넌트를 격리합니다.", ()),
        ("vLLM의 캐시 솔트가 테넌트를 격리한다.", ()),
        ("요청들은 최대 30초 기다립니다.", ()),
        ("암호화는 한다.", ("dropped: 않는다",)),
        ("요청은 30초를 기다린다.", ("dropped: 최대",)),
        (
            "요청은 최대 60초를 기다린다.",
            ("number not in the passage: 60", "passed over: 30"),
        ),
        ("캐시 솔트는 제공자를 격리한다.", ("word not in the passage: 제공자를",)),
        ("테넌트는 캐시 솔트를 격리한다.", ("word from elsewhere: 테넌트는",)),
        (
            "캐시 솔트는 테넌트만 격리한다.",
            ("word not in the passage: 테넌트만", "added: 테넌트만"),
        ),
    ],
)
def test_what_a_sentence_changed_is_told(sentence: str, reasons: tuple[str, ...]) -> None:
    text = ENGLISH if sentence.isascii() else KOREAN
    assert second_opinion(sentence, [passage(text)], shared_words).reasons == reasons


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("A cache salt keeps tenants apart and a request waits at most 30 seconds.", ENGLISH),
        ("캐시 솔트는 테넌트를 격리하고 요청은 최대 30초를 기다린다.", KOREAN),
    ],
)
def test_parts_of_two_sentences_that_were_joined_are_suspicious(sentence: str, text: str) -> None:
    opinion = second_opinion(sentence, [passage(text)], shared_words)
    assert opinion.reasons[-1].startswith("joined: ")


@pytest.mark.parametrize("language", get_args(Language))
def test_nearly_all_answers_that_were_made_false_are_suspicious(language: Language) -> None:
    suspicious = [
        second_opinion(mutant, [answer.source], shared_words).suspicious
        for answer in read_answers("second", language)
        for _, mutant in answer.mutants
    ]
    assert len(suspicious) > 100
    assert sum(suspicious) >= 0.97 * len(suspicious)


def test_the_sentence_that_is_nearest_in_meaning_must_be_the_one_that_was_found() -> None:
    def last_is_nearest(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1, 0], *([0, 1] for _ in texts[2:]), [1, 0]], dtype=np.float32)

    opinion = second_opinion(
        "A cache salt keeps tenants apart.", [passage(ENGLISH)], last_is_nearest
    )
    assert opinion.reasons == ("nearer in meaning: A request waits at most 30 seconds.",)
    assert opinion.similarity == 1


def test_of_several_cited_passages_the_one_that_bears_most_counts() -> None:
    other = passage("A cache is warm. A salt is a grain.")
    opinion = second_opinion(
        "A cache salt keeps tenants apart.", [other, passage(ENGLISH)], shared_words
    )
    assert (opinion.passage.text, opinion.reasons) == (ENGLISH, ())
    with pytest.raises(ValueError, match="no passage is cited"):
        second_opinion("A cache salt keeps tenants apart.", [], shared_words)


def test_a_sentence_is_aligned_with_the_closest_stretch() -> None:
    score, pairs = align(
        ["a", "salt", "is", "used"], ["salt", ".", "the", "salt", "that", "is", "not", "used"]
    )
    assert pairs == [(1, 3), (2, 5), (3, 7)]
    assert score == pytest.approx(1 + 0.3 + 1 - 2 * 0.1)
    assert align(["cache"], ["salt"]) == (0, [])
    assert align([], []) == (0, [])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("caches", "cached", True),
        ("stopped", "stop", True),
        ("copies", "copied", True),
        ("server", "served", False),
        ("safe", "unsafe", False),
        ("16", "160", False),
        ("1,000", "1000", False),
        ("서버에서는", "서버가", True),
        ("격리하며", "격리한다", True),
        ("사용자가", "사용량이", False),
        ("가능하다", "불가능하다", False),
        ("있다", "없다", False),
        ("값은", "값을", True),
        ("기다려야", "기다린다", False),
        ("둡니다", "둔다", True),
        ("있습니다", "있다", True),
    ],
)
def test_inflection_makes_no_other_word(one: str, other: str, same: bool) -> None:
    assert same_word(one, other) is same


def test_a_quote_stands_letter_for_letter_in_its_passage() -> None:
    cited = [passage("It **does not**\nencrypt anything."), passage(KOREAN)]
    assert is_word_for_word("It does not encrypt anything.", cited)
    assert is_word_for_word("암호화는 하지 않는다.", cited)
    assert not is_word_for_word("It does encrypt anything.", cited)
    assert not is_word_for_word("암호화는 한다.", cited)
    assert not is_word_for_word("It does not encrypt anything.", [])
    assert not is_word_for_word("", cited)


def test_a_quote_begins_where_its_sentence_does() -> None:
    cited = [passage("It is not true that a salt encrypts. It keeps\n- tenants apart.")]
    assert not is_word_for_word("a salt encrypts.", cited)
    assert is_word_for_word("It keeps - tenants apart.", cited)
    cited = [passage("암호화는 솔트의 일이 아니다. 솔트는 격리한다.")]
    assert not is_word_for_word("솔트의 일이 아니다.", cited)
    assert is_word_for_word("솔트는 격리한다.", cited)
