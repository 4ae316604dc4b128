"""A part of a suite's samples, the same for the same seed."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from evals.suite import Sample


def stratified(
    samples: Sequence[Sample], limit: int, seed: int, further: Mapping[str, str] | None = None
) -> list[Sample]:
    """At most `limit` samples in their order: as many of each corpus, language and kind as there
    are, until the limit is reached; `further` splits these by what it says of a sample's id. A
    larger limit keeps those of a smaller one, so that their outcomes can be used again."""
    strata: defaultdict[tuple[str, ...], list[Sample]] = defaultdict(list)
    for sample in sorted(samples, key=lambda sample: _lot(sample.id, seed)):
        part = further[sample.id] if further else ""
        strata[sample.corpus, sample.language, sample.kind, part].append(sample)
    in_turn = chain.from_iterable(zip_longest(*(strata[key] for key in sorted(strata))))
    drawn = {sample.id for sample in [sample for sample in in_turn if sample][:limit]}
    return [sample for sample in samples if sample.id in drawn]


def _lot(sample_id: str, seed: int) -> bytes:
    """A draw that does not depend on the other samples."""
    return hashlib.sha256(f"{seed}\0{sample_id}".encode()).digest()
