from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from knowledge.load.document import Loaded, LoadOptions, Page, Unreadable
from knowledge.load.pdf import load_pdf
from tests.knowledge.hard_files import Sheet, lines, write

PLAIN = LoadOptions()


def loaded(path: Path, options: LoadOptions = PLAIN) -> Loaded:
    result = load_pdf(path, options)
    assert isinstance(result, Loaded), result
    return result


def unreadable(path: Path, options: LoadOptions = PLAIN) -> Unreadable:
    result = load_pdf(path, options)
    assert isinstance(result, Unreadable), result
    return result


def secret(path: Path, user: str, owner: str = "owner") -> Path:
    """A PDF with the text `Secret 비밀`, encrypted; without a user's password all may open it."""
    writer = PdfWriter(clone_from=PdfReader(write(path, [Sheet(lines("Secret 비밀"))])))
    writer.encrypt(user, owner, algorithm="AES-256")
    writer.write(path)
    return path


@pytest.mark.parametrize("password", ["kim", "비밀번호"])
def test_an_encrypted_file_opens_with_the_password_that_fits(tmp_path: Path, password: str) -> None:
    path = secret(tmp_path / "a.pdf", password)
    document = loaded(path, LoadOptions(passwords=["wrong", "틀림", password]))
    assert document.pages == (Page(1, "Secret 비밀"),)


@pytest.mark.parametrize("passwords", [(), ("wrong", "틀림")])
def test_an_encrypted_file_without_its_password_tells_how_to_give_it(
    tmp_path: Path, passwords: tuple[str, ...]
) -> None:
    result = unreadable(secret(tmp_path / "a.pdf", "kim"), LoadOptions(passwords))
    assert result.status == "encrypted"
    assert "knowledge-agent ingest DIR --passwords FILE" in result.reason


def test_a_file_that_only_its_owner_may_change_opens_without_a_password(tmp_path: Path) -> None:
    assert loaded(secret(tmp_path / "a.pdf", "")).pages[0].text == "Secret 비밀"


def test_a_scan_tells_how_to_turn_ocr_on(tmp_path: Path) -> None:
    result = unreadable(write(tmp_path / "a.pdf", [Sheet(kind="scan")]))
    assert result.status == "no_text"
    assert "knowledge-agent ingest DIR --ocr" in result.reason


def test_ocr_reads_the_pages_without_text_and_only_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheets = [Sheet(lines("Typed 글")), Sheet(kind="scan"), Sheet(kind="broken")]
    path = write(tmp_path / "a.pdf", sheets)
    monkeypatch.setattr("knowledge.load.ocr.read_page", lambda page: "recognized 인식")
    document = loaded(path, LoadOptions(ocr=True))
    assert document.pages == (Page(1, "Typed 글"), Page(2, "recognized 인식"))
    assert document.textless == (3,)


def test_a_scan_in_which_ocr_finds_nothing_has_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.load.ocr.read_page", lambda page: "")
    path = write(tmp_path / "a.pdf", [Sheet(kind="scan")])
    assert unreadable(path, LoadOptions(ocr=True)).status == "no_text"


@pytest.mark.parametrize("kind", ["broken", "scan"])
def test_one_bad_page_does_not_lose_the_others(tmp_path: Path, kind: str) -> None:
    sheets = [Sheet(lines("First.")), Sheet(kind=kind), Sheet(lines("셋째."))]
    document = loaded(write(tmp_path / "a.pdf", sheets))
    assert document.pages == (Page(1, "First."), Page(3, "셋째."))
    assert document.textless == (2,)


def test_a_page_tree_that_contains_itself_ends(tmp_path: Path) -> None:
    sheets = [Sheet(lines("First.")), Sheet(kind="cycle"), Sheet(lines("둘째."))]
    assert [page.text for page in loaded(write(tmp_path / "a.pdf", sheets)).pages] == [
        "First.",
        "둘째.",
    ]


