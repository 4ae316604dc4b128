"""Stand-ins for the ports, for unit tests alone: a model that says its lines, a fixed index."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import uuid4

from graph.answer import CallRecord
from graph.evidence import (
    EVERYTHING,
    DomainSignal,
    Hit,
    Passage,
    Retrieval,
    Scope,
    VerdictRule,
)
from graph.ports import Account, Completion, Deps, Limits, Message, ModelRequest
from nodes.verdict import method_hash
from serving.gateway.ledger import MemoryLedger, Reserved
from serving.prices import NO_PRICES

Line = str | Exception | type[asyncio.CancelledError]


def passage(text: str, *, number: int = 1, document: str = "caching.pdf", page: int = 1) -> Passage:
    return Passage(
        id=f"{document}-{page}-{number}",
        document=document,
        title=document.removesuffix(".pdf").title(),
        page=page,
        start=number,
        end=number + len(text),
        text=text,
    )


EN_PASSAGES = (
    passage(
        "A prefix cache keeps the key and value tensors of prompt tokens. "
        "It saves 768 of 876 prompt tokens on a repeated prompt.",
        number=1,
    ),
    passage(
        "A response cache keeps whole answers for a time to live of 60 seconds.",
        number=2,
        page=2,
    ),
)
KO_PASSAGES = (
    passage(
        "접두사 캐시는 프롬프트 토큰의 키와 값 텐서를 보관한다. "
        "같은 프롬프트를 다시 보내면 876개 토큰 가운데 768개를 아낀다.",
        document="캐시.pdf",
    ),
    passage("응답 캐시는 답변 전체를 60초 동안 보관한다.", number=2, document="캐시.pdf", page=2),
)


class ScriptedModel:
    """Says, node by node, the next line; the last line of a node is repeated. An exception is
    raised; the word HANG waits for ever. A line of choices has a probability of 0.9. Tokens are
    words; nothing is cached."""

    def __init__(self, lines: Mapping[str, Sequence[Line] | Line], ledger: MemoryLedger) -> None:
        self._lines = {
            node: list(said) if isinstance(said, (list, tuple)) else [said]
            for node, said in lines.items()
        }
        self._ledger = ledger
        self.requests: list[ModelRequest] = []
        self.spoken: dict[str, int] = defaultdict(int)
        self.window = 8_192
        self.prices = NO_PRICES
        self._tokens = 0

    def say(self, node: str, *lines: Line) -> None:
        """From now on."""
        self._lines[node], self.spoken[node] = list(lines), 0

    async def complete(self, request: ModelRequest) -> Completion:
        reserved = await self._ledger.reserve(request.account, self._most(request))
        timeout_s = reserved.timeout_s
        self.requests.append(request)
        lines = self._lines[request.node]
        line = lines[min(self.spoken[request.node], len(lines) - 1)]
        self.spoken[request.node] += 1
        if isinstance(line, Exception):
            await self._book(request, reserved, output="", outcome="failed")
            raise line
        if line == "HANG":
            from graph.errors import ModelTimeout

            try:
                await asyncio.sleep(timeout_s)
            except asyncio.CancelledError:
                await self._book(request, reserved, output="", outcome="cancelled")
                raise
            await self._book(request, reserved, output="", outcome="failed")
            raise ModelTimeout(f"no answer within {timeout_s:g} s")
        assert isinstance(line, str)
        if request.on_draft is not None:
            request.on_draft(line)
        await self._book(request, reserved, output=line, outcome="ok")
        others = [choice for choice in request.choices if choice != line]
        likely = {line: 0.9, **dict.fromkeys(others, 0.1 / max(1, len(others)))}
        return Completion(line, cut_off=False, probabilities=likely if others else {})

    async def name(self) -> str:
        return "scripted"

    @property
    def tokens(self) -> int:
        """By the model's own count, whoever books them."""
        return self._tokens

    async def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def context_tokens(self) -> int:
        return self.window

    async def prompt_tokens(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content.split()) for message in messages)

    def _most(self, request: ModelRequest) -> int:
        words = sum(len(message.content.split()) for message in request.messages)
        return words + request.max_tokens

    async def _book(
        self, request: ModelRequest, reserved: Reserved, *, output: str, outcome: str
    ) -> None:
        prompt_tokens = sum(len(message.content.split()) for message in request.messages)
        self._tokens += prompt_tokens + len(output.split())
        await self._ledger.record(
            request.account,
            self.prices.priced(
                CallRecord(
                    id=uuid4().hex,
                    node=request.node,
                    step=request.step,
                    prompt_tokens=prompt_tokens,
                    cached_tokens=0,
                    output_tokens=len(output.split()),
                    started_s=time.time(),
                    seconds=0.0,
                    outcome=outcome,
                    model="scripted",
                )
            ),
            reserved,
        )


class FixedRetriever:
    """Gives the same passages to every query, best first."""

    def __init__(
        self,
        passages: Sequence[Passage] = EN_PASSAGES,
        *,
        score: float = 0.9,
        degraded: tuple[str, ...] = (),
        error: Exception | None = None,
        further: Mapping[str, Sequence[Passage]] | None = None,
        near: Mapping[str, float] | None = None,
        verdict: VerdictRule | None = None,
    ) -> None:
        self._passages = passages
        self._score = score
        self._degraded = degraded
        self._error = error
        self._further = further or {}
        self._near = near
        self._verdict = verdict
        self.queries: list[str] = []
        self.scopes: list[Scope] = []

    async def search(self, query: str, *, limit: int, scope: Scope = EVERYTHING) -> Retrieval:
        self.queries.append(query)
        self.scopes.append(scope)
        if self._error is not None:
            raise self._error
        found = self._further.get(query, self._passages)[:limit]
        return Retrieval(
            hits=tuple(
                Hit(passage=one, dense=0.9 - n / 100, lexical=5.0 - n, fused=1.0 - n / 10)
                for n, one in enumerate(found)
            ),
            domain=DomainSignal(
                score=self._score, bound=0.5, dense_top=0.9, coverage=0.8, method="calibrated"
            ),
            degraded=self._degraded,
            verdict=self._verdict,
        )

    async def similarities(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """None can be made unless `near` has them; a text that it lacks is far."""
        if self._near is None:
            return ()
        return tuple(self._near.get(text, 0.0) for text in texts)


def verdict_rule(*, model: str = "scripted") -> VerdictRule:
    """The model's word alone decides: more than even odds against an answer refuse."""
    return VerdictRule(
        model=model,
        method=method_hash(),
        intercept=0.0,
        words_weight=0.0,
        model_weight=1.0,
        bound=0.0,
    )


def make_deps(
    lines: Mapping[str, Sequence[Line] | Line] | None = None,
    retriever: FixedRetriever | None = None,
    *,
    limits: Limits | None = None,
) -> Deps:
    ledger = MemoryLedger()
    return Deps(
        model=ScriptedModel(lines or {}, ledger),
        ledger=ledger,
        retriever=retriever or FixedRetriever(),
        limits=limits or Limits(),
    )


def account(limits: Limits | None = None) -> Account:
    return Account(task_id="task", run_id="run", limits=limits or Limits())
