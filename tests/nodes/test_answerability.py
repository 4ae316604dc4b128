"""The answerability judgement: types, candidates, parts, reasons, and how well it tells apart."""

import re

import numpy as np
import pytest
import yaml

from evals.fit_answerability import DATA, auroc, fit, held_out, read_pairs, values_of
from graph.evidence import Passage
from nodes.answerability.asked import read_asked
from nodes.answerability.candidates import find_candidates
from nodes.answerability.judgement import UNDECIDED, WEIGHTS, answerability
from nodes.answerability.measure import PART_NAMES, Parts, measure


def passage(text: str, title: str = "") -> Passage:
    return Passage(
        id=text[:20], document="a.pdf", title=title, page=1, start=0, end=len(text), text=text
    )


MILL = passage(
    "The mill at Ardo was built in 1843 by Jonas Weir. It ground 40 sacks of rye a day. The wheel "
    "was not repaired after the flood because the owners had moved to Lund."
)
MULLE = passage(
    "아르도 물레방아는 1843년에 임세원이 지었다. 하루에 호밀 40포대를 빻았다. "
    "주인이 나주로 이사했기 때문에 홍수 뒤에 바퀴를 고치지 않았다."
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who built the mill?", "person"),
        ("Since when has it stood there?", "time"),
        ("In what year was it built?", "time"),
        ("Where did the owners go?", "place"),
        ("How many sacks did it grind?", "number"),
        ("How long is the wheel?", "measure"),
        ("How much does a ticket cost?", "money"),
        ("How often is it cleaned?", "frequency"),
        ("Why was it not repaired?", "reason"),
        ("How is flour made?", "manner"),
        ("What is the name of the owner's dog?", "name"),
        ("What is a mill race?", "other"),
        ("물레방아는 누가 지었나요?", "person"),
        ("언제 지어졌나요?", "time"),
        ("몇 년에 지었나?", "time"),
        ("주인은 어디로 이사했나?", "place"),
        ("호밀을 몇 포대 빻았나?", "number"),
        ("바퀴의 길이는 얼마인가요?", "measure"),
        ("요금은 얼마인가요?", "money"),
        ("얼마나 자주 청소하나요?", "frequency"),
        ("왜 고치지 않았나요?", "reason"),
        ("밀가루는 어떻게 만드나요?", "manner"),
        ("주인의 이름은 무엇인가요?", "name"),
        ("물길이란 무엇인가?", "other"),
        ("谁建造了磨坊？", "person"),
        ("磨坊是什么时候建造的？", "time"),
    ],
)
def test_the_type_of_an_answer_is_read_from_the_question(question: str, expected: str) -> None:
    assert read_asked(question).type == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("Who built it?", "In 1843 it was built by Jonas Weir.", "Jonas Weir"),
        ("When was it built?", "The mill was built in May 1843 by hand.", "May 1843"),
        ("How many sacks a day?", "It ground 40 sacks of rye in 12 hours.", "40"),
        ("How long is it?", "The wheel of 1843 is 7 metres across.", "7"),
        ("누가 지었나요?", "물레방아는 임세원이 손으로 지었다.", "임세원"),
        ("언제 지었나요?", "물레방아는 1843년에 지었다.", "1843년"),
        ("몇 명이 일했나?", "기계 두 대로 9명이 일했다.", "9명"),
        ("무게는 얼마인가요?", "바퀴의 무게는 300킬로그램이다.", "300"),
    ],
)
def test_the_best_candidate_has_the_form_that_is_asked_for(
    question: str, sentence: str, expected: str
) -> None:
    found = find_candidates(read_asked(question), sentence)
    best = max(found, key=lambda candidate: candidate.fit)
    assert best.text.startswith(expected)


@pytest.mark.parametrize(
    ("answerable", "not_answerable", "part"),
    [
        ("Who built the mill at Ardo?", "Who built the mill at Brisk?", "names"),
        ("Who built the mill of 1843?", "Who built the mill of 1799?", "numbers"),
        ("Why was the wheel not repaired?", "Who did not grind rye by day?", "denial"),
        ("How many sacks did it grind?", "Which brewery bought the barges?", "sentence"),
        ("What was built at Ardo?", "What was demolished at Ardo?", "agrees"),
        ("1843년에 물레방아를 지은 사람은?", "1799년에 물레방아를 지은 사람은?", "numbers"),
        ("바퀴를 고치지 않은 이유는?", "호밀을 빻지 않은 사람은?", "denial"),
        ("호밀을 하루에 몇 포대 빻았나?", "양조장은 거룻배를 몇 척 샀나?", "sentence"),
        ("아르도 물레방아는 누가 지었나?", "부여 양조장 굴뚝은 누가 세웠나?", "anywhere"),
    ],
)
def test_a_change_of_the_question_lowers_the_part_that_is_about_it(
    answerable: str, not_answerable: str, part: str
) -> None:
    passages = [MILL] if answerable.isascii() else [MULLE]
    high, low = (measure(question, passages) for question in (answerable, not_answerable))
    assert high is not None
    assert low is not None
    assert getattr(low.parts, part) < getattr(high.parts, part)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Who built the mill at Brisk?", r"name"),
        ("Which brewery bought the barges in Ardo?", r"do not mention: .*barges"),
        ("1799년에 물레방아를 지은 사람은?", r"숫자"),
        ("양조장의 거룻배는 누가 샀나?", r"나오지 않는 낱말: .*양조장"),
    ],
)
def test_the_reason_says_what_is_missing_in_the_language_of_the_question(
    question: str, reason: str
) -> None:
    passages = [MILL] if question.isascii() else [MULLE]
    assert re.search(reason, answerability(question, passages).reason)


