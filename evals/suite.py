"""What an eval suite is: samples, a target that answers them, pure scorers, and metrics.

A suite is the value `SUITE` of a module in `evals/suites/`, which has its name:

    @asynccontextmanager
    async def echo(options: Options) -> AsyncIterator[Target]:
        async def ask(sample: Sample) -> Outcome:
            return {"text": sample.question}

        yield Target(ask, version=source_version("evals"))

    def samples(options: Options) -> list[Sample]:
        return [Sample("1", "en", "look-up", "What is a KV cache?", gold={"text": "…"})]

    def exact(sample: Sample, outcome: Outcome) -> float:
        return outcome["text"] == sample.gold["text"]

    SUITE = Suite(
        name="echo",
        about="Does the echo say what it should?",
        dataset=samples,
        target=echo,
        scorers=(exact,),
        metrics=(rate("exact"),),          # evals.metrics has the constructors
    )

The runner asks the target, bounded in number and time, and keeps each outcome under a key made of
the sample and the target's version: a second run asks only what is new. Scores are computed from
outcomes afterwards, so a changed scorer costs no call. What raises is an error, and never passes.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from serving.settings import Settings

Outcome = Mapping[str, Any]
"""What a target found: JSON. By convention `passages` is a list of {document, page, text} and
`text` what a user would read; the report shows both beside the worst cases."""

Value = float | bool | None
Dimension = Literal["corpus", "language", "kind"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says. `data` is the folder of public sets, `cache` keeps indexes and
    vectors between runs, `questions` is a file of the owner's own to ask of the owner's own index,
    `engine` asks the whole agent where a suite can do with a part of it. `corpora` limits a suite
    to these; empty means all that can be had."""

    settings: Settings
    cache: Path
    data: Path | None = None
    questions: Path | None = None
    engine: bool = False
    corpora: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One question to a target. `id` is unique in its suite and stays the same between runs, since
    runs are compared by it. `kind` is the suite's own, such as 'answerable' or 'far'. `gold` is
    JSON that scorers compare with; what the target needs besides the question stands in `given`."""

    id: str
    language: str
    kind: str
    question: str
    corpus: str = "handbook"
    gold: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    def key(self, target_version: str) -> str:
        """Of the outcome: other gold is no reason to ask again, any other change is."""
        parts = asdict(self) | {"gold": None, "target": target_version}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Target:
    """`version` changes whenever another outcome may be expected of the same sample."""

    ask: Callable[[Sample], Awaitable[Outcome]]
    version: str


Scorer = Callable[[Sample, Outcome], Value | Mapping[str, Value]]
"""Pure. A single value is named after the function; None says that the score does not apply."""


@dataclass(frozen=True, slots=True)
class Result:
    """A sample with its outcome and scores, or with the error that took their place."""

    sample: Sample
    outcome: Outcome | None
    scores: Mapping[str, Value]
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure for each slice of the results: those that agree in the dimensions `by`.

    `statistic` reduces the values of `score` along the last axis. With `against`, it gets those of
    that kind, in the same corpus and language, as a second array. `share` says that the figure is
    a share of the first array; `unit` is shown behind it. `kinds` leaves out all others.
    """

    name: str
    score: str
    statistic: Callable[..., Numbers]
    about: str
    by: tuple[Dimension, ...] = ("corpus", "language", "kind")
    kinds: tuple[str, ...] = ()
    against: str | None = None
    share: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Separation:
    """Plots of how far a score tells kinds apart: the ROC curve, and refusals against false
    refusals. `score` is high for the kind `inside`; `decision` is the score that says what the
    product did, and marks its place on the curve."""

    score: str
    inside: str
    outside: tuple[str, ...]
    decision: str


@dataclass(frozen=True, slots=True)
class Reliability:
    """A plot of a probability that was told against how often it came true; both are scores. `even`
    weighs as if it came true half of the times, for a probability that was told on that premise."""

    probability: str
    happened: str
    even: bool = False


@dataclass(frozen=True, slots=True)
class Suite:
    """`worst` says how wrong a result is; those above 0 are shown, the highest first. `corpora` are
    all that its samples can be of, since gates may name no other."""

    name: str
    about: str
    dataset: Callable[[Options], Sequence[Sample]]
    target: Callable[[Options], AbstractAsyncContextManager[Target]]
    scorers: tuple[Scorer, ...]
    metrics: tuple[Metric, ...]
    plots: tuple[Separation | Reliability, ...] = ()
    worst: Callable[[Result], float] | None = None
    corpora: tuple[str, ...] = ("handbook",)

    def scores(self, sample: Sample, outcome: Outcome) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for scorer in self.scorers:
            value = scorer(sample, outcome)
            found |= value if isinstance(value, Mapping) else {scorer.__name__: value}
        return found


def source_version(*packages: str, **configuration: object) -> str:
    """A version for a target: a hash over the source of these packages (all files below them) and
    over whatever else decides, such as the model's name or the corpus version."""
    content = hashlib.sha256(repr(sorted(configuration.items())).encode())
    for package in packages:
        found = find_spec(package)
        if found is None or found.origin is None:
            raise ValueError(f"no package {package}")
        origin = Path(found.origin)
        folder = origin.name == "__init__.py"
        for file in sorted(origin.parent.rglob("*")) if folder else [origin]:
            if file.is_file() and "__pycache__" not in file.parts:
                name = file.relative_to(origin.parent).as_posix()
                content.update(f"{name}\0".encode() + file.read_bytes())
    return content.hexdigest()[:16]
