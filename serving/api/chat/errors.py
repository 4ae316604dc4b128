"""Errors of these paths in OpenAI's shape, so that its clients raise what they should."""

import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from graph import errors
from graph.errors import AgentError
from serving.api.problems import (
    RETRY_AFTER_S,
    UNREADABLE,
    invalid_detail,
    is_unreadable,
    status_of,
)

STATUS: Mapping[str, HTTPStatus] = {
    "ContextOverflow": HTTPStatus.BAD_REQUEST,
    "InvalidRequest": HTTPStatus.BAD_REQUEST,
    "TaskCancelled": HTTPStatus.CONFLICT,
    "TaskInterrupted": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Besides the table of `serving.api.problems`, whose 422 is a 400 here."""

TYPES: Mapping[HTTPStatus, str] = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}

CODES: Mapping[str, str] = {
    "Unauthenticated": "invalid_api_key",
    "NotFound": "model_not_found",
    "QuotaExceeded": "insufficient_quota",
    "RateLimited": "rate_limit_exceeded",
    "ContextOverflow": "context_length_exceeded",
}
"""OpenAI's; what it has no code for is called by our name."""

PARAMS: Mapping[str, str] = {
    "NotFound": "model",
    "InputError": "messages",
    "ContextOverflow": "messages",
}

OPENAI_TAG = "OpenAI"

logger = logging.getLogger(__name__)


class ErrorDetail(BaseModel):
    message: str
    type: str
    param: str | None = Field(description="the parameter at fault")
    code: str
    task_id: str | None = Field(default=None, description="the task that ended so")


class ErrorBody(BaseModel):
    error: ErrorDetail


class OpenAIError(Exception):
    """By the name of an error of ours, or one of `STATUS`."""

    def __init__(
        self,
        name: str,
        message: str,
        *,
        param: str | None = None,
        task_id: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = STATUS.get(name) or _status(name)
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        self.body = ErrorBody(
            error=ErrorDetail(
                message=message,
                type=TYPES.get(self.status, kind),
                param=param or PARAMS.get(name),
                code=CODES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(),
                task_id=task_id,
            )
        )
        self._retry_after_s = retry_after_s

    def response(self) -> JSONResponse:
        headers: dict[str, str] = {}
        if self.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        if self.status == HTTPStatus.CONFLICT:
            headers["x-should-retry"] = "false"  # OpenAI's client would
        if self._retry_after_s or self.status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(self._retry_after_s or RETRY_AFTER_S)
        return JSONResponse(self.body.model_dump(), self.status, headers=headers)


class OpenAIRoute(APIRoute):
    """Whatever such a path raises before its answer begins is sent in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_and_tell(request: Request) -> Response:
            try:
                return await handle(request)
            except OpenAIError as error:
                return error.response()
            except errors.TooMuch as error:
                name, after_s = type(error).__name__, error.retry_after_s
                return OpenAIError(name, str(error), retry_after_s=after_s).response()
            except AgentError as error:
                return OpenAIError(type(error).__name__, str(error)).response()
            except RequestValidationError as error:
                first = error.errors()[0]["loc"]
                param = str(first[1]) if len(first) > 1 else None
                return OpenAIError("InvalidRequest", invalid_detail(error), param=param).response()
            except HTTPException as error:
                detail = UNREADABLE if is_unreadable(error) else str(error.detail)
                return OpenAIError("InvalidRequest", detail).response()
            except Exception:
                logger.exception("a defect at %s %s", request.method, request.url.path)
                message = "a defect of this server; its log has more"
                return OpenAIError("Defect", message).response()

        return handle_and_tell


def documented_errors(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """For a router's `responses`."""
    return {status.value: {"description": status.phrase, "model": ErrorBody} for status in statuses}


def _status(name: str) -> HTTPStatus:
    status = status_of(getattr(errors, name, AgentError))
    return HTTPStatus.BAD_REQUEST if status == HTTPStatus.UNPROCESSABLE_ENTITY else status
