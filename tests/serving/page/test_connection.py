"""Connections that break, answers that come half, late or not at all."""

import asyncio

import pytest
from playwright.async_api import Page, Request, Route, expect

from serving.api.connection import Connection
from tests.fakes import EN_PASSAGES, FixedRetriever, passage
from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask
from tests.waiting import until

pytestmark = IN_ONE_LOOP

LOST = "The connection is lost; taking it up again."


def cut_connections(served: Served) -> None:
    for connection in list(served.server.server_state.connections):
        assert isinstance(connection, Connection)
        connection.transport.abort()


async def test_the_progress_line_says_so_while_a_connection_is_lost_and_no_longer(
    tab: Page, agents: PageAgents, served: Served
) -> None:
    followed: list[str] = []

    def seen(request: Request) -> None:
        if request.url.endswith("/events"):
            followed.append(request.headers["last-event-id"])

    tab.on("request", seen)
    agents.model.say("answer", "HANG")
    await ask(tab, EN_QUESTION)
    await until(lambda: bool(agents.model.requests))
    progress = tab.locator("#progress")
    await expect(progress).to_have_text("The plan is there. Steps: 1.")
    await tab.evaluate(
        """() => {
          window.said = [];
          const place = document.getElementById("progress");
          const heard = new MutationObserver(() => said.push(place.textContent));
          heard.observe(place, {childList: true});
        }"""
    )
    cut_connections(served)
    await until(lambda: len(followed) == 2)
    await expect(progress).to_have_text("The plan is there. Steps: 1.")
    assert await tab.evaluate("window.said") == [LOST, "The plan is there. Steps: 1."]
    assert int(followed[1]) > 1


async def test_a_server_that_starts_anew_behind_a_proxy_is_waited_for(tab: Page) -> None:
    answers: list[int] = []

    async def once(route: Route) -> None:
        answers.append(502)
        await route.fulfill(status=502, body="<h1>Bad Gateway</h1>", content_type="text/html")

    await tab.route("**/events", once, times=1)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    assert answers == [502]


async def test_a_task_that_cannot_be_followed_holds_up_no_question_and_is_found_again(
    tab: Page,
) -> None:
    await tab.route("**/events", lambda route: route.fulfill(status=500, json={}), times=1)
    await ask(tab, EN_QUESTION)
    await expect(tab.get_by_role("alert")).to_contain_text("Something went wrong (500).")
    await expect(tab.locator("#progress")).to_contain_text("open it from the history")
    await expect(tab.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await tab.get_by_role("link", name="History").click()
    await tab.locator(".tasks a").click()
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    await expect(tab.get_by_role("alert")).to_be_empty()


async def test_a_question_whose_answer_breaks_off_is_asked_once(tab: Page, served: Served) -> None:
    sent: list[str] = []

    async def break_off(route: Route, request: Request) -> None:
        sent.append(request.headers["idempotency-key"])
        if len(sent) > 1:
            await route.continue_()
            return
        await route.fetch()
        await route.fulfill(status=202, body='{"id": "', content_type="application/json")

    await tab.route("**/v1/tasks", break_off)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    assert len(sent) == 2
    assert len(set(sent)) == 1


async def test_a_cancel_that_does_not_arrive_can_be_asked_again(
    tab: Page, agents: PageAgents
) -> None:
    async def lose(route: Route, request: Request) -> None:
        await (route.abort() if request.method == "DELETE" else route.continue_())

    agents.model.say("answer", "HANG")
    await ask(tab, EN_QUESTION)
    await until(lambda: bool(agents.model.requests))
    await tab.route("**/v1/tasks/*", lose)
    await tab.get_by_role("button", name="Cancel").click()
    await expect(tab.get_by_role("alert")).to_contain_text("The server does not answer.")
    await expect(tab.locator("#progress")).to_have_text("The plan is there. Steps: 1.")
    await tab.unroute("**/v1/tasks/*")
    await tab.get_by_role("button", name="Cancel").click()
    await expect(tab.locator("#task-status")).to_have_text("■ Cancelled")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029"])
async def test_a_passage_with_another_end_of_line_breaks_no_stream(
    tab: Page, agents: PageAgents, separator: str
) -> None:
    first, second = EN_PASSAGES
    odd = passage(f"Caches.{separator}{second.text}", number=2, page=2)
    agents.retriever = FixedRetriever([first, odd])
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")


async def test_a_task_that_still_runs_keeps_the_plan_that_its_events_told(tab: Page) -> None:
    """As another replica answers a cancel."""
    kept = await tab.evaluate(
        """async () => {
          const { newTask, settle, take } = await import("/page/task.js");
          const task = newTask("?");
          take(task, {id: 1, type: "plan", data: {made: {plan: {steps: [{after: []}]}}}});
          settle(task, {status: "running", plan: null});
          return task.plan.plan.steps.length;
        }"""
    )
    assert kept == 1


class LateList:
    """Answers of the history that come when they may."""

    def __init__(self, tab: Page) -> None:
        self._tab = tab
        self._may_go_on = asyncio.Event()
        self.asked = 0
        self._ended = 0

    async def begin(self) -> None:
        async def late(route: Route) -> None:
            self.asked += 1
            await self._may_go_on.wait()
            await route.continue_()

        await self._tab.route("**/v1/tasks?*", late)
        for end in ("requestfinished", "requestfailed"):
            self._tab.on(end, self._count)

    def _count(self, request: Request) -> None:
        self._ended += "/v1/tasks?" in request.url

    async def come(self) -> None:
        self._may_go_on.set()
        await until(lambda: self._ended == self.asked)
        # What the page does with them is done before it does something else.
        await self._tab.evaluate("fetch('/page/icon.svg').then((response) => response.text())")


async def test_the_history_lists_each_task_once_however_fast_one_goes_to_and_fro(
    tab: Page, served: Served
) -> None:
    async with await served.client() as client:
        await client.post("/v1/tasks", json={"question": EN_QUESTION, "mode": "direct"})
    late = LateList(tab)
    await late.begin()
    for view in ("History", "Ask", "History"):
        await tab.get_by_role("link", name=view, exact=True).click()
    await until(lambda: late.asked == 2)
    await late.come()
    await expect(tab.locator(".tasks a")).to_have_count(1)


async def test_an_answer_that_comes_after_one_has_signed_out_is_not_shown(tab: Page) -> None:
    late = LateList(tab)
    await late.begin()
    await tab.get_by_role("link", name="History").click()
    await until(lambda: late.asked == 1)
    await tab.get_by_role("button", name="Sign out").click()
    await late.come()
    await expect(tab.get_by_label("API key or token")).to_be_focused()
    await expect(tab.get_by_role("alert")).to_be_empty()
    await expect(tab.locator("#history-list")).to_be_empty()
