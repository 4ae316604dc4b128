"""What was used, by day: tokens and money of the calls that were booked."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.answer import CallRecord, Money
from serving.store.tables import model_calls

COST_PLACES = 12
"""Of decimals: databases add up whole numbers, so that no sum is rounded."""


@dataclass(frozen=True, slots=True)
class DayUsage:
    day: str
    tasks: int
    model_calls: int
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    costs: tuple[Money, ...]
    """By currency; of calls whose model had a price."""

    unpriced_calls: int
    """That took tokens."""


def call_values(call: CallRecord) -> dict[str, Any]:
    return {
        "id": call.id,
        "prompt_tokens": call.prompt_tokens,
        "cached_tokens": call.cached_tokens,
        "output_tokens": call.output_tokens,
        "cost_e12": None if call.cost is None else int(call.cost.amount.scaleb(COST_PLACES)),
        "currency": None if call.cost is None else call.cost.currency,
        "record": call.model_dump(mode="json"),
    }


async def usage_by_day(
    connection: AsyncConnection, tenant: str, since: str, until: str
) -> list[DayUsage]:
    query = (
        select(
            model_calls.c.day,
            func.count(model_calls.c.task_id.distinct()).label("tasks"),
            func.count().label("calls"),
            func.sum(model_calls.c.prompt_tokens).label("prompt"),
            func.sum(model_calls.c.cached_tokens).label("cached"),
            func.sum(model_calls.c.output_tokens).label("output"),
        )
        .where(model_calls.c.tenant == tenant, model_calls.c.day.between(since, until))
        .group_by(model_calls.c.day)
        .order_by(model_calls.c.day)
    )
    priced = (
        select(
            model_calls.c.day,
            model_calls.c.currency,
            func.sum(model_calls.c.cost_e12).label("cost_e12"),
            func.count().label("calls"),
        )
        .where(
            model_calls.c.tenant == tenant,
            model_calls.c.day.between(since, until),
            model_calls.c.prompt_tokens + model_calls.c.output_tokens > 0,
        )
        .group_by(model_calls.c.day, model_calls.c.currency)
        .order_by(model_calls.c.currency)
    )
    days = (await connection.execute(query)).all()
    by_currency = (await connection.execute(priced)).all()
    return [
        DayUsage(
            day=row.day,
            tasks=row.tasks,
            model_calls=row.calls,
            prompt_tokens=int(row.prompt),
            cached_tokens=int(row.cached),
            output_tokens=int(row.output),
            costs=tuple(
                Money(amount=Decimal(of.cost_e12).scaleb(-COST_PLACES), currency=of.currency)
                for of in by_currency
                if of.day == row.day and of.currency is not None
            ),
            unpriced_calls=sum(
                of.calls for of in by_currency if of.day == row.day and of.currency is None
            ),
        )
        for row in days
    ]
