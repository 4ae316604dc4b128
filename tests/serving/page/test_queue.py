"""A task that waits for its turn, on a service that runs one at a time."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serving.store.database import Database
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, Served, serving
from tests.serving.api.test_queue import begun, hanging
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask

pytestmark = IN_ONE_LOOP


@pytest.fixture
def agents() -> PageAgents:
    """The first call hangs, the others are answered."""
    return PageAgents({"answer": ["HANG", EN_LINE]})


@pytest_asyncio.fixture(loop_scope="session")
async def served(database: Database, agents: PageAgents) -> AsyncIterator[Served]:
    async with serving(database, agents, running_tasks=1) as found:
        yield found


async def test_a_task_that_waits_tells_how_many_go_before_and_is_answered_in_its_turn(
    tab: Page, served: Served
) -> None:
    async with await served.client() as client:
        running = await hanging(served, client)
        await begun(client)
        await ask(tab, EN_QUESTION)
        progress = tab.locator("#progress")
        await expect(progress).to_have_text("Waiting for its turn. Tasks that go before: 1.")
        await tab.get_by_role("button", name="한국어").click()
        await expect(progress).to_have_text("차례를 기다리고 있습니다. 앞선 작업: 1개.")
        await client.delete(running)
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    await expect(progress).to_have_text("답변함")


async def test_a_task_that_waits_is_cancelled_before_its_turn(tab: Page, served: Served) -> None:
    async with await served.client() as client:
        await hanging(served, client)
        await ask(tab, EN_QUESTION)
        await expect(tab.locator("#progress")).to_contain_text("Tasks that go before: 0.")
        await tab.get_by_role("button", name="Cancel").click()
        await expect(tab.locator("#task-status")).to_have_text("■ Cancelled")
        assert len(served.agents.model.requests) == 1
