"""/v1/search: the passages that a question finds, without a model call."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from graph.evidence import EVERYTHING, Retrieval, Scope
from graph.state import MAX_QUESTION_CHARS
from serving.api.examples import RETRIEVAL, shown
from serving.api.identity import MayAsk
from serving.api.problems import documented
from serving.api.service import OwnService
from serving.api.wire import IS_NUMBER, Given

router = APIRouter(prefix="/v1/search", tags=["search"])


class SearchRequest(Given):
    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "연차 휴가", "limit": 3}]})

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    limit: Annotated[int, Field(ge=1, le=50), IS_NUMBER] = 5
    scope: Scope = Field(default=EVERYTHING, description="the documents that may be searched")


@router.post(
    "",
    summary="Search the documents",
    responses={200: shown(RETRIEVAL), **documented(HTTPStatus.CONFLICT)},
)
async def search(given: SearchRequest, principal: MayAsk, service: OwnService) -> Retrieval:
    """The best passages with their scores, and how much the query looks like one about these
    documents: below the bound it would be refused."""
    async with service.agents.of(principal.tenant) as (_, deps):
        return await deps.retriever.search(given.query, limit=given.limit, scope=given.scope)
