"""Follow-ups, and plans to review."""

import asyncio
from typing import Any

from playwright.async_api import Page, Request, Route, expect

from serving.store.tenants import Allowance
from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask

pytestmark = IN_ONE_LOOP


async def test_a_follow_up_goes_into_the_thread_of_the_last_question(
    tab: Page, agents: PageAgents, served: Served
) -> None:
    agents.model.say("rewrite", EN_QUESTION)
    for follows in (False, True, True, False):
        await tab.get_by_label("Follow-up to the last question").set_checked(follows)
        await ask(tab, EN_QUESTION)
        await expect(tab.locator(".numbers")).to_be_visible()
    async with await served.client() as client:
        tasks = (await client.get("/v1/tasks")).json()["tasks"]
    threads = [task["thread"] for task in reversed(tasks)]
    assert threads[0] == threads[1] == threads[2] != threads[3]


async def test_a_question_that_was_refused_is_none_to_follow_up(
    tab: Page, agents: PageAgents, served: Served
) -> None:
    agents.model.say("rewrite", EN_QUESTION)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".numbers")).to_be_visible()
    await served.tenants.allow("acme", Allowance(tokens_per_day=10))
    await ask(tab, EN_QUESTION)
    await expect(tab.get_by_role("alert")).to_contain_text("A limit is reached.")
    await served.tenants.allow("acme", Allowance())
    await tab.get_by_label("Follow-up to the last question").check()
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".numbers")).to_be_visible()
    async with await served.client() as client:
        second, first = (await client.get("/v1/tasks")).json()["tasks"]
    assert first["thread"] == second["thread"]


async def test_a_plan_is_changed_by_hand_and_run(tab: Page) -> None:
    approved: list[Any] = []

    def seen(request: Request) -> None:
        if request.url.endswith("/plan"):
            approved.append(request.post_data_json)

    tab.on("request", seen)
    await tab.get_by_label("Show me the plan before it runs").check()
    await ask(tab, EN_QUESTION, "plan")
    await expect(tab.locator("#task-status")).to_have_text("? Waiting for your review")
    await expect(tab.locator("#review-title")).to_be_focused()
    await tab.reload()  # it waits for another day, and another tab
    await tab.get_by_role("button", name="Remove step 1").click()
    await tab.get_by_role("button", name="Add a step").click()
    await expect(tab.get_by_label("What step 2 is about")).to_be_focused()
    await tab.keyboard.type("in one sentence")
    await tab.get_by_role("group", name="Step 2 reads the results").get_by_label("1").check()
    await tab.get_by_role("button", name="Run this plan").click()
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    await expect(tab.locator("#plan")).to_contain_text("Edited by a person")
    assert [each["plan"]["steps"] for each in approved] == [
        [
            {"action": "summarize", "focus": "the response cache", "after": []},
            {"action": "answer", "focus": "in one sentence", "after": [1]},
        ]
    ]


async def test_a_task_that_awaits_its_review_is_cancelled(tab: Page) -> None:
    await tab.get_by_label("Show me the plan before it runs").check()
    await ask(tab, EN_QUESTION, "plan")
    await expect(tab.locator("#review-title")).to_be_focused()
    await tab.get_by_role("button", name="Cancel").click()
    await expect(tab.locator("#task-status")).to_have_text("■ Cancelled")


async def plan_to_review(tab: Page) -> None:
    await tab.get_by_label("Show me the plan before it runs").check()
    await ask(tab, EN_QUESTION, "plan")
    await expect(tab.locator("#review-title")).to_be_focused()


async def test_what_was_changed_in_a_plan_outlives_a_switch_of_the_language(tab: Page) -> None:
    await plan_to_review(tab)
    await tab.get_by_label("What step 2 is about").fill("both caches")
    await tab.get_by_role("button", name="한국어").click()
    await expect(tab.get_by_label("2단계의 내용")).to_have_value("both caches")


async def test_a_plan_is_approved_once_however_often_the_button_is_pressed(tab: Page) -> None:
    approved: list[str] = []

    def seen(request: Request) -> None:
        if request.url.endswith("/plan"):
            approved.append(request.url)

    tab.on("request", seen)
    await plan_to_review(tab)
    await tab.get_by_role("button", name="Run this plan").dblclick()
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")
    await expect(tab.get_by_role("alert")).to_be_empty()
    assert len(approved) == 1


async def test_a_plan_that_was_approved_elsewhere_meanwhile_is_shown_as_it_stands(
    tab: Page, served: Served
) -> None:
    await plan_to_review(tab)
    async with await served.client() as client:
        task_id = tab.url.rpartition("/")[2]
        assert (await client.post(f"/v1/tasks/{task_id}/plan", json={})).status_code == 200
    await tab.get_by_role("button", name="Run this plan").click()
    await expect(tab.get_by_role("alert")).to_contain_text("This does not go with the present")
    await expect(tab.locator(".answer")).to_contain_text("60 seconds")


async def test_an_approval_that_is_answered_late_leaves_another_task_alone(tab: Page) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".numbers")).to_be_visible()
    other = tab.url.rpartition("#")[2]
    may_go_on = asyncio.Event()

    async def late(route: Route) -> None:
        await may_go_on.wait()
        await route.continue_()

    await tab.route("**/plan", late)
    await plan_to_review(tab)
    await tab.get_by_role("button", name="Run this plan").click()
    await tab.get_by_role("link", name="History").click()
    await tab.locator(f".tasks a[href='#{other}']").click()
    await expect(tab.locator("#task-status")).to_have_text("✓ Answered")
    await expect(tab.locator(".numbers")).to_be_visible()
    async with tab.expect_response("**/plan"):
        may_go_on.set()
    await expect(tab.locator("#progress")).to_have_text("Answered")
    await expect(tab.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
