"""The handbook's own question set: complete, balanced, and true to the handbook's sources."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "evals/data/handbook.jsonl").read_text("utf-8").splitlines()
ROWS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
KEYS = {
    "answerable": ["id", "language", "kind", "question", "document", "answers"],
    "far": ["id", "language", "kind", "question"],
    "near": ["id", "language", "kind", "question", "why"],
}
KOREAN_CHAPTERS = ("10-", "13-", "15-", "16-")
UNKNOWN = {
    "en": "vector database|mi300|gRPC|learning rate|dropout|pipeline parallel|mixture of experts"
    "|sglang|flashattention|Python library|anthropic keep|helm|university|ef_construction|hyde"
    "|GraphRAG|B200|carbon|MMLU|registry|grafana|kiwi|PagerDuty|eighth layer|stage nine|Falconer"
    "|target_queue_seconds|Hartmann|KV-Zip|Okafor|RaySentinel",
    "ko": "도커|학습률|최소 몇 건|A100|업체별|k6|JMeter|bge|형태소|타입스크립트|포트|Istio"
    "|LangGraph|GPT-4o|프런트엔드|H200|EAGLE|OCR|수당|이미지|DoRA|구글|yaml|일곱 번째 단계"
    "|아홉 번째|박지훈|lora_swap_mode|max_idle_tokens|평문|Turbo|미래은행",
}
"""Names, numbers and terms of `near` questions that the handbook does not have."""


def folded(text: str) -> str:
    """Text on one line, without Markdown's emphasis and code marks."""
    return " ".join(text.replace("**", "").replace("`", "").split())


CHAPTERS = {
    f"{path.stem}.pdf": folded(path.read_text("utf-8"))
    for path in (ROOT / "examples/sources").glob("*.md")
}
ANSWERABLE = [row for row in ROWS if row["kind"] == "answerable"]


@pytest.mark.parametrize(("kind", "least"), [("answerable", 80), ("far", 80), ("near", 45)])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_each_kind_has_enough_questions_in_each_language(
    kind: str, least: int, language: str
) -> None:
    found = [row for row in ROWS if (row["kind"], row["language"]) == (kind, language)]
    assert len(found) >= least
    assert [row["id"] for row in found] == [
        f"{language}-{kind}-{number:03}" for number in range(1, len(found) + 1)
    ]


def test_every_row_has_the_keys_of_its_kind_in_order() -> None:
    told = [[key for key in row if key != "must_not_match"] for row in ROWS]
    assert told == [KEYS[row["kind"]] for row in ROWS]
    assert {row["why"] for row in ROWS if "why" in row} == {"false_premise", "not_covered"}


def test_ids_and_questions_are_unique() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert len({folded(row["question"]).casefold().rstrip("?.") for row in ROWS}) == len(ROWS)


def test_korean_questions_have_hangul_and_english_ones_have_none() -> None:
    hangul = [bool(re.search("[가-힣]", row["question"])) for row in ROWS]
    assert hangul == [row["language"] == "ko" for row in ROWS]


def test_every_gold_answer_stands_in_its_chapter_and_not_in_its_question() -> None:
    for row in ANSWERABLE:
        assert row["answers"], row["id"]
        for answer in row["answers"]:
            assert folded(answer) in CHAPTERS[row["document"]], (row["id"], answer)
            assert answer.casefold() not in row["question"].casefold(), (row["id"], answer)


def test_every_chapter_has_its_share_of_questions_mostly_in_its_own_language() -> None:
    asked = Counter((row["document"], row["language"]) for row in ANSWERABLE)
    for document in CHAPTERS:
        own, other = ("ko", "en") if document.startswith(KOREAN_CHAPTERS) else ("en", "ko")
        assert asked[document, own] >= 6, document
        assert asked[document, other] == 2, document


def test_what_no_answer_may_match_stands_in_no_chapter() -> None:
    text = " ".join(CHAPTERS.values())
    forbidding = [row for row in ROWS if "must_not_match" in row]
    assert {row["why"] for row in forbidding} == {"false_premise"}
    for row in forbidding:
        for pattern in row["must_not_match"]:
            assert re.search(pattern, text, re.IGNORECASE) is None, (row["id"], pattern)


@pytest.mark.parametrize(("language", "terms"), UNKNOWN.items())
def test_what_near_questions_ask_about_stands_in_no_chapter(language: str, terms: str) -> None:
    near = [row for row in ROWS if (row["kind"], row["language"]) == ("near", language)]
    asked = " ".join(row["question"] for row in near)
    text = " ".join(CHAPTERS.values()).casefold()
    assert [term for term in terms.split("|") if term not in asked] == []
    assert [term for term in terms.split("|") if term.casefold() in text] == []
