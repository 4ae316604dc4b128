import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pypdfium2 as pdfium
import pytest

from graph.errors import ConfigError
from knowledge.load import ocr
from knowledge.load.document import Loaded, LoadOptions
from knowledge.reader import read_all

SOURCES = {
    "English": ("01-agent-control-loops.pdf", "which model call or tool call comes next"),
    "Korean": ("13-load-tests-and-tails.pdf", "정해진 시각에 요청을 보낸다"),
}


def _missing() -> str:
    if not importlib.util.find_spec("tesserocr"):
        return "the extra ocr is not installed"
    try:
        ocr._data_folder()
    except ConfigError as error:
        return str(error)
    return ""


needs_tesseract = pytest.mark.skipif(bool(_missing()), reason=_missing())


def scan(source: Path, target: Path, turned_by: int = 0) -> Path:
    """The upper third of the first page as a picture, on a page without text."""
    page = pdfium.PdfDocument(source)[0]
    width, height = page.get_size()
    picture = page.render(scale=200 / 72, grayscale=True, crop=(0, height * 2 / 3, 0, 0))
    with pdfium.PdfDocument.new() as document:
        image = pdfium.PdfImage.new(document)
        image.set_bitmap(picture)
        image.set_matrix(pdfium.PdfMatrix().scale(width, height / 3))
        scanned = document.new_page(width, height / 3)
        scanned.insert_obj(image)
        scanned.set_rotation(turned_by)
        scanned.gen_content()
        document.save(target)
    return target


@pytest.fixture
def no_engine() -> Iterator[None]:
    ocr._tesseract.cache_clear()
    yield
    ocr._tesseract.cache_clear()


@needs_tesseract
@pytest.mark.parametrize("turned_by", [0, 90, 180, 270])
@pytest.mark.parametrize("language", SOURCES)
def test_a_scan_comes_back_as_words_whichever_side_it_lies_on(
    handbook: Path, tmp_path: Path, language: str, turned_by: int
) -> None:
    source, words = SOURCES[language]
    path = scan(handbook / source, tmp_path / "scan.pdf", turned_by)
    [(_, result)] = read_all([path], LoadOptions(ocr=True))
    assert isinstance(result, Loaded), result
    assert words in " ".join(result.pages[0].text.split())


@needs_tesseract
@pytest.mark.parametrize(
    ("file", "index", "words"),
    [
        ("scan-rot90.pdf", 0, "bundles PDF document conversion"),
        ("scan-cardinal.pdf", 2, "state-of-the-art composition"),
        ("scan-skew.pdf", 0, "state-of-the-art composition"),
        ("ko-derived-mixed.pdf", 1, "감염병의 예방 및 관리에 관한 법률"),
        ("zh-scan.pdf", 0, ""),
    ],
)
def test_a_real_scan_gives_its_words_or_nothing(
    hard_pdfs: Path, file: str, index: int, words: str
) -> None:
    text = ocr.read_page(pdfium.PdfDocument(hard_pdfs / file)[index])
    assert words in text
    assert bool(text) == bool(words)


@needs_tesseract
def test_a_page_without_anything_on_it_gives_no_text() -> None:
    assert ocr.read_page(pdfium.PdfDocument.new().new_page(595, 842)) == ""


@needs_tesseract
def test_a_page_that_takes_too_long_gives_no_text(
    handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "TIMEOUT_S", 0.001)
    assert ocr.read_page(pdfium.PdfDocument(handbook / SOURCES["Korean"][0])[0]) == ""


@needs_tesseract
@pytest.mark.parametrize("size", [(1, 1), (0.1, 14_400), (14_400, 14_400)])
def test_a_page_of_any_size_is_drawn(size: tuple[float, float]) -> None:
    assert ocr.read_page(pdfium.PdfDocument.new().new_page(*size)) == ""


SLOW_TESSERACT = """
import time

class PSM:
    AUTO = OSD_ONLY = SINGLE_WORD = 0

class PyTessBaseAPI:
    def __init__(self, *_, **__): ...
    def SetImage(self, picture): ...
    def SetSourceResolution(self, dpi): ...
    def DetectOrientationScript(self): ...
    def Recognize(self, timeout):
        time.sleep(1)
        return True
    def MeanTextConf(self):
        return 95
    def GetUTF8Text(self):
        return "text"
"""


@needs_tesseract
def test_a_long_scan_may_take_longer_than_a_file_that_is_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tesserocr.py").write_text(SLOW_TESSERACT, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pdfium.PdfDocument.new() as document:
        for _ in range(6):
            document.new_page(50, 50)
        document.save(tmp_path / "scan.pdf")
    [(_, result)] = read_all([tmp_path / "scan.pdf"], LoadOptions(ocr=True), timeout_s=4)
    assert isinstance(result, Loaded), result
    assert len(result.pages) == 6


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize("there", [(), ("eng", "osd"), ("kor", "osd"), ("eng", "kor")])
def test_without_all_of_its_data_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...]
) -> None:
    for language in there:
        (tmp_path / f"{language}.traineddata").touch()
    monkeypatch.setitem(sys.modules, "tesserocr", Mock())
    monkeypatch.setattr(ocr, "DATA_FOLDERS", (str(tmp_path),))
    with pytest.raises(ConfigError, match="apt-get install tesseract-ocr tesseract-ocr-kor"):
        ocr.read_page(pdfium.PdfDocument.new().new_page(100, 100))


@pytest.mark.usefixtures("no_engine")
def test_without_the_python_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tesserocr", None)
    with pytest.raises(ConfigError, match=r"tesserocr is missing.*make ocr"):
        ocr.read_page(pdfium.PdfDocument.new().new_page(100, 100))
