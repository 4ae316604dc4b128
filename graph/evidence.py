"""What a statement may stand on: passages of documents, and citations of them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["en", "ko"]


class Frozen(BaseModel):
    """Values of the state: immutable, and strict about their keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(Frozen):
    """A stretch of one page of one document.

    `text == page_text[start:end]` holds for the text that the loader gave for that page.
    """

    id: str
    document: str = Field(description="path of the file inside the ingested folder, with /")
    title: str
    page: int = Field(ge=1, description="page number as a reader counts, from 1")
    start: int = Field(ge=0, description="first character, inside the page")
    end: int = Field(gt=0, description="one past the last character, inside the page")
    heading: tuple[str, ...] = Field(default=(), description="headings above, outermost first")
    text: str

    @property
    def order(self) -> tuple[str, int, int]:
        """The stable order of passages in a prompt: document, page, offset."""
        return (self.document, self.page, self.start)


class Hit(Frozen):
    """A passage that retrieval found, with the scores that found it (None: not found that way)."""

    passage: Passage
    dense: float | None = Field(description="cosine similarity, -1 to 1")
    lexical: float | None = Field(description="BM25, 0 and up")
    fused: float


class DomainSignal(Frozen):
    """How much the question looks like one about this corpus.

    `score` and `bound` are comparable with each other only: both come from this corpus's own
    calibration. A question with `score < bound` is out of domain.
    """

    score: float
    bound: float
    dense_top: float | None = Field(description="best cosine similarity; None without vectors")
    coverage: float = Field(
        ge=0, le=1, description="share of the question's terms, weighted by rarity, in the hits"
    )
    method: str = Field(description="how the bound was found: 'calibrated' or 'cautious'")


class Retrieval(Frozen):
    """Hits in falling order of `fused`; `degraded` says in words what was left out."""

    hits: tuple[Hit, ...]
    domain: DomainSignal
    degraded: tuple[str, ...] = ()


class Citation(Frozen):
    """A source as a reader sees it: `number` is the one in square brackets in the text."""

    number: int = Field(ge=1)
    passage_id: str
    document: str
    title: str
    page: int
    start: int
    end: int


def cite(number: int, passage: Passage) -> Citation:
    return Citation(
        number=number,
        passage_id=passage.id,
        document=passage.document,
        title=passage.title,
        page=passage.page,
        start=passage.start,
        end=passage.end,
    )
