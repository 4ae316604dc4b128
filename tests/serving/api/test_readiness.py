"""What `/readyz` says of real parts, there and gone."""

import asyncio
from pathlib import Path

import pytest

from graph.errors import StoreUnavailable
from serving.api import readiness
from serving.api.rates import rate_limits
from serving.api.readiness import Parts
from serving.gateway.server import ModelServer
from serving.settings import Settings
from serving.store.database import Database
from serving.store.tenants import TenantStore
from serving.wiring.indexing import Indexing
from tests.chroma import chroma_server
from tests.knowledge.stubs import WordsEmbedder
from tests.redis import RedisServer, redis_server
from tests.stub_engine import StubEngine

__all__ = ["redis_server"]


def index_of(**settings: object) -> Parts:
    indexing = Indexing(Settings.model_validate(settings), WordsEmbedder())
    return Parts({"index": lambda: asyncio.to_thread(indexing.answer)})


async def test_an_engine_that_was_there_and_is_gone_is_lacking(stub_engine: StubEngine) -> None:
    server = ModelServer(stub_engine.url, None, None)
    parts = Parts({"engine": server.answer})
    await server.model()
    assert await parts.checks() == {"engine": None}
    url = stub_engine.url
    stub_engine.stop()
    lack = (await parts.checks())["engine"]
    stub_engine.start()
    assert lack is not None
    assert url in lack
    await server.aclose()


async def test_a_chroma_server_that_is_down_is_lacking(tmp_path: Path) -> None:
    home = {"home": tmp_path / "home"}
    with chroma_server(tmp_path) as url:
        assert await index_of(**home, chroma_url=url).checks() == {"index": None}
    lack = (await index_of(**home, chroma_url=url).checks())["index"]
    assert lack is not None
    assert "KA_CHROMA_URL" in lack


async def test_a_folder_that_cannot_be_written_is_lacking(tmp_path: Path) -> None:
    assert await index_of(home=tmp_path / "home").checks() == {"index": None}
    (tmp_path / "home" / "index").rmdir()
    (tmp_path / "home" / "index").write_text("no folder")
    lack = (await index_of(home=tmp_path / "home").checks())["index"]
    assert lack is not None
    assert "KA_HOME" in lack


async def test_a_redis_that_is_away_is_lacking(
    database: Database, redis_server: RedisServer
) -> None:
    async with rate_limits(redis_server.url, TenantStore(database)) as rates:
        parts = Parts({"limits": rates.answer})
        assert await parts.checks() == {"limits": None}
        redis_server.hang()
        lack = (await parts.checks())["limits"]
        redis_server.go_on()
        assert lack is not None
        assert "KA_REDIS_URL" in lack
    async with rate_limits(None, TenantStore(database)) as own:
        assert await Parts({"limits": own.answer}).checks() == {"limits": None}


async def test_one_part_that_fails_or_hangs_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "ANSWER_S", 0.05)

    async def fails() -> None:
        raise StoreUnavailable("away")

    async def hangs() -> None:
        await asyncio.sleep(60)

    async def answers() -> None: ...

    found = await Parts({"a": fails, "b": hangs, "c": answers}).checks()
    assert found == {"a": "away", "b": "no answer within 0.05 s", "c": None}
