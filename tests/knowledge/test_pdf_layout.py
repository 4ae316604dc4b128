from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions
from knowledge.load.pdf import load_pdf
from tests.knowledge.hard_files import Sheet, Show, lines, write

ENGLISH = [
    "The gateway answers only when all of the",
    "four checks pass, and it writes down the",
    "reason of every refusal in the ledger so",
    "that an owner can see on the next day who",
    "asked for what and how long it had taken",
    "before the answer came or did not come.",
]
KOREAN = [
    "게이트웨이는 네 가지 검사를 모두 통과해야만",
    "답을 보내고 거절한 까닭을 장부에 빠짐없이",
    "적어 두므로 다음 날 주인은 누가 무엇을 물어",
    "보았는지 그리고 얼마나 오래 걸렸는지 장부를",
    "펼쳐서 쉽게 알아볼 수 있고 답이 오지 않은",
    "까닭도 함께 확인할 수 있도록 되어 있습니다.",
]


def text_of(path: Path, page: int = 0) -> str:
    document = load_pdf(path, LoadOptions())
    assert isinstance(document, Loaded), document
    return document.pages[page].text


def woven(*columns: list[Show]) -> list[Show]:
    """Row by row across the columns."""
    return [show for row in zip(*columns, strict=True) for show in row]


@pytest.mark.parametrize("texts", [ENGLISH, KOREAN], ids=["english", "korean"])
@pytest.mark.parametrize("drawn", ["column by column", "row by row", "right column first"])
def test_two_columns_are_read_one_after_the_other(
    tmp_path: Path, texts: list[str], drawn: str
) -> None:
    left, right = lines(*texts, x=60), lines(*reversed(texts), x=320)
    shows = {
        "column by column": left + right,
        "row by row": woven(left, right),
        "right column first": right + left,
    }[drawn]
    path = write(tmp_path / "a.pdf", [Sheet([Show(60, 810, "On 두 columns", 16), *shows])])
    assert text_of(path).split("\n") == ["On 두 columns", *texts, *reversed(texts)]


@pytest.mark.parametrize("texts", [ENGLISH, KOREAN], ids=["english", "korean"])
def test_columns_whose_lines_are_not_at_equal_heights_are_read_one_after_the_other(
    tmp_path: Path, texts: list[str]
) -> None:
    columns = lines(*texts, x=60), lines(*texts, x=320, top=775)
    path = write(tmp_path / "a.pdf", [Sheet(woven(*columns))])
    assert text_of(path).split("\n") == [*texts, *texts]


def test_what_runs_across_two_columns_parts_what_is_above_from_what_is_below(
    tmp_path: Path,
) -> None:
    above = woven(lines(*ENGLISH, x=60), lines(*KOREAN, x=320))
    across = Show(60, 690, "A heading that runs across both of the columns 두 단에 걸친 제목", 10)
    below = woven(lines(*KOREAN, x=60, top=670), lines(*ENGLISH, x=320, top=670))
    path = write(tmp_path / "a.pdf", [Sheet([*above, across, *below])])
    assert text_of(path).split("\n") == [*ENGLISH, *KOREAN, across.text, *KOREAN, *ENGLISH]


ROWS = [
    ("Region", "지역", "Amount"),
    ("Seoul", "서울", "1,204"),
    ("Busan", "부산", "980"),
    ("Daegu", "대구", "455"),
    ("Jeju", "제주", "120"),
    ("Total", "합계", "2,759"),
]


@pytest.mark.parametrize("drawn", ["row by row", "column by column", "from the last row"])
def test_a_row_of_a_table_stays_on_one_line(tmp_path: Path, drawn: str) -> None:
    columns = [lines(*cells, x=60 + 150 * at) for at, cells in enumerate(zip(*ROWS, strict=True))]
    shows = {
        "row by row": woven(*columns),
        "column by column": [show for column in columns for show in column],
        "from the last row": woven(*(column[::-1] for column in columns)),
    }[drawn]
    path = write(tmp_path / "a.pdf", [Sheet(shows)])
    assert text_of(path).split("\n") == ["\t".join(row) for row in ROWS]


def test_cells_that_one_object_draws_are_parted_too(tmp_path: Path) -> None:
    rows = ["\t".join(row) for row in ROWS]
    path = write(tmp_path / "a.pdf", [Sheet(lines(*ENGLISH, *rows))])
    assert text_of(path).split("\n") == [*ENGLISH, *rows]


def test_cells_of_several_lines_are_read_one_after_the_other(tmp_path: Path) -> None:
    cells = [ENGLISH[:2], KOREAN[:2], ENGLISH[2:4], KOREAN[2:4], ENGLISH[4:], KOREAN[4:]]
    shows = [
        show
        for at, cell in enumerate(cells)
        for show in lines(*cell, x=60 + 260 * (at % 2), top=780 - 28 * (at // 2))
    ]
    path = write(tmp_path / "a.pdf", [Sheet(shows)])
    assert text_of(path).split("\n") == [line for cell in cells for line in cell]


def test_a_title_that_is_drawn_last_is_read_first(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [Sheet([*lines(*KOREAN), Show(60, 810, "제목 Title", 16)])])
    assert text_of(path).split("\n") == ["제목 Title", *KOREAN]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_the_lines_of_a_rotated_page_keep_their_order(tmp_path: Path, rotate: int) -> None:
    path = write(
        tmp_path / "a.pdf", [Sheet(woven(lines(*ENGLISH), lines(*KOREAN, x=320)), rotate=rotate)]
    )
    assert text_of(path).split("\n") == [*ENGLISH, *KOREAN]


@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_text_that_is_drawn_turned_is_read_in_its_own_direction(
    tmp_path: Path, quarter: int
) -> None:
    shows = woven(lines(*ENGLISH), lines(*KOREAN, x=320))
    path = write(tmp_path / "a.pdf", [Sheet(shows, rotate=90 * quarter, turned=quarter)])
    assert text_of(path).split("\n") == [*ENGLISH, *KOREAN]


@pytest.mark.parametrize(
    "texts",
    [["מזל טוב לכולם", "שורה שנייה כאן"], ["مرحبا بالعالم", "السطر الثاني هنا"]],
    ids=["hebrew", "arabic"],
)
def test_text_from_right_to_left_is_given_as_it_is_typed(tmp_path: Path, texts: list[str]) -> None:
    drawn = lines(*(text[::-1] for text in texts))
    assert text_of(write(tmp_path / "a.pdf", [Sheet(drawn)])).split("\n") == texts


@pytest.mark.parametrize("side_pt", [14_400, 20_000])
def test_a_huge_page_is_read(tmp_path: Path, side_pt: int) -> None:
    shows = lines("Far away", "멀리", top=side_pt - 100)
    path = write(tmp_path / "a.pdf", [Sheet(shows, width=side_pt, height=side_pt)])
    assert text_of(path) == "Far away\n멀리"


def test_characters_beyond_sixteen_bits_are_kept(tmp_path: Path) -> None:
    texts = ["𝑥 of 𠀀 and 😀", "다음 줄 next"]
    assert text_of(write(tmp_path / "a.pdf", [Sheet(lines(*texts))])).split("\n") == texts
