"""/healthz: the process lives. /readyz: what a task needs is there."""

from http import HTTPStatus

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from serving.api.service import OwnService

router = APIRouter(tags=["health"])


class Alive(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "alive"}})

    status: str = "alive"


class Readiness(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"ready": True, "lacking": {}}})

    ready: bool
    lacking: dict[str, str] = Field(description="by part, what it lacks")


@router.get("/healthz", summary="Tell that the process lives")
async def healthz() -> Alive:
    """Nothing is looked at: who answers lives."""
    return Alive()


@router.get(
    "/readyz",
    summary="Tell whether tasks can run",
    responses={503: {"description": "Not ready", "model": Readiness}},
)
async def readyz(service: OwnService, response: Response) -> Readiness:
    """Whether the parts that a task needs answer, and what those lack that do not."""
    checks = await service.health.checks()
    lacking = {part: why for part, why in checks.items() if why is not None}
    if lacking:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return Readiness(ready=not lacking, lacking=lacking)
