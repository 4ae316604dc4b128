"""What the client must know about the server it talks to: its model, its window, its tokenizer."""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from graph.errors import ConfigError
from graph.ports import Message
from serving.gateway.vendor_errors import translate
from serving.proxy import uses_proxy

LOOKUP_TIMEOUT_S = 3.0
MAX_COUNTED_TEXTS = 2_048
# Without a tokenizer to ask, tokens are over-estimated. English takes a token for 3 to 4 letters;
# the hungriest tokenizer at hand, SmolLM2's, took 2.1 for a Hangul syllable, which has three bytes.
TOKENS_PER_ASCII_BYTE = 0.5
TOKENS_PER_OTHER_BYTE = 0.75
DEFAULT_CONTEXT_TOKENS = 8_192


@dataclass(frozen=True)
class ServedModel:
    name: str
    context_tokens: int
    is_vllm: bool


class ModelServer:
    """Look-ups at an OpenAI-compatible server; `base_url` ends in /v1."""

    def __init__(self, base_url: str, model: str | None, api_key: str | None) -> None:
        self.base_url = base_url.rstrip("/")
        self._wanted = model
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.AsyncClient(
            timeout=LOOKUP_TIMEOUT_S, headers=headers, trust_env=uses_proxy(base_url)
        )
        self._model: ServedModel | None = None
        self._finding = asyncio.Lock()
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def model(self) -> ServedModel:
        """Raises `ModelUnavailable` when the server is not there, `ConfigError` when it serves
        several models and none was named, or not the named one."""
        async with self._finding:
            if self._model is None:
                self._model = await self._find_model()
            return self._model

    async def answer(self) -> None:
        """Asks the server, whatever is known of it. Raises as `model` does."""
        await self._find_model()

    async def count_tokens(self, text: str) -> int:
        """Exact where the server has a `/tokenize` (vLLM), an over-estimate elsewhere."""
        model = await self.model()
        if not model.is_vllm:
            return estimate_tokens(text)
        if text not in self._counts:
            self._counts[text] = await self._tokenize(
                {"model": model.name, "prompt": text, "add_special_tokens": False}
            )
            if len(self._counts) > MAX_COUNTED_TEXTS:
                self._counts.popitem(last=False)
        self._counts.move_to_end(text)
        return self._counts[text]

    async def count_prompt(self, messages: Sequence[Message]) -> int | None:
        """Tokens of a whole prompt with its chat template; None where no tokenizer can be asked."""
        model = await self.model()
        if not model.is_vllm:
            return None
        sent = [{"role": message.role, "content": message.content} for message in messages]
        return await self._tokenize({"model": model.name, "messages": sent})

    def forget(self) -> None:
        """Look everything up again: the server may have been restarted with another model."""
        self._model = None
        self._counts.clear()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _tokenize(self, body: dict[str, Any]) -> int:
        reply = await self._json("POST", self.base_url.removesuffix("/v1") + "/tokenize", body)
        count = reply.get("count")
        if not isinstance(count, int):
            raise ConfigError(f"{self.base_url}: /tokenize gives no count of tokens")
        return count

    async def _find_model(self) -> ServedModel:
        reply = await self._json("GET", self.base_url + "/models")
        served = {entry["id"]: entry for entry in reply.get("data") or () if "id" in entry}
        name = self._wanted or (next(iter(served)) if len(served) == 1 else None)
        if name is None or name not in served:
            raise ConfigError(
                f"the model server at {self.base_url} serves {', '.join(served) or 'no model'}"
                + (f", not {self._wanted!r}" if self._wanted else "")
                + "; set KA_ENGINE_MODEL to one that it serves"
            )
        entry = served[name]
        return ServedModel(
            name=name,
            context_tokens=int(entry.get("max_model_len") or DEFAULT_CONTEXT_TOKENS),
            is_vllm=entry.get("owned_by") == "vllm",
        )

    async def _json(self, method: str, url: str, body: object = None) -> dict[str, Any]:
        try:
            response = await self._http.request(method, url, json=body)
            response.raise_for_status()
            reply = response.json()
        except httpx.HTTPError as error:
            raise translate(error, self.base_url) or error from error
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise ConfigError(
                f"{url} is not an OpenAI-compatible server's answer; KA_ENGINE_URL must name "
                "one, with its /v1"
            )
        return reply


def estimate_tokens(text: str) -> int:
    ascii_bytes = sum(map(str.isascii, text))
    other_bytes = len(text.encode(errors="replace")) - ascii_bytes
    return math.ceil(TOKENS_PER_ASCII_BYTE * ascii_bytes + TOKENS_PER_OTHER_BYTE * other_bytes)
