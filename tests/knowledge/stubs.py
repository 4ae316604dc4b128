"""An embedder without a model, and PDFs made by hand."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pypdf import PdfReader, PdfWriter

from graph.errors import EmbedderUnavailable
from knowledge.embed import Vectors, estimate_tokens
from knowledge.lexical import terms


class WordsEmbedder:
    """Hashed bags of words. `embedded` lists the passages that it was called for; after
    `fail_after` of them it is unavailable."""

    concurrency = 1

    def __init__(
        self, name: str = "words", dimension: int = 64, fail_after: int | None = None
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.fail_after = fail_after
        self.embedded: list[str] = []

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.fail_after is not None and len(self.embedded) + len(texts) > self.fail_after:
            raise EmbedderUnavailable("the stub was told to fail")
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if self.fail_after is not None:
            raise EmbedderUnavailable("the stub was told to fail")
        return self._vector(text)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimension, 0.01, np.float32)
        for term in terms(text):
            vector[zlib.crc32(term.encode()) % self.dimension] += 1.0
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit


def write_pdf(path: Path, pages: Sequence[Sequence[str]], title: str = "") -> Path:
    """A PDF with the given lines of ASCII text on each page; a page without lines has no text."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T* " for line in lines)
        stream = f"BT /F1 11 Tf 14 TL 50 780 Td {shown}ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({title}) >>")
    body = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    entries = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    body += (
        f"xref\n0 {size}\n0000000000 65535 f \n{entries}"
        f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    )
    path.write_bytes(body.encode("ascii"))
    return path


def encrypt(path: Path, password: str) -> None:
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.encrypt(password, algorithm="AES-256")
    writer.write(path)
