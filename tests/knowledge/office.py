"""DOCX files part by part, for what python-docx reads but does not write."""

import zipfile
from pathlib import Path

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def styled(text: str, style: str) -> str:
    return paragraph(text, f'<w:pStyle w:val="{style}"/>')


def write_docx(path: Path, body: str, **parts: str) -> Path:
    """`body` and the parts (`styles`, `numbering`, `footnotes`) are what stands in their roots."""
    links = "".join(
        f'<Relationship Id="r{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for name in parts
    )
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_WORD_TYPE}.{kind}+xml"/>'
        for name, kind in {"document": "document.main", **{name: name for name in parts}}.items()
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{links}</Relationships>",
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        **{
            f"word/{name}.xml": f"<w:{name} {W}>{inside}</w:{name}>"
            for name, inside in parts.items()
        },
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
