"""A chat completion as a client asks for it: of the agent, by its names, or of the engine."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    ValidationInfo,
    field_validator,
)

from graph.errors import InputError
from graph.ports import Message
from graph.state import MAX_TURNS, AgentInput, Mode, Turn
from nodes.admit import MAX_PROFILE_CHARS, MAX_TURN_CHARS, checked_question
from serving.api.wire import IS_NUMBER, Given

AGENT_MODELS: Mapping[str, Mode] = {
    "knowledge-agent": "auto",
    "knowledge-agent-direct": "direct",
    "knowledge-agent-plan": "plan",
}

MAX_MESSAGES = 1_000
MAX_MESSAGE_CHARS = 200_000
MAX_ASKED_CHARS = 1_000
"""Of the question of an engine's task, which is shown and no more."""

MAX_SEED = 2**63 - 1_024
"""The engine takes 64 bits; the OpenAPI document tells bounds as floats, and this one exactly."""

SAMPLING = ("temperature", "top_p", "stop", "seed", "presence_penalty", "frequency_penalty")

ONLY: Mapping[str, Sequence[JsonValue]] = {
    "audio": (),
    "function_call": (),
    "functions": ([],),
    "logit_bias": ({},),
    "logprobs": (False,),
    "modalities": (["text"],),
    "n": (1,),
    "prediction": (),
    "response_format": ({"type": "text"},),
    "tool_choice": ("none", "auto"),
    "tools": ([],),
    "top_logprobs": (0,),
    "web_search_options": (),
}
"""Parameters that can be given these values or null, and nothing else: others ask for something
that is not done, and would not be missed before it is too late."""


def _only(name: str) -> Any:
    return Field(
        default=None,
        description="nothing else is supported",
        json_schema_extra={"enum": [None, *ONLY[name]]},
    )


def _not_read() -> Any:
    return Field(default=None, description="accepted and not read")


class TextPart(BaseModel):
    type: Literal["text"]
    text: str


def _text(content: object) -> object:
    """Parts become one text; what an assistant declined comes back as a part `refusal`."""
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    texts = [part.get(str(part.get("type"))) for part in content if isinstance(part, dict)]
    read = [text for text in texts if isinstance(text, str)]
    if len(read) < len(content):
        raise ValueError("parts of type text are read, and no images, audio or files")
    return "\n".join(read)


class ChatMessage(BaseModel):
    """What else clients send with one, such as `name` or `annotations`, is not read."""

    model_config = ConfigDict(frozen=True)

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[
        str,
        BeforeValidator(_text, json_schema_input_type=str | list[TextPart] | None),
        Field(max_length=MAX_MESSAGE_CHARS),
    ] = ""


class StreamOptions(BaseModel):
    include_usage: StrictBool | None = Field(
        default=False, description="a last chunk tells what was used"
    )


Stop = Annotated[str, Field(min_length=1, max_length=200)]


class ChatRequest(Given):
    """The agent reads `model`, `messages`, `stream` and `stream_options`: it writes as much as the
    documents bear, by its own settings. The engine's model reads the others, too."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "knowledge-agent",
                    "messages": [
                        {"role": "user", "content": "신입 사원의 휴가는 며칠인가요?"},
                        {"role": "assistant", "content": "15일입니다. [1]"},
                        {"role": "user", "content": "다음 해로 이월할 수 있나요?"},
                    ],
                }
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        description=f"{', '.join(AGENT_MODELS)}, or the engine's"
    )
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: StrictBool | None = False
    stream_options: StreamOptions | None = None

    temperature: Annotated[float, Field(ge=0, le=2), IS_NUMBER] | None = None
    top_p: Annotated[float, Field(gt=0, le=1), IS_NUMBER] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=2**31 - 1), IS_NUMBER] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=2**31 - 1), IS_NUMBER] | None = Field(
        default=None, description="goes before max_tokens"
    )
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    seed: Annotated[int, Field(ge=-MAX_SEED, le=MAX_SEED), IS_NUMBER] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2), IS_NUMBER] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2), IS_NUMBER] | None = None

    metadata: Any = _not_read()
    parallel_tool_calls: Any = _not_read()
    prompt_cache_key: Any = _not_read()
    prompt_cache_retention: Any = _not_read()
    reasoning_effort: Any = _not_read()
    safety_identifier: Any = _not_read()
    service_tier: Any = _not_read()
    store: Any = _not_read()
    user: Any = _not_read()
    verbosity: Any = _not_read()

    audio: Any = _only("audio")
    function_call: Any = _only("function_call")
    functions: Any = _only("functions")
    logit_bias: Any = _only("logit_bias")
    logprobs: Any = _only("logprobs")
    modalities: Any = _only("modalities")
    n: Any = _only("n")
    prediction: Any = _only("prediction")
    response_format: Any = _only("response_format")
    tool_choice: Any = _only("tool_choice")
    tools: Any = _only("tools")
    top_logprobs: Any = _only("top_logprobs")
    web_search_options: Any = _only("web_search_options")

    @field_validator(*ONLY)
    @classmethod
    def _is_done(cls, value: object, info: ValidationInfo) -> object:
        supported = [*ONLY[info.field_name or ""], None]
        # For Python `true` is 1, and `false` is 0.
        if not any(
            value == one and isinstance(value, bool) is isinstance(one, bool) for one in supported
        ):
            raise ValueError("what this asks for is not supported; leave it out")
        return value

    @field_validator("messages")
    @classmethod
    def _ends_with_a_question(cls, messages: list[ChatMessage]) -> list[ChatMessage]:
        if messages[-1].role != "user":
            raise ValueError("the last message must be the user's: it is the question")
        return messages

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def task_input(self) -> AgentInput:
        """Raises `InputError`."""
        profile = "\n\n".join(
            one.content for one in self.messages if one.role in ("system", "developer")
        )
        if len(profile) > MAX_PROFILE_CHARS:
            raise InputError(
                f"the system messages have {len(profile):,} characters; at most "
                f"{MAX_PROFILE_CHARS:,} are read, as a description of the reader"
            )
        return AgentInput(
            question=checked_question(self.messages[-1].content),
            mode=AGENT_MODELS[self.model],
            profile=profile.strip() or None,
            turns=self._turns(),
        )

    def _turns(self) -> tuple[Turn, ...]:
        """Earlier questions with what was answered to each; others keep their place unanswered."""
        asked: list[tuple[str, list[str]]] = []
        for message in self.messages[:-1]:
            if message.role == "user" and message.content.strip():
                asked.append((message.content, []))
            elif message.role == "assistant" and asked:
                asked[-1][1].append(message.content)
        return tuple(
            Turn(question=question[:MAX_TURN_CHARS], answer="\n".join(answers)[:MAX_TURN_CHARS])
            for question, answers in asked[-MAX_TURNS:]
        )

    def prompt(self) -> tuple[Message, ...]:
        """For the engine."""
        return tuple(
            Message("system" if one.role == "developer" else one.role, one.content)
            for one in self.messages
        )

    @property
    def most_output_tokens(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    def sampling(self) -> dict[str, Any]:
        """What is not given is left to the engine; so is the temperature, which is named for that:
        the gateway's own is 0."""
        given = {name: value for name in SAMPLING if (value := getattr(self, name)) is not None}
        return {"temperature": None, **given}

    def digest(self) -> str:
        """The same for the same request, whether it is streamed or not."""
        said = self.model_dump_json(exclude={"stream", "stream_options"})
        return hashlib.sha256(said.encode()).hexdigest()
