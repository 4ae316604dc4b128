"""The suite `retrieval`: known rankings give known measures."""

from collections.abc import Mapping
from math import log2

import pytest

from evals.public_sets import _twins
from evals.suite import Sample, Value
from evals.suites.retrieval import ranking

GOLD = {"document": "tea.md", "twins": ["tea-copy.md"]}


def scores(found: list[str], gold: Mapping[str, object]) -> dict[str, Value]:
    sample = Sample("1", "en", "answerable", "How long?", gold=gold)
    return dict(ranking(sample, {"dense": [], "lexical": found, "fused": found}))


@pytest.mark.parametrize(
    ("found", "ndcg"),
    [
        (["tea.md", "coffee.md"], 1.0),
        (["coffee.md", "tea.md"], 1 / log2(3)),
        (["coffee.md", "tea-copy.md", "tea.md"], 1 / log2(3)),
        (["coffee.md"], 0.0),
    ],
)
def test_the_place_of_the_right_document_or_of_one_that_repeats_it_counts(
    found: list[str], ndcg: float
) -> None:
    told = scores(found, GOLD)
    assert told["ndcg@10 fused"] == pytest.approx(ndcg)
    assert told["recall@5 lexical"] == float(ndcg > 0)
    assert told["ndcg@10 dense"] == 0.0


def test_without_twins_only_the_right_document_counts() -> None:
    assert scores(["tea-copy.md"], {"document": "tea.md"})["ndcg@10 fused"] == 0.0


@pytest.mark.parametrize(
    ("text", "copy", "other"),
    [
        (
            "Green tea steeps for two minutes in hot water of seventy degrees",
            "Green tea steeps for two minutes in hot water of seventy degrees!",
            "Coffee is brewed under a pressure of nine bar in half a minute",
        ),
        (
            "녹차는 칠십 도의 물에서 이 분 동안 우려낸다",
            "녹차는 칠십 도의 물에서 이 분 동안 우려낸다.",
            "커피는 구 기압에서 삼십 초 동안 뽑아낸다",
        ),
    ],
)
def test_passages_that_nearly_repeat_each_other_are_twins(text: str, copy: str, other: str) -> None:
    rows = [{"pid": "a", "text": text}, {"pid": "b", "text": copy}, {"pid": "c", "text": other}]
    assert _twins(rows) == {"a": ["b"], "b": ["a"], "c": []}
