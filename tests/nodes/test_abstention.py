"""A sentence that says that there is no answer, and one that says more."""

import pytest

from nodes.judge.abstention import abstains

ABSTENTIONS = [
    "The passages do not say.",
    "The passages do not say",
    "“The passages do not say.”",
    "The passages don't say how long blocks are kept.",
    "The passages don’t mention the founders of the company.",
    "Not in the passages.",
    "The retention time is not stated in the passages.",
    "Unfortunately, the provided context does not contain the answer.",
    "There is no information about prices in the documents.",
    "The provided context does not contain this information.",
    "I could not find the answer in the documents.",
    "I don't know.",
    "제공된 정보로는 답할 수 없습니다.",
    "문서만으로는 알 수 없습니다.",
    "모르겠습니다.",
    "문서에 없습니다.",
    "문서에 없습니다",
    "‘구절에 없습니다.’",
    "문서에 나와 있지 않습니다.",
    "회사를 누가 세웠는지는 문서에 나와 있지 않습니다.",
    "블록의 보관 시간은 문서에 없습니다.",
    "문서에는 관련 내용이 없습니다.",
    "죄송하지만, 제공된 문서에서 답을 찾을 수 없습니다.",
    "주어진 자료에는 언급되어 있지 않다.",
]
STATEMENTS = [
    "I cannot answer, but the cache holds 16 blocks.",
    "The cache could not find the block.",
    "캐시는 모르겠습니다라고 답한다.",
    "The passages do not say how long, but the salt keeps tenants apart.",
    "The passages do not say when, and the salt keeps tenants apart.",
    "The passages do not say it; blocks are evicted in order.",
    "The gateway refuses a request and its reason is not in the passages.",
    "The gateway does not say why it refuses.",
    "The documents do not contain personal data.",
    "보관 시간은 문서에 없지만 솔트는 테넌트를 나눈다.",
    "캐시는 블록을 비우지만 보관 시간은 문서에 없습니다.",
    "게이트웨이는 요청을 거절하고 보관 시간은 문서에 없습니다.",
    "문서에 없는 요청은 거절한다.",
    "게이트웨이는 이유를 말하지 않는다.",
    "솔트가 캐시에 없습니다.",
]


@pytest.mark.parametrize("sentence", ABSTENTIONS)
def test_a_sentence_that_only_says_there_is_no_answer_abstains(sentence: str) -> None:
    assert abstains(sentence)


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_sentence_that_states_more_does_not_abstain(sentence: str) -> None:
    assert not abstains(sentence)
