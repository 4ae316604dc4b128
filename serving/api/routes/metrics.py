"""/metrics, for Prometheus."""

import hmac
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

from fastapi import APIRouter, Request, Response

from graph.errors import Forbidden, Unauthenticated
from serving.api.identity import Credentials
from serving.api.problems import documented
from serving.api.service import OwnService

TEXT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
OPEN_HERE: dict[str, Any] = {"security": [{}]}
"""For the OpenAPI document: a bearer's token, or none as long as none is set."""

router = APIRouter(tags=["health"])


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=Response,
    openapi_extra=OPEN_HERE,
    responses={
        200: {"description": "In Prometheus' format", "content": TEXT},
        **documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
    },
)
async def metrics(request: Request, service: OwnService, credentials: Credentials) -> Response:
    """How this process does. Asks for `KA_METRICS_TOKEN`, where one is set, as a bearer's; without
    one it answers this machine alone."""
    if service.metrics_token is None:
        if not _is_here(request):
            raise Forbidden("metrics are for this machine alone, until KA_METRICS_TOKEN is set")
    elif not _is_token(service.metrics_token, credentials.credentials if credentials else ""):
        raise Unauthenticated("send KA_METRICS_TOKEN, as Authorization: Bearer TOKEN")
    body, media_type = service.telemetry.metrics.exposition(request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": media_type})


def _is_here(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _is_token(token: str, given: str) -> bool:
    return hmac.compare_digest(token.encode(), given.encode())
