from pathlib import Path

import pytest

from graph.errors import ConfigError
from serving.settings import Settings, load_settings
from serving.wiring.documents import MAX_PASSWORDS, MAX_PASSWORDS_BYTES, load_options

SECRET = "아주 비밀 s3cret#"


@pytest.fixture
def passwords_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KA_PASSWORDS_FILE", str(tmp_path / "passwords.txt"))
    return tmp_path / "passwords.txt"


def test_without_a_setting_there_is_no_password_and_no_ocr() -> None:
    options = load_options(load_settings())
    assert (tuple(options.passwords), options.ocr) == ((), False)


def test_passwords_are_lines_and_keep_their_spaces(passwords_file: Path) -> None:
    lines = "\ufeff# for the reports\r\n\r\nfirst\r\n with spaces \r\n" + SECRET
    passwords_file.write_bytes(lines.encode())
    assert load_options(load_settings()).passwords == ("first", " with spaces ", SECRET)


def test_ocr_is_turned_on_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_OCR", "true")
    assert load_options(load_settings()).ocr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (SECRET.encode("euc-kr"), "is not UTF-8"),
        ("\n".join([SECRET] * (MAX_PASSWORDS + 1)).encode(), f"at most {MAX_PASSWORDS}"),
        (SECRET.encode() * MAX_PASSWORDS_BYTES, f"more than {MAX_PASSWORDS_BYTES} bytes"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_its_content_is_not(
    passwords_file: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        passwords_file.write_bytes(content)
    with pytest.raises(ConfigError, match=said) as raised:
        load_options(load_settings())
    assert str(passwords_file) in str(raised.value)
    assert "s3cret" not in str(raised.value)
    assert raised.value.__context__ is None or isinstance(raised.value.__context__, OSError)


def test_passwords_do_not_show_in_a_text_of_the_options(passwords_file: Path) -> None:
    passwords_file.write_text(SECRET, "utf-8")
    options = load_options(Settings(passwords_file=passwords_file))
    assert options.passwords == (SECRET,)
    assert "s3cret" not in f"{options} {options!r}"
