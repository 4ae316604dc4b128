from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.garbled import UNREADABLE, is_garbled
from knowledge.load.layout import Line
from knowledge.load.pdf import load_pdf
from knowledge.load.second_parser import read_again
from tests.knowledge.hard_files import SHIFT, Sheet, Show, lines, write
from tests.knowledge.stubs import write_pdf

ENGLISH = (
    "Every passage is kept with its document, its page and its place in the text, so that an "
    "answer can be followed back to the words that it rests on and checked by anybody who doubts."
)
GERMAN = (
    "Jede Textstelle wird mit ihrem Dokument, ihrer Seite und ihrer Stelle im Text aufbewahrt, "
    "damit man eine Antwort bis zu den Wörtern zurückverfolgen kann, auf denen sie beruht."
)
KOREAN = (
    "모든 문단은 문서와 쪽과 글 안의 자리와 함께 보관되므로 답이 기대고 있는 말을 찾아볼 수 있다. "
    "의심하는 사람은 누구나 그 말을 확인할 수 있고, 근거가 없는 문장은 답에서 빠진다."
)
CHINESE = "每个段落都与其文档、页码和在文本中的位置一起保存，因此可以追溯到答案所依据的文字。" * 3
RUSSIAN = "Каждый отрывок хранится вместе с документом, страницей и местом в тексте. " * 2
KOREAN_PDF = "10-managed-to-own.pdf"
ROWS = range(1, 80)
HONEST = {
    "english": ENGLISH,
    "capitals": ENGLISH.upper(),
    "german": GERMAN,
    "french": "Où que l'on soit, l'été a été très gâté : âmes fières, forêts vidées, œuvre créée.",
    "vietnamese": "Mỗi đoạn văn được lưu cùng với tài liệu, trang và vị trí của nó trong văn bản.",
    "korean": KOREAN,
    "chinese": CHINESE,
    "japanese": "段落は文書とページと本文中の位置とともに保存され、答えの根拠をたどれます。" * 4,
    "arabic": "تُحفظ كل فقرة مع مستندها وصفحتها ومكانها في النص حتى يمكن تتبع الإجابة. " * 3,
    "russian": RUSSIAN,
    "numbers": "\n".join(f"{at * 7919 % 100_000:,} {at * 31 % 97}.{at % 10}%" for at in ROWS),
    "leaders": "\n".join(f"{at}. Enter the amount {'.' * 60} {at}" for at in ROWS),
    "formulas": "∑ᵢ xᵢ² ≤ √(a² + b²) · ‖v‖, ∀ε>0 ∃δ>0: |x − a| < δ ⇒ |f(x) − f(a)| < ε; " * 3,
    "code": "for (int i = 0; i < n; ++i) { s[i] = (a[i] ^ k) & 0xFF; if (!s[i]) break; }\n" * 4,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz" * 3,
    "parts": "\n".join(
        f"XJ-{at * 37 % 1000:03d}-QZ/{at % 7} KWX{at} BRKT-M{at % 9}" for at in ROWS
    ),
    "bullets": "\uf0b7 Yes\n\uf0b7 No\n\uf0a7 예\n",
    "languages": "English 한국어 日本語 中文 Русский العربية עברית ไทย हिन्दी ελληνικά ქართული " * 4,
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST.keys())
def test_honest_text_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


def by_glyph_numbers(text: str) -> str:
    return "".join(chr(ord(char) - SHIFT) for char in text if char.isascii())


def without_controls(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


@pytest.mark.parametrize(
    "text",
    [
        by_glyph_numbers(ENGLISH),
        without_controls(by_glyph_numbers(ENGLISH)),
        without_controls(by_glyph_numbers(GERMAN)),
        KOREAN.encode("cp949").decode("latin-1"),
        RUSSIAN.encode("koi8-r").decode("latin-1"),
        CHINESE.encode("gb18030").decode("latin-1"),
        "".join(chr(0x100 + at * 797 % 0x4000) for at in range(400)),
        ENGLISH[:60] + UNREADABLE * 30,
    ],
    ids=[
        "shifted",
        "shifted, no spaces",
        "german",
        "cp949",
        "koi8",
        "gb18030",
        "glyphs",
        "unmapped",
    ],
)
def test_nonsense_is_garbled(text: str) -> None:
    assert is_garbled(text)


def unmapped(text: str, top: float = 780) -> list[Show]:
    rows = [text[at : at + 60] for at in range(0, len(text), 60)]
    return [Show(60, top - 14 * at, row, mapped=False) for at, row in enumerate(rows)]


def test_text_in_fonts_without_characters_is_garbled_and_tells_of_ocr(tmp_path: Path) -> None:
    result = load_pdf(write(tmp_path / "a.pdf", [Sheet(unmapped(ENGLISH))]), LoadOptions())
    assert isinstance(result, Unreadable)
    assert result.status == "garbled"
    assert "--ocr" in result.reason


def test_what_can_be_read_of_a_page_is_kept_without_what_cannot(tmp_path: Path) -> None:
    rows = [f"{at}. 읽을 수 있는 줄이다, a line that can be read." for at in range(5)]
    path = write(tmp_path / "a.pdf", [Sheet([*unmapped(ENGLISH), *lines(*rows, top=600)])])
    result = load_pdf(path, LoadOptions())
    assert isinstance(result, Loaded)
    assert result.pages[0].text.split("\n") == rows


def test_a_character_that_no_font_maps_is_marked(tmp_path: Path) -> None:
    shows = [
        Show(60, 780, "The set 집합 A "),
        Show(120, 780, "x", mapped=False),
        Show(130, 780, " B"),
    ]
    result = load_pdf(write(tmp_path / "a.pdf", [Sheet(shows)]), LoadOptions())
    assert isinstance(result, Loaded)
    assert UNREADABLE in result.pages[0].text
    assert "x" not in result.pages[0].text


@pytest.mark.parametrize("text", [ENGLISH, KOREAN], ids=["english", "korean"])
def test_a_garbled_page_has_the_text_of_the_second_parser_where_that_is_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = write(tmp_path / "a.pdf", [Sheet(lines("Good 좋다")), Sheet(unmapped(ENGLISH))])
    asked: list[int] = []

    def read_again(path: Path, pages: list[int], password: str) -> dict[int, list[Line]]:
        asked.extend(pages)
        return {1: [Line(text, 100, 110, (60,))]}

    monkeypatch.setattr("knowledge.load.second_parser.read_again", read_again)
    result = load_pdf(path, LoadOptions())
    assert isinstance(result, Loaded)
    assert asked == [1]
    assert [page.text for page in result.pages] == ["Good 좋다", text]


def test_the_second_parser_gives_the_lines_of_the_pages_that_it_can_read(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [["First page."], [], ["Third page.", "Its end."]])
    read = read_again(path, [0, 1, 2], "")
    texts = {page: [line.text for line in found] for page, found in read.items()}
    assert texts == {0: ["First page."], 2: ["Third page.", "Its end."]}


def test_the_second_parser_reads_korean(handbook: Path) -> None:
    text = "\n".join(line.text for line in read_again(handbook / KOREAN_PDF, [0], "")[0])
    assert "관리형 API(managed API)에서 자체 인프라로 옮기는 일은" in text


def test_what_the_second_parser_gives_without_spaces_is_not_taken(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [[ENGLISH[:90].replace(" ", "_")]])
    assert read_again(path, [0], "") == {}


def test_the_second_parser_ends_on_a_file_that_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<<")
    assert read_again(tmp_path / "a.pdf", [0, 1], "") == {}
