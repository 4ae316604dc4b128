from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest

from knowledge.load.document import Loaded, LoadOptions, Page
from knowledge.load.formats import load
from tests.knowledge.office import paragraph, styled, write_docx


def loaded(path: Path) -> Loaded:
    result = load(path, LoadOptions())
    assert isinstance(result, Loaded), result
    return result


def page_of(tmp_path: Path, body: str, **parts: str) -> Page:
    return loaded(write_docx(tmp_path / "a.docx", body, **parts)).pages[0]


@pytest.mark.parametrize(
    ("title", "heading", "text", "row"),
    [
        ("On Tea", "Water", "Green tea is steeped for two minutes.", ["Sort", "Minutes"]),
        ("차 안내서", "물의 온도", "녹차는 2분 우린다.", ["종류", "시간(분)"]),
    ],
)
def test_a_document_gives_headings_lists_and_tables_in_their_order(
    tmp_path: Path, title: str, heading: str, text: str, row: list[str]
) -> None:
    document = docx.Document()
    document.add_heading(title, 0)
    document.add_heading(heading, 2)
    document.add_paragraph(text)
    document.add_paragraph(text, style="List Bullet")
    table = document.add_table(1, 2)
    for cell, content in zip(table.rows[0].cells, row, strict=True):
        cell.text = content
    document.add_paragraph(text)
    document.save(str(tmp_path / "a.docx"))
    page = loaded(tmp_path / "a.docx").pages[0]
    assert page.text == f"{title}\n\n{heading}\n\n{text}\n\n- {text}\n\n{' | '.join(row)}\n\n{text}"
    assert [(found.level, found.title) for found in page.headings] == [(0, title), (2, heading)]
    for found in page.headings:
        assert page.text.startswith(found.title, found.start)


@pytest.mark.parametrize(
    ("title", "keywords", "tags"),
    [
        ("On Tea", "tea, water; Tea", ("tea", "water", "Tea", "drinks")),
        ("차 안내서", "녹차; 물,녹차", ("녹차", "물", "drinks")),
    ],
)
def test_title_date_and_tags_come_from_the_properties(
    tmp_path: Path, title: str, keywords: str, tags: tuple[str, ...]
) -> None:
    document = docx.Document()
    document.add_paragraph("녹차는 2분 우린다.")
    stated = document.core_properties
    stated.title, stated.keywords, stated.category = title, keywords, "drinks"
    stated.created = datetime(2023, 1, 2, tzinfo=UTC)
    stated.modified = datetime(2024, 5, 1, 23, 59, tzinfo=UTC)
    document.save(str(tmp_path / "a.docx"))
    found = loaded(tmp_path / "a.docx")
    assert (found.title, found.date, found.tags) == (title, "2024-05-01", tags)


def test_a_document_without_properties_states_none(tmp_path: Path) -> None:
    found = loaded(write_docx(tmp_path / "차 안내서.docx", paragraph("녹차는 2분 우린다.")))
    assert (found.title, found.date, found.tags) == ("차 안내서", None, ())


@pytest.mark.parametrize(
    "definition",
    [
        '<w:name w:val="heading 2"/>',
        '<w:name w:val="제목 2"/>',
        '<w:name w:val="개요 2"/>',
        '<w:name w:val="Clause"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>',
        '<w:name w:val="조항"/><w:basedOn w:val="base"/>',
    ],
)
def test_a_heading_is_known_by_its_outline_or_its_name_in_english_or_korean(
    tmp_path: Path, definition: str
) -> None:
    base = '<w:style w:styleId="base"><w:name w:val="Heading 2"/></w:style>'
    styles = f'{base}<w:style w:type="paragraph" w:styleId="2">{definition}</w:style>'
    page = page_of(tmp_path, styled("물의 온도", "2") + paragraph("80도."), styles=styles)
    assert [(found.level, found.title) for found in page.headings] == [(2, "물의 온도")]


def test_the_table_of_contents_is_left_out(tmp_path: Path) -> None:
    styles = '<w:style w:type="paragraph" w:styleId="11"><w:name w:val="toc 1"/></w:style>'
    page = page_of(tmp_path, styled("Water 3", "11") + paragraph("At 80 degrees."), styles=styles)
    assert page.text == "At 80 degrees."


