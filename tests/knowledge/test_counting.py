import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.counting import piece_counts, word_counts

WORDS = st.lists(
    st.sampled_from(["a", "an", "cache", "캐시", "시는", "漢", "\ud800", "🙂"]), max_size=9
)
TEXTS = st.lists(WORDS.map(lambda words: f" {' '.join(words)} "), max_size=5)


@given(TEXTS, st.sampled_from([0, 30]))
def test_words_are_counted_as_str_count_does(texts: list[str], more: int) -> None:
    asked = ["a", "cache", "캐시", "none", "\ud800", "🙂", *(f"more{n}" for n in range(more))]
    counts = word_counts(asked, texts)
    assert counts.tolist() == [[text.count(f" {word} ") for word in asked] for text in texts]


@given(TEXTS)
def test_pieces_are_counted_as_a_regular_expression_does(texts: list[str]) -> None:
    asked = [" cach", "cache", "ache ", " an c", "캐", "漢", "none!", "🙂"]
    counts = piece_counts(asked, texts)
    assert counts.tolist() == [
        [len(re.findall(f"(?={re.escape(piece)})", text)) for piece in asked] for text in texts
    ]


@pytest.mark.parametrize("text", [" banana ", " 하하하하 "])
def test_places_of_a_piece_that_overlap_count_each(text: str) -> None:
    piece = text[2:5]
    assert piece_counts([piece], [text]).tolist() == [[2.0]]


@pytest.mark.parametrize("asked", [[], ["a"]])
@pytest.mark.parametrize("texts", [[], ["  "]])
def test_nothing_is_counted_in_nothing(asked: list[str], texts: list[str]) -> None:
    for counts in (word_counts(asked, texts), piece_counts(asked, texts)):
        assert counts.shape == (len(texts), len(asked))
        assert counts.sum() == 0
