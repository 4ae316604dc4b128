"""/v1/models: the names that a chat completion can be asked of."""

from contextlib import suppress
from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.convertors import Convertor, register_url_convertor

from graph.errors import AgentError, NotFound
from serving.api.chat.errors import OPENAI_TAG, OpenAIRoute, documented_errors
from serving.api.chat.request import AGENT_MODELS
from serving.api.identity import MayAsk
from serving.api.service import OwnService


class ModelConvertor(Convertor[str]):
    """Starlette's `path` leaves out line breaks: such a name would be no OpenAI error, or another
    name's."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("model", ModelConvertor())

router = APIRouter(prefix="/v1/models", tags=[OPENAI_TAG], route_class=OpenAIRoute)


class Model(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "id": "knowledge-agent",
                "object": "model",
                "created": 0,
                "owned_by": "knowledge-agent",
            }
        }
    )

    id: str
    object: Literal["model"] = "model"
    created: int = Field(default=0, description="not known")
    owned_by: Literal["knowledge-agent", "engine"]


class Models(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "object": "list",
                "data": [
                    {
                        "id": "knowledge-agent",
                        "object": "model",
                        "created": 0,
                        "owned_by": "knowledge-agent",
                    }
                ],
            }
        }
    )

    object: Literal["list"] = "list"
    data: list[Model]


@router.get("", summary="List the models")
async def models(principal: MayAsk, service: OwnService) -> Models:
    """The agent's names, and the engine's model while the engine answers."""
    found = [Model(id=name, owned_by="knowledge-agent") for name in AGENT_MODELS]
    with suppress(AgentError):
        found.append(Model(id=await service.engine.name(), owned_by="engine"))
    return Models(data=found)


@router.get(
    "/{model:model}",
    summary="Look up a model",
    responses=documented_errors(HTTPStatus.NOT_FOUND),
)
async def model(model: str, principal: MayAsk, service: OwnService) -> Model:
    """By its name, which may have slashes."""
    if model in AGENT_MODELS:
        return Model(id=model, owned_by="knowledge-agent")
    if model == await service.engine.name():
        return Model(id=model, owned_by="engine")
    raise NotFound(f"there is no model {model!r}; GET /v1/models lists them")
