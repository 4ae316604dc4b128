import re
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, ask, new_page

PAGE = Path(__file__).parents[3] / "serving" / "api" / "page"
KEY = re.compile(r'^  "?([\w.]+)"?:\s+"(.+)",$', re.MULTILINE)


def texts(language: str) -> dict[str, str]:
    return dict(KEY.findall((PAGE / f"strings.{language}.js").read_text("utf-8")))


def test_both_languages_say_the_same_things_with_the_same_values() -> None:
    en, ko = texts("en"), texts("ko")
    assert list(en) == list(ko)
    assert len(en) > 100
    for key in en:
        holes = [sorted(re.findall(r"\{(\w+)\}", each[key])) for each in (en, ko)]
        assert holes[0] == holes[1], key


def test_every_text_is_used_and_every_one_that_is_used_is_there() -> None:
    sources = "".join(
        path.read_text("utf-8")
        for path in PAGE.iterdir()
        if path.suffix in (".js", ".html") and not path.name.startswith("strings")
    )
    used = set(re.findall(r'\bt\("([\w.]+)"', sources))
    used |= set(re.findall(r'data-t(?:-label)?="([\w.]+)"', sources))
    assert used - set(texts("en")) == set()
    quoted = set(re.findall(r'"([\w.]+)"', sources))
    families = tuple(re.findall(r"`([\w.]+\.)\$\{", sources))
    unused = {key for key in texts("en") if key not in quoted and not key.startswith(families)}
    assert unused == set()


@IN_ONE_LOOP
async def test_the_page_speaks_korean_where_the_browser_does(
    browser: Browser, served: Served
) -> None:
    async with new_page(browser, locale="ko-KR") as tab:
        await tab.goto(served.url)
        await expect(tab.locator("html")).to_have_attribute("lang", "ko")
        await expect(tab.get_by_role("heading", name="로그인")).to_be_visible()
        await expect(tab.get_by_label("API 키 또는 토큰")).to_be_focused()


@IN_ONE_LOOP
async def test_the_language_is_switched_on_the_spot_and_is_remembered(tab: Page) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("✓ Answered")
    await tab.get_by_role("button", name="한국어").click()
    await expect(tab.locator("html")).to_have_attribute("lang", "ko")
    await expect(tab.locator("#task-status")).to_have_text("✓ 답변함")
    await expect(tab.locator(".sources")).to_have_text("caching.pdf, 2쪽")
    await expect(tab.get_by_role("button", name="한국어")).to_have_attribute("aria-pressed", "true")
    left = await tab.evaluate("document.body.innerText")
    for key, english in texts("en").items():
        if len(english) > 6 and english.isascii() and "{" not in english:
            assert english not in left, key
    await tab.reload()
    await expect(tab.get_by_label("질문을 입력하세요")).to_be_visible()
