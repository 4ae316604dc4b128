"""/v1/jobs: how far the indexing of uploaded documents is."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query

from graph.errors import NotFound
from serving.api.identity import MayReadDocuments
from serving.api.problems import documented
from serving.api.service import OwnService
from serving.api.wire_documents import Job, JobPage, job_of

JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]

router = APIRouter(prefix="/v1/jobs", tags=["documents"])


@router.get("", summary="List the jobs")
async def newest(
    principal: MayReadDocuments,
    service: OwnService,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> JobPage:
    """The tenant's newest jobs; the last 200 are kept."""
    found = await service.jobs.newest(principal.tenant, limit)
    return JobPage(jobs=[job_of(record) for record in found])


@router.get("/{job_id}", summary="Look up a job", responses=documented(HTTPStatus.NOT_FOUND))
async def look_up(job_id: JobId, principal: MayReadDocuments, service: OwnService) -> Job:
    """How far it is, and what came of it."""
    record = await service.jobs.find(principal.tenant, job_id)
    if record is None:
        raise NotFound("there is no such job")
    return job_of(record)
