"""What a task took, as a picture and as a table."""

import re
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, ask

pytestmark = IN_ONE_LOOP


async def test_the_waterfall_is_a_picture_with_words_and_a_table_with_its_numbers(
    tab: Page, served: Served
) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".waterfall")).to_be_visible()
    picture = tab.get_by_role("img", name=re.compile("what took how long.*same numbers", re.DOTALL))
    await expect(picture).to_be_visible()
    async with await served.client() as client:
        usage = (await client.get("/v1/tasks")).json()["tasks"][0]["usage"]
    rows = tab.locator(".numbers tbody tr")
    await expect(rows).to_have_count(len(usage["nodes"]) + 1)
    await expect(tab.locator(".waterfall .bar")).to_have_count(len(usage["nodes"]) + 1)
    call = tab.locator(".numbers tbody tr", has_text="model call (answer, Step 1)")
    counts = [str(usage["calls"][0][f"{kind}_tokens"]) for kind in ("prompt", "cached", "output")]
    await expect(call.locator("td")).to_contain_text(["", "", *counts, "ok"])


async def test_the_waterfall_tells_what_calls_cost_where_they_have_a_price(tab: Page) -> None:
    async def priced(route: Route) -> None:
        task = await (await route.fetch()).json()
        cost = {"amount": "0.000318", "currency": "EUR"}
        task["usage"]["cost"] = task["usage"]["calls"][0]["cost"] = cost
        await route.fulfill(json=task)

    await tab.route(re.compile(r"/v1/tasks/[0-9a-f]{32}$"), priced)
    await ask(tab, EN_QUESTION)
    await expect(tab.locator(".figures")).to_contain_text("Cost0.000318 EUR")
    await expect(tab.locator(".numbers td", has_text="0.000318 EUR")).to_have_count(2)


async def test_the_time_in_which_a_person_looked_at_the_plan_is_left_out(tab: Page) -> None:
    def span(node: str, started_s: float) -> dict[str, Any]:
        return {"node": node, "step": None, "started_s": started_s, "seconds": 1.0}

    nodes = [span("plan", 1_000.0), span("schedule", 1_001.5), span("answer", 4_602.5)]
    call = {**span("answer", 4_602.75), "seconds": 0.5, "prompt_tokens": 1}
    rows = await tab.evaluate(
        "async (usage) => (await import('/page/waterfall.js')).rowsOf(usage)",
        {"nodes": nodes, "calls": [call]},
    )
    starts = [(row["kind"], row["node"], row["start"]) for row in rows]
    assert starts == [
        ("node", "plan", 0.0),
        ("node", "schedule", 1.5),
        ("node", "answer", 2.5),
        ("call", "answer", 2.75),
    ]