@pytest.mark.parametrize(
    ("form", "label", "expected"),
    [
        ("decimal", "제%1조", ["제1조", "제2조", "제3조"]),
        ("decimal", "%1.", ["1.", "2.", "3."]),
        ("upperRoman", "Article %1", ["Article I", "Article II", "Article III"]),
        ("ganada", "(%1)", ["(가)", "(나)", "(다)"]),
        ("decimalEnclosedCircle", "%1", ["①", "②", "③"]),
        ("bullet", "", ["-", "-", "-"]),
    ],
)
def test_numbers_that_word_makes_stand_before_their_paragraphs(
    tmp_path: Path, form: str, label: str, expected: list[str]
) -> None:
    level = f'<w:lvl w:ilvl="0"><w:numFmt w:val="{form}"/><w:lvlText w:val="{label}"/></w:lvl>'
    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{level}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    )
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = "".join(paragraph("목적 Purpose", numbered) for _ in expected)
    text = page_of(tmp_path, body, numbering=numbering).text
    assert text.split("\n") == [f"{number} 목적 Purpose" for number in expected]


def test_numbers_of_levels_are_joined_and_begin_anew(tmp_path: Path) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:lvlText w:val="{text}"/></w:lvl>'
        for level, text in enumerate(("%1.", "%1.%2"))
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )
    places = [(0, 1), (1, 1), (1, 1), (0, 1), (1, 1), (0, 2)]
    body = "".join(
        paragraph("x", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
        for level, number in places
    )
    lines = page_of(tmp_path, body, numbering=numbering).text.split("\n")
    assert [line.split()[0] for line in lines] == ["1.", "1.1", "1.2", "2.", "2.1", "1."]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<w:ins><w:r><w:t>새 글 new</w:t></w:r></w:ins>", "새 글 new"),
        ("<w:del><w:r><w:delText>옛 글 old</w:delText></w:r></w:del>", ""),
        ("<w:moveFrom><w:r><w:t>옛 자리 old</w:t></w:r></w:moveFrom>", ""),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>숨은 글 hidden</w:t></w:r>", ""),
        ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown 글</w:t></w:r>', "shown 글"),
        ('<w:r><w:rPr><w:rStyle w:val="h"/></w:rPr><w:t>숨은 글 hidden</w:t></w:r>', ""),
        (
            "<w:sdt><w:sdtContent><w:r><w:t>양식 form</w:t></w:r></w:sdtContent></w:sdt>",
            "양식 form",
        ),
        ("<w:hyperlink><w:r><w:t>링크 link</w:t></w:r></w:hyperlink>", "링크 link"),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r>", ""),
        ("<w:r><w:t>첫 줄</w:t><w:br/><w:t>next line</w:t></w:r>", "첫 줄\nnext line"),
    ],
)
def test_the_text_is_what_a_reader_sees(tmp_path: Path, inside: str, expected: str) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="h"><w:name w:val="Hidden"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style>"
    )
    page = page_of(tmp_path, f"<w:p>{inside}</w:p>{paragraph('끝 end')}", styles=styles)
    assert page.text == f"{expected}\n\n끝 end".lstrip()


def test_footnotes_and_text_boxes_follow_their_paragraph(tmp_path: Path) -> None:
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = f"<w:txbxContent>{paragraph('상자 box')}</w:txbxContent>"
    body = (
        '<w:p><w:r><w:t>본문 text</w:t><w:footnoteReference w:id="2"/></w:r>'
        f"<w:r><mc:AlternateContent {mc}><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    notes = f'<w:footnote w:id="2">{paragraph("각주 note")}</w:footnote>'
    page = page_of(tmp_path, body + paragraph("끝 end"), footnotes=notes)
    assert page.text == "본문 text\n\n각주 note\n\n상자 box\n\n끝 end"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def test_merged_cells_are_read_once(tmp_path: Path) -> None:
    merged = cell(paragraph("종류 sort"), '<w:vMerge w:val="restart"/>')
    below = cell(paragraph("종류 sort"), "<w:vMerge/>")
    rows = [merged + cell(paragraph("a")), below + cell(paragraph("b") + paragraph("c"))]
    body = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    assert page_of(tmp_path, body).text == "종류 sort | a\n| b c"


def test_a_table_that_is_only_a_frame_keeps_the_structure_inside(tmp_path: Path) -> None:
    styles = '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    framed = cell(styled("물의 온도", "1") + paragraph("80도."))
    page = page_of(tmp_path, f"<w:tbl><w:tr>{framed}</w:tr></w:tbl>", styles=styles)
    assert page.text == "물의 온도\n\n80도."
    assert [found.title for found in page.headings] == ["물의 온도"]
