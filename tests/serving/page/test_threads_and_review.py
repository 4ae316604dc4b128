"""Follow-ups, and plans to review."""

from typing import Any

from playwright.async_api import Page, Request, expect

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
