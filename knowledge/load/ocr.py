"""Pages without text, read with Tesseract (in this process, through tesserocr)."""

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

from graph.errors import ConfigError

LANGUAGES = ("eng", "kor")
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
TIMEOUT_S = 50.0
"""For one look at a page; less than a file may take without progress, see `knowledge.reader`."""
SURE = 70
LEGIBLE = 55
"""Mean confidences of a page's words, of 100. Measured: clean scans 77 to 100; scans of 75 dpi,
where half of the pairs of Korean characters are right, 74 to 76; pages upside down, or in a script
that is neither Latin nor Korean, 30 to 52."""

_GAP = re.compile(r" {3,}")


def _nothing() -> None:
    pass


on_progress: Callable[[], None] = _nothing
"""Called before and after each look at a page: a long scan takes its time without being stuck."""


def read_page(page: pdfium.PdfPage) -> str:
    """The English and Korean text of a page, scanned on whichever side, in the order of its
    columns. Empty where nothing is legible, and where a look at it takes longer than `TIMEOUT_S`.

    Raises `ConfigError` where OCR is not installed, and `PdfiumError` where the page cannot be
    drawn. One page at a time: the engine is shared.
    """
    text, confidence = _look(page)
    if text.strip() and confidence < SURE:
        # Tesseract finds lines that run up or down the page by itself; upside down it does not.
        turned, confidence_turned = _look(page, rotation=180)
        if confidence_turned > confidence:
            text, confidence = turned, confidence_turned
    return _GAP.sub("  ", text) if confidence >= LEGIBLE else ""


def _look(page: pdfium.PdfPage, rotation: int = 0) -> tuple[str, int]:
    """Text and mean confidence, 0 to 100."""
    engine = _engine()
    width, height = page.get_size()
    scale = min(
        DPI / 72, math.sqrt(MAX_PIXELS / (width * height)), MAX_SIDE_PIXELS / max(width, height)
    )
    on_progress()
    bitmap = page.render(scale=scale, rotation=rotation, grayscale=True)
    pixels = bytes(bitmap.buffer)
    engine.SetImageBytes(pixels, bitmap.width, bitmap.height, 1, bitmap.stride)
    engine.SetSourceResolution(round(scale * 72))
    finished = engine.Recognize(round(TIMEOUT_S * 1000))
    on_progress()
    return (engine.GetUTF8Text(), engine.MeanTextConf()) if finished else ("", 0)


@cache
def _engine() -> Any:
    try:
        from tesserocr import PSM, PyTessBaseAPI
    except ImportError as error:
        raise ConfigError(_how_to_install("the Python package tesserocr is missing")) from error
    # Korean comes with a space after every syllable unless the spaces of the page are kept.
    return PyTessBaseAPI(
        path=str(_data_folder()),
        lang="+".join(LANGUAGES),
        psm=PSM.AUTO,
        variables={"preserve_interword_spaces": "1"},
    )


def _data_folder() -> Path:
    for pattern in DATA_FOLDERS:
        for folder in Path("/").glob(pattern.lstrip("/")):
            if all((folder / f"{language}.traineddata").exists() for language in LANGUAGES):
                return folder
    searched = ", ".join(DATA_FOLDERS)
    raise ConfigError(
        _how_to_install(f"no folder has Tesseract's English and Korean data ({searched})")
    )


def _how_to_install(cause: str) -> str:
    return (
        f"scanned pages cannot be read: {cause}. Install both parts of OCR: "
        "pip install '.[ocr]' in this project's folder, and on Debian or Ubuntu "
        "apt-get install tesseract-ocr tesseract-ocr-kor"
    )
