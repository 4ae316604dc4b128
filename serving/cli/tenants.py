"""`knowledge-agent tenants`: what each tenant may use, and has used."""

import asyncio
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from graph.errors import InputError
from serving.cli.user import act_as_this_user

if TYPE_CHECKING:
    from serving.store.quotas import Standing
    from serving.store.tenants import Allowance, Priority

out = Console(highlight=False)
tenants_app = typer.Typer(
    help="Show and set what the service's tenants may use.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
Bound = Annotated[int | None, typer.Option(min=1)]


@tenants_app.command("list")
def list_tenants(as_json: AsJson = False) -> None:
    """Show each tenant's own limits and what it has used; `-` stands for the settings' default."""
    found = asyncio.run(_known())
    if as_json:
        rows = [
            {
                "tenant": tenant,
                **asdict(allowed),
                "periods": [asdict(standing) for standing in standings],
            }
            for tenant, allowed, standings in found
        ]
        print(json.dumps(rows, ensure_ascii=False))
        return
    table = Table("tenant", "tokens a day", "a month", "requests a minute", "tasks at a time")
    table.add_column("priority")
    table.add_column("used today")
    table.add_column("this month")
    for tenant, allowed, standings in found:
        limits = [_shown(value) for value in asdict(allowed).values()]
        table.add_row(tenant, *limits, *(f"{standing.used:,}" for standing in standings))
    out.print(table)


@tenants_app.command("set")
def set_limits(
    tenant: Annotated[str, typer.Argument(help="A tenant that has a key.")],
    tokens_per_day: Bound = None,
    tokens_per_month: Bound = None,
    requests_per_minute: Bound = None,
    concurrent_tasks: Bound = None,
    priority: Annotated[
        str | None, typer.Option(help="high, normal or low: whose tasks go first when many wait.")
    ] = None,
    default: Annotated[
        bool, typer.Option("--default", help="Forget the tenant's own limits first.")
    ] = False,
) -> None:
    """Set limits of one tenant; those that are not named stay. Running tasks are not ended."""
    given = {
        "tokens_per_day": tokens_per_day,
        "tokens_per_month": tokens_per_month,
        "requests_per_minute": requests_per_minute,
        "concurrent_tasks": concurrent_tasks,
        "priority": _priority(priority),
    }
    changed = {name: value for name, value in given.items() if value is not None}
    if not changed and not default:
        raise InputError(
            "name a limit to set, or --default; see: knowledge-agent tenants set --help"
        )
    asyncio.run(_set(tenant, changed, forget=default))
    out.print(f"set for {tenant}; it holds from the next request on")


async def _known() -> "list[tuple[str, Allowance, list[Standing]]]":
    from serving.settings import load_settings
    from serving.store.database import open_database
    from serving.store.quotas import QuotaStore
    from serving.store.tenants import TenantStore

    settings = load_settings()
    async with open_database(settings.database_address, settings.home) as database:
        tenants = TenantStore(database)
        quotas = QuotaStore(database, tenants)
        return [
            (tenant, allowed, await quotas.standing(tenant))
            for tenant, allowed in await tenants.known()
        ]


async def _set(tenant: str, changed: dict[str, Any], *, forget: bool) -> None:
    from serving.settings import load_settings
    from serving.store.database import open_database
    from serving.store.tenants import UNBOUNDED, TenantStore

    act_as_this_user()
    settings = load_settings()
    async with open_database(settings.database_address, settings.home) as database:
        tenants = TenantStore(database)
        known = dict(await tenants.known())
        before = UNBOUNDED if forget else known.get(tenant, UNBOUNDED)
        await tenants.allow(tenant, replace(before, **changed))


def _shown(value: int | str | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:,}"


def _priority(given: str | None) -> "Priority | None":
    from serving.store.tenants import PRIORITIES

    if given is None:
        return None
    for known in PRIORITIES:
        if given == known:
            return known
    raise InputError(f"there is no priority {given!r}: use {', '.join(PRIORITIES)}")