def test_the_sentence_that_speaks_for_an_answer_is_named_with_its_passage() -> None:
    other = passage("Barley was brewed in Lund. The brewery closed in 1901.")
    found = answerability("How many sacks of rye did the mill grind?", [other, MILL])
    assert (found.passage, found.sentence) == (1, "It ground 40 sacks of rye a day.")


@pytest.mark.parametrize("question", ["?", "What is it?", "뭐예요?", ""])
def test_a_question_without_content_is_judged_neither_way(question: str) -> None:
    assert answerability(question, [MILL]).score == UNDECIDED


@pytest.mark.parametrize(
    ("question", "passages"),
    [("Who built the mill at Ardo?", [MULLE]), ("아르도 물레방아는 누가 지었나?", [MILL])],
)
def test_passages_in_another_language_decide_nothing(
    question: str, passages: list[Passage]
) -> None:
    found = answerability(question, passages)
    assert found.score == UNDECIDED
    assert re.search("another language|다른 언어", found.reason)


def test_without_passages_there_is_no_answer() -> None:
    assert answerability("Who built the mill?", []).score == 0.0


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Who built the mill at Ardo in 1843?", True),
        ("Who built the mill at Ardo in 1799?", False),
        ("Who built the mill at Brisk?", False),
        ("Who did not build the mill?", False),
        ("1843년에 물레방아를 지은 사람은?", True),
        ("1799년에 물레방아를 지은 사람은?", False),
        ("XR-7 물레방아는 누가 지었나?", False),
        ("물레방아를 짓지 않은 사람은 누구인가?", False),
    ],
)
def test_a_false_premise_is_seen(question: str, holds: bool) -> None:
    found = answerability(question, [MILL] if question.isascii() else [MULLE])
    assert found.parts is not None
    assert (found.broken_premise == "") is holds


def test_a_rarity_from_the_corpus_replaces_that_of_the_passages() -> None:
    def only_rye(word: str) -> float:
        return 9.0 if word == "rye" else 0.01

    heavy = measure("How much rye did the brewery buy?", [MILL], only_rye)
    plain = measure("How much rye did the brewery buy?", [MILL])
    assert heavy is not None
    assert plain is not None
    assert heavy.parts.sentence > 0.9 > plain.parts.sentence


def test_parts_and_score_stay_between_0_and_1_for_texts_of_any_kind() -> None:
    texts = ["1", "   ", "« »", "不知道。没有", "word " * 3_000, "가" * 3_000, "a.b.c. 1.2.3"]
    for text in texts:
        found = answerability("Who built 12 mills, 谁建造了磨坊, 누가?", [passage(text), MILL])
        assert 0 <= found.score <= 1
        assert isinstance(found.parts, Parts)
        assert all(0 <= getattr(found.parts, name) <= 1.0001 for name in PART_NAMES)


@pytest.fixture(scope="module")
def judged() -> tuple[np.ndarray, np.ndarray, list[int], list[str]]:
    pairs = read_pairs("en") + read_pairs("ko")
    answerable = np.array([pair.kind == "answerable" for pair in pairs])
    groups, languages = [p.group for p in pairs], [p.language for p in pairs]
    return values_of(pairs), answerable, groups, languages


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_written_answer_stands_in_its_passage(language: str) -> None:
    entries = yaml.safe_load((DATA / f"pairs_{language}.yaml").read_text("utf-8"))
    asked = [
        (answer, " ".join(entry["text"].split()))
        for entry in entries
        for answer in entry["answerable"].values()
    ]
    assert [answer for answer, text in asked if answer not in text] == []
    assert len(asked) == sum(len(entry["unanswerable"]) for entry in entries) == 98


@pytest.mark.parametrize("language", ["en", "ko"])
def test_weights_that_did_not_see_a_passage_tell_its_questions_apart(
    judged: tuple[np.ndarray, np.ndarray, list[int], list[str]], language: str
) -> None:
    values, answerable, groups, languages = judged
    scores, own = held_out(values, answerable, groups), np.array(languages) == language
    assert auroc(scores[own], answerable[own]) > 0.78


def test_the_weights_in_the_code_are_as_good_as_fitted_ones(
    judged: tuple[np.ndarray, np.ndarray, list[int], list[str]],
) -> None:
    values, answerable, _, _ = judged
    stored = values @ np.array([WEIGHTS[name] for name in PART_NAMES])
    fitted = fit(values, answerable).score(values)
    assert auroc(stored, answerable) > auroc(fitted, answerable) - 0.01
