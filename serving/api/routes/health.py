"""/healthz: the process lives. /readyz: what a task needs is there."""

from http import HTTPStatus

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from serving.api.service import OwnService

router = APIRouter(tags=["health"])


class Alive(BaseModel):
    status: str = "alive"


class Readiness(BaseModel):
    ready: bool
    lacking: dict[str, str] = Field(description="by part, what it lacks")


@router.get("/healthz")
async def healthz() -> Alive:
    return Alive()


@router.get("/readyz", responses={503: {"description": "Not ready", "model": Readiness}})
async def readyz(service: OwnService, response: Response) -> Readiness:
    checks = await service.health.checks()
    lacking = {part: why for part, why in checks.items() if why is not None}
    if lacking:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return Readiness(ready=not lacking, lacking=lacking)
