"""What the OpenAPI document says of every operation, those of later releases too."""

from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from serving.api.app import create_app

OPEN = {"/healthz", "/readyz", "/metrics", "/"}


@asynccontextmanager
async def nothing() -> Any:
    yield


DOCUMENT = create_app(nothing).openapi()
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS[request.param]
    return found


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][name] if name else schema
    return found


def examples(content: dict[str, Any]) -> Iterator[Any]:
    """Of one media type, or of its schema."""
    for place in (content, resolved(content.get("schema", {}))):
        yield from [place["example"]] if "example" in place else []
        found = place.get("examples", [])
        yield from [one["value"] for one in found.values()] if isinstance(found, dict) else found


def contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of what is sent, and of what comes back when all is well; by media type."""
    yield from operation.get("requestBody", {}).get("content", {}).items()
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            yield from response.get("content", {}).items()


def test_every_operation_is_described_and_tagged(operation: dict[str, Any]) -> None:
    assert len(operation["summary"].split()) > 1
    assert operation["description"].strip()
    assert operation["tags"]


def test_every_operation_shows_an_example_that_fits_its_schema(operation: dict[str, Any]) -> None:
    for media_type, content in contents(operation):
        found = list(examples(content))
        if "json" in media_type:
            assert found, media_type
            schema = {**content["schema"], "components": DOCUMENT["components"]}
            for example in found:
                Draft202012Validator(schema).validate(example)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_but_the_open_ones_asks_for_a_key(name: str) -> None:
    operation = OPERATIONS[name]
    if name.partition(" ")[2] in OPEN:
        # Metrics may have a token of their own.
        assert ("security" in operation) is (name == "GET /metrics")
        return
    assert operation["security"]
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert {scheme for entry in operation["security"] for scheme in entry} <= schemes.keys()
    assert {"401", "403", "429", "503"} <= operation["responses"].keys()
