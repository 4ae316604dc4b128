"""From the exceptions of the OpenAI client to those of this product."""

from collections.abc import Iterator

import aiohttp
import httpx
import httpx2
import openai

from graph.errors import (
    ContextOverflow,
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)

_OVERFLOW_SIGNS = ("context length", "context window", "maximum context", "max_model_len")


def translate(error: Exception, url: str) -> ModelError | None:
    """The error of ours, or None for one that is not about the model server."""
    match error:
        case openai.APITimeoutError() | httpx2.TimeoutException() if _is_closed(error):
            return ModelUnavailable(f"the model server at {url} closed the connection")
        case openai.APITimeoutError() | httpx2.TimeoutException() | httpx.TimeoutException():
            return ModelTimeout(f"the model server at {url} did not answer in time")
        case openai.APIConnectionError() | httpx2.TransportError() | httpx.TransportError():
            return ModelUnavailable(
                f"the model server at {url} cannot be reached; start it with "
                "'knowledge-agent engine up', or set KA_ENGINE_URL"
            )
        case openai.APIStatusError():
            return _by_status(error.status_code, _detail(error), url)
        case httpx.HTTPStatusError():
            return _by_status(error.response.status_code, error.response.text[:300], url)
        case openai.APIError():  # an error event inside a stream
            return ModelUnavailable(f"the model server at {url} broke off: {_detail(error)}")
    return None


def _by_status(status: int, detail: str, url: str) -> ModelError:
    if status == 429:
        return ModelRateLimited(f"the model server at {url} refuses more calls for now (429)")
    if status >= 500:
        return ModelUnavailable(f"the model server at {url} failed with status {status}: {detail}")
    if status == 400 and any(sign in detail.lower() for sign in _OVERFLOW_SIGNS):
        return ContextOverflow(f"the prompt does not fit the model's window: {detail}")
    return ModelRejected(
        f"the model server at {url} rejected the call with status {status}: {detail}"
    )


def _is_closed(error: Exception) -> bool:
    """The client tells a connection that the server closed as a timeout of connecting."""
    return any(
        isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    while (cause := error.__cause__) is not None:
        yield cause
        error = cause


def _detail(error: openai.APIError) -> str:
    return error.message.replace("\n", " ")[:300]
