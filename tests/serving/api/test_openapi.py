"""What the OpenAPI document says of every operation, those of later releases too."""

import json
import re
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from serving.api.app import create_app
from serving.api.chat.request import MAX_SEED
from tests.serving.api.conftest import Served

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


def test_no_parameter_is_said_to_take_null(operation: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", []):
        assert "null" not in json.dumps(parameter["schema"]), parameter["name"]


def test_the_events_of_a_stream_are_described_one_by_one() -> None:
    for name in ("POST /v1/tasks", "GET /v1/tasks/{task_id}/events", "POST /v1/chat/completions"):
        stream = OPERATIONS[name]["responses"]["200"]["content"]["text/event-stream"]
        assert stream["itemSchema"]["properties"].keys() == {"id", "event", "data"}
        assert stream["itemSchema"]["required"] == ["data"]


def test_every_type_of_an_original_file_is_named() -> None:
    content = OPERATIONS["GET /v1/documents/{document_id}/content"]["responses"]["200"]["content"]
    office = "application/vnd.openxmlformats-officedocument."
    assert content.keys() == {
        "application/pdf",
        f"{office}wordprocessingml.document",
        f"{office}presentationml.presentation",
        "text/plain",
        "application/octet-stream",
    }


async def test_every_operation_that_asks_for_a_key_refuses_whoever_has_none(
    served: Served,
) -> None:
    headers: list[dict[str, str]] = [{}, {"Authorization": "Bearer ka_none"}]
    async with httpx.AsyncClient(base_url=served.url) as client:
        for name in OPERATIONS:
            method, _, path = name.partition(" ")
            if path in OPEN:
                continue
            asked = re.sub("{.*?}", "0" * 32, path.replace("{page}", "1"))
            for each in headers:
                response = await client.request(method, asked, headers=each)
                assert response.status_code == 401, (name, each)


def test_the_bounds_of_numbers_are_told() -> None:
    """Exactly: FastAPI writes them as floats, and a seed has many digits."""
    told = {
        name: (schema["minimum"], schema["maximum"])
        for model in ("ChatRequest", "SearchRequest")
        for name, options in DOCUMENT["components"]["schemas"][model]["properties"].items()
        for schema in options.get("anyOf", [options])
        if "minimum" in schema
    }
    assert told == {
        "temperature": (0, 2),
        "max_tokens": (1, 2**31 - 1),
        "max_completion_tokens": (1, 2**31 - 1),
        "seed": (-MAX_SEED, MAX_SEED),
        "presence_penalty": (-2, 2),
        "frequency_penalty": (-2, 2),
        "limit": (1, 50),
    }


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_but_the_open_ones_asks_for_a_key(name: str) -> None:
    operation = OPERATIONS[name]
    if name.partition(" ")[2] in OPEN:
        # Metrics may have a token of their own, and need none on their own machine.
        own: list[dict[str, list[str]]] = [{"HTTPBearer": []}, {}]
        assert operation.get("security") == (own if name == "GET /metrics" else None)
        return
    assert operation["security"]
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert {scheme for entry in operation["security"] for scheme in entry} <= schemes.keys()
    assert {"401", "403", "429", "503"} <= operation["responses"].keys()
