"""The pages that a person reads after a run: what was kept, beside its passages, and what not."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from evals.second_opinion.opinion import Embed, Opinion, second_opinion
from evals.shown import cited_passages, passages_by_id
from graph.evidence import Passage

ROW_CHARS = 300

Result = Mapping[str, Any]
"""A line of `results.jsonl` that has an outcome."""


@dataclass(frozen=True, slots=True)
class Borne:
    """A written sentence that the product's judge took for borne; no opinion where there is no
    passage to compare it with."""

    sample: Mapping[str, Any]
    text: str
    opinion: Opinion | None


class Removed(NamedTuple):
    flag: str
    language: str
    sample_id: str
    text: str
    reason: str


def kept(results: Sequence[Result], embed: Embed) -> list[Borne]:
    """What was shown, against the passages that it cites; the suspicious ones first."""
    return _by_suspicion(
        _borne(result, sentence["text"], cited, embed)
        for result in results
        for sentence, cited in cited_passages(result["outcome"])
        if not sentence["quoted"]
    )


def off_topic(results: Sequence[Result], embed: Embed) -> list[Borne]:
    """What was withheld only because it is not about the question, against all passages at hand:
    the next question may show it."""
    return _by_suspicion(
        _borne(result, text, list(passages_by_id(result["outcome"]).values()), embed)
        for result in results
        for text in dict.fromkeys(
            each["text"]
            for each in result["outcome"].get("removed", ())
            if each["flag"] == "off_topic"
        )
    )


def _borne(result: Result, text: str, passages: Sequence[Passage], embed: Embed) -> Borne:
    opinion = second_opinion(text, passages, embed) if passages else None
    return Borne(result["sample"], text, opinion)


def _by_suspicion(found: Iterable[Borne]) -> list[Borne]:
    return sorted(found, key=lambda one: one.opinion is not None and not one.opinion.suspicious)


def removed(results: Sequence[Result]) -> list[Removed]:
    """One from each flag and language in turn."""
    parts: defaultdict[tuple[str, str], list[Removed]] = defaultdict(list)
    for result in results:
        sample = result["sample"]
        for one in result["outcome"].get("removed", ()):
            row = Removed(one["flag"], sample["language"], sample["id"], one["text"], one["reason"])
            parts[row.flag, row.language].append(row)
    in_turn = chain.from_iterable(zip_longest(*(parts[key] for key in sorted(parts))))
    return [row for row in in_turn if row]


def borne_page(title: str, sentences: Sequence[Borne]) -> Iterator[str]:
    suspicious = sum(one.opinion is None or one.opinion.suspicious for one in sentences)
    yield f"# {title}: {len(sentences):,}, of which {suspicious:,} suspicious"
    for one in sentences:
        yield f"\n## {one.sample['id']}: {_line(one.sample['question'])}\n"
        yield f"**{_line(one.text)}**\n"
        if one.opinion is None:
            yield "Second opinion: it cites no passage that the agent had"
            continue
        opinion, passage = one.opinion, one.opinion.passage
        yield f"Second opinion: {_line('; '.join(opinion.reasons)) or 'nothing to remark'}\n"
        yield f"Nearest sentence of the passage: cosine {opinion.similarity:.3f}\n"
        place = " / ".join((passage.document, f"page {passage.page}", *passage.heading))
        yield f"{_line(place)}:\n"
        yield from (f"> {line}" for line in passage.text.splitlines())


def removed_page(rows: Sequence[Removed], shown: int) -> Iterator[str]:
    languages = sorted({row.language for row in rows})
    counts = Counter((row.flag, row.language) for row in rows)
    yield f"# Written and withheld: {len(rows):,}\n"
    yield f"| flag | {' | '.join(languages)} |"
    yield "|---" * (1 + len(languages)) + "|"
    for flag in sorted({row.flag for row in rows}):
        yield f"| {flag} | {' | '.join(str(counts[flag, each]) for each in languages)} |"
    first = {row.text: row for row in reversed(rows)}
    different = [row for row in rows if first[row.text] is row]
    yield f"\n{min(shown, len(different)):,} of the {len(different):,} different ones:\n"
    yield "| question | flag | sentence | why |"
    yield "|---|---|---|---|"
    for row in sorted(different[:shown]):
        yield f"| {row.sample_id} | {row.flag} | {_line(row.text)} | {_line(row.reason)} |"


def _line(text: str) -> str:
    """As Markdown takes it in a row of a table, and not too long for one."""
    one_line = " ".join(text.split())
    cut = one_line if len(one_line) <= ROW_CHARS else f"{one_line[:ROW_CHARS]}…"
    return "".join(f"\\{char}" if char in "\\`*_[]<>|#" else char for char in cut)
