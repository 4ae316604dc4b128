"""A job that runs while the page is left, signed out of, or cut off."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serving.store.database import Database
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import KIMCHI, TEA, HeldEmbedder, indexed, parts, upload
from tests.serving.page.conftest import IN_ONE_LOOP, sign_in
from tests.waiting import until

pytestmark = IN_ONE_LOOP

UPLOAD_BYTES_PER_S = 20_000


@pytest.fixture
def embedder() -> HeldEmbedder:
    return HeldEmbedder()


@pytest_asyncio.fixture(loop_scope="session")
async def served(
    database: Database, tmp_path: Path, embedder: HeldEmbedder
) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path, embedder) as found:
        yield found


async def held_job(served: Served, embedder: HeldEmbedder) -> str:
    """The id of a job that runs, of one document among two."""
    async with await served.client() as client:
        await upload(client, {"김치.txt": KIMCHI})
        embedder.asked.clear()
        embedder.embedding.clear()
        begun = await client.post("/v1/documents", files=parts({"tea.txt": TEA}))
        await until(lambda: TEA in embedder.asked)
    return str(begun.json()["job"]["id"])


async def open_documents(tab: Page) -> None:
    await tab.get_by_role("link", name="Documents").click()
    await expect(tab.get_by_role("progressbar")).to_be_visible()


async def expect_done(tab: Page) -> None:
    await expect(tab.locator("#upload-status")).to_contain_text("The index is up to date.")
    await expect(tab.get_by_role("progressbar")).to_be_hidden()
    await expect(tab.get_by_role("alert")).to_be_empty()


async def test_a_job_that_runs_when_the_page_is_opened_is_followed(
    tab: Page, served: Served, embedder: HeldEmbedder
) -> None:
    await held_job(served, embedder)
    await open_documents(tab)
    state = tab.get_by_role("row", name="tea.txt").locator("td:nth-child(3)")
    await tab.reload()
    await expect(tab.get_by_role("progressbar")).to_be_visible()
    embedder.let_go()
    await expect_done(tab)
    await expect(state).to_have_text("can be searched")


async def test_a_document_is_deleted_while_a_job_runs(
    tab: Page, served: Served, embedder: HeldEmbedder
) -> None:
    await held_job(served, embedder)
    await open_documents(tab)
    await tab.get_by_role("button", name="Delete 김치.txt").click()
    await tab.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(tab.locator("tbody th")).to_contain_text(["tea.txt"])
    embedder.let_go()
    await expect_done(tab)


async def test_a_job_whose_server_stops_is_followed_to_the_one_that_takes_over(
    tab: Page, served: Served, embedder: HeldEmbedder
) -> None:
    job_id = await held_job(served, embedder)
    await open_documents(tab)
    job = await served.service.jobs.find("acme", job_id)
    assert job is not None
    async with tab.expect_response(lambda response: "/v1/jobs?limit=1" in response.url):
        await served.service.jobs.hand_over(job)
    embedder.let_go()
    await expect_done(tab)


async def test_an_answer_about_a_job_that_is_lost_is_asked_for_again(
    tab: Page, served: Served, embedder: HeldEmbedder
) -> None:
    await held_job(served, embedder)
    await open_documents(tab)
    async with tab.expect_event("requestfailed"):
        await tab.route("**/v1/jobs/*", lambda route: route.abort(), times=1)
    embedder.let_go()
    await expect_done(tab)


async def test_a_key_that_is_revoked_leaves_no_question_open_before_the_sign_in(
    tab: Page, served: Served, embedder: HeldEmbedder
) -> None:
    await held_job(served, embedder)
    await open_documents(tab)
    await tab.get_by_role("button", name="Delete 김치.txt").click()
    await expect(tab.get_by_role("dialog")).to_be_visible()
    for key in await served.keys.known():
        await served.keys.revoke(key.id)
    await expect(tab.get_by_role("dialog")).to_be_hidden()
    await expect(tab.get_by_label("API key or token")).to_be_focused()


async def test_an_upload_ends_when_one_signs_out(tab: Page, served: Served, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(secrets.token_hex(10 * UPLOAD_BYTES_PER_S))
    slow = await tab.context.new_cdp_session(tab)
    await slow.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": UPLOAD_BYTES_PER_S,
        },
    )
    await tab.get_by_role("link", name="Documents").click()
    await tab.get_by_label("Files to add").set_input_files(tmp_path / "long.txt")
    async with tab.expect_event("requestfailed"):
        await tab.get_by_role("button", name="Upload").click()
        await expect(tab.get_by_role("progressbar", name="Sending the files")).to_be_visible()
        await tab.get_by_role("button", name="Sign out").click()
    await slow.detach()
    await sign_in(tab, served, "umbrella")
    await tab.get_by_role("link", name="Documents").click()
    await expect(tab.get_by_text("There are no documents yet.")).to_be_visible()
    await expect(tab.get_by_role("progressbar")).to_be_hidden()
    await expect(tab.get_by_role("alert")).to_be_empty()
    async with await served.client() as client:
        assert (await client.get("/v1/documents")).json()["documents"] == []
