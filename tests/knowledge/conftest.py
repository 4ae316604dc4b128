import os
from pathlib import Path

import pytest

from knowledge.store import IndexAddress
from tests.knowledge.stubs import WordsEmbedder

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


@pytest.fixture
def embedder() -> WordsEmbedder:
    return WordsEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three documents, one of them Korean."""
    made = tmp_path / "documents"
    made.mkdir()
    (made / "tea.md").write_text("# Tea\n\nGreen tea is steeped for two minutes.\n", "utf-8")
    (made / "coffee.md").write_text("# Coffee\n\nEspresso is brewed in thirty seconds.\n", "utf-8")
    (made / "김치.md").write_text("# 김치\n\n배추김치는 소금에 절인다. 김치를 익힌다.\n", "utf-8")
    return made


@pytest.fixture
def address(tmp_path: Path) -> IndexAddress:
    return IndexAddress(tmp_path / "index")


@pytest.fixture(scope="session")
def handbook() -> Path:
    assert any(HANDBOOK.glob("*.pdf")), "examples/handbook is not built: make handbook"
    return HANDBOOK


@pytest.fixture(scope="session")
def hard_pdfs() -> Path:
    """The folder `pdfs` below KA_TEST_DATA, with its manifest.tsv."""
    pdfs = Path(os.environ.get("KA_TEST_DATA", "")) / "pdfs"
    if not (pdfs / "manifest.tsv").exists():
        pytest.skip("KA_TEST_DATA does not name a folder with pdfs/manifest.tsv")
    return pdfs
