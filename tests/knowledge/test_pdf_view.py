"""Where a passage stands on the picture of its page. The picture itself tells: ink is dark."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject

from knowledge.load.document import PLAIN, Loaded, PageBox, PageRequest, PageView, Unreadable
from knowledge.load.formats import load, view
from knowledge.load.pdf_view import MAX_HEIGHT_PX, WIDTH_PX
from tests.knowledge import hard_files
from tests.knowledge.hard_files import Sheet, Show
from tests.knowledge.stubs import encrypt, write_pdf

TEA = "Green tea is steeped for two minutes"
DARK = 128
AROUND_PX = 3


def shown(path: Path, text: str, marked: str, nth: int = 0) -> PageView:
    start = -1
    for _ in range(nth + 1):
        start = text.index(marked, start + 1)
    found = view(path, PageRequest(1, text, start, start + len(marked), drawn=True))
    assert isinstance(found, PageView)
    return found


def read(path: Path) -> str:
    loaded = load(path, PLAIN)
    assert isinstance(loaded, Loaded)
    return loaded.pages[0].text


def ink(found: PageView) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return np.asarray(Image.open(BytesIO(found.png)).convert("L")) < DARK


def without(found: PageView) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """The ink outside of all boxes."""
    left = ink(found).copy()
    height, width = left.shape
    for box in found.boxes:
        rows = slice(
            max(0, int(box.y * height) - AROUND_PX), int((box.y + box.height) * height) + AROUND_PX
        )
        columns = slice(
            max(0, int(box.x * width) - AROUND_PX), int((box.x + box.width) * width) + AROUND_PX
        )
        left[rows, columns] = False
    return left


@pytest.mark.parametrize("turned_by", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_boxes_cover_the_ink_of_what_is_marked(
    tmp_path: Path, turned_by: int, cropped: bool
) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [[TEA]])
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.pages[0].rotate(turned_by)
    if cropped:
        writer.pages[0].cropbox = RectangleObject((20, 500, 400, 830))
    writer.write(path)
    found = shown(path, TEA, TEA)
    assert len(found.boxes) == 1
    assert ink(found).any()
    assert not without(found).any()


def test_of_lines_that_are_equal_the_one_that_is_meant_is_marked(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [[TEA, "Coffee is ground.", TEA]])
    text = read(path)
    first, second = shown(path, text, TEA), shown(path, text, TEA, nth=1)
    assert first.boxes[0].y < shown(path, text, "Coffee is ground.").boxes[0].y
    assert first.boxes[0].y < second.boxes[0].y


def test_a_word_that_a_line_end_parts_is_found(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [["The tea is steeped in pure water-", "ing cans."]])
    text = read(path)
    assert "watering\ncans" in text
    found = shown(path, text, "watering\ncans")
    assert len(found.boxes) == 2
    assert found.boxes[0].y < found.boxes[1].y


def test_korean_and_ligatures_are_found_in_whatever_form_they_stand(tmp_path: Path) -> None:
    lines = [Show(60, 780, "김치는 소금에 절인다."), Show(60, 760, "the \ufb01rst of\ufb01ce")]
    path = hard_files.write(tmp_path / "a.pdf", [Sheet(lines)])
    text = read(path)
    for marked in ("소금에", "first office"):
        assert len(shown(path, text, marked).boxes) == 1


def test_lines_that_were_read_in_another_order_are_marked_one_by_one(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [["First line here.", "Second line here."]])
    text = "Second line here.\nFirst line here."
    boxes = shown(path, text, text).boxes
    assert len(boxes) == 2
    assert boxes[0].y > boxes[1].y


def test_what_does_not_stand_on_the_page_is_not_marked(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [[TEA]])
    for text in ("Coffee is ground for thirty seconds.", f"{TEA[:5]}\nand something else", "—"):
        assert shown(path, text, text).boxes == ()


def test_a_picture_has_bounds_whatever_the_page_has(tmp_path: Path) -> None:
    for name, width, height in (("wide", 14_000, 10), ("high", 10, 14_000), ("large", 9e5, 9e5)):
        sheet = Sheet([Show(1, 1, "tea")], width=width, height=height)
        path = hard_files.write(tmp_path / f"{name}.pdf", [sheet])
        found = view(path, PageRequest(1, drawn=True))
        assert isinstance(found, PageView)
        picture = Image.open(BytesIO(found.png))
        assert picture.width <= WIDTH_PX + 1
        assert picture.height <= MAX_HEIGHT_PX + 1


def test_what_cannot_be_shown_says_why(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [[TEA]])
    assert view(path, PageRequest(2)) == Unreadable("failed", "has no page 2")
    encrypt(path, "secret")
    locked = view(path, PageRequest(1))
    assert isinstance(locked, Unreadable)
    assert locked.status == "encrypted"
    opened = view(path, PageRequest(1, TEA, 0, 5, passwords=("secret",)))
    assert isinstance(opened, PageView)
    assert [type(box) for box in opened.boxes] == [PageBox]
    assert view(tmp_path / "none.pdf", PageRequest(1)) == Unreadable(
        "failed", "is no PDF, or one that is damaged beyond repair"
    )