def test_a_file_whose_pages_are_all_broken_fails_with_the_first_reason(tmp_path: Path) -> None:
    result = unreadable(write(tmp_path / "a.pdf", [Sheet(kind="broken"), Sheet(kind="broken")]))
    assert result.status == "failed"
    assert "page 1" in result.reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "is no PDF"),
        (b"PK\x03\x04 a word processor's file", "is no PDF"),
        ("그냥 글".encode(), "is no PDF"),
        (b"%PDF-1.7\n1 0 obj\n<<", "is no PDF"),
    ],
)
def test_a_file_that_is_no_pdf_fails_with_a_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(content)
    result = unreadable(tmp_path / "a.pdf")
    assert result.status == "failed"
    assert reason in result.reason


def test_a_pdf_without_pages_fails_whatever_was_read_before(tmp_path: Path) -> None:
    assert unreadable(secret(tmp_path / "b.pdf", "kim")).status == "encrypted"
    assert unreadable(write(tmp_path / "a.pdf", [])) == Unreadable("failed", "has no pages")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file_gives_its_text_or_a_reason(tmp_path: Path, share: float) -> None:
    path = write(tmp_path / "a.pdf", [Sheet(lines(f"Page {at} 쪽")) for at in range(9)])
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    result = load_pdf(path, PLAIN)
    if isinstance(result, Loaded):
        assert all(page.text.startswith("Page ") for page in result.pages)
    else:
        assert result.status == "failed"
        assert result.reason


def test_more_pages_than_a_file_may_have_are_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.load.pdf.MAX_PAGES", 2)
    path = write(tmp_path / "a.pdf", [Sheet(lines("쪽 page"))] * 3)
    assert unreadable(path).status == "failed"


def test_files_inside_a_pdf_are_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [Sheet(lines("Letter 편지"))])
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.add_attachment("secret.txt", "attached 첨부".encode())
    writer.write(path)
    assert loaded(path).pages == (Page(1, "Letter 편지"),)


def test_the_document_states_its_title_date_and_tags(tmp_path: Path) -> None:
    info = {
        "Title": "김치 Kimchi",
        "Keywords": "cooking, 김치; 발효 ,",
        "CreationDate": "D:20200102030405Z",
        "ModDate": "D:20240501093000+09'00'",
    }
    document = loaded(write(tmp_path / "a.pdf", [Sheet(lines("Text."))], info))
    assert document.title == "김치 Kimchi"
    assert document.date == "2024-05-01"
    assert document.tags == ("cooking", "김치", "발효")


@pytest.mark.parametrize(
    ("info", "date"),
    [
        ({"CreationDate": "D:20200102"}, "2020-01-02"),
        ({"ModDate": "D:20201399", "CreationDate": "2020-01-02T10:00:00"}, "2020-01-02"),
        ({"ModDate": "어제"}, None),
        ({}, None),
    ],
)
def test_a_date_that_names_no_day_is_none(
    tmp_path: Path, info: dict[str, str], date: str | None
) -> None:
    assert loaded(write(tmp_path / "a.pdf", [Sheet(lines("Text."))], info)).date == date


def test_filled_fields_of_a_form_stand_after_the_text_with_their_labels(tmp_path: Path) -> None:
    fields = [("Name", "Kim"), ("주소", "서울시 중구"), ("Phone", "")]
    document = loaded(write(tmp_path / "a.pdf", [Sheet(lines("Form 양식"), fields=fields)]))
    assert document.pages[0].text == "Form 양식\nName: Kim\n주소: 서울시 중구"


def test_headings_of_a_pdf_come_from_its_outline(handbook: Path) -> None:
    document = loaded(handbook / "15-two-caches-and-ttl.pdf")
    for page in document.pages:
        for heading in page.headings:
            assert page.text[heading.start :].lstrip().startswith(heading.title.split()[0])
    assert sum(len(page.headings) for page in document.pages) >= 5


def test_text_in_embedded_korean_fonts_is_read(handbook: Path) -> None:
    text = loaded(handbook / "10-managed-to-own.pdf").pages[0].text
    assert "관리형 API(managed API)에서 자체 인프라로 옮기는 일은" in text
