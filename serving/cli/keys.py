"""`knowledge-agent keys`: who may use the service. The database's client is imported when used."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graph.errors import InputError
from serving.cli.user import act_as_this_user

if TYPE_CHECKING:
    from serving.store.keys import ApiKey, KeyStore, Scope

DAY_S = 86_400

T = TypeVar("T")

out = Console(highlight=False)
keys_app = typer.Typer(help="Make, list and revoke the service's API keys.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]


@keys_app.command("make")
def make_key(
    tenant: Annotated[str, typer.Argument(help="Whose documents the key opens.")],
    name: Annotated[str, typer.Option(help="What you will know it by.")] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="ask, documents, usage or audit; may be repeated. All where none is named."
        ),
    ] = None,
    days: Annotated[
        float | None, typer.Option(min=0.001, max=36_500, help="How long it holds; else for ever.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key, and show it this once."""
    from knowledge.tenant import check_tenant

    check_tenant(tenant)
    scopes = _scopes(scope)
    expires_s = None if days is None else time.time() + days * DAY_S
    key, text = asyncio.run(_with(lambda keys: keys.make(tenant, name, scopes, expires_s)))
    if as_json:
        print(json.dumps({**_as_json(key), "key": text}))
        return
    print(text)
    Console(stderr=True).print(
        f"Keep it: it cannot be shown again. To revoke it: knowledge-agent keys revoke {key.id}"
    )


@keys_app.command("list")
def list_keys(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the keys, never their secrets."""
    keys = asyncio.run(_with(lambda keys: keys.known(tenant)))
    if as_json:
        print(json.dumps([_as_json(key) for key in keys], ensure_ascii=False))
        return
    table = Table("id", "tenant", "name", "scopes", "made", "holds")
    for key in keys:
        table.add_row(
            key.id,
            key.tenant,
            escape(key.name),
            ", ".join(key.scopes),
            _day(key.created_s),
            _holds(key),
        )
    out.print(table)


@keys_app.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="The key's id.")]) -> None:
    """End a key at once. It cannot be undone: make another one."""
    key = asyncio.run(_with(lambda keys: keys.revoke(key_id)))
    out.print(f"{key.id} of {key.tenant} is revoked")


async def _with(use: "Callable[[KeyStore], Awaitable[T]]") -> T:
    from serving.settings import load_settings
    from serving.store.database import open_database
    from serving.store.keys import KeyStore
    from serving.store.tenants import TenantStore

    act_as_this_user()
    settings = load_settings()
    async with open_database(settings.database_address, settings.home) as database:
        return await use(KeyStore(database, TenantStore(database)))


def _scopes(given: list[str] | None) -> "list[Scope]":
    from serving.store.keys import SCOPES

    if unknown := [scope for scope in given or () if scope not in SCOPES]:
        raise InputError(f"there is no scope {unknown[0]!r}: use {', '.join(SCOPES)}")
    return [scope for scope in SCOPES if not given or scope in given]


def _as_json(key: "ApiKey") -> dict[str, Any]:
    return {
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": _iso(key.created_s),
        "expires_at": _iso(key.expires_s),
        "revoked_at": _iso(key.revoked_s),
    }


def _holds(key: "ApiKey") -> str:
    if key.revoked_s is not None:
        return f"revoked {_day(key.revoked_s)}"
    if key.expires_s is None:
        return "yes"
    word = "until" if key.holds(time.time()) else "expired"
    return f"{word} {_day(key.expires_s)}"


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
