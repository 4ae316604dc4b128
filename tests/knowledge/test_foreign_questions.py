"""The bank of foreign questions is as broad and as balanced as a calibration needs it."""

import json
from collections import Counter
from dataclasses import asdict
from importlib.resources import files

import pytest

from knowledge.foreign import foreign_questions, foreign_words, question_terms, sampled
from knowledge.lexical import Script, script, terms, words

LINES = files("knowledge").joinpath("data/foreign_questions.jsonl").read_text("utf-8").splitlines()
BANK: list[dict[str, str]] = [json.loads(line) for line in LINES]
SCRIPT = {"en": "latin", "ko": "hangul"}


def test_every_line_is_read_as_the_question_that_it_holds() -> None:
    assert all(row.keys() == {"language", "field", "question"} for row in BANK)
    assert all(text and text == text.strip() for row in BANK for text in row.values())
    assert [asdict(question) for question in foreign_questions()] == BANK


def test_both_languages_have_the_same_number_of_questions() -> None:
    counts = Counter(row["language"] for row in BANK)
    assert counts.keys() == {"en", "ko"}
    assert counts["en"] == counts["ko"] >= 360


def test_no_question_stands_twice_with_other_capitals_or_marks() -> None:
    counts = Counter(" ".join(words(row["question"])) for row in BANK)
    assert [question for question, times in counts.items() if times > 1] == []


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_field_outweighs_the_others(language: str) -> None:
    fields = Counter(row["field"] for row in BANK)
    here = Counter(row["field"] for row in BANK if row["language"] == language)
    assert len(fields) >= 36
    assert max(fields.values()) <= 30
    assert here.keys() == fields.keys()
    assert min(here.values()) >= 5


def test_a_question_is_written_in_the_script_of_its_language() -> None:
    strays = [row for row in BANK if script(row["question"]) != SCRIPT[row["language"]]]
    assert strays == []


@pytest.mark.parametrize("language", ["en", "ko"])
def test_questions_are_of_all_lengths(language: str) -> None:
    lengths = [len(words(row["question"])) for row in BANK if row["language"] == language]
    assert sum(length <= 4 for length in lengths) >= 30
    assert sum(length >= 10 for length in lengths) >= 10


def test_a_sample_has_as_many_questions_of_each_language_and_is_the_same_each_time() -> None:
    sample = sampled(600)
    assert Counter(one.language for one in sample) == {"en": 300, "ko": 300}
    assert sample == sampled(600)
    assert len({one.field for one in sample}) >= 36


@pytest.mark.parametrize("script_of_words", ["latin", "hangul"])
def test_there_are_words_in_both_scripts_to_put_in_the_place_of_others(
    script_of_words: Script,
) -> None:
    found = foreign_words()[script_of_words]
    assert len(found) >= 1_000
    assert all(script(word) == script_of_words for word in found)


@pytest.mark.parametrize("term", ["how", "나요", "refund", "zyzzyva"])
def test_a_term_is_counted_once_for_each_question_that_holds_it(term: str) -> None:
    counted = question_terms()
    assert counted.questions == len(BANK)
    assert counted.holding[term] == sum(term in terms(row["question"]) for row in BANK)


def test_words_that_questions_are_made_of_stand_in_many_and_subjects_in_few() -> None:
    holding = question_terms().holding
    assert min(holding["how"], holding["나요"]) > 10 * max(holding["refund"], holding["연차"])
