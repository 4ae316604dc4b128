"""Which documents a scope lets in, and what is said where it lets in none."""

import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from graph.errors import InputError
from graph.evidence import read_scope
from knowledge.catalog import Catalog
from knowledge.document_row import DocumentRow
from knowledge.scope import document_tags

DOCUMENTS = (
    ("hr/leave.pdf", "2024-05-01", "2025-09-09", ("Holidays",), "indexed"),
    ("hr/규정/휴가.pdf", "", "2024-05-31", ("휴가",), "indexed"),
    ("hr/report [final].pdf", "", "", (), "indexed"),
    ("legal/contract.md", "2025-01-02", "2020-01-01", ("HOLIDAYS", "Straße"), "indexed"),
    ("scan.pdf", "2024-05-01", "2024-05-01", (), "no_text"),
)
LEAVE, HYUGA, REPORT, CONTRACT = (path for path, *_ in DOCUMENTS[:4])


def apart(text: str) -> str:
    """Hangul as some file systems and keyboards give it: letter by letter."""
    return unicodedata.normalize("NFD", text)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with closing(Catalog(tmp_path / "catalog.sqlite3")) as made:
        for path, own_date, modified, own_tags, status in DOCUMENTS:
            row = DocumentRow(path, "", 1, 1, "", status, own_date=own_date, modified=modified)
            made.replace_document(replace(row, tags=document_tags(path, own_tags)))
        yield made


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, {LEAVE, HYUGA, REPORT, CONTRACT}),
        ({"documents": ["hr/*"]}, {LEAVE, HYUGA, REPORT}),
        ({"documents": ["hr/*/*"]}, {HYUGA}),
        ({"documents": ["*휴가*", "*.md"]}, {HYUGA, CONTRACT}),
        ({"documents": [apart("hr/규정/휴가.pdf")]}, {HYUGA}),
        ({"documents": ["hr/report [final].pdf"]}, {REPORT}),
        ({"documents": ["hr/[kl]eave.pd?"]}, {LEAVE}),
        ({"tags": ["HR"]}, {LEAVE, HYUGA, REPORT}),
        ({"tags": ["holidays"]}, {LEAVE, CONTRACT}),
        ({"tags": [apart("휴가"), "STRASSE"]}, {HYUGA, CONTRACT}),
        ({"tags": ["규정"]}, {HYUGA}),
        ({"since": "2024-05-31"}, {HYUGA, CONTRACT}),
        ({"until": "2024-05-31"}, {LEAVE, HYUGA}),
        ({"since": "2024-05-01", "until": "2024-05-01"}, {LEAVE}),
        ({"documents": ["*.pdf"], "tags": ["holidays"], "until": "2024-12-31"}, {LEAVE}),
    ],
)
def test_a_scope_lets_in_what_all_its_parts_let_in(
    catalog: Catalog, given: object, found: set[str]
) -> None:
    assert catalog.paths_in(read_scope(given)) == found


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"documents": ["HR/*"]}, f"(document HR/*); near by name: {LEAVE}, {REPORT}, {HYUGA};"),
        ({"documents": ["leave.pfd"]}, f"near by name: {LEAVE};"),
        ({"documents": ["hr/leave.doc"]}, f"near by name: {LEAVE};"),
        ({"documents": ["휴가규정.pdf"]}, f"near by name: {HYUGA};"),
        ({"documents": ["scan.pdf"]}, "near by name: scan.pdf (no_text)"),
        ({"documents": ["*xyzzy*"]}, "(document *xyzzy*); knowledge-agent documents"),
        ({"documents": ["*"], "since": "2030-01-01"}, "(document *, since 2030-01-01);"),
        (
            {"tags": ["없음"], "until": "2024-01-01"},
            "(tag 없음, until 2024-01-01); knowledge-agent",
        ),
    ],
)
def test_a_scope_that_lets_in_nothing_is_told_with_the_names_that_are_near(
    catalog: Catalog, given: object, said: str
) -> None:
    with pytest.raises(InputError) as raised:
        catalog.paths_in(read_scope(given))
    assert said in str(raised.value)
