"""The chat model behind the port: one call to an OpenAI-compatible server, bounded and booked."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Literal, TypeVar, cast
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_openai import ChatOpenAI
from openai import DefaultAioHttpClient
from pydantic import SecretStr

from graph.answer import CallRecord
from graph.errors import (
    ConfigError,
    ModelError,
    ModelOutputUnusable,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from graph.ports import Completion, Message, ModelRequest
from serving.gateway.choices import choice_options, probabilities
from serving.gateway.ledger import MemoryLedger, Reserved
from serving.gateway.read_completions import ReadCompletions
from serving.gateway.received import Received
from serving.gateway.server import DEFAULT_CONTEXT_TOKENS, ModelServer, estimate_tokens
from serving.gateway.tenancy import NO_TENANTS, Tenancy
from serving.gateway.vendor_errors import translate
from serving.prices import NO_PRICES, Prices
from serving.proxy import uses_proxy
from serving.telemetry.traces import CallSpan, Traces, outgoing

CONNECT_TIMEOUT_S = 10.0
# Small models fall into loops at temperature 0. JSON repeats its keys by right.
FREQUENCY_PENALTY = 0.5
# vLLM ends a text that repeats a stretch of up to 64 tokens three times in a row.
LOOP = {"min_pattern_size": 2, "max_pattern_size": 64, "min_count": 3}
# A call that is broken off has been counted to its last piece. In the extra body, since
# langchain_openai replaces an option of this name.
COUNTED = {"stream_options": {"include_usage": True, "continuous_usage_stats": True}}
LOOKUP_FAILURES = (ModelError, ConfigError)
SILENCE_S = 10.0
SENT_HEADERS = {"host", "accept", "accept-encoding", "connection", "user-agent"} | {
    "content-type",
    "content-length",
    "transfer-encoding",
}
TEMPLATE_TOKENS = 64  # of a chat template, for each message
MESSAGE_TYPES: dict[str, type[BaseMessage]] = {
    "system": SystemMessage,
    "user": HumanMessage,
    "assistant": AIMessage,
}


T = TypeVar("T")


class GatewayModel:
    """Implements `graph.ports.ChatModel`. LangSmith sees each call below the node that made it, and
    so do `traces`, which the server is told of."""

    def __init__(
        self,
        server: ModelServer,
        ledger: MemoryLedger,
        api_key: str | None,
        *,
        tenancy: Tenancy = NO_TENANTS,
        prices: Prices = NO_PRICES,
        traces: Traces | None = None,
    ) -> None:
        self._server = server
        self._ledger = ledger
        self._api_key = api_key
        self._tenancy = tenancy
        self._prices = prices
        self._traces = traces or Traces()
        self._client: ChatOpenAI | None = None
        self._silent_until = 0.0
        # langchain_openai would share one pool between all event loops of the process, which breaks
        # when a second loop takes a connection of the first. A chunk takes aiohttp half the time.
        self._http = DefaultAioHttpClient(
            timeout=(CONNECT_TIMEOUT_S, None, None, None),  # each call has one of its own
            trust_env=uses_proxy(server.base_url),
            event_hooks={"request": [self._set_own_headers]},
        )

    async def complete(self, request: ModelRequest) -> Completion:
        """Raises `ModelError`, `BudgetExceeded` or `ConfigError`.

        Every call that began is booked, also one that failed or was cancelled. Leaving the stream,
        as a cancel does, closes the connection, and the server stops writing.
        """
        most = await self.prompt_tokens(request.messages) + request.max_tokens
        reserved = await self._ledger.reserve(request.account, most)
        with self._traces.model_call(request) as span:
            return await self._call(request, reserved, span)

    async def _call(self, request: ModelRequest, reserved: Reserved, span: CallSpan) -> Completion:
        timeout_s = reserved.timeout_s
        received = Received()
        call_id = uuid4().hex
        outcome: Literal["ok", "failed", "cancelled"] = "failed"

        def so_far() -> CallRecord:
            return self._prices.priced(received.booked(call_id, request, outcome))

        self._ledger.watch(request.account, reserved, so_far)
        try:
            async with asyncio.timeout(timeout_s):
                await self._stream(request, received, reserved.priority)
            outcome = "ok"
        except TimeoutError as error:
            raise ModelTimeout(
                f"the model server at {self._server.base_url} did not finish a call within "
                f"{timeout_s:.1f} s"
            ) from error
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except ValueError as error:  # no stream, or one that is not JSON; from langchain_openai
            raise ModelOutputUnusable(
                f"the model server at {self._server.base_url} sent no completion: {error}"
            ) from error
        except Exception as error:
            translated = translate(error, self._server.base_url)
            if translated is None:
                raise
            if isinstance(translated, (ModelUnavailable, ModelRejected)):
                self._server.forget()
                self._client = None
            raise translated from error
        finally:
            booked = so_far()
            span.booked(
                booked,
                model=received.model,
                finish_reason=received.finish_reason,
                first_token_s=received.first_piece_s,
                text=received.text,
            )
            await self._ledger.record(request.account, booked, reserved)
        text, cut_off = received.text, received.finish_reason != "stop"
        if not request.choices:
            return Completion(text, cut_off)
        of_choices = probabilities(request.choices, received.first_token)
        return Completion(text, cut_off, of_choices)

    async def name(self) -> str:
        return (await self._server.model()).name

    async def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """At most; exact where the server counts them."""
        counted = await self._ask_server(lambda: self._server.count_prompt(messages), None)
        return most_prompt_tokens(messages) if counted is None else counted

    async def count_tokens(self, text: str) -> int:
        """Without a server to ask, an over-estimate: the task goes on and ends in quotes."""
        return await self._ask_server(
            lambda: self._server.count_tokens(text), estimate_tokens(text)
        )

    async def context_tokens(self) -> int:
        async def ask() -> int:
            return (await self._server.model()).context_tokens

        return await self._ask_server(ask, DEFAULT_CONTEXT_TOKENS)

    async def _ask_server(self, ask: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """A task makes a dozen such look-ups; after one that failed it must not wait for each."""
        if time.monotonic() < self._silent_until:
            return otherwise
        try:
            return await ask()
        except LOOKUP_FAILURES:
            self._silent_until = time.monotonic() + SILENCE_S
            return otherwise

    async def aclose(self) -> None:
        await self._server.aclose()
        await self._http.aclose()

    async def _stream(self, request: ModelRequest, received: Received, priority: int) -> None:
        client = await self._chat_openai()
        served = await self._server.model()
        is_vllm, received.model = served.is_vllm, served.name
        extra: dict[str, Any] = {}
        options: dict[str, Any] = {"max_tokens": request.max_tokens, "extra_body": extra}
        if request.choices:
            options |= choice_options(request.choices, masked=is_vllm)
        elif request.sampling is not None:
            options |= request.sampling
        elif request.schema is None:
            options["frequency_penalty"] = FREQUENCY_PENALTY
            if is_vllm:
                extra["repetition_detection"] = LOOP
        else:
            # As an option of its own, langchain_openai would parse the stream and lose its usage.
            extra["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "plan", "schema": request.schema},
            }
        if is_vllm:
            options["extra_body"] |= COUNTED
            options["extra_body"] |= self._tenancy.fields(request.account.tenant, priority)
        reading = ReadCompletions(client.root_async_client, received, request.on_draft)
        client = client.model_copy(update={"async_client": reading})
        stream = client.astream(_messages(request.messages), **options)
        async with aclosing(cast("AsyncGenerator[AIMessageChunk, None]", stream)) as chunks:
            async for _ in chunks:  # received has read what they are made of
                pass

    async def _set_own_headers(self, request: Any) -> None:
        """The OpenAI client adds what OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS
        name, for OpenAI and not for the owner's server; a custom Authorization would even replace
        the key."""
        for name in set(map(str.lower, request.headers)) - SENT_HEADERS:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {self._api_key or 'none'}"
        request.headers.update(outgoing())

    async def _chat_openai(self) -> ChatOpenAI:
        if self._client is None:
            model = await self._server.model()
            self._client = ChatOpenAI(
                model=model.name,
                base_url=self._server.base_url,
                api_key=SecretStr(self._api_key or "none"),
                temperature=0,
                max_retries=0,  # the graph retries, and nobody below it
                stream_chunk_timeout=None,  # 120 s by default, however long a call may take
                http_async_client=self._http,
                stream_usage=True,
                use_responses_api=False,
            )
        return self._client


def most_prompt_tokens(messages: Sequence[Message]) -> int:
    """No tokenizer makes more tokens than a text has bytes; a chat template adds a few."""
    return sum(
        len(message.content.encode(errors="replace")) + TEMPLATE_TOKENS for message in messages
    )


def _messages(messages: Sequence[Message]) -> list[BaseMessage]:
    return [MESSAGE_TYPES[message.role](message.content) for message in messages]
