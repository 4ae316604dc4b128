"""What a call costs, by the owner's prices: exact, in decimals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from graph.answer import CallRecord, Money

PER_TOKENS = 1_000_000

PerMillion = Annotated[Decimal, Field(ge=0, le=1_000_000, decimal_places=6)]
"""With at most six places a token's price is a whole number of 10⁻¹² of the currency."""


class Price(BaseModel):
    """Of a million tokens of one model; `cached_input` are prompt tokens of the prefix cache."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: PerMillion
    cached_input: PerMillion
    output: PerMillion


@dataclass(frozen=True, slots=True)
class Prices:
    currency: str
    by_model: Mapping[str, Price] = field(default_factory=dict)

    def priced(self, call: CallRecord) -> CallRecord:
        """With its cost; as it is where its model has no price."""
        price = self.by_model.get(call.model or "")
        if price is None:
            return call
        million_fold = (
            (call.prompt_tokens - call.cached_tokens) * price.input
            + call.cached_tokens * price.cached_input
            + call.output_tokens * price.output
        )
        cost = Money(amount=million_fold / PER_TOKENS, currency=self.currency)
        return call.model_copy(update={"cost": cost})


NO_PRICES = Prices("USD")
