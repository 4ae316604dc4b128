"""Pages without text, read with Tesseract (in this process, through tesserocr)."""

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

from graph.errors import ConfigError

DATA_FILES = ("eng.traineddata", "kor.traineddata", "osd.traineddata")
DATA_FOLDERS = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
"""Where Debian, Fedora, Arch, a build from source, and Homebrew keep what Tesseract has learned."""
DPI = 300
MAX_PIXELS = 20_000_000
"""A3 at 300 dpi has 17 million. Larger pages are drawn coarser."""
MAX_SIDE_PIXELS = 30_000
"""Tesseract refuses more than 32,767."""
BLUR_PIXELS = 1.0
"""Tesseract takes the thin strokes of small Korean letters for dirt. Share of pairs of characters
that came back from sharp Korean pages: 0.70, blurred 0.85; from scans of 200 dpi 0.85 both ways;
from English pages 0.97 all ways."""
TIMEOUT_S = 45.0
"""For one page; less than a file may take without progress, see `knowledge.reader`."""
LEGIBLE = 55
"""Mean confidence of a page's words, of 100. Measured: scans of 110 dpi and more 71 to 95, other
scripts than Latin and Korean 30 to 44, pages upside down 37 to 52."""
MIN_KOREAN_SHARE = 0.1
"""Of a page's characters, for its Latin words to be looked at once more as Korean ones."""
SURE = 80
"""Confidence that a second look needs. On two pages every word above it was Korean."""
MARGIN_PIXELS = 8

_GAP = re.compile(r" {3,}")
_HANGUL = re.compile(r"[가-힣]")
_LATIN = re.compile(r"[A-Za-z]")


def _nothing() -> None:
    pass


on_progress: Callable[[], None] = _nothing
"""Called before and after each page: a long scan takes its time without being stuck."""


def read_page(page: pdfium.PdfPage) -> str:
    """The English and Korean text of a page, scanned on whichever side, in the order of its
    columns. Empty where nothing is legible, and where it takes longer than `TIMEOUT_S`.

    Raises `ConfigError` where OCR is not installed, and `PdfiumError` where the page cannot be
    drawn. One page at a time: what recognizes them is shared.
    """
    tesseract = _tesseract()
    width, height = page.get_size()
    scale = min(
        DPI / 72, math.sqrt(MAX_PIXELS / (width * height)), MAX_SIDE_PIXELS / max(width, height)
    )
    on_progress()
    text = tesseract.read(page.render(scale=scale, grayscale=True).to_pil(), round(scale * 72))
    on_progress()
    return _GAP.sub("  ", text)


class _Tesseract:
    def __init__(self, data: Path) -> None:
        from PIL.ImageFilter import GaussianBlur
        from tesserocr import PSM, PyTessBaseAPI

        settings = {
            # Without it Korean comes with a space after every syllable.
            "preserve_interword_spaces": "1",
            # Otherwise it takes Korean lines, whose characters stand apart, for columns of text
            # that runs downwards.
            "textord_tabfind_vertical_text": "0",
        }
        self._blur = GaussianBlur(BLUR_PIXELS)
        self._orientation = PyTessBaseAPI(str(data), "osd", psm=PSM.OSD_ONLY)
        self._page = PyTessBaseAPI(str(data), "eng+kor", psm=PSM.AUTO, variables=settings)
        self._korean_word = PyTessBaseAPI(str(data), "kor", psm=PSM.SINGLE_WORD)

    def read(self, picture: Any, dpi: int) -> str:
        picture = picture.filter(self._blur)
        self._orientation.SetImage(picture)
        found = self._orientation.DetectOrientationScript()
        if found:
            picture = picture.rotate(found["orient_deg"], expand=True)
        self._page.SetImage(picture)
        self._page.SetSourceResolution(dpi)
        if not self._page.Recognize(round(TIMEOUT_S * 1000)):
            return ""
        if self._page.MeanTextConf() < LEGIBLE:
            return ""
        text: str = self._page.GetUTF8Text()
        if len(_HANGUL.findall(text)) < MIN_KOREAN_SHARE * len(text):
            return text
        self._korean_word.SetImage(picture)
        self._korean_word.SetSourceResolution(dpi)
        return self._with_korean_restored(text)

    def _with_korean_restored(self, text: str) -> str:
        """Tesseract takes many a Korean word for an English one ("법률" for "HS"), so what is
        Latin on a Korean page is looked at once more, as Korean alone."""
        from tesserocr import RIL, iterate_level

        restored = []
        at = 0
        for word in iterate_level(self._page.GetIterator(), RIL.WORD):
            read = word.GetUTF8Text(RIL.WORD).strip()  # a picture is a word of one space
            start = text.find(read, at)
            if start < 0:
                continue
            restored += [text[at:start], read]
            at = start + len(read)
            if _LATIN.search(read) and not _HANGUL.search(read):
                box, confidence = word.BoundingBox(RIL.WORD), word.Confidence(RIL.WORD)
                restored[-1] = self._as_korean(box, confidence) or read
        return "".join(restored) + text[at:]

    def _as_korean(self, box: tuple[int, int, int, int], rival: float) -> str:
        """The word in this box (left, top, right, bottom) if it is Korean with more confidence
        than its `rival` has."""
        left, top, right, bottom = box
        self._korean_word.SetRectangle(
            max(0, left - MARGIN_PIXELS),
            max(0, top - MARGIN_PIXELS),
            right - left + 2 * MARGIN_PIXELS,
            bottom - top + 2 * MARGIN_PIXELS,
        )
        korean: str = self._korean_word.GetUTF8Text().strip()
        sure = self._korean_word.MeanTextConf() >= max(SURE, rival)
        return korean if sure and _HANGUL.search(korean) else ""


@cache
def _tesseract() -> _Tesseract:
    try:
        return _Tesseract(_data_folder())
    except ImportError as error:
        cause = f"the Python package {error.name} is missing"
        raise ConfigError(_how_to_install(cause)) from error


def _data_folder() -> Path:
    for pattern in DATA_FOLDERS:
        for folder in Path("/").glob(pattern.lstrip("/")):
            if all((folder / name).exists() for name in DATA_FILES):
                return folder
    files = ", ".join(DATA_FILES)
    raise ConfigError(_how_to_install(f"no folder has {files} ({', '.join(DATA_FOLDERS)})"))


def _how_to_install(cause: str) -> str:
    return (
        f"scanned pages cannot be read: {cause}. Install both parts of OCR: the extra ocr "
        "(in this project's folder: make ocr) and Tesseract's data (on Debian or Ubuntu: "
        "apt-get install tesseract-ocr tesseract-ocr-kor)"
    )
