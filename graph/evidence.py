"""What a statement may stand on: passages of documents, and citations of them."""

import math
from contextlib import suppress
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from graph.errors import InputError

Language = Literal["en", "ko"]


class Frozen(BaseModel):
    """Values of the state: immutable, and strict about their keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _day(value: object) -> object:
    """Pydantic would take `20240501` for seconds, and so for a day in 1970."""
    if value is None or isinstance(value, date):
        return value
    with suppress(ValueError):
        day = date.fromisoformat(str(value))
        if day.isoformat() == value:
            return day
    raise ValueError(f"{value!r} is no day; write it as YYYY-MM-DD")


Day = Annotated[date, BeforeValidator(_day)]
Pattern = Annotated[str, Field(min_length=1, max_length=1_000)]
Tag = Annotated[str, Field(min_length=1, max_length=255)]


class Scope(Frozen):
    """Which documents may be searched: those that every part lets in. An empty part, and so an
    empty scope, lets everything in."""

    documents: tuple[Pattern, ...] = Field(
        default=(),
        max_length=50,
        description="paths inside the folder, one of which has to match: case counts, * stands for "
        "any characters and for / too, ? for one, [ab] for one of these",
    )
    tags: tuple[Tag, ...] = Field(
        default=(), max_length=50, description="a document has one of them; case does not count"
    )
    since: Day | None = Field(default=None, description="first day of a document's date")
    until: Day | None = Field(default=None, description="last day of a document's date")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since and self.until and self.since > self.until:
            raise ValueError(f"since {self.since} is later than until {self.until}")
        return self


EVERYTHING = Scope()


def read_scope(given: object) -> Scope:
    """The scope that a caller gave, as one or as plain JSON. Raises `InputError`."""
    try:
        return Scope.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(["scope", *map(str, first["loc"])])
        raise InputError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from error


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
    reranked: float | None = Field(
        default=None, description="the reranker's score, higher is better"
    )


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


MAX_LOG_ODDS = 10.0


def log_odds(probability: float) -> float:
    """ln(p / (1 - p)), from -`MAX_LOG_ODDS` to `MAX_LOG_ODDS`: 0 and 1 have none that is finite."""
    if not 0 < probability < 1:
        return math.copysign(MAX_LOG_ODDS, probability - 0.5)
    odds = math.log(probability) - math.log1p(-probability)
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))


class VerdictRule(Frozen):
    """How much the model's own verdict, whether the passages hold the answer, counts in this
    corpus (decision 020). It was found with this model and method, and is good for no other.
    """

    model: str = Field(description="its name at the server")
    method: str = Field(description="hash of the prompt and of how words are weighed")
    intercept: float
    words_weight: float = Field(description="of the log-odds of the answerability by words")
    model_weight: float = Field(description="of the model's log-odds of yes against no")
    bound: float

    def refuses(self, words: float, model: float) -> bool:
        """Both as log-odds."""
        score = self.intercept + self.words_weight * words + self.model_weight * model
        return score < self.bound


class Retrieval(Frozen):
    """Hits, best first: by `reranked` where a reranker was asked, then by `fused`. `degraded` says
    in words what was left out. `verdict` is None where the model is not to be asked for one."""

    hits: tuple[Hit, ...]
    domain: DomainSignal
    degraded: tuple[str, ...] = ()
    verdict: VerdictRule | None = None


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
