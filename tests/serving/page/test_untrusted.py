"""Questions, documents and answers are others' text: nothing of it may do anything."""

from playwright.async_api import Page, Request, Route, expect

from graph.errors import ModelUnavailable
from tests.fakes import FixedRetriever, passage
from tests.serving.api.conftest import Served
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask

pytestmark = IN_ONE_LOOP

IMAGE = "<img src=x onerror=\"document.body.id='taken'\">"
LINK = "[here](javascript:document.body.id='taken')"
HOSTILE = f"A response cache keeps whole answers for 60 seconds {IMAGE} {LINK}."
QUESTION = f"How long does a response cache keep answers? {IMAGE} {LINK}"


async def test_markup_in_a_question_a_document_or_an_answer_stays_text(
    tab: Page, agents: PageAgents
) -> None:
    agents.retriever = FixedRetriever([passage(HOSTILE, document=f"{IMAGE}.pdf")])
    agents.model.say("answer", ModelUnavailable(f"no model {IMAGE}"))  # so the passage is quoted
    await ask(tab, QUESTION)
    await expect(tab.locator("#task-title")).to_have_text(QUESTION)
    await expect(tab.locator(".answer")).to_contain_text(IMAGE)
    await expect(tab.locator(".sources")).to_contain_text(IMAGE)
    await expect(tab.locator(".box.warn")).to_contain_text(IMAGE)
    await tab.locator(".citation").first.click()
    await expect(tab.locator("#panel mark")).to_have_text(HOSTILE)
    await tab.get_by_role("button", name="Close").click()
    await tab.get_by_role("link", name="History").click()
    await expect(tab.locator(".tasks a")).to_have_text(QUESTION)
    assert await tab.evaluate("document.querySelectorAll('img, [onerror]').length") == 0
    assert await tab.evaluate("[...document.links].every((a) => a.protocol === 'http:')")
    assert await tab.evaluate("document.body.id") == ""


async def test_the_key_goes_to_no_other_place_than_the_service(tab: Page, served: Served) -> None:
    elsewhere: list[str] = []

    def seen(request: Request) -> None:
        if not request.url.startswith((served.url, "blob:")):
            elsewhere.append(request.url)

    async def a_page_with_its_image_elsewhere(route: Route) -> None:
        body = {"document": {}, "page": 2, "pages": 2, "text": "x", "marked": None, "boxes": []}
        await route.fulfill(json={**body, "image": "https://example.com/steal.png"})

    tab.on("request", seen)
    found = {"documents": [{"id": "d1", "name": "caching.pdf", "title": "Caching", "pages": 2}]}
    await tab.route("**/v1/documents?name=*", lambda route: route.fulfill(json=found))
    await tab.route("**/v1/documents/d1/pages/*", a_page_with_its_image_elsewhere)
    await ask(tab, "How long does a response cache keep answers?")
    await tab.locator(".citation").first.click()
    await expect(tab.locator("#panel .page-text")).to_have_text("x")
    assert elsewhere == []
