import csv
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from graph.errors import KnowledgeError
from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load
from knowledge.reader import Reader
from tests.knowledge.stubs import encrypt, write_pdf


def status(path: Path) -> str:
    result = load(path, LoadOptions())
    return result.status if isinstance(result, Unreadable) else "loaded"


def loaded(path: Path) -> Loaded:
    result = load(path, LoadOptions())
    assert isinstance(result, Loaded), result
    return result


def test_pages_of_a_pdf_keep_their_numbers_and_their_text(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [["First page."], ["Second page."]], title="On Pages")
    document = loaded(path)
    assert document.title == "On Pages"
    assert [(page.number, page.text) for page in document.pages] == [
        (1, "First page."),
        (2, "Second page."),
    ]


def test_a_page_without_text_is_told_apart_from_the_others(tmp_path: Path) -> None:
    document = loaded(write_pdf(tmp_path / "a.pdf", [["Typed."], [], ["Typed too."]]))
    assert [page.number for page in document.pages] == [1, 3]
    assert document.textless == (2,)


def test_a_pdf_without_any_text_has_the_status_no_text(tmp_path: Path) -> None:
    assert status(write_pdf(tmp_path / "scan.pdf", [[], []])) == "no_text"


def test_a_pdf_that_needs_a_password_has_the_status_encrypted(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "secret.pdf", [["Secret."]])
    encrypt(path, "kim")
    assert status(path) == "encrypted"


@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff\xe0 not a pdf", b"%PDF-1.7\n1 0 obj\n<<"])
def test_a_broken_pdf_fails_with_a_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.pdf").write_bytes(content)
    result = load(tmp_path / "bad.pdf", LoadOptions())
    assert isinstance(result, Unreadable)
    assert result.status == "failed"
    assert result.reason


def test_an_unknown_type_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert status(tmp_path / "picture.png") == "unsupported"


def test_korean_in_parts_is_composed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(unicodedata.normalize("NFD", "캐시 적중률"), "utf-8")
    assert loaded(tmp_path / "a.txt").pages[0].text == "캐시 적중률"


def test_headings_inside_a_code_block_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Title\n\n```\n# a comment\n```\n\n## 절\n", "utf-8")
    assert [heading.title for heading in loaded(tmp_path / "a.md").pages[0].headings] == [
        "Title",
        "절",
    ]


def test_headings_of_a_pdf_come_from_its_outline(handbook: Path) -> None:
    document = loaded(handbook / "15-two-caches-and-ttl.pdf")
    for page in document.pages:
        for heading in page.headings:
            line = page.text[heading.start :].lstrip()
            assert line.startswith(heading.title.split()[0])
    assert sum(len(page.headings) for page in document.pages) >= 5


def test_the_reader_gives_up_a_file_that_takes_too_long_and_goes_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.txt")
    path = write_pdf(tmp_path / "a.pdf", [["Text."]])
    with Reader(timeout_s=0.3) as reader:
        first = reader.read(tmp_path / "endless.txt")
    assert isinstance(first, Unreadable)
    assert "given up" in first.reason
    with Reader() as reader:
        assert isinstance(reader.read(path), Loaded)


def test_a_reader_that_does_not_start_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "차.md").write_text("녹차는 2분 우린다.", "utf-8")
    for executable in (shutil.which("false"), str(tmp_path / "none")):
        monkeypatch.setattr(sys, "executable", executable)
        with Reader() as reader, pytest.raises(KnowledgeError, match=r"can import knowledge"):
            reader.read(tmp_path / "차.md")


def test_a_script_from_stdin_that_went_to_another_folder_can_read(tmp_path: Path) -> None:
    (tmp_path / "차.md").write_text("녹차는 2분 우린다.", "utf-8")
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from knowledge.reader import Reader\n"
        "os.chdir(sys.argv[1])\n"
        # Stands for an environment that this package is not installed in: no .pth file leads to it.
        "sys.executable = sys._base_executable\n"
        "with Reader() as reader:\n"
        "    print(reader.read(Path('차.md')).title)\n"
    )
    done = subprocess.run(
        [sys.executable, "-", str(tmp_path)],
        input=script,
        capture_output=True,
        encoding="utf-8",
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("차\n", "")


def _folded(text: str) -> str:
    text = re.sub("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def test_every_hard_pdf_ends_in_the_status_that_it_must(hard_pdfs: Path) -> None:
    with (hard_pdfs / "manifest.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    wrong = []
    with Reader() as reader:
        for row in rows:
            result = reader.read(hard_pdfs / row["file"])
            expected = row["must_contain_or_expected_outcome"]
            if expected.startswith("PASSWORD"):
                good = isinstance(result, Unreadable) and result.status == "encrypted"
            elif expected.startswith(("NO TEXT", "NO RELIABLE")):
                good = isinstance(result, Unreadable) and result.status == "no_text"
            elif row["confidence"] == "pdftotext+pdfium agree":
                text = "".join(p.text for p in result.pages) if isinstance(result, Loaded) else ""
                good = _folded(expected) in _folded(text)
            else:
                good = isinstance(result, Loaded | Unreadable)
            if not good:
                wrong.append(row["file"])
    assert wrong == []
