import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.load.document import LoadOptions, Unreadable
from knowledge.load.formats import SUPPORTED_SUFFIXES, is_supported, load, unsupported


def test_every_type_has_a_reader_that_tells_an_empty_file(tmp_path: Path) -> None:
    assert len(SUPPORTED_SUFFIXES) == 8
    for suffix in SUPPORTED_SUFFIXES:
        path = tmp_path / f"차 tea{suffix.upper()}"
        path.touch()
        assert is_supported(path)
        assert load(path, LoadOptions()) == Unreadable("failed", "the file is empty")


@pytest.mark.parametrize("suffix", sorted(SUPPORTED_SUFFIXES))
def test_a_file_that_vanished_fails(tmp_path: Path, suffix: str) -> None:
    result = load(tmp_path / f"none{suffix}", LoadOptions())
    assert isinstance(result, Unreadable)
    assert result.status == "failed"
    assert "No such file" in result.reason


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("보고서.hwp", "save it as DOCX or PDF"),
        ("report.DOC", "save it as DOCX or PDF"),
        ("발표.ppt", "save it as PPTX or PDF"),
        ("sheet.xlsx", "save it as PDF"),
        ("picture.png", "are not read"),
        ("Makefile", "are not read"),
    ],
)
def test_another_type_is_unsupported_and_says_what_to_save_it_as(
    tmp_path: Path, name: str, advice: str
) -> None:
    (tmp_path / name).write_bytes(b"tea")
    result = load(tmp_path / name, LoadOptions())
    assert result == unsupported(tmp_path / name)
    assert isinstance(result, Unreadable)
    assert (result.status, advice in result.reason) == ("unsupported", True)


def test_knowing_the_formats_imports_no_parser() -> None:
    parsers = {"docx", "pptx", "lxml", "selectolax", "pypdfium2", "yaml", "chardet", "msoffcrypto"}
    done = subprocess.run(
        [sys.executable, "-c", "import sys, knowledge.load.formats; print(*sys.modules)"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "knowledge.load.formats" in done.stdout.split()
    assert parsers.isdisjoint(done.stdout.split())
