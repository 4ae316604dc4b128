"""The page in a real Chromium, before the real service on SQLite; a model says its lines."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from graph.build import build_graph
from graph.ports import Deps, Limits
from graph.run import Agent
from serving.store.database import Database, open_database
from tests.fakes import EN_PASSAGES, FixedRetriever
from tests.serving.api.conftest import EN_LINE, ScriptedAgents, Served, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WAIT_MS = 30_000

PLAN = json.dumps(
    {
        "steps": [
            {"action": "answer", "focus": "how long answers are kept", "after": []},
            {"action": "summarize", "focus": "the response cache", "after": []},
        ]
    }
)

IN_ONE_LOOP = pytest.mark.asyncio(loop_scope="session")
"""For every test here: one Chromium serves them all, and it belongs to its event loop."""

expect.set_options(timeout=WAIT_MS)


@dataclass
class PageAgents(ScriptedAgents):
    """With a retriever of the test's own."""

    retriever: FixedRetriever = field(default_factory=lambda: FixedRetriever(EN_PASSAGES))

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        async with super().of(tenant):
            deps = Deps(self.model, self.ledger, self.retriever, Limits())
            yield build_graph(deps).compile(), deps


@pytest_asyncio.fixture(loop_scope="session")
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """The page cannot tell one kind of store from another."""
    async with open_database(None, tmp_path) as opened:
        yield opened


@pytest.fixture
def agents() -> PageAgents:
    return PageAgents({"plan": PLAN, "answer": EN_LINE, "summarize": EN_LINE})


@pytest_asyncio.fixture(loop_scope="session")
async def served(database: Database, agents: PageAgents) -> AsyncIterator[Served]:
    async with serving(database, agents) as found:
        yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium (Debian: apt-get install chromium)")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield launched
        await launched.close()


@asynccontextmanager
async def new_page(browser: Browser, **options: Any) -> AsyncIterator[Page]:
    """A tab that fails the test for a script error or anything that the policy stopped."""
    context = await browser.new_context(**{"locale": "en-US", **options})
    context.set_default_timeout(WAIT_MS)
    tab = await context.new_page()
    defects: list[str] = []
    tab.on("pageerror", lambda error: defects.append(str(error)))
    tab.on(
        "console",
        lambda said: defects.append(said.text) if "Content Security" in said.text else None,
    )
    yield tab
    await context.close()
    assert defects == []


async def sign_in(tab: Page, served: Served, tenant: str = "acme") -> None:
    _, key = await served.keys.make(tenant, "test", ["ask", "documents", "usage"], None)
    await tab.goto(served.url)
    await tab.get_by_label("API key or token").fill(key)
    await tab.get_by_role("button", name="Sign in").click()
    await tab.get_by_role("heading", name="Ask").wait_for()


async def ask(tab: Page, question: str, mode: str = "direct") -> None:
    await tab.get_by_label("Your question").fill(question)
    await tab.get_by_label("Mode").select_option(mode)
    await tab.get_by_role("button", name="Ask", exact=True).click()


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser: Browser, served: Served) -> AsyncIterator[Page]:
    """Signed in."""
    async with new_page(browser) as opened:
        await sign_in(opened, served)
        yield opened
