"""What a task ends with, and what it cost."""

from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from typing import Literal

from pydantic import Field, field_serializer

from graph.evidence import Citation, Frozen, Language

RefusalReason = Literal["out_of_domain", "not_in_documents", "unsupported"]


class Sentence(Frozen):
    """One sentence of an answer, with the numbers of the citations that bear it."""

    text: str = Field(min_length=1, description="without citation marks")
    citations: tuple[int, ...] = Field(min_length=1)
    support: float = Field(ge=0, le=1, description="how well the cited passages bear it")
    quoted: bool = Field(default=False, description="stands word for word in the passage")
    step: int = Field(default=1, ge=1, description="the step of the plan that wrote it")


RemovalFlag = Literal[
    "cut_off",
    "repetition",
    "echo",
    "wrong_language",
    "not_a_statement",
    "unsupported",
    "off_topic",
    "abstained",
    "injected",
]


class Removed(Frozen):
    """A sentence that the model wrote and the reader does not get, and why. One that is `injected`
    obeys or repeats an order that stands in a document."""

    text: str
    flag: RemovalFlag
    reason: str = Field(description="in words, in the answer's language")

    @property
    def worth_asking_again(self) -> bool:
        """A fault of form is not mended by a second attempt at the content, and a model that found
        no answer was told to say so."""
        return self.flag in ("unsupported", "off_topic")


class Degraded(Frozen):
    """Something the task had to do without; the answer says so."""

    what: str = Field(description="the part: a node's name, 'retrieval', or 'documents'")
    why: str


class Answered(Frozen):
    kind: Literal["answered"] = "answered"
    sentences: tuple[Sentence, ...] = Field(min_length=1)
    citations: tuple[Citation, ...] = Field(min_length=1)
    language: Language
    removed: tuple[Removed, ...] = ()
    degraded: tuple[Degraded, ...] = ()

    @property
    def text(self) -> str:
        """The answer as one text: a paragraph a step, citation numbers in square brackets.

        No field: a checkpoint is read back by the fields alone.
        """
        return "\n\n".join(
            " ".join(
                sentence.text + "".join(f" [{number}]" for number in sentence.citations)
                for sentence in paragraph
            )
            for _, paragraph in groupby(self.sentences, key=attrgetter("step"))
        )


class Nearest(Frozen):
    """A document near to the question; no claim that it answers."""

    document: str
    title: str


class Refused(Frozen):
    """No answer, and why; an answer of its own kind, not an error."""

    kind: Literal["refused"] = "refused"
    reason: RefusalReason
    message: str = Field(min_length=1)
    nearest: tuple[Nearest, ...] = Field(default=(), max_length=3)
    language: Language
    removed: tuple[Removed, ...] = Field(default=(), description="what was drafted and is withheld")
    degraded: tuple[Degraded, ...] = ()


Outcome = Answered | Refused


class Money(Frozen):
    """Exact; as JSON the amount is a text without an exponent."""

    amount: Decimal = Field(ge=0, examples=["0.000318"])
    currency: str = Field(description="ISO 4217", examples=["USD"])

    @field_serializer("amount", when_used="json")
    def _plain(self, amount: Decimal) -> str:
        return f"{amount.normalize():f}"


class CallRecord(Frozen):
    """One call to the model server, as the server counted it (estimated: as we could)."""

    id: str
    node: str
    step: int | None = None
    prompt_tokens: int = Field(ge=0)
    cached_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    started_s: float | None = Field(
        default=None, description="since 1970, UTC; none: not known of an older record"
    )
    seconds: float = Field(ge=0)
    outcome: Literal["ok", "failed", "cancelled"]
    estimated: bool = Field(default=False, description="the server sent no usage")
    model: str | None = Field(default=None, description="none: the server did not say")
    cost: Money | None = Field(default=None, description="null where this model has no price")

    @property
    def tokens(self) -> int:
        """What counts against limits: prompt and output, cached or not."""
        return self.prompt_tokens + self.output_tokens
