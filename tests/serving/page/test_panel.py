"""Citations open documents. The documents' endpoints are stood in for by the browser here."""

import base64
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest_asyncio
from playwright.async_api import Page, Route, expect

from tests.serving.api.conftest import EN_QUESTION
from tests.serving.page.conftest import IN_ONE_LOOP, ask

pytestmark = IN_ONE_LOOP

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BEFORE = "🗄️ 캐시 𝒜: "
MARKED = "whole answers for 60 seconds"


@pytest_asyncio.fixture(loop_scope="session")
async def asked(tab: Page) -> list[dict[str, list[str]]]:
    """With a document of two pages, whose second one holds the passage; what was asked of it."""
    queries: list[dict[str, list[str]]] = []

    async def page(route: Route) -> None:
        address = urlsplit(route.request.url)
        assert route.request.headers["authorization"].startswith("Bearer ka_")
        number = int(address.path.rsplit("/", 1)[1])
        queries.append(parse_qs(address.query))
        await route.fulfill(json=page_of(number, is_marked=bool(address.query)))

    found = {"documents": [{"id": "d1", "name": "caching.pdf", "title": "Caching", "pages": 2}]}
    await tab.route("**/v1/documents?name=caching.pdf", lambda route: route.fulfill(json=found))
    await tab.route(re.compile(r"/v1/documents/d1/pages/\d(\?.*)?$"), page)
    await tab.route(
        "**/v1/documents/d1/pages/*/image",
        lambda route: route.fulfill(body=PNG, content_type="image/png"),
    )
    await ask(tab, EN_QUESTION)
    return queries


def page_of(number: int, *, is_marked: bool) -> dict[str, Any]:
    start = len(BEFORE)
    return {
        "document": {"id": "d1", "name": "caching.pdf"},
        "page": number,
        "pages": 2,
        "text": f"{BEFORE}{MARKED}, and no longer." if number == 2 else "The first page.",
        "marked": {"start": start, "end": start + len(MARKED)} if is_marked else None,
        "image": f"/v1/documents/d1/pages/{number}/image",
        "boxes": [{"x": 0.1, "y": 0.25, "width": 0.5, "height": 0.1}] if is_marked else [],
    }


async def test_a_citation_opens_its_document_at_the_page_with_the_passage_marked(
    tab: Page, asked: list[dict[str, list[str]]]
) -> None:
    await tab.locator(".citation").click()
    panel = tab.get_by_role("dialog", name="Caching")
    await expect(panel.locator("mark")).to_have_text(MARKED)
    await expect(panel).to_contain_text("Page 2 of 2")
    assert asked == [{"start": ["2"], "end": ["72"]}]
    image = panel.get_by_role("img", name="Picture of page 2")
    await expect(image).to_have_js_property("naturalWidth", 1)
    box, frame = await panel.locator(".mark-box").bounding_box(), await image.bounding_box()
    assert box is not None
    assert frame is not None
    assert abs(box["x"] - frame["x"] - 0.1 * frame["width"]) < 2
    assert abs(box["width"] - 0.5 * frame["width"]) < 2


async def test_pages_are_turned_without_the_mark_of_another_page(
    tab: Page, asked: list[dict[str, list[str]]]
) -> None:
    await tab.locator(".citation").click()
    panel = tab.get_by_role("dialog", name="Caching")
    await expect(panel.get_by_role("button", name="Next page")).to_be_disabled()
    await panel.get_by_role("button", name="Previous page").click()
    await expect(panel).to_contain_text("The first page.")
    await expect(panel.locator("mark, .mark-box")).to_have_count(0)
    assert asked[-1] == {}
    await expect(panel.get_by_role("button", name="Previous page")).to_be_disabled()
    await panel.get_by_role("button", name="Next page").click()
    await expect(panel.locator("mark")).to_have_text(MARKED)


async def test_escape_closes_the_panel_and_gives_the_focus_back(
    tab: Page, asked: list[dict[str, list[str]]]
) -> None:
    for width in (1280, 480):  # beside the answer, and over it
        await tab.set_viewport_size({"width": width, "height": 800})
        await tab.locator(".citation").focus()
        await tab.keyboard.press("Enter")
        await expect(tab.locator("#panel-title")).to_be_focused()
        await expect(tab.locator("#panel mark")).to_be_visible()
        await tab.keyboard.press("Escape")
        await expect(tab.locator("#panel")).to_be_hidden()
        await expect(tab.locator(".citation")).to_be_focused()


async def test_a_document_that_is_not_kept_is_stood_in_for_by_its_passage(tab: Page) -> None:
    await ask(tab, EN_QUESTION)
    await tab.get_by_role("button", name="caching.pdf, page 2").click()
    panel = tab.get_by_role("dialog", name="Caching")
    await expect(panel).to_contain_text("The document itself cannot be shown.")
    await expect(panel.locator("mark")).to_have_text(
        "A response cache keeps whole answers for a time to live of 60 seconds."
    )
