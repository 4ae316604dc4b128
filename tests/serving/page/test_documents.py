"""Documents on the page. Their endpoints are stood in for by the browser here."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Page, Route, expect

from tests.serving.page.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP


@dataclass
class DocumentsStandIn:
    """Indexes two files, one a look."""

    names: list[str] = field(default_factory=lambda: ["휴가 규정.pdf"])
    looks: int = 0
    ends: str = "done"
    sent: bytes = b""

    async def documents(self, route: Route) -> None:
        if route.request.method == "POST":
            self.sent = route.request.post_data_buffer or b""
            await route.fulfill(status=202, json={"job": self.job(), "documents": []})
            return
        held = {"title": None, "pages": 3, "status": "indexed", "reason": None}
        found = [{**held, "id": str(n), "name": name} for n, name in enumerate(self.names)]
        await route.fulfill(json={"documents": found, "next": None})

    def job(self) -> dict[str, Any]:
        status = self.ends if self.looks == 2 else "running"
        progress = {"done": self.looks, "total": 2, "phase": "read"} if self.looks else None
        unread = {"name": "b.txt", "status": "encrypted", "reason": "암호가 필요합니다"}
        report = {"files": [{"name": "a.txt", "status": "indexed", "reason": None}, unread]}
        error = {"status": 503, "detail": "the disk is full"} if status == "failed" else None
        ended = {"report": report if status == "done" else None, "error": error}
        return {"id": "j1", "status": status, "progress": progress, **ended}

    async def look(self, route: Route) -> None:
        self.looks += 1
        if self.looks == 2:
            self.names = ["a.txt", *self.names]
        await route.fulfill(json=self.job())

    async def delete(self, route: Route) -> None:
        assert route.request.method == "DELETE"
        del self.names[int(route.request.url.rsplit("/", 1)[1])]
        await route.fulfill(status=204)


@pytest_asyncio.fixture(loop_scope="session")
async def documents(tab: Page) -> DocumentsStandIn:
    stand_in = DocumentsStandIn()
    await tab.route("**/v1/documents", stand_in.documents)
    await tab.route("**/v1/documents/*", stand_in.delete)
    await tab.route("**/v1/jobs/j1", stand_in.look)
    await tab.get_by_role("link", name="Documents").click()
    return stand_in


async def upload(tab: Page, folder: Path) -> None:
    paths = [folder / "a.txt", folder / "b.txt"]
    for path in paths:
        path.write_text("The cache keeps answers.", "utf-8")
    await tab.get_by_label("Files to add").set_input_files(paths)
    await tab.get_by_role("button", name="Upload").click()


async def test_files_are_uploaded_and_the_progress_of_their_job_is_shown(
    tab: Page, documents: DocumentsStandIn, tmp_path: Path
) -> None:
    await upload(tab, tmp_path)
    bar = tab.get_by_role("progressbar", name="Reading the files")
    await expect(bar).to_have_js_property("value", 0.5)
    ended = tab.locator("#upload-status")
    await expect(ended).to_contain_text("The index is up to date.")
    await expect(ended).to_contain_text("b.txt: protected by a password (암호가 필요합니다)")
    await expect(ended).not_to_contain_text("a.txt")
    await expect(bar).to_be_hidden()
    await expect(tab.locator("tbody th")).to_have_text(["a.txt", "휴가 규정.pdf"])
    assert documents.sent.count(b'name="files"; filename="') == 2


async def test_a_job_that_fails_says_why(
    tab: Page, documents: DocumentsStandIn, tmp_path: Path
) -> None:
    documents.ends = "failed"
    await upload(tab, tmp_path)
    await expect(tab.locator("#upload-status")).to_contain_text("the disk is full")


async def test_a_document_is_deleted_only_when_one_has_said_so(
    tab: Page, documents: DocumentsStandIn
) -> None:
    delete = tab.get_by_role("button", name="Delete 휴가 규정.pdf")
    dialog = tab.get_by_role("dialog", name="Delete this document?")
    for safe in ("Escape", "Enter"):  # Enter presses what has the focus
        await delete.click()
        await expect(dialog).to_contain_text("휴가 규정.pdf will be gone from answers at once.")
        await expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
        await tab.keyboard.press(safe)
        await expect(dialog).to_be_hidden()
        await expect(delete).to_be_focused()
    assert documents.names == ["휴가 규정.pdf"]
    await delete.click()
    await dialog.get_by_role("button", name="Delete").click()
    await expect(tab.locator("#upload-status")).to_have_text("Deleted: 휴가 규정.pdf.")
    await expect(tab.get_by_text("There are no documents yet.")).to_be_visible()
