import os
import random
from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load

ENGLISH = "Green tea is steeped for two minutes at eighty degrees."
KOREAN = "녹차는 80도의 물에 2분 우린다. 똠방각하도 그렇게 마셨다."


def result_of(path: Path, content: bytes) -> Loaded | Unreadable:
    path.write_bytes(content)
    return load(path, LoadOptions())


def loaded(path: Path, content: str) -> Loaded:
    result = result_of(path, content.encode())
    assert isinstance(result, Loaded), result
    return result


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.markdown", "a.html"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((ENGLISH, encoding) for encoding in ("ascii", "utf-8-sig", "utf-16", "utf-32")),
        *((KOREAN, encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp949")),
        ("녹차는 2분 우린다.", "euc-kr"),
        ("녹차", "cp949"),
        ("お茶は二分間蒸らします。", "cp932"),
        ("绿茶需要泡两分钟。", "gb18030"),
        ("Le thé vert est infusé pendant deux minutes à l'étage d'été.", "cp1252"),
    ],
)
def test_every_encoding_gives_the_same_text(
    tmp_path: Path, name: str, text: str, encoding: str
) -> None:
    result = result_of(tmp_path / name, text.encode(encoding))
    assert isinstance(result, Loaded), result
    assert result.pages[0].text == text


@pytest.mark.parametrize("text", [ENGLISH + " “Tea” — ", KOREAN])
@pytest.mark.parametrize("damage", [b"\xff", "녹".encode()[:2]])
def test_a_few_wrong_bytes_do_not_lose_a_file(tmp_path: Path, text: str, damage: bytes) -> None:
    result = result_of(tmp_path / "a.txt", (text * 20).encode() + damage)
    assert isinstance(result, Loaded), result
    assert result.pages[0].text.startswith(text)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", "failed"),
        (b" \n\n\t\n", "no_text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "failed"),
        (b"PK\x03\x04" + bytes(50), "failed"),
        (random.Random(1).randbytes(4000), "failed"),
        (bytes(range(1, 32)) * 50 + b"tea", "garbled"),
    ],
)
def test_what_is_no_text_is_not_indexed(
    tmp_path: Path, name: str, content: bytes, status: str
) -> None:
    result = result_of(tmp_path / name, content)
    assert isinstance(result, Unreadable), result
    assert (result.status, bool(result.reason)) == (status, True)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    os.truncate(tmp_path / "a.txt", 10**12)
    result = load(tmp_path / "a.txt", LoadOptions())
    assert isinstance(result, Unreadable)
    assert "larger than" in result.reason


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\f", "\v", "\u2028", "\x85"])
def test_every_kind_of_line_end_parts_lines(tmp_path: Path, line_end: str) -> None:
    assert loaded(tmp_path / "a.txt", f"녹차{line_end}tea").pages[0].text == "녹차\ntea"


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        ("# On Tea\n\n## Water ##\n", [(0, "On Tea"), (1, "Water")]),
        ("# 차\n\n글\n\n### 물의 온도\n", [(0, "차"), (2, "물의 온도")]),
        ("On Tea\n======\n\ntext\n\n물의 온도\n---\n", [(0, "On Tea"), (1, "물의 온도")]),
        ("   # C#\n####### no\n#no\n#\n", [(0, "C#")]),
        ("# **Bold** [차](http://a) `x`", [(0, "Bold 차 x")]),
        ("- item\n---\n\n> quote\n---\n\n| a |\n---\n\n두\n줄\n---\n", []),
        ("```\n# no\n```\n\n~~~ py\n# 아님\n\n아님\n===\n~~~\n# 차\n", [(0, "차")]),
        ("````\n```\n# no\n````\n# 차\n\n```\n# never closed", [(0, "차")]),
        ("    # code\n\n\t# 코드\n", []),
    ],
)
def test_headings_of_markdown_are_found(
    tmp_path: Path, source: str, headings: list[tuple[int, str]]
) -> None:
    page = loaded(tmp_path / "a.md", source).pages[0]
    assert page.text == source.rstrip(" ")
    assert [(found.level, found.title) for found in page.headings] == headings
    for found in page.headings:
        line = page.text[found.start :].split("\n")[0]
        assert all(word in line for word in found.title.split())


@pytest.mark.parametrize(
    ("front", "title", "date", "tags"),
    [
        ("title: On Tea\ndate: 2024-05-01\ntags: [tea, water]", "On Tea", True, ("tea", "water")),
        ("title: 차\ndate: 2024-05-01T08:00:00Z\ntags:\n- 녹차\n- 물", "차", True, ("녹차", "물")),
        (
            "title: '차: 안내'\ndate: 2024년 5월 1일\ntags: 녹차, tea",
            "차: 안내",
            True,
            ("녹차", "tea"),
        ),
        ("date: 2024. 5. 1.\ntags: 7", "물 Water", True, ("7",)),
        ("date: 2024-13-45\ntags: {a: b}\ntitle: [a]", "물 Water", False, ()),
    ],
)
def test_front_matter_is_not_text(
    tmp_path: Path, front: str, title: str, date: bool, tags: tuple[str, ...]
) -> None:
    found = loaded(tmp_path / "a.md", f"---\n{front}\n---\n\n# 물 Water\n")
    assert found.pages[0].text == "# 물 Water\n"
    assert (found.title, found.date, found.tags) == (title, "2024-05-01" if date else None, tags)


@pytest.mark.parametrize(
    "source",
    [
        "---\n녹차 tea\n---\n\n글",
        "---\na: [b\n---\n\n글",
        "---\n!!python/object/apply:os.getcwd []\n---\n",
        "---\ntitle: never closed\n",
        "text\n---\ntitle: 차\n---\n",
        "---\n" + "[" * 20_000 + "\n---\n",
    ],
)
def test_what_only_looks_like_front_matter_stays_text(tmp_path: Path, source: str) -> None:
    assert loaded(tmp_path / "a.md", source).pages[0].text == source


def test_front_matter_that_repeats_itself_without_end_states_nothing(tmp_path: Path) -> None:
    levels = "\n".join(f"a{n + 1}: &a{n + 1} [{f'*a{n}, ' * 9}]" for n in range(1, 30))
    found = loaded(
        tmp_path / "차.md", f"---\na1: &a1 [x]\n{levels}\ntitle: *a30\ntags: *a30\n---\n글"
    )
    assert (found.title, found.tags, found.pages[0].text) == ("차", (), "글")


def test_comments_of_markdown_are_left_out_but_not_in_code(tmp_path: Path) -> None:
    source = "차<!-- 무시\nignore --> tea `<!-- a -->`\n\n```\n<!-- b -->\n```\n\n<!-- open\n"
    text = loaded(tmp_path / "a.md", source).pages[0].text
    assert text == "차 tea `<!-- a -->`\n\n```\n<!-- b -->\n```\n\n<!-- open\n"


def test_the_title_of_a_text_is_its_name(tmp_path: Path) -> None:
    assert loaded(tmp_path / "차 안내서.txt", "# 녹차").title == "차 안내서"
