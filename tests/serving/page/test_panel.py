"""Citations open documents: really uploaded ones, of a real index."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Page, Request, expect

from serving.store.database import Database
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import TEA, indexed, upload
from tests.serving.page.conftest import IN_ONE_LOOP, ask

pytestmark = IN_ONE_LOOP

QUESTION = "How long is green tea steeped?"
COFFEE = "Coffee is ground for thirty seconds."
LEFT_SHARE = 50 / 595  # where `write_pdf` begins its lines


@pytest_asyncio.fixture(loop_scope="session")
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    """With a document of two pages, whose second one holds the passage."""
    pdf = write_pdf(tmp_path / "tea.pdf", [[COFFEE], [TEA]], "All about tea")
    async with indexed(database, tmp_path / "home") as found:
        async with await found.client() as client:
            assert (await upload(client, {"tea.pdf": pdf.read_bytes()}))["status"] == "done"
        yield found


async def test_a_citation_opens_its_document_at_the_page_with_the_passage_marked(
    tab: Page,
) -> None:
    await ask(tab, QUESTION)
    await tab.locator(".citation").click()
    panel = tab.get_by_role("dialog", name="All about tea")
    await expect(panel.locator("mark")).to_have_text(TEA)
    await expect(panel).to_contain_text("tea.pdf")
    await expect(panel).to_contain_text("Page 2 of 2")
    image = panel.get_by_role("img", name="Picture of page 2")
    await expect(image).to_have_js_property("naturalWidth", 1_200)
    box, frame = await panel.locator(".mark-box").bounding_box(), await image.bounding_box()
    assert box is not None
    assert frame is not None
    assert abs(box["x"] - frame["x"] - LEFT_SHARE * frame["width"]) < 3
    assert frame["y"] < box["y"] < frame["y"] + 0.1 * frame["height"]
    assert box["height"] < 0.05 * frame["height"]


async def test_pages_are_turned_without_the_mark_of_another_page(tab: Page) -> None:
    asked: list[str] = []

    def seen(request: Request) -> None:
        if "/pages/1" in request.url:
            asked.append(request.url.rpartition("/pages/")[2])

    tab.on("request", seen)
    await ask(tab, QUESTION)
    await tab.locator(".citation").click()
    panel = tab.get_by_role("dialog", name="All about tea")
    await expect(panel.get_by_role("button", name="Next page")).to_be_disabled()
    await panel.get_by_role("button", name="Previous page").click()
    await expect(panel.locator(".page-text")).to_have_text(COFFEE)
    await expect(panel.locator("mark, .mark-box")).to_have_count(0)
    assert asked == ["1", "1/image"]
    await expect(panel.get_by_role("button", name="Previous page")).to_be_disabled()
    await panel.get_by_role("button", name="Next page").click()
    await expect(panel.locator("mark")).to_have_text(TEA)


async def test_a_mark_counts_characters_as_the_server_does(tab: Page, served: Served) -> None:
    """A browser counts some of them twice."""
    oolong = "우롱차 𝒜는 🫖에서 오 분 우린다."
    question = "우롱차는 몇 분 우리나요?"
    async with await served.client() as client:
        await upload(client, {"차.md": f"{'녹차는 🍵 차갑게 마신다. ' * 60}\n\n{oolong}\n"})
        hits = (await client.post("/v1/search", json={"query": question})).json()["hits"]
    passage = hits[0]["passage"]
    assert passage["start"] > 0
    served.agents.model.say("answer", f"{oolong} [1]")
    await ask(tab, question)
    await tab.locator(".citation").click()
    panel = tab.get_by_role("dialog")
    await expect(panel.locator("mark")).to_contain_text(oolong)
    assert await panel.locator("mark").text_content() == passage["text"]
    await expect(panel.get_by_role("img")).to_have_count(0)


async def test_escape_closes_the_panel_and_gives_the_focus_back(tab: Page) -> None:
    await ask(tab, QUESTION)
    await expect(tab.locator("#outcome-title")).to_be_focused()
    for width in (1280, 480):  # beside the answer, and over it
        await tab.set_viewport_size({"width": width, "height": 800})
        await tab.locator(".citation").focus()
        await tab.keyboard.press("Enter")
        await expect(tab.locator("#panel-title")).to_be_focused()
        await expect(tab.locator("#panel mark")).to_be_visible()
        await tab.keyboard.press("Escape")
        await expect(tab.locator("#panel")).to_be_hidden()
        await expect(tab.locator(".citation")).to_be_focused()


async def test_the_focus_is_not_lost_where_the_answer_was_drawn_anew_meanwhile(tab: Page) -> None:
    await ask(tab, QUESTION)
    await tab.locator(".citation").click()
    await expect(tab.locator("#panel mark")).to_be_visible()
    await tab.get_by_role("button", name="한국어").click()
    await tab.locator("#panel-title").focus()
    await tab.keyboard.press("Escape")
    await expect(tab.locator("#main")).to_be_focused()


async def test_a_document_that_is_not_kept_is_stood_in_for_by_its_passage(
    tab: Page, served: Served
) -> None:
    await ask(tab, QUESTION)
    source = tab.get_by_role("button", name="tea.pdf, page 2")
    await expect(source).to_be_visible()
    async with await served.client() as client:
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        await client.delete(f"/v1/documents/{document['id']}")
    await source.click()
    panel = tab.get_by_role("dialog", name="All about tea")
    await expect(panel).to_contain_text("The document itself cannot be shown.")
    await expect(panel.locator("mark")).to_have_text(TEA)
