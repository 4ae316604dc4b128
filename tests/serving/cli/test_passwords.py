"""Encrypted files: a file of passwords opens them, and shows up nowhere."""

import json
from pathlib import Path

import pytest

from tests.knowledge.stubs import encrypt, write_pdf
from tests.serving.cli.conftest import Run

SECRET = "s3cret 비밀"


@pytest.fixture
def locked(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "locked"
    folder.mkdir()
    encrypt(write_pdf(folder / "보고서.pdf", [["The safe holds the report."]]), SECRET)
    return folder


@pytest.fixture
def passwords(tmp_path: Path) -> str:
    (tmp_path / "passwords.txt").write_text(f"# of the board\nwrong\n{SECRET}\n", "utf-8")
    return str(tmp_path / "passwords.txt")


def test_without_its_password_a_file_is_encrypted_and_the_way_is_named(
    run: Run, locked: Path
) -> None:
    code, out, _ = run("ingest", str(locked), "--json")
    (file,) = json.loads(out)["files"]
    assert (code, file["status"]) == (1, "encrypted")
    assert "--passwords" in file["reason"]


def test_with_its_password_it_is_indexed_also_when_it_was_refused_before(
    run: Run, locked: Path, passwords: str
) -> None:
    run("ingest", str(locked))
    code, out, err = run("ingest", str(locked), "--json", "--passwords", passwords)
    assert (code, json.loads(out)["counts"]) == (0, {"indexed": 1})
    assert "s3cret" not in out + err


def test_chunks_of_an_encrypted_file_need_its_password(
    run: Run, locked: Path, passwords: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(locked / "보고서.pdf")
    assert run("chunks", file)[0] == 1
    code, out, err = run("chunks", file, "--passwords", passwords)
    assert (code, "The safe holds the report." in out) == (0, True)
    assert "s3cret" not in out + err
    monkeypatch.setenv("KA_PASSWORDS_FILE", passwords)
    assert run("chunks", file)[0] == 0


@pytest.mark.parametrize("command", ["ingest", "chunks"])
def test_a_file_of_passwords_that_is_not_there_is_named(
    run: Run, locked: Path, command: str
) -> None:
    argument = locked if command == "ingest" else locked / "보고서.pdf"
    code, out, err = run(command, str(argument), "--passwords", "no-such-file")
    assert (code, out) == (1, "")
    assert err.startswith("ConfigError: the file of passwords no-such-file cannot be read")
