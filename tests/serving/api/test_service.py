"""The service as its settings put it together: tokens, salts, priorities and prices at once."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from serving.api.app import create_app
from serving.api.opening import open_service
from serving.api.server import Server
from serving.settings import Settings
from serving.store.database import open_database
from serving.store.tenants import Allowance, TenantStore
from tests.serving.api.issuer import AUDIENCE, ISSUER, Key
from tests.serving.api.process import ASK, new_home
from tests.stub_engine import MODEL, StubEngine
from tests.waiting import until

KEY = Key("one", "ES256")
PRICES = {MODEL: {"input": 1, "cached_input": 0.1, "output": 2}}


class Keys(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"keys": [KEY.jwk]}).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def jwks_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/keys"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_tokens_task_is_salted_ranked_and_priced(
    tmp_path: Path, stub_engine: StubEngine, jwks_url: str
) -> None:
    home = new_home(tmp_path)
    async with open_database(None, home) as database:
        tenants = TenantStore(database)
        await tenants.add("acme")
        await tenants.allow("acme", Allowance(priority="high"))
    settings = Settings(
        home=home,
        engine_url=stub_engine.url,
        engine_priorities=True,
        prices=json.dumps(PRICES),
        currency="EUR",
        jwt_issuer=ISSUER,
        jwt_audience=AUDIENCE,
        jwt_jwks_url=jwks_url,
    )
    server = Server(create_app(lambda: open_service(settings)), "127.0.0.1", 0, 5)
    running = asyncio.create_task(server.serve())
    await until(lambda: server.started, timeout_s=60)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    headers = {"Authorization": f"Bearer {KEY.token(scope='ask usage')}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        usage = (await client.post("/v1/tasks", json=ASK)).json()["usage"]
        [day] = (await client.get("/v1/usage")).json()["days"]
    server.should_exit = True
    await running
    sent = stub_engine.requests[-1]
    assert (len(sent["cache_salt"]), sent["priority"]) == (43, -1)
    cached, fresh = usage["cached_tokens"], usage["prompt_tokens"] - usage["cached_tokens"]
    euros = (fresh + 0.1 * cached + 2 * usage["output_tokens"]) / 1_000_000
    assert float(usage["cost"]["amount"]) == pytest.approx(euros)
    assert day["costs"] == [usage["cost"]]
    assert usage["cost"]["currency"] == "EUR"
