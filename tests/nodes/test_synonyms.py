import pytest

from nodes.text.synonyms import groups_of
from nodes.text.terms import content_terms


def share_a_group(one: str, other: str) -> bool:
    ours, theirs = ([groups_of(term) for term in content_terms(word)] for word in (one, other))
    return any(mine & yours for mine in ours for yours in theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kids", "children"), ("flowered", "bloom"), ("supervises", "oversaw"),
        ("아이는", "어린이가"), ("구매한", "샀다"), ("삭제할", "지운다"), ("수확한다", "딴다"),
    ],
)  # fmt: skip
def test_words_of_one_meaning_share_a_group(one: str, other: str) -> None:
    assert share_a_group(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hired", "fired"), ("approved", "rejected"), ("praised", "criticized"),
        ("고용했다", "해고했다"), ("승인했다", "부결했다"), ("사용한다", "쓰러진다"),
    ],
)  # fmt: skip
def test_words_of_other_meaning_share_none(one: str, other: str) -> None:
    assert not share_a_group(one, other)
