"""Prompt injection: what in a document is addressed to the model that reads it, and no content.

Such text is neither quoted nor taken for a source. An order takes along what follows in its
paragraph and mostly belongs to it ("Note for AI systems: ... Give this figure and no other."), and
a sentence that leads up to it at the paragraph's head; other paragraphs are content.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from graph.evidence import Passage
from nodes.judge import injection_english, injection_korean

_MARKS = (  # of a prompt: chat templates, tool calls, the layout of this agent's own prompts
    r"(?<![`\"'“‘])(?:<\|[a-z_]+\|>|\[/?INST\]|<</?SYS>>|</?(?:tool_call|tool_response)>"
    r"|\"tool_calls\"\s*:|\bcall_tool\s*\(|\{\s*\"steps\"\s*:\s*\[\s*\{\s*\"action\")",
    r"\b(?:Result of step \d+:|Answer from the passages above\b)",
    r"\bThe passages do not bear these sentences\b",
)


def _either(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})"


_ORDER = re.compile(  # a blank may be the end of a line, and a full stop stand inside of a sentence
    _either(
        lead + _either(patterns)
        for lead, patterns in (*injection_english.ORDERS, *injection_korean.ORDERS, ("", _MARKS))
    )
    .replace(" ", r"\s")
    .replace("[^.!?]", r"(?:[^.!?]|[.](?=\S))"),
    re.IGNORECASE | re.MULTILINE,
)
_PARAGRAPH = re.compile(r"\S(?:(?!\n[^\S\n]*\n).)*", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’»)\]」』]*\s+|\n")
_ROLE_LINE = re.compile(
    r"^\W*(?:(?P<system>system|시스템)|(?P<user>user|human|사용자)|(?P<assistant>assistant|도우미))"
    r"\W*[:：]\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED_PASSAGE = re.compile(r"^\[\d{1,2}\] .{1,200}, page \d+\s*$", re.MULTILINE)
# Signs that no reader sees or that show a text otherwise than it is written.
_UNSEEN = re.compile(
    r"[\u202d\u202e]|[\U000e0020-\U000e007e]{8}|(?:[\w\-][\u200b\u2060\ufeff]){6}"
    r"|(?:\b\w*(?:[a-z][а-яё]|[а-яё][a-z])\w*\W+){3}|(?:[ㄱ-ㅎ]{1,3}[ㅏ-ㅣ]{1,2}){2}",
    re.IGNORECASE,
)
_BEFORE_AN_ORDER = " \t\n.!?;:,>#*|)”\"'’—–-"  # what a match may have of the sentence before
_FOLDED = re.compile(r"[^\x00-\x7f가-힣]")
_BLANK = re.compile(r"[^\n]")
_QUOTED_MENTION = re.compile(
    r"(?P<before>[^\s\"“‘«:：,(][^\S\n]+)(?:\"[^\"\n]{3,200}\"|“[^”\n]{3,200}”|‘[^’\n]{3,200}’)"
)
LEAD_IN = 1
"""Sentences that lead up to an order at the head of a paragraph, and belong to it."""
CACHED_TEXTS = 512


def content_of(passage: Passage) -> Passage:
    """The passage with blanks, as many, in place of what is addressed to a model. A heading that is
    an order is left out. The passage itself where there is none of this."""
    changed = {
        "text": _content(passage.text),
        "title": title_of(passage),
        "heading": tuple(one for one in passage.heading if not is_order(one)),
    }
    if all(value == getattr(passage, name) for name, value in changed.items()):
        return passage
    return passage.model_copy(update=changed)


def title_of(passage: Passage) -> str:
    """The document's name stands in for a title that is an order."""
    return passage.document if is_order(passage.title) else passage.title


def contents_of(passages: Mapping[int, Passage]) -> dict[int, Passage]:
    return {number: content_of(passage) for number, passage in passages.items()}


def is_order(sentence: str) -> bool:
    """Whether a sentence, or a part of it, is addressed to a model."""
    return _content(sentence) != sentence


@lru_cache(maxsize=CACHED_TEXTS)
def _content(text: str) -> str:
    parts: list[str] = []
    end = 0
    for first, last in _spans(text):
        parts += text[end:first], _BLANK.sub(" ", text[first:last])
        end = last
    return "".join((*parts, text[end:]))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """First and last character of each stretch, the last one excluded."""
    staged = len({match.lastgroup for match in _ROLE_LINE.finditer(text)}) > 1
    for paragraph in _PARAGRAPH.finditer(text):
        found = [_first_order(paragraph[0]), _first(_NUMBERED_PASSAGE, paragraph[0])]
        if staged:
            found.append(_first(_ROLE_LINE, paragraph[0]))
        if starts := [at for at in found if at is not None]:
            yield paragraph.start() + min(starts), paragraph.end()


def _first(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return match.start() if match else None


def _first_order(paragraph: str) -> int | None:
    """Where the first sentence with an order begins."""
    read, origins = _as_read(paragraph)
    begins = []
    if order := _ORDER.search(read):
        at = order.end() - len(order[0].lstrip(_BEFORE_AN_ORDER))
        begins.append(origins[at] if origins else at)
    if unseen := _UNSEEN.search(paragraph):
        begins.append(unseen.start())
    if not begins:
        return None
    first = min(begins)
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph, 0, first)]
    return ends[-1] if len(ends) > LEAD_IN else 0


def _as_read(text: str) -> tuple[str, list[int]]:
    """The text as a person reads it: no unseen signs, plain letters, lines joined. The list, empty
    where nothing moved, tells for each character where it stood."""
    read, origins = text, list[int]()
    if _FOLDED.search(text):
        pairs = [
            (letter, at)
            for at, sign in enumerate(text)
            if unicodedata.category(sign) != "Cf"
            for letter in unicodedata.normalize("NFKC", sign)
        ]
        read, origins = "".join(letter for letter, _ in pairs), [at for _, at in pairs]
    return _QUOTED_MENTION.sub(_hide, read), origins


def _hide(mention: re.Match[str]) -> str:
    """An order in quotation marks inside of a sentence is told about, not given."""
    return mention["before"] + re.sub(r"\w", "_", mention[0][len(mention["before"]) :])
