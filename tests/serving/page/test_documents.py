"""Documents on the page: over a real index, whose embedder can be held to see a job run."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serving.store.database import Database
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import KIMCHI, TEA, HeldEmbedder, indexed
from tests.serving.api.indexed import upload as uploaded
from tests.serving.page.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

VACATION = "휴가 규정.txt"


@pytest.fixture
def embedder() -> HeldEmbedder:
    return HeldEmbedder()


@pytest_asyncio.fixture(loop_scope="session")
async def served(
    database: Database, tmp_path: Path, embedder: HeldEmbedder
) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path / "home", embedder) as found:
        yield found


async def keep(served: Served, texts: Mapping[str, str | bytes]) -> None:
    async with await served.client() as client:
        assert (await uploaded(client, texts))["status"] == "done"


async def names(served: Served) -> list[str]:
    async with await served.client() as client:
        listed = (await client.get("/v1/documents")).json()["documents"]
    return [document["name"] for document in listed]


async def upload(tab: Page, *paths: Path) -> None:
    await tab.get_by_label("Files to add").set_input_files(paths)
    await tab.get_by_role("button", name="Upload").click()


def tea(folder: Path) -> Path:
    (folder / "tea.txt").write_text(TEA, "utf-8")
    return folder / "tea.txt"


async def test_files_are_uploaded_and_the_progress_of_their_job_is_shown(
    tab: Page, embedder: HeldEmbedder, tmp_path: Path
) -> None:
    await tab.get_by_role("link", name="Documents").click()
    await expect(tab.get_by_text("There are no documents yet.")).to_be_visible()
    embedder.cutting.clear()
    await upload(tab, write_pdf(tmp_path / "scan.pdf", [[]]), tea(tmp_path))
    bar = tab.get_by_role("progressbar", name="Reading the files")
    await expect(bar).to_have_js_property("value", 0.5)
    embedder.let_go()
    ended = tab.locator("#upload-status")
    await expect(ended).to_contain_text("The index is up to date.")
    await expect(ended).to_contain_text("scan.pdf: no text in it; perhaps a scan (no page has text")
    await expect(ended).not_to_contain_text("tea.txt")
    await expect(bar).to_be_hidden()
    await expect(tab.locator("tbody th")).to_contain_text(["scan.pdf", "tea.txt"])
    states = tab.locator("tbody td:nth-child(3)")
    await expect(states).to_contain_text(["cannot be read (no page has text", "can be searched"])


async def test_a_job_that_fails_says_why(tab: Page, embedder: HeldEmbedder, tmp_path: Path) -> None:
    embedder.fail_after = 0
    await tab.get_by_role("link", name="Documents").click()
    await upload(tab, tea(tmp_path))
    ended = tab.locator("#upload-status")
    await expect(ended).to_contain_text("The files could not be indexed.")
    await expect(ended).to_contain_text("1 passages have no vector yet and are found by words")


async def test_a_file_of_another_kind_is_refused_with_all_that_came_with_it(
    tab: Page, served: Served, tmp_path: Path
) -> None:
    (tmp_path / "tea.exe").write_text(TEA)
    await tab.get_by_role("link", name="Documents").click()
    await upload(tab, tea(tmp_path), tmp_path / "tea.exe")
    problem = tab.get_by_role("alert")
    await expect(problem).to_contain_text("This kind of file cannot be read.")
    await expect(problem).to_contain_text("tea.exe")
    await expect(tab.get_by_role("button", name="Upload")).to_be_enabled()
    assert await names(served) == []


async def test_a_document_is_deleted_only_when_one_has_said_so(tab: Page, served: Served) -> None:
    await keep(served, {VACATION: KIMCHI})
    await tab.get_by_role("link", name="Documents").click()
    delete = tab.get_by_role("button", name=f"Delete {VACATION}")
    dialog = tab.get_by_role("dialog", name="Delete this document?")
    for safe in ("Escape", "Enter"):  # Enter presses what has the focus
        await delete.click()
        await expect(dialog).to_contain_text(f"{VACATION} will be gone from answers at once.")
        await expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
        await tab.keyboard.press(safe)
        await expect(dialog).to_be_hidden()
        await expect(delete).to_be_focused()
    assert await names(served) == [VACATION]
    await delete.click()
    await dialog.get_by_role("button", name="Delete").click()
    await expect(tab.locator("#upload-status")).to_have_text(f"Deleted: {VACATION}.")
    await expect(tab.get_by_text("There are no documents yet.")).to_be_visible()
    assert await names(served) == []
