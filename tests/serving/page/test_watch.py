"""A task while it runs: drafts, cancel, broken connections, tasks that are taken up again."""

import asyncio
import json
from dataclasses import replace

from playwright.async_api import Page, Request, Route, expect

from graph.ports import Completion, ModelRequest
from tests.fakes import ScriptedModel
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask, sign_in
from tests.waiting import until

pytestmark = IN_ONE_LOOP


class DraftingModel(ScriptedModel):
    """Drafts something that does not stand, and goes on when it may."""

    may_go_on: asyncio.Event

    async def complete(self, request: ModelRequest) -> Completion:
        assert request.on_draft is not None
        request.on_draft("Whole answers are kept for a year. [2]")
        await self.may_go_on.wait()
        return await super().complete(replace(request, on_draft=None))


async def test_a_draft_is_marked_as_one_and_gives_way_to_the_checked_answer(
    tab: Page, agents: PageAgents
) -> None:
    model = agents.model = DraftingModel(agents.lines, agents.ledger)
    model.may_go_on = asyncio.Event()
    await ask(tab, EN_QUESTION)
    draft = tab.locator("#drafts")
    await expect(draft).to_contain_text("kept for a year")
    await expect(draft).to_contain_text("Not checked yet.")
    await expect(tab.get_by_role("status")).to_have_text("A draft is being written.")
    await expect(tab.locator(".step .state")).to_have_text("◔ running")
    await expect(tab.locator(".answer")).to_have_count(0)
    model.may_go_on.set()
    await expect(tab.locator(".answer")).to_contain_text("for 60 seconds")
    await expect(draft).to_be_empty()
    await expect(tab.locator(".step .state")).to_contain_text("✓ done")
    await expect(tab.locator("body")).not_to_contain_text("kept for a year")


async def test_a_task_is_cancelled_down_to_its_model_call(tab: Page, agents: PageAgents) -> None:
    agents.model.say("answer", "HANG")
    await ask(tab, EN_QUESTION)
    await until(lambda: bool(agents.model.requests))
    await tab.get_by_role("button", name="Cancel").click()
    await expect(tab.locator("#task-status")).to_have_text("■ Cancelled")
    await expect(tab.locator("#outcome")).to_contain_text("It was cancelled on request.")
    await expect(tab.locator(".numbers")).to_contain_text("cancelled")
    await expect(tab.locator("#outcome-title")).to_be_focused()


async def test_a_connection_that_breaks_is_taken_up_after_the_last_whole_event(tab: Page) -> None:
    asked_after: list[str] = []

    async def break_once(route: Route, request: Request) -> None:
        asked_after.append(request.headers["last-event-id"])
        if len(asked_after) > 1:
            await route.continue_()
            return
        first = json.dumps({"type": "task", "task_id": "0" * 32})
        cut = f"id: 1\nevent: task\ndata: {first}\n\nid: 2\nevent: node\ndata: {{"
        await route.fulfill(body=cut, content_type="text/event-stream")

    await tab.route("**/events", break_once)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".answer")).to_contain_text("for 60 seconds")
    assert asked_after == ["0", "1"]


async def test_a_question_whose_answer_is_lost_on_the_way_is_asked_once(
    tab: Page, served: Served
) -> None:
    sent: list[str] = []

    async def lose_the_first_answer(route: Route, request: Request) -> None:
        if request.method != "POST":
            await route.fallback()
            return
        sent.append(request.headers["idempotency-key"])
        if len(sent) > 1:
            await route.fallback()
            return
        await route.fetch()
        await route.abort()

    await tab.route("**/v1/tasks", lose_the_first_answer)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".answer")).to_contain_text("for 60 seconds")
    assert len(sent) == 2
    assert len(set(sent)) == 1
    async with await served.client() as client:
        assert len((await client.get("/v1/tasks")).json()["tasks"]) == 1


async def test_a_task_outlives_the_page_and_is_taken_up_by_the_next_one(
    tab: Page, agents: PageAgents, served: Served
) -> None:
    model = agents.model = DraftingModel(agents.lines, agents.ledger)
    model.may_go_on = asyncio.Event()
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#drafts")).to_contain_text("kept for a year")
    await tab.reload()
    await expect(tab.get_by_role("heading", name=EN_QUESTION)).to_be_visible()
    await expect(tab.locator("#drafts")).to_contain_text("kept for a year")
    assert served.service.runner.running == 1
    model.may_go_on.set()
    await expect(tab.locator(".answer")).to_contain_text("for 60 seconds")


async def test_a_task_of_the_history_is_opened_with_all_that_is_kept_of_it(
    tab: Page, served: Served
) -> None:
    async with await served.client() as client:
        for number in range(25):
            question = f"{EN_QUESTION} ({number})"
            await client.post("/v1/tasks", json={"question": question, "mode": "direct"})
    await tab.get_by_role("link", name="History").click()
    tasks = tab.locator(".tasks a")
    await expect(tasks).to_have_count(20)
    await tab.get_by_role("button", name="Older ones").click()
    await expect(tasks).to_have_count(25)
    await expect(tasks.nth(20)).to_be_focused()
    await tasks.nth(24).click()
    await expect(tab.locator("#task-title")).to_have_text(f"{EN_QUESTION} (0)")
    await expect(tab.locator(".answer")).to_contain_text(EN_LINE.removesuffix(" [2]"))
    await tab.locator(".citation").click()
    await expect(tab.locator("#panel mark")).to_contain_text("a time to live of 60 seconds")


async def test_a_task_whose_server_died_is_shown_as_interrupted(tab: Page, served: Served) -> None:
    task_id = "0" * 32
    ended = {"status": "interrupted", "cancelled": None}
    kept: dict[str, object] = {
        **ended,
        "id": task_id,
        "question": EN_QUESTION,
        "failures": [],
        "usage": None,
    }
    await tab.route(f"**/v1/tasks/{task_id}", lambda route: route.fulfill(json=kept))
    await tab.route(
        "**/events",
        lambda route: route.fulfill(
            body=f"id: 1\nevent: end\ndata: {json.dumps(ended)}\n\n",
            content_type="text/event-stream",
        ),
    )
    await tab.goto(f"{served.url}/#task/{task_id}")
    await expect(tab.locator("#task-status")).to_have_text("■ Interrupted")
    await expect(tab.locator("#outcome")).to_contain_text("Ask again.")


async def test_two_tabs_of_two_tenants_do_not_see_each_other(tab: Page, served: Served) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("✓ Answered")
    address = tab.url
    assert "#task/" in address
    other = await tab.context.new_page()
    await sign_in(other, served, "umbrella")
    await other.goto(address)
    await expect(other.get_by_role("alert")).to_contain_text("There is no such thing.")
    await expect(other.locator("#task")).to_be_hidden()
