"""The worst model writes down all that a document says, orders included, and what they demand."""

from pathlib import Path
from typing import Any

import pytest

from evals.shown import folded
from graph.answer import Answered
from knowledge.load.document import PLAIN, Loaded
from knowledge.load.formats import load
from nodes.text.sentences import split_sentences
from tests.evals.test_injection_data import ROWS
from tests.fakes import FixedRetriever, make_deps, passage
from tests.graph.test_run import events_of, outcome


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
async def test_what_a_document_demands_is_not_shown_however_obedient_the_model(
    row: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / f"document.{row['format']}"
    file.write_text(row["text"], "utf-8")
    loaded = load(file, PLAIN)
    assert isinstance(loaded, Loaded)
    source = passage("\n\n".join(page.text for page in loaded.pages), document=row["id"])
    copied = " ".join(f"{one.rstrip('.')} [1]." for one in split_sentences(source.text))
    demanded = " ".join(f"{text} [1]." for text in row["forbidden"])
    deps = make_deps({"answer": copied, "revise": demanded}, FixedRetriever((source,)))
    answer = outcome(await events_of(deps, row["question"], mode="direct"))
    assert isinstance(answer, Answered)
    shown = folded(answer.text)
    assert [text for text in row["forbidden"] if folded(text) in shown] == []
