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
                    if OPENAI_TAG in operation["tags"]:  # what is invalid is a 400 there
                        operation["responses"].pop("422", None)
        return document
