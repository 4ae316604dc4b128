"""Errors as problem documents (RFC 9457): one table from class to status."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from graph import errors
from graph.errors import AgentError
from serving.api.access import route_of
from serving.telemetry.metrics import Metrics

MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[type[AgentError], HTTPStatus] = {
    errors.InputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.PlanInvalid: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnsupportedType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.IndexMissing: HTTPStatus.CONFLICT,
    errors.IndexEmpty: HTTPStatus.CONFLICT,
    errors.IndexMismatch: HTTPStatus.CONFLICT,
    errors.IndexLocked: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.KnowledgeError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelRejected: HTTPStatus.BAD_GATEWAY,
    errors.ModelOutputUnusable: HTTPStatus.BAD_GATEWAY,
    errors.ModelTimeout: HTTPStatus.GATEWAY_TIMEOUT,
    errors.ModelError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DeadlineExceeded: HTTPStatus.GATEWAY_TIMEOUT,
    errors.BudgetExceeded: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.QuotaExceeded: HTTPStatus.TOO_MANY_REQUESTS,
    errors.RateLimited: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Overloaded: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ShuttingDown: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.IdentityUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""By the nearest class above; what is not here is a defect of ours or a setting's: 500."""

UNREADABLE = (
    "body: it is not JSON in UTF-8, is nested too deep, or has a number of more than 4300 digits"
)

RETRY_AFTER_S = 5

logger = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong, and what to do next."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "urn:knowledge-agent:IndexMissing",
                "title": "Conflict",
                "status": 409,
                "detail": "there is no index for the tenant acme; upload documents first",
            }
        }
    )

    type: str = Field(description="urn:knowledge-agent: and the name of the error")
    title: str
    status: int
    detail: str
    task_id: str | None = Field(default=None, description="the task that ended so")


def status_of(kind: type[AgentError]) -> HTTPStatus:
    for above in kind.__mro__:
        if (status := STATUS.get(above)) is not None:
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def problem(name: str, status: HTTPStatus, detail: str, task_id: str | None = None) -> Problem:
    return Problem(
        type=f"urn:knowledge-agent:{name}",
        title=status.phrase,
        status=status.value,
        detail=detail,
        task_id=task_id,
    )


def problem_of(name: str, detail: str, task_id: str | None = None) -> Problem:
    """Of an error that is known by its name alone, such as one that a task ended with."""
    kind = getattr(errors, name, AgentError)
    return problem(name, status_of(kind), detail, task_id)


def respond(found: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    sent = dict(headers or {})
    if found.status == HTTPStatus.UNAUTHORIZED:
        sent.setdefault("WWW-Authenticate", "Bearer")
    if found.status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        sent.setdefault("Retry-After", str(RETRY_AFTER_S))
    return JSONResponse(
        found.model_dump(exclude_none=True), found.status, headers=sent, media_type=MEDIA_TYPE
    )


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`; those that every route may give stand in `app.py`."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status.value: {"description": status.phrase, "content": content} for status in statuses}


def add_problems(app: FastAPI) -> None:
    app.add_exception_handler(AgentError, _agent_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _defect)


async def _agent_error(request: Request, error: Exception) -> JSONResponse:
    headers = {}
    if isinstance(error, errors.TooMuch):
        metrics: Metrics = request.app.state.service.telemetry.metrics
        metrics.limited(type(error).__name__)
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, errors.Unauthenticated) and "authorization" in request.headers:
        headers["WWW-Authenticate"] = 'Bearer error="invalid_token"'  # RFC 6750
    return respond(problem_of(type(error).__name__, str(error)), headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    detail = invalid_detail(error)
    return respond(problem("InvalidRequest", HTTPStatus.UNPROCESSABLE_ENTITY, detail))


def invalid_detail(error: RequestValidationError) -> str:
    """Says where, never what: a question is not to be repeated into logs."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()[:5]
    )


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if is_unreadable(error):
        return respond(problem("InvalidRequest", HTTPStatus.UNPROCESSABLE_ENTITY, UNREADABLE))
    status = HTTPStatus(error.status_code)
    name = status.phrase.title().replace(" ", "")
    return respond(problem(name, status, str(error.detail)), error.headers)


def is_unreadable(error: HTTPException) -> bool:
    """FastAPI has a word of its own for JSON that is not well-formed, and none for what Python's
    parser stumbles over."""
    return isinstance(error.__cause__, (ValueError, RecursionError))


async def _defect(request: Request, error: Exception) -> JSONResponse:
    logger.error("a defect at %s %s", request.method, route_of(request.scope), exc_info=error)
    detail = "a defect of this server; its log has more"
    return respond(problem("Defect", HTTPStatus.INTERNAL_SERVER_ERROR, detail))
