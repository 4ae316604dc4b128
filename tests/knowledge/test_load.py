import unicodedata
from pathlib import Path

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.formats import load


def status(path: Path) -> str:
    result = load(path, LoadOptions())
    return result.status if isinstance(result, Unreadable) else "loaded"


def loaded(path: Path) -> Loaded:
    result = load(path, LoadOptions())
    assert isinstance(result, Loaded), result
    return result


def test_an_unknown_type_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert status(tmp_path / "picture.png") == "unsupported"


def test_korean_in_parts_is_composed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(unicodedata.normalize("NFD", "캐시 적중률"), "utf-8")
    assert loaded(tmp_path / "a.txt").pages[0].text == "캐시 적중률"


def test_headings_inside_a_code_block_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Title\n\n```\n# a comment\n```\n\n## 절\n", "utf-8")
    assert [heading.title for heading in loaded(tmp_path / "a.md").pages[0].headings] == [
        "Title",
        "절",
    ]
