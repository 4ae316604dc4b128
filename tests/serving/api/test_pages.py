"""Pages of documents, as a citation opens them: their text, their picture, and what is marked."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from graph.errors import Conflict
from knowledge.load.document import PageRequest
from serving.store.database import Database
from serving.wiring.pages import PageViews
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import Served
from tests.serving.api.indexed import KIMCHI, TEA, indexed, upload

COFFEE = "Coffee is ground for thirty seconds."


@pytest.fixture
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    async with indexed(database, tmp_path / "home") as found:
        yield found


async def test_a_citation_opens_its_page_with_the_passage_marked(
    served: Served, tmp_path: Path
) -> None:
    content = write_pdf(tmp_path / "tea.pdf", [[COFFEE], [COFFEE, TEA]]).read_bytes()
    async with await served.client() as client:
        await upload(client, {"tea.pdf": content})
        found = (await client.post("/v1/search", json={"query": "green tea"})).json()
        passage = found["hits"][0]["passage"]
        listed = await client.get("/v1/documents", params={"name": passage["document"]})
        (document,) = listed.json()["documents"]
        assert document["pages"] == 2
        place = {"start": passage["start"], "end": passage["end"]}
        page = (await client.get(f"/v1/documents/{document['id']}/pages/2", params=place)).json()
        assert page["document"] == document
        assert (page["page"], page["pages"], page["marked"]) == (2, 2, place)
        assert page["text"][place["start"] : place["end"]] == passage["text"]
        box = page["boxes"][-1]
        assert box["x"] == pytest.approx(50 / 595, abs=0.005)
        assert box["y"] == pytest.approx((842 - 780 + 14 - 9) / 842, abs=0.01)
        image = await client.get(page["image"])
        assert image.headers["content-type"] == "image/png"
        assert image.headers["x-content-type-options"] == "nosniff"
        assert Image.open(BytesIO(image.content)).width == 1_200
        unmarked = (await client.get(f"/v1/documents/{document['id']}/pages/2")).json()
        assert (unmarked["marked"], unmarked["boxes"]) == (None, [])


async def test_a_citation_of_a_chat_leads_to_its_page(served: Served) -> None:
    async with await served.client() as client:
        await upload(client, {"차.txt": TEA})
        asked = {"role": "user", "content": "How long is green tea steeped?"}
        body = {"model": "knowledge-agent-direct", "messages": [asked]}
        chat = await client.post("/v1/chat/completions", json=body)
        message = chat.json()["choices"][0]["message"]
        assert message["content"] == f"{TEA} [1]"
        page = (await client.get(message["annotations"][0]["url_citation"]["url"])).json()
        assert page["document"]["name"] == "차.txt"
        assert page["text"][page["marked"]["start"] : page["marked"]["end"]] == TEA


async def test_a_document_of_text_has_pages_without_a_picture(served: Served) -> None:
    async with await served.client() as client:
        await upload(client, {"김치.md": f"# 김치\n\n{KIMCHI}\n"})
        (document,) = (await client.get("/v1/documents")).json()["documents"]
        url = f"/v1/documents/{document['id']}/pages"
        start = f"# 김치\n\n{KIMCHI}\n".index("소금에")
        page = (await client.get(f"{url}/1?start={start}&end={start + 3}")).json()
        marked = page["marked"]
        assert page["text"][marked["start"] : marked["end"]] == "소금에"
        assert (page["image"], page["boxes"]) == (None, [])
        assert (await client.get(f"{url}/1/image")).status_code == 404
        assert (await client.get(f"{url}/2")).status_code == 404
        for place in ("start=5&end=4", "start=0&end=100000", "start=-1&end=2", "end=x"):
            wrong = await client.get(f"{url}/1?{place}")
            assert wrong.status_code == 422, place


async def test_a_page_that_takes_too_long_is_given_up_and_harms_no_other(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "tea.pdf", [[TEA]])
    hasty, patient = PageViews(timeout_s=0), PageViews()
    try:
        with pytest.raises(Conflict, match="was given up after 0 s"):
            await hasty.view(path, PageRequest(1, drawn=True))
        assert (await patient.view(path, PageRequest(1, drawn=True))).png
    finally:
        await hasty.aclose()
        await patient.aclose()
