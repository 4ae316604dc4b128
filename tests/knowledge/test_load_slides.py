from collections.abc import Callable
from pathlib import Path

import pptx
import pytest
from lxml import etree
from pptx.chart.data import ChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.presentation import Presentation
from pptx.slide import Slide
from pptx.util import Inches

from knowledge.load.document import Loaded, LoadOptions
from knowledge.load.formats import load

DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
TITLE_AND_BODY, TITLE_ONLY, BLANK = 1, 5, 6


def slide_of(presentation: Presentation, layout: int = BLANK) -> Slide:
    slide: Slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
    return slide


def entitle(slide: Slide, title: str) -> None:
    assert slide.shapes.title
    slide.shapes.title.text = title


def write_on(slide: Slide, text: str, left: float = 1, top: float = 1) -> None:
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(1))
    box.text_frame.text = text


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Presentation], Loaded]:
    def save_and_load(presentation: Presentation) -> Loaded:
        presentation.save(str(tmp_path / "a.pptx"))
        result = load(tmp_path / "a.pptx", LoadOptions())
        assert isinstance(result, Loaded), result
        return result

    return save_and_load


@pytest.mark.parametrize(
    ("title", "points", "notes"),
    [
        ("Results of May", ["Sales rose by 5%.", "Costs fell."], "Thank the team."),
        ("5월 실적", ["매출이 5% 늘었다.", "비용이 줄었다."], "팀에 감사를 전한다."),
    ],
)
def test_a_slide_is_a_page_with_its_title_text_and_notes(
    read: Callable[[Presentation], Loaded], title: str, points: list[str], notes: str
) -> None:
    presentation = pptx.Presentation()
    slide_of(presentation)
    slide = slide_of(presentation, TITLE_AND_BODY)
    entitle(slide, title)
    slide.placeholders[1].text_frame.text = "\n".join(points)
    frame = slide.notes_slide.notes_text_frame
    assert frame
    frame.text = notes
    found = read(presentation)
    (page,) = found.pages
    assert (page.number, found.textless, found.title) == (2, (1,), title)
    assert page.text == f"{title}\n\n{points[0]}\n{points[1]}\n\n{notes}"
    assert [(heading.level, heading.start) for heading in page.headings] == [(0, 0)]


def test_shapes_are_read_in_rows_whatever_order_they_were_made_in(
    read: Callable[[Presentation], Loaded],
) -> None:
    presentation = pptx.Presentation()
    slide = slide_of(presentation, TITLE_ONLY)
    write_on(slide, "넷 four", left=5, top=4)
    write_on(slide, "둘 two", left=5, top=2)
    write_on(slide, "셋 three", left=1, top=4.1)
    write_on(slide, "하나 one", left=1, top=2.2)
    entitle(slide, "제목 title")
    expected = "제목 title\n\n하나 one\n\n둘 two\n\n셋 three\n\n넷 four"
    assert read(presentation).pages[0].text == expected


def test_groups_are_read_as_one_shape(read: Callable[[Presentation], Loaded]) -> None:
    presentation = pptx.Presentation()
    slide = slide_of(presentation)
    write_on(slide, "뒤 after", top=3)
    group = slide.shapes.add_group_shape()
    for text, left in (("나 b", 4), ("가 a", 1)):
        box = group.shapes.add_textbox(Inches(left), Inches(1), Inches(2), Inches(1))
        box.text_frame.text = text
    assert read(presentation).pages[0].text == "가 a\n\n나 b\n\n뒤 after"


def test_tables_and_charts_give_a_line_for_each_row(
    read: Callable[[Presentation], Loaded],
) -> None:
    presentation = pptx.Presentation()
    slide = slide_of(presentation)
    place = (Inches(1), Inches(1), Inches(4), Inches(1))
    table = slide.shapes.add_table(2, 2, *place).table
    for row, texts in enumerate([("종류 sort", "분 minutes"), ("녹차\v green tea", "2")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    data = ChartData()  # type: ignore[no-untyped-call]
    data.categories = ["1분기", "Q2"]
    data.add_series("매출 sales", (1.5, 1234567))  # type: ignore[no-untyped-call]
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, place[0], Inches(4), *place[2:], data)
    assert read(presentation).pages[0].text == (
        "종류 sort | 분 minutes\n녹차 green tea | 2\n\n| 1분기 | Q2\n매출 sales | 1.5 | 1234567"
    )


def test_smart_art_gives_a_line_for_each_point(read: Callable[[Presentation], Loaded]) -> None:
    presentation = pptx.Presentation()
    slide = slide_of(presentation)
    points = "".join(
        f"<d:pt><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>"
        for text in ("계획 plan", "실행 do")
    )
    data = f'<d:dataModel xmlns:d="{DIAGRAM}" xmlns:a="{DRAWING}">{points}</d:dataModel>'.encode()
    uri = PackURI("/ppt/diagrams/data1.xml")
    part = Part(uri, CONTENT_TYPE.DML_DIAGRAM_DATA, slide.part.package, data)
    key = slide.part.relate_to(part, RELATIONSHIP_TYPE.DIAGRAM_DATA)
    frame = slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(1), Inches(1))
    graphic = next(frame.element.iter(f"{{{DRAWING}}}graphicData"))
    graphic.set("uri", DIAGRAM)
    graphic.remove(graphic[0])
    etree.SubElement(graphic, f"{{{DIAGRAM}}}relIds", {f"{{{OFFICE}}}dm": key})
    assert read(presentation).pages[0].text == "계획 plan\n실행 do"


@pytest.mark.parametrize("kind", ["sldNum", "ftr", "dt"])
def test_hidden_shapes_and_what_every_slide_repeats_are_left_out(
    read: Callable[[Presentation], Loaded], kind: str
) -> None:
    presentation = pptx.Presentation()
    slide = slide_of(presentation)
    for text in ("보이는 글 shown", "숨은 글 hidden", "17"):
        write_on(slide, text)
    hidden, repeated = list(slide.shapes)[1:]
    next(hidden.element.iter(f"{P}cNvPr")).set("hidden", "1")
    etree.SubElement(next(repeated.element.iter(f"{P}nvPr")), f"{P}ph", type=kind, idx="7")
    assert read(presentation).pages[0].text == "보이는 글 shown"


@pytest.mark.parametrize("made_up", ["PowerPoint Presentation", "PowerPoint 프레젠테이션"])
def test_a_title_that_powerpoint_makes_up_is_none(
    read: Callable[[Presentation], Loaded], made_up: str
) -> None:
    presentation = pptx.Presentation()
    entitle(slide_of(presentation, TITLE_ONLY), "5월 실적 results")
    presentation.core_properties.title = made_up
    presentation.core_properties.keywords = "실적, sales"
    found = read(presentation)
    assert (found.title, found.tags) == ("5월 실적 results", ("실적", "sales"))


def test_a_broken_slide_does_not_lose_the_others(read: Callable[[Presentation], Loaded]) -> None:
    presentation = pptx.Presentation()
    for text in ("하나 one", "둘 two", "셋 three"):
        write_on(slide_of(presentation), text)
    presentation.slides._sldIdLst[1].rId = "rId999"
    found = read(presentation)
    assert [page.number for page in found.pages] == [1, 3]
    assert found.textless == (2,)
