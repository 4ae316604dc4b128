from dataclasses import replace
from typing import Any

import httpx
from playwright.async_api import Browser, Page, expect

from serving.api.identity import NoIdentity
from tests.serving.api.conftest import EN_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, ask, new_page, sign_in

pytestmark = IN_ONE_LOOP


async def test_a_key_that_does_not_hold_is_told_and_one_that_does_opens_the_page(
    browser: Browser, served: Served
) -> None:
    async with new_page(browser) as tab:
        await tab.goto(served.url)
        await expect(tab.get_by_role("navigation")).to_be_hidden()
        key = tab.get_by_label("API key or token")
        await expect(key).to_be_focused()
        await key.fill("ka_wrong")
        await key.press("Enter")
        await expect(tab.get_by_role("alert")).to_contain_text("Not signed in.")
        await expect(key).to_be_focused()
        await sign_in(tab, served)
        await expect(tab.get_by_role("alert")).to_be_empty()


async def test_the_key_stays_in_this_tab_and_goes_when_one_signs_out(
    tab: Page, served: Served
) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#outcome-title")).to_be_visible()
    assert "ka_" not in tab.url
    held = "Object.values(sessionStorage).concat(Object.values(localStorage), document.cookie)"
    assert sum("ka_" in each for each in await tab.evaluate(held)) == 1
    await tab.get_by_role("button", name="Sign out").click()
    await expect(tab.get_by_label("API key or token")).to_be_focused()
    assert not any("ka_" in each for each in await tab.evaluate(held))
    await expect(tab.locator("body")).not_to_contain_text("60 seconds")
    await tab.reload()
    await expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()


async def test_a_key_that_is_revoked_meanwhile_loses_no_question(tab: Page, served: Served) -> None:
    for key in await served.keys.known():
        await served.keys.revoke(key.id)
    await ask(tab, EN_QUESTION)
    await expect(tab.get_by_label("API key or token")).to_be_focused()
    await expect(tab.get_by_text("This key or token does not hold.")).to_be_visible()
    await sign_in_again(tab, served)
    await expect(tab.get_by_label("Your question")).to_have_value(EN_QUESTION)


async def test_a_key_of_letters_that_no_key_has_is_told_like_any_other_wrong_one(
    browser: Browser, served: Served
) -> None:
    """A browser cannot even send it."""
    async with new_page(browser) as tab:
        await tab.goto(served.url)
        await tab.get_by_label("API key or token").fill("열쇠")
        await tab.get_by_role("button", name="Sign in").click()
        await expect(tab.get_by_role("alert")).to_contain_text("Not signed in.")
        await expect(tab.get_by_label("API key or token")).to_be_focused()
        note = tab.locator("#key-note")
        await expect(note).to_contain_text("This key or token does not hold.")
        await tab.get_by_role("button", name="한국어").click()
        await expect(note).to_contain_text("이 키나 토큰은 유효하지 않습니다.")
        await tab.get_by_role("button", name="English").click()
        await sign_in(tab, served)
        await tab.get_by_role("button", name="Sign out").click()
        await expect(note).to_contain_text("It stays in this tab")


async def test_a_server_that_is_away_costs_nobody_the_key(tab: Page) -> None:
    await tab.route("**/v1/tasks?*", lambda route: route.abort())
    await tab.reload()
    await expect(tab.get_by_role("alert")).to_contain_text("The server does not answer.")
    await tab.unroute("**/v1/tasks?*")
    await tab.reload()
    await expect(tab.get_by_role("heading", name="Ask")).to_be_visible()


async def test_an_address_that_names_no_view_opens_the_first_one(tab: Page) -> None:
    for address in ("#toString", "#constructor/1", "#nothing"):
        await tab.evaluate("(address) => { location.hash = address; }", address)
        await expect(tab.locator("#ask-title")).to_be_focused()
        await tab.get_by_role("link", name="History").click()


async def sign_in_again(tab: Page, served: Served) -> None:
    _, key = await served.keys.make("acme", "again", ["ask"], None)
    await tab.get_by_label("API key or token").fill(key)
    await tab.get_by_role("button", name="Sign in").click()


async def test_without_auth_nobody_is_asked_for_a_key(browser: Browser, served: Served) -> None:
    await served.tenants.add("acme")
    app: Any = served.server.config.app
    state = app.state
    state.service = replace(served.service, identity=NoIdentity("acme"))
    async with new_page(browser) as tab:
        await tab.goto(served.url)
        await ask(tab, EN_QUESTION)
        await expect(tab.locator(".answer")).to_contain_text("60 seconds")
        await expect(tab.get_by_role("button", name="Sign out")).to_be_hidden()


async def test_the_page_is_served_under_a_strict_policy(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as client:
        for path in ("/", "/page/app.js", "/page/style.css"):
            response = await client.get(path)
            assert response.status_code == 200, path
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["referrer-policy"] == "no-referrer"
        for path in ("/page/../app.py", "/page/%2e%2e/app.py", "/page/", "/page/none.js"):
            assert (await client.get(path)).status_code == 404, path
