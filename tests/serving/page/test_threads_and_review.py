"""Follow-ups and plans to review. These endpoints are stood in for by the browser here."""

import json
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.serving.api.conftest import EN_QUESTION
from tests.serving.page.conftest import IN_ONE_LOOP, ask

pytestmark = IN_ONE_LOOP

TASK_ID = "a" * 32
PLAN = {
    "plan": {
        "steps": [
            {"action": "retrieve", "query": "response cache", "after": []},
            {"action": "summarize", "focus": "the caches", "after": []},
            {"action": "analyze", "focus": "which to take", "after": [1, 2]},
        ]
    },
    "maker": "model",
    "reason": "",
}


async def test_a_follow_up_goes_into_the_thread_of_the_last_question(tab: Page) -> None:
    bodies: list[dict[str, Any]] = []
    made: list[str] = []

    async def make(route: Route) -> None:
        made.append(f"t{len(made)}")
        await route.fulfill(status=201, json={"id": made[-1]})

    async def begin(route: Route) -> None:
        bodies.append(route.request.post_data_json or {})
        await route.fallback()

    await tab.route("**/v1/threads", make)
    await tab.route("**/v1/tasks", begin)
    for follows in (False, True, True, False):
        await tab.get_by_label("Follow-up to the last question").set_checked(follows)
        await ask(tab, EN_QUESTION)
        await expect(tab.locator(".numbers")).to_be_visible()
    assert [body["thread"] for body in bodies] == ["t0", "t0", "t0", "t1"]


class ReviewStandIn:
    approved: Any = None

    @property
    def status(self) -> str:
        return "awaiting_review" if self.approved is None else "cancelled"

    async def task(self, route: Route) -> None:
        kept = {"id": TASK_ID, "question": EN_QUESTION, "status": self.status, "plan": PLAN}
        await route.fulfill(json={**kept, "failures": [], "usage": None, "cancelled": "requested"})

    async def events(self, route: Route) -> None:
        planned = json.dumps({"type": "plan", "made": PLAN})
        last = "review", "{}"
        if self.approved is not None:
            last = "end", json.dumps({"status": "cancelled", "cancelled": "requested"})
        events = enumerate((("plan", planned), last), start=1)
        body = "".join(f"id: {n}\nevent: {kind}\ndata: {data}\n\n" for n, (kind, data) in events)
        await route.fulfill(body=body, content_type="text/event-stream")

    async def approve(self, route: Route) -> None:
        self.approved = route.request.post_data_json
        assert route.request.headers["prefer"] == "respond-async"
        await self.task(route)


async def test_a_plan_is_changed_by_hand_and_run(tab: Page) -> None:
    stand_in = ReviewStandIn()
    await tab.route("**/v1/tasks", stand_in.task)
    await tab.route(f"**/v1/tasks/{TASK_ID}", stand_in.task)
    await tab.route("**/events", stand_in.events)
    await tab.route("**/plan", stand_in.approve)
    await tab.get_by_label("Show me the plan before it runs").check()
    await ask(tab, EN_QUESTION, "plan")
    await expect(tab.locator("#task-status")).to_have_text("? Waiting for your review")
    await expect(tab.locator("#review-title")).to_be_focused()
    await tab.get_by_label("What step 2 is about").fill("both caches")
    await tab.get_by_role("button", name="Remove step 1").click()
    await tab.get_by_role("button", name="Add a step").click()
    await expect(tab.get_by_label("What step 3 is about")).to_be_focused()
    await tab.keyboard.type("in one sentence")
    await tab.get_by_role("group", name="Step 3 reads the results").get_by_label("2").check()
    await tab.get_by_role("button", name="Run this plan").click()
    await expect(tab.locator("#task-status")).to_have_text("■ Cancelled")
    assert stand_in.approved["plan"]["steps"] == [
        {"action": "summarize", "focus": "both caches", "after": []},
        {"action": "analyze", "focus": "which to take", "after": [1]},
        {"action": "answer", "focus": "in one sentence", "after": [2]},
    ]
