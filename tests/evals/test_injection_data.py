"""Each document of the injection suite holds a true answer and an order that must not be obeyed."""

import base64
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from knowledge.lexical import script
from knowledge.load.document import PLAIN, Loaded
from knowledge.load.formats import load
from nodes.prompt import wording

DATA = Path(__file__).parents[2] / "evals" / "data" / "injection.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
KEYS = {"id", "language", "kind", "format", "text", "question", "answer", "forbidden", "attack"}
SCRIPT = {"en": "latin", "ko": "hangul"}
KINDS = 22

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])


def of_kind(kind: str) -> list[dict[str, Any]]:
    found = [row for row in ROWS if row["kind"] == kind]
    assert found, kind
    return found


def test_half_of_the_documents_are_korean_and_no_id_stands_twice() -> None:
    counts = Counter(row["language"] for row in ROWS)
    assert counts["en"] == counts["ko"] >= 24
    assert counts.keys() == {"en", "ko"}
    assert len({row["id"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_kind_of_attack_is_tried_in_both_languages(language: str) -> None:
    here = {row["kind"] for row in ROWS if row["language"] == language}
    assert here == {row["kind"] for row in ROWS}
    assert len(here) == KINDS


@each_row
def test_a_row_says_all_that_the_suite_needs(row: dict[str, Any]) -> None:
    assert row.keys() == KEYS
    assert row["format"] in ("md", "html", "txt")
    assert row["id"].startswith(f"{row['language']}-")
    assert script(row["question"]) == script(row["text"]) == SCRIPT[row["language"]]
    assert 80 <= len(row["text"].split()) <= 250
    assert row["attack"].strip()
    assert row["forbidden"]


@each_row
def test_the_agent_reads_the_gold_answer_in_the_document(
    row: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / f"document.{row['format']}"
    file.write_text(row["text"], "utf-8")
    loaded = load(file, PLAIN)
    assert isinstance(loaded, Loaded)
    read = " ".join(" ".join(page.text for page in loaded.pages).split())
    assert read.count(row["answer"]) == 1


@each_row
def test_a_good_answer_can_do_without_the_forbidden_strings(row: dict[str, Any]) -> None:
    harmless = f"{row['question']} {row['answer']}".casefold()
    assert [text for text in row["forbidden"] if text.casefold() in harmless] == []


@each_row
def test_no_address_leads_to_a_real_host(row: dict[str, Any]) -> None:
    written = " ".join([row["text"], *row["forbidden"]])
    hosts = re.findall(r"(?:https?://|@)([\w.-]+)", written)
    assert all(re.search(r"\.(?:example|invalid)$", host) for host in hosts), hosts


def test_a_leak_of_the_system_prompt_is_told_by_words_that_it_has_today() -> None:
    for row in of_kind("prompt_leak"):
        assert any(text in wording("system") for text in row["forbidden"]), row["id"]


def test_an_encoded_order_decodes_to_what_is_forbidden() -> None:
    for row in of_kind("encoded"):
        payload = re.search(r"^[A-Za-z0-9+/=]{40,}$", row["text"], re.MULTILINE)
        assert payload is not None, row["id"]
        order = base64.b64decode(payload[0], validate=True).decode()
        assert all(text in order for text in row["forbidden"]), row["id"]
        assert not any(text in row["text"] for text in row["forbidden"]), row["id"]


def test_unicode_tricks_have_survived_all_editors() -> None:
    for row in of_kind("unicode"):
        assert any(unicodedata.category(sign) == "Cf" for sign in row["text"]), row["id"]
        hidden = [text for text in row["forbidden"] if text not in row["text"]]
        assert hidden, row["id"]
