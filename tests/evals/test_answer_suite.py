"""Answers against gold ones: known values, in both languages."""

import pytest

from evals.suite import Sample
from evals.suites.answer import SUITE, best, exact, f1, holds
from tests.evals.agent_outcomes import CACHE, answered, failed_gates, refused, sentence

QUESTION = "How many keys and values does a KV cache keep of all tokens?"
SAMPLE = Sample("1", "en", "answerable", QUESTION, gold={"answers": ["57 keys"]})


@pytest.mark.parametrize(
    ("text", "gold", "values"),
    [
        ("The KV cache.", ["KV cache"], (1, 1, 1)),
        ("It keeps 57 keys.", ["57 keys"], (0, 2 / 3, 1)),
        ("It keeps 57 of the keys.", ["57 keys"], (0, 4 / 7, 0)),
        ("It keeps 1,250 keys.", ["1250"], (0, 0.4, 1)),
        ("It keeps 1,250 keys.", ["250"], (0, 0, 0)),
        ("3,700.50원", ["3700.50원"], (1, 1, 1)),
        ("Nothing.", ["57 keys"], (0, 0, 0)),
        ("", ["57 keys"], (0, 0, 0)),
        ("It is blue.", ["red", "blue"], (0, 0.5, 1)),
        ("900그램", ["900 그램"], (1, 1, 1)),
        ("열여섯 명이다.", ["열여섯 명"], (0, 8 / 10, 1)),
        ("도착한 순서로 둔다.", ["도착한 순서"], (0, 10 / 13, 1)),
        ("늦은 순서", ["도착한 순서"], (0, 4 / 9, 0)),
        ("모른다.", ["도착한 순서"], (0, 0, 0)),
        ("그것은 파랑이다.", ["빨강", "파랑"], (0, 4 / 9, 1)),
    ],
)
def test_a_text_is_compared_with_the_gold_answer_that_fits_best(
    text: str, gold: list[str], values: tuple[float, float, float]
) -> None:
    found = tuple(best(score, text, gold) for score in (exact, f1, holds))
    assert found == pytest.approx(values)


def test_the_answer_stands_beside_quotes_of_the_same_passages() -> None:
    scores = SUITE.scores(SAMPLE, answered(sentence("It keeps 57 keys.", 1)))
    assert (scores["gold_shown"], scores["gold_quoted"], scores["gain"]) == (1, 1, 0)
    assert scores["f1"] == pytest.approx(2 / 3)
    assert 0 < float(scores["f1_quoted"] or 0) < 2 / 3


def test_a_refusal_counts_among_neither() -> None:
    assert SUITE.scores(SAMPLE, refused()) == {"answered": False}


def test_an_agent_that_shows_less_than_quotes_would_fails_its_gate() -> None:
    said = answered(sentence("A KV cache keeps keys.", 1))
    quoted = answered(sentence(CACHE.split("\n")[0].replace("*", ""), 1, quoted=True))
    assert failed_gates(SUITE, SAMPLE, said) == ["gain"]
    assert failed_gates(SUITE, SAMPLE, quoted) == []
