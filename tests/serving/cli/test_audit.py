"""`knowledge-agent audit`, and who changed what from the command line."""

import json
import os
import pwd
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("home")


def entries(run: Run, *arguments: str) -> list[dict[str, Any]]:
    code, out, err = run("audit", "--json", *arguments)
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_changes_from_the_command_line_name_the_systems_user(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "somebody-else")
    monkeypatch.setenv("LOGNAME", "somebody-else")
    _, made, _ = run("keys", "make", "acme", "--scope", "audit", "--json")
    run("tenants", "set", "acme", "--tokens-per-day", "5")
    run("keys", "revoke", json.loads(made)["id"])
    found = entries(run)
    assert [each["action"] for each in found] == ["key.revoked", "tenant.limits", "key.made"]
    assert {each["subject"] for each in found} == {f"cli:{pwd.getpwuid(os.getuid()).pw_name}"}
    assert json.loads(made)["key"].split("_", 2)[2] not in str(found)


def test_entries_are_shown_by_tenant_time_and_number(run: Run) -> None:
    for tenant in ("acme", "umbrella"):
        run("keys", "make", tenant, "--name", "이름 [x]")
    assert [each["tenant"] for each in entries(run)] == ["umbrella", "acme"]
    assert [each["tenant"] for each in entries(run, "--tenant", "acme")] == ["acme"]
    assert [each["tenant"] for each in entries(run, "--limit", "1")] == ["umbrella"]
    assert len(entries(run, "--since", "2026-01-01")) == 2
    assert entries(run, "--since", "2999-01-01T00:00:00") == []
    code, out, _ = run("audit")
    assert code == 0
    assert "key.made" in out
    assert "[x]" in out
