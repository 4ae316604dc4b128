from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions
from knowledge.load.normal import mend_hyphens
from knowledge.load.pdf import load_pdf
from tests.knowledge.hard_files import Sheet, Show, lines, write

BODIES = [
    ["Tea is steeped for two minutes.", "녹차는 이 분 동안 우린다.", "Then it is poured."],
    ["Coffee is brewed in thirty seconds.", "커피는 삼십 초면 내린다.", "Then it is served."],
    ["Kimchi is salted over night.", "김치는 밤새 소금에 절인다.", "Then it is rinsed."],
    ["Rice is washed three times.", "쌀은 세 번 씻는다.", "Then it is soaked."],
]


def texts_of(path: Path) -> list[str]:
    document = load_pdf(path, LoadOptions())
    assert isinstance(document, Loaded), document
    return [page.text for page in document.pages]


def sheets_with(*furniture: Callable[[int], Show]) -> list[Sheet]:
    return [
        Sheet([*lines(*body), *(made(number) for made in furniture)])
        for number, body in enumerate(BODIES, start=1)
    ]


@pytest.mark.parametrize(
    "furniture",
    [
        lambda number: Show(60, 815, "Handbook of the Kitchen"),
        lambda number: Show(60, 815, "부엌 안내서"),
        lambda number: Show(280, 30, str(number)),
        lambda number: Show(280, 30, f"- {number + 10} -"),
        lambda number: Show(280, 30, f"{number}쪽"),
        lambda number: Show(280, 30, f"Page {number} of 4"),
        lambda number: Show(280, 30, f"4 중 {number} 페이지"),
        lambda number: Show(280, 30, ["ii", "iii", "iv", "v"][number - 1]),
        lambda number: Show(
            60 if number % 2 else 400, 815, f"Chapter on {BODIES[number - 1][2][:4]} {number}"
        ),
        lambda number: Show(60, 30, "Printed 2024-05-01, do not copy"),
    ],
)
@pytest.mark.parametrize("drawn", ["before the text", "after the text"])
def test_what_pages_repeat_at_their_edges_is_dropped(
    tmp_path: Path, furniture: Callable[[int], Show], drawn: str
) -> None:
    sheets = [
        Sheet(
            [furniture(number), *lines(*body)]
            if drawn == "before the text"
            else [*lines(*body), furniture(number)]
        )
        for number, body in enumerate(BODIES, start=1)
    ]
    assert texts_of(write(tmp_path / "a.pdf", sheets)) == ["\n".join(body) for body in BODIES]


def test_several_lines_at_an_edge_are_dropped_together(tmp_path: Path) -> None:
    sheets = sheets_with(
        lambda number: Show(60, 820, "부엌 안내서"),
        lambda number: Show(60, 805, "Second edition"),
        lambda number: Show(60, 40, "Printed 2024-05-01"),
        lambda number: Show(60, 25, f"{number} / 4"),
    )
    assert texts_of(write(tmp_path / "a.pdf", sheets)) == ["\n".join(body) for body in BODIES]


@pytest.mark.parametrize(
    ("furniture", "why"),
    [
        (lambda number: Show(60, 400, "Note: wash your hands. 손을 씻는다."), "in the middle"),
        (lambda number: Show(60, 815, "Invoice 청구서", 20), "a title, larger than the text"),
        (lambda number: Show(60, 815 - 30 * number, "Wandering 줄"), "at other heights"),
        (lambda number: Show(60, 815, ["A", "나", "C", "라"][number - 1] * 5), "not repeated"),
        (lambda number: Show(60, 30, f"Total 합계: {number * number * 37}"), "no page number"),
    ],
)
def test_what_is_no_running_head_is_kept(
    tmp_path: Path, furniture: Callable[[int], Show], why: str
) -> None:
    texts = texts_of(write(tmp_path / "a.pdf", sheets_with(furniture)))
    for number, text in enumerate(texts, start=1):
        assert furniture(number).text in text, why


def test_the_header_of_a_table_is_kept_on_each_page(tmp_path: Path) -> None:
    header = ("Region", "지역", "Amount")
    rows = [[(f"Row {page}{at}", "서울", str(page * at)) for at in range(8)] for page in (3, 5, 7)]
    sheets = [
        Sheet(
            [
                Show(60 + 150 * column, 780 - 14 * at, cell)
                for at, row in enumerate([header, *on_page])
                for column, cell in enumerate(row)
            ]
        )
        for on_page in rows
    ]
    for text in texts_of(write(tmp_path / "a.pdf", sheets)):
        assert text.startswith("Region\t지역\tAmount\nRow")


def test_numbers_of_lines_beside_the_text_are_dropped(tmp_path: Path) -> None:
    sheets = [
        Sheet([*lines(*(body * 5)[:12]), *lines(*map(str, range(1, 13)), x=30)]) for body in BODIES
    ]
    assert texts_of(write(tmp_path / "a.pdf", sheets)) == [
        "\n".join((body * 5)[:12]) for body in BODIES
    ]


def test_ranks_of_a_table_are_kept(tmp_path: Path) -> None:
    ranks = [str(rank) for rank in range(1, 13)]
    path = write(
        tmp_path / "a.pdf", [Sheet([*lines(*ranks, x=30), *lines(*["서울 Seoul"] * 12, x=90)])]
    )
    assert texts_of(path)[0].split("\n") == [f"{rank}\t서울 Seoul" for rank in ranks]


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("an exam\ufffe\nple of it", "an example\nof it"),
        ("an exam-\nple of it", "an example\nof it"),
        ("das Bei\u00ad\nspiel dort", "das Beispiel\ndort"),
        ("the COVID-\n19 virus", "the COVID-19\nvirus"),
        ("코로나-\n19 바이러스", "코로나-19\n바이러스"),
        ("the form 10-\nK.", "the form 10-K."),
        ("out-of-\nscope queries", "out-of-scope\nqueries"),
        ("well-known, and well-\nknown too", "well-known, and well-known\ntoo"),
        ("two-\nand threefold", "two-\nand threefold"),
        ("a list -\nnext", "a list -\nnext"),
        ("목록 -\n다음 줄", "목록 -\n다음 줄"),
        ("the page ends with exam\ufffe", "the page ends with exam-"),
    ],
)
def test_words_that_a_line_end_parts_are_joined(broken: str, mended: str) -> None:
    assert mend_hyphens([broken]) == [mended]


def test_a_word_that_another_page_has_in_one_decides(tmp_path: Path) -> None:
    sheets = [Sheet(lines("The so-", "CALLED thing")), Sheet(lines("It is soCALLED here."))]
    assert texts_of(write(tmp_path / "a.pdf", sheets))[0] == "The soCALLED\nthing"
