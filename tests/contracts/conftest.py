from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chroma import chroma_server


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as url:
        yield url


@pytest.fixture(params=["embedded", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the vectors are: a folder of this process, or a Chroma server."""
    if request.param == "embedded":
        return tmp_path / "chroma"
    url: str = request.getfixturevalue("server_url")
    return url
