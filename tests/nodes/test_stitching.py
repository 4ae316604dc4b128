"""Sentences of a weak model that have the passage's words, in its order, and say something else."""

import pytest

from graph.evidence import Passage
from nodes.judge.support import support


def _passage(text: str) -> Passage:
    return Passage(id="p", document="p.pdf", title="-", page=1, start=0, end=len(text), text=text)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (
            "어댑터가 여럿이고 저마다 트래픽이 적다.",
            "어댑터가 여럿이고 트래픽이 적다.",
            "어댑터가 여럿이고 적다.",
        ),
        (
            "창고는 두 곳이고 각각 면적이 넓다.",
            "창고는 두 곳이고 면적이 넓다.",
            "창고는 두 곳이고 넓다.",
        ),
        (
            "어댑터는 데이터와 학습과 평가를 거쳐야 한다.",
            "어댑터는 데이터와 학습과 평가를 거친다.",
            "어댑터는 데이터와 학습과 평가를 건너뛴다.",
        ),
        (
            "기준은 한 달 비용이 2% 이내로 맞는 것이다. 항목 하나가 장부에서 빠져 있다.",
            "항목 하나가 장부에서 빠져 있다.",
            "기준은 장부에서 빠져 있다.",
        ),
        (
            "A protocol error is a JSON-RPC error with a code. The program is wrong.",
            "A protocol error is a JSON-RPC error with a code.",
            "A JSON-RPC error is a JSON-RPC error with a code.",
        ),
        (
            "The mill lowered wages by 12%. The union supplied strike pay to the members.",
            "The union supplied strike pay to the members.",
            "The mill supplied strike pay to the members.",
        ),
        (
            "The Orsova bridge was opened in 1931. The harbour master closed the old lock.",
            "The harbour master closed the old lock.",
            "The Orsova bridge closed the old lock.",
        ),
        (
            "The ferry takes 55 minutes. It carries 20 bicycles on weekdays.",
            "The ferry carries 20 bicycles on weekdays.",
            "The ferry takes 20 bicycles minutes.",
        ),
    ],
)
def test_what_is_stitched_together_is_not_borne(passage: str, true: str, false: str) -> None:
    assert support(true, [_passage(passage)]).holds
    assert not support(false, [_passage(passage)]).holds
