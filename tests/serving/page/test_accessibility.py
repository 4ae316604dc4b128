"""What a keyboard and a screen reader find; by the tree that Chromium gives to the latter."""

from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, ask, new_page, sign_in

pytestmark = IN_ONE_LOOP

INTERACTIVE = {"button", "link", "textbox", "combobox", "checkbox", "progressbar", "img", "dialog"}

# WCAG 2: relative luminance of the text and of what lies behind it.
CONTRASTS = """() => {
  const read = (color) => color.match(/[\\d.]+/g).map(Number);
  const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const color = read(getComputedStyle(each).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const ink = node.closest("svg") ? style.fill : style.color;
    const pair = [luminance(read(ink)), luminance(behind(node))].sort((a, b) => b - a);
    found.push([walker.currentNode.textContent, (pair[0] + 0.05) / (pair[1] + 0.05)]);
  }
  return found;
}"""


async def tree(tab: Page) -> list[dict[str, Any]]:
    session = await tab.context.new_cdp_session(tab)
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    await session.detach()
    return [node for node in nodes if not node["ignored"]]


def named(nodes: list[dict[str, Any]], role: str) -> list[str]:
    return [node["name"]["value"] for node in nodes if node["role"]["value"] == role]


async def test_a_keyboard_alone_signs_in_asks_and_reads_the_source(
    browser: Browser, served: Served
) -> None:
    async with new_page(browser) as tab:
        _, key = await served.keys.make("acme", "test", ["ask"], None)
        await tab.goto(served.url)
        await expect(tab.locator("#key")).to_be_focused()
        await tab.keyboard.type(key)
        await tab.keyboard.press("Enter")
        await expect(tab.get_by_role("navigation")).to_be_visible()
        while await tab.evaluate("document.activeElement.id") != "question":
            await tab.keyboard.press("Tab")
        await tab.keyboard.type(EN_QUESTION)
        await tab.keyboard.press("Control+Enter")
        await expect(tab.locator("#outcome-title")).to_be_focused()
        await tab.keyboard.press("Tab")
        await expect(tab.locator(".citation")).to_be_focused()
        assert (
            await tab.locator(".citation").evaluate("(n) => getComputedStyle(n).outlineStyle")
            == "solid"
        )
        await tab.keyboard.press("Enter")
        await expect(tab.locator("#panel-title")).to_be_focused()
        await tab.keyboard.press("Escape")
        await expect(tab.locator(".citation")).to_be_focused()


async def test_whatever_can_be_used_has_a_name_and_the_page_has_landmarks(tab: Page) -> None:
    await ask(tab, EN_QUESTION, "plan")
    await expect(tab.locator("#outcome-title")).to_be_visible()
    await tab.locator(".citation").first.click()
    await expect(tab.locator("#panel mark")).to_be_visible()
    nodes = await tree(tab)
    for node in nodes:
        if node["role"]["value"] in INTERACTIVE:
            assert node.get("name", {}).get("value"), node
    roles = {node["role"]["value"] for node in nodes}
    assert {"banner", "navigation", "main", "status", "alert", "dialog", "article"} <= roles
    assert "Source 2: Caching, page 2" in named(nodes, "button")
    assert named(nodes, "dialog") == ["Caching"]
    levels = await tab.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5')].filter((h) => h.checkVisibility())"
        ".map((h) => Number(h.tagName[1]))"
    )
    assert all(after - before <= 1 for before, after in pairwise(levels))


async def test_progress_is_said_once_and_politely(tab: Page) -> None:
    await tab.evaluate(
        """() => {
          window.said = [];
          const place = document.getElementById("progress");
          const heard = new MutationObserver(() => said.push(place.textContent));
          heard.observe(place, {childList: true});
        }"""
    )
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#progress")).to_have_text("Answered")
    said = await tab.evaluate("window.said")
    assert len(said) == len(set(said)) <= 8
    assert said[-1] == "Answered"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_text_stands_out_from_what_is_behind_it(
    browser: Browser, served: Served, scheme: str
) -> None:
    async with new_page(browser, color_scheme=scheme) as tab:
        await sign_in(tab, served)
        await ask(tab, EN_QUESTION, "plan")
        await expect(tab.locator(".numbers")).to_be_visible()
        await tab.locator(".citation").first.click()
        await expect(tab.locator("#panel mark")).to_be_visible()
        found = await tab.evaluate(CONTRASTS)
        assert len(found) > 60
        assert [pair for pair in found if pair[1] < 4.5] == []


async def test_nothing_is_cut_off_on_a_phone(browser: Browser, served: Served) -> None:
    async with new_page(browser, viewport={"width": 360, "height": 740}) as tab:
        await sign_in(tab, served)
        await ask(tab, EN_QUESTION, "plan")
        await expect(tab.locator(".numbers")).to_be_visible()
        for view in ("Ask", "Documents", "History"):
            await tab.get_by_role("link", name=view, exact=True).click()
            assert await tab.evaluate("document.documentElement.scrollWidth") <= 360, view
        await tab.get_by_role("link", name="Ask", exact=True).click()
        await tab.locator(".citation").first.click()
        panel = await tab.locator("#panel").bounding_box()
        assert panel is not None
        assert panel["width"] == 360
