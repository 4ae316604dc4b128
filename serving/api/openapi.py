"""The OpenAPI document: what FastAPI finds in the routes, less what they never send."""

from typing import Any

from fastapi import FastAPI

from serving.api.chat.errors import OPENAI_TAG


class DocumentedApp(FastAPI):
    def openapi(self) -> dict[str, Any]:
        made = self.openapi_schema is not None
        document = super().openapi()
        if not made:
            for path in document["paths"].values():
                for operation in path.values():
                    for parameter in operation.get("parameters", []):
                        _without_null(parameter["schema"])
                    if OPENAI_TAG in operation["tags"]:  # what is invalid is a 400 there
                        operation["responses"].pop("422", None)
        return document


def _without_null(schema: dict[str, Any]) -> None:
    """Of a parameter, which can be left out, while an URL or a header has no null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) == 1:
        del schema["anyOf"]
        schema.update(kinds[0])
