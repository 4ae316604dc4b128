import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import msoffcrypto
import pptx
import pytest

from knowledge.load import office
from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load
from tests.knowledge.office import write_docx
from tests.knowledge.stubs import write_pdf

Write = Callable[[Path], Path]


def write_word(path: Path) -> Path:
    document = docx.Document()
    document.add_paragraph("녹차는 2분 우린다. Green tea takes two minutes.")
    document.save(str(path))
    return path


def write_slides(path: Path) -> Path:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[0])
    assert slide.shapes.title
    slide.shapes.title.text = "녹차 Green tea"
    presentation.save(str(path))
    return path


both = pytest.mark.parametrize(
    ("write", "name"), [(write_word, "차 tea.docx"), (write_slides, "차 tea.pptx")]
)


def unreadable(path: Path, *passwords: str) -> Unreadable:
    result = load(path, LoadOptions(passwords=passwords))
    assert isinstance(result, Unreadable), result
    return result


def encrypt(path: Path, password: str) -> None:
    plain = io.BytesIO(path.read_bytes())
    with path.open("wb") as file:
        msoffcrypto.OfficeFile(plain).encrypt(password, file)


@both
def test_an_encrypted_file_opens_with_one_of_the_passwords(
    tmp_path: Path, write: Write, name: str
) -> None:
    path = write(tmp_path / name)
    expected = load(path, LoadOptions())
    assert isinstance(expected, Loaded)
    encrypt(path, "비밀 tea")
    for passwords in ((), ("kim",)):
        assert unreadable(path, *passwords).status == "encrypted"
        assert "password" in unreadable(path, *passwords).reason
    assert load(path, LoadOptions(passwords=("kim", "비밀 tea"))) == expected


@both
def test_an_old_office_format_says_what_to_save_it_as(
    tmp_path: Path, write: Write, name: str
) -> None:
    path = write(tmp_path / name)
    encrypt(path, "kim")
    old, new = (text.encode("utf-16-le") for text in ("EncryptedPackage", "WordDocument-old"))
    path.write_bytes(path.read_bytes().replace(old, new))
    found = unreadable(path)
    assert (found.status, path.suffix[1:].upper() in found.reason) == ("unsupported", True)


@both
def test_a_broken_file_fails_with_a_reason(tmp_path: Path, write: Write, name: str) -> None:
    path = write(tmp_path / name)
    whole = path.read_bytes()
    encrypt(path, "kim")
    sealed = path.read_bytes()
    pdf = write_pdf(tmp_path / "a.pdf", [["Tea."]]).read_bytes()
    for content in (b"", b"PK", b"tea", pdf, whole[:-30], whole[:3000], sealed[:3000], sealed[:9]):
        path.write_bytes(content)
        found = unreadable(path, "kim")
        assert found.status == "failed", content[:10]
        assert found.reason


@both
def test_any_byte_may_be_wrong(tmp_path: Path, write: Write, name: str) -> None:
    path = write(tmp_path / name)
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert isinstance(load(path, LoadOptions()), Loaded | Unreadable)


@pytest.mark.parametrize(("write", "name"), [(write_word, "a.pptx"), (write_slides, "a.docx")])
def test_one_format_under_the_name_of_the_other_fails(
    tmp_path: Path, write: Write, name: str
) -> None:
    assert unreadable(write(tmp_path / name)).status == "failed"


@both
@pytest.mark.parametrize("limit", ["MAX_XML_BYTES", "MAX_UNPACKED_BYTES"])
def test_a_file_that_unpacks_to_too_much_is_refused_unread(
    tmp_path: Path, write: Write, name: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / name)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.xml", bytes(5_000_000))
    monkeypatch.setattr(office, limit, 4_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    found = unreadable(path)
    assert (found.status, "unpacks to" in found.reason) == ("failed", True)


def test_a_part_that_is_larger_than_its_directory_says_is_not_unpacked(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", f"<!--{' ' * 5_000_000}-->")
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("word/document.xml").file_size
    path.write_bytes(path.read_bytes().replace(size.to_bytes(4, "little"), b"\1\0\0\0"))
    found = unreadable(path)
    assert (found.status, "BadZipFile" in found.reason) == ("failed", True)


@both
def test_entities_are_not_resolved(tmp_path: Path, write: Write, name: str) -> None:
    (tmp_path / "secret").write_text("비밀 secret", "utf-8")
    path = write(tmp_path / name)
    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    doctype = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{(tmp_path / "secret").as_uri()}">]>'.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            if part in ("word/document.xml", "ppt/slides/slide1.xml"):
                declaration, root = content.split(b"?>", 1)
                content = declaration + b"?>" + doctype + root.replace("녹차".encode(), b"tea &e;")
            archive.writestr(part, content)
    result = load(path, LoadOptions())
    assert isinstance(result, Loaded), result
    assert result.pages[0].text.startswith("tea")
    assert "비밀" not in str(result)


def test_documents_without_text_have_the_status_no_text(tmp_path: Path) -> None:
    docx.Document().save(str(tmp_path / "a.docx"))
    pptx.Presentation().save(str(tmp_path / "a.pptx"))
    assert [unreadable(tmp_path / name).status for name in ("a.docx", "a.pptx")] == ["no_text"] * 2
