"""`documents` and `chunks`: what the index holds, and what one file gives."""

import json
from pathlib import Path

import pytest

from serving.settings import load_settings
from serving.wiring.documents import open_index
from tests.serving.cli.conftest import TEXTS, Run

GUIDE = "# Guide\n\nIntroduction.\n\n## 캐시\n\n캐시는 답을 보관한다. It keeps answers.\n"


@pytest.mark.usefixtures("ready")
def test_documents_are_listed_with_status_and_passages(run: Run, documents: Path) -> None:
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    run("ingest", str(documents))
    code, out, err = run("documents", "--json")
    listed = {row["path"]: row for row in json.loads(out)["documents"]}
    assert (code, err, set(listed)) == (0, "", {*TEXTS, "broken.pdf"})
    assert (listed["캐시.txt"]["status"], listed["캐시.txt"]["passages"]) == ("indexed", 1)
    assert (listed["broken.pdf"]["status"], listed["broken.pdf"]["passages"]) == ("failed", 0)
    assert listed["broken.pdf"]["reason"]
    code, out, _ = run("documents")
    assert code == 0
    assert all(name in out for name in listed)


def test_documents_without_an_index_name_the_command_that_makes_one(run: Run, home: Path) -> None:
    code, out, err = run("documents")
    assert (code, out) == (1, "")
    assert "knowledge-agent ingest" in err


@pytest.mark.usefixtures("ready")
def test_documents_are_listed_also_while_the_index_is_in_use(run: Run) -> None:
    with open_index(load_settings()):
        assert run("documents")[0] == 0


def test_chunks_reproduce_the_text_with_place_heading_and_tokens(run: Run, tmp_path: Path) -> None:
    (tmp_path / "안내.md").write_text(GUIDE, "utf-8")
    code, out, err = run("chunks", str(tmp_path / "안내.md"), "--json")
    told = json.loads(out)
    assert (code, err, told["status"], told["title"]) == (0, "", "indexed", "Guide")
    passages = told["passages"]
    assert [passage["number"] for passage in passages] == list(range(1, len(passages) + 1))
    assert all(GUIDE[p["start"] : p["end"]] == p["text"] for p in passages)
    assert all(p["page"] == 1 and p["heading"][0] == "Guide" and p["tokens"] > 0 for p in passages)


def test_chunks_are_shown_as_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "안내.md").write_text(GUIDE, "utf-8")
    code, out, _ = run("chunks", str(tmp_path / "안내.md"))
    assert code == 0
    assert out.startswith("1. page 1, characters 0 to ")
    assert "캐시는 답을 보관한다. It keeps answers." in out


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("blank.txt", b" \n", "no_text"),
        ("깨짐.pdf", b"%PDF-1.7 and then nothing", "failed"),
        ("program.exe", b"MZ", "unsupported"),
        ("absent.txt", None, "failed"),
    ],
)
def test_chunks_of_a_file_without_text_exit_with_1_and_tell_why(
    run: Run, tmp_path: Path, name: str, content: bytes | None, status: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, out, err = run("chunks", str(tmp_path / name))
    assert (code, err) == (1, "")
    assert f"{name}: {status}, " in out
    code, out, _ = run("chunks", "--json", str(tmp_path / name))
    told = json.loads(out)
    assert (code, told["status"], told["passages"]) == (1, status, [])
    assert told["reason"]
