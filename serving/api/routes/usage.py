"""/v1/usage: what the tenant has used, and may still use."""

from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from graph.answer import Money
from graph.errors import InputError
from serving.api.identity import MayReadUsage
from serving.api.service import OwnService

DEFAULT_DAYS = 31
MAX_DAYS = 400

router = APIRouter(prefix="/v1/usage", tags=["usage"])


class Period(BaseModel):
    """Tokens are prompt and output together, cached or not."""

    period: str = Field(description="a day or a month of UTC", examples=["2026-11-30", "2026-11"])
    used: int
    reserved: int = Field(description="by tasks that run")
    allowed: int | None = Field(description="null: no quota")


class Day(BaseModel):
    day: date
    tasks: int = Field(description="that called the model")
    model_calls: int
    prompt_tokens: int
    cached_tokens: int = Field(description="of the prompt tokens, from the prefix cache")
    output_tokens: int
    costs: list[Money] = Field(
        description="by currency, of the calls whose model had a price; empty: none had one"
    )
    unpriced_calls: int = Field(description="that took tokens and stand in no cost")


class UsageReport(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "periods": [
                    {"period": "2026-11-30", "used": 1270, "reserved": 0, "allowed": 500_000},
                    {"period": "2026-11", "used": 1270, "reserved": 0, "allowed": 10_000_000},
                ],
                "days": [
                    {
                        "day": "2026-11-30",
                        "tasks": 1,
                        "model_calls": 1,
                        "prompt_tokens": 1241,
                        "cached_tokens": 1088,
                        "costs": [{"amount": "0.0004", "currency": "USD"}],
                        "unpriced_calls": 0,
                        "output_tokens": 29,
                    }
                ],
            }
        }
    )

    periods: list[Period] = Field(description="today and this month")
    days: list[Day] = Field(description="days without any use are left out")


@router.get("", summary="Tell what was used")
async def usage(
    principal: MayReadUsage,
    service: OwnService,
    since: Annotated[
        date | None, Query(description=f"first day; default: {DEFAULT_DAYS} days ago")
    ] = None,
    until: Annotated[date | None, Query(description="last day; default: today")] = None,
) -> UsageReport:
    """What was used, by day (UTC); what one task used stands in the task."""
    last = until or datetime.now(UTC).date()
    first = since or last - timedelta(days=min(DEFAULT_DAYS, last.toordinal() - 1))
    if not 0 <= (last - first).days <= MAX_DAYS:
        raise InputError(f"name up to {MAX_DAYS} days, `since` not after `until`")
    days = await service.quotas.usage(
        principal.tenant, since=first.isoformat(), until=last.isoformat()
    )
    standing = await service.quotas.standing(principal.tenant)
    return UsageReport(
        periods=[Period(**asdict(each)) for each in standing],
        days=[Day.model_validate(asdict(each)) for each in days],
    )
