"""The pictures in docs/images, of the page of a running service: `make screenshots`."""

import asyncio
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import Locator, Page, async_playwright, expect

from tests.serving.page.conftest import CHROMIUM, ask, new_page

IMAGES = Path(__file__).parents[3] / "docs" / "images"
MAX_BYTES = 150 * 1024
ANSWER_TIMEOUT_MS = 600_000

COLOURS = 128

QUESTION = "Which habits break a prefix cache?"
FOREIGN = "Who won the cycling race on Sunday?"
PLANNED = "Summarize which habits break a prefix cache, and analyze what an agent should put last."


async def main(url: str) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        size = {"width": 1200, "height": 760}
        async with new_page(browser, viewport=size, color_scheme="light") as tab:
            await tab.goto(url)
            await answered(tab, QUESTION, "direct")
            await tab.locator(".citation").first.click()
            await expect(tab.locator("#panel mark")).to_be_visible()
            await save(tab, "answer")
            await tab.keyboard.press("Escape")
            await answered(tab, FOREIGN, "auto")
            await save(tab, "refusal")
            await answered(tab, PLANNED, "plan")
            await save(tab.locator("#usage"), "waterfall")
        await browser.close()


async def answered(tab: Page, question: str, mode: str) -> None:
    await ask(tab, question, mode)
    title = tab.locator("#outcome-title")
    await expect(tab.locator("#task-title")).to_have_text(question)
    await expect(title).to_be_focused(timeout=ANSWER_TIMEOUT_MS)
    await tab.locator("#task-title").evaluate("(title) => title.scrollIntoView()")


async def save(part: Page | Locator, name: str) -> None:
    path = IMAGES / f"{name}.png"
    taken = Image.open(BytesIO(await part.screenshot()))
    taken.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    assert path.stat().st_size <= MAX_BYTES, path


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
