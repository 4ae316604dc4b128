from playwright.async_api import Page, expect

from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import ask


async def test_a_question_is_answered_with_sources_support_and_a_bill(
    tab: Page, served: Served
) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("✓ Answered")
    await expect(tab.locator(".answer")).to_contain_text(
        "A response cache keeps whole answers for 60 seconds. [2]"
    )
    await expect(tab.locator(".sources")).to_have_text("caching.pdf, page 2")
    await expect(tab.locator(".figures")).to_contain_text("Model calls1")
    await expect(tab.locator("#outcome-title")).to_be_focused()
