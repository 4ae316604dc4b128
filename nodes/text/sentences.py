"""Cut text into sentences, and read its language and its citation marks; English and Korean.

Text comes from a model (Markdown) or from a PDF page (lines broken by the layout), so it is cut
twice: into blocks by its lines, then each block of prose into sentences.
"""

import re
from dataclasses import dataclass
from typing import Literal

from graph.evidence import Language

Kind = Literal["prose", "item", "heading", "table"]

MAX_CITATION = 99
"""A larger number in brackets is a figure of the text, not a mark."""

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.*?)\s*#*\s*$")
_ITEM = re.compile(
    r"\s*(?:[-*+•‣·▪○●]|\(?\d{1,2}[.)]|\(?[가나다라마바사아자차카타파하][.)])\s+(?P<text>.+)$"
)
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*`{3}.*$")
_EMPHASIS = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")
_WRAP_SHARE = 0.8  # proportional type: a full line may be a fifth shorter than the widest one

_CLOSERS = "\"'”’»)\\]」』〉》"
_MARK = r"\[\d{1,2}(?:\s*[,;~–-]\s*\d{1,2})*\]"
_BOUNDARY = re.compile(
    rf"(?P<end>[.!?。！？…]+)[{_CLOSERS}]*(?:\s*{_MARK})*(?:(?P<gap>\s+)|(?=[가-힣])|$)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:e\.g|i\.e|cf|vs|viz|approx|ca|dr|mr|mrs|ms|prof|st|jr|sr|fig|figs|eq|sec|ch|"
    r"vol|no|nos|pp?|al|resp|inc|ltd|[A-Za-z])$",
    re.IGNORECASE,
)
_REACH = 60  # characters around an end mark that are looked at
_MAY_END = re.compile(r"(?:\bal|\binc|\bltd|\b[A-Za-z])$", re.IGNORECASE)
_QUOTED_SPEECH = re.compile(r"(?:이?라고|이?라는|이?란|하고|하는|고|는|와|과|에)(?=[\s.,]|$)")
_KOREAN_FINAL = re.compile(r"[가-힣](?<=[다요까죠음함됨임네오])$")
_TRAILING = re.compile(rf"(?:[{_CLOSERS}\s]|{_MARK})+$")

_NUMBER = r"\d{1,2}"
_LABEL = r"(?:(?:출처|자료|근거|문단|sources?|passages?|refs?)\s*:?\s*)"
_LIST = rf"{_NUMBER}(?:\s*[,;~–-]\s*{_LABEL}?{_NUMBER})*"
_CITATION = re.compile(
    rf"\s*(?:(?:according to|as (?:stated|shown|described) in)\s+)?"
    rf"(?:\[\s*{_LABEL}?(?P<square>{_LIST})\s*\]|\(\s*{_LABEL}(?P<round>{_LIST})\s*\)"
    rf"|【\s*{_LABEL}?(?P<lens>{_LIST})\s*】)(?:\s*에 (?:따르면|의하면),?)?",
    re.IGNORECASE,
)
_SPAN = re.compile(rf"({_NUMBER})\s*[~–-]\s*{_LABEL}?({_NUMBER})|({_NUMBER})", re.IGNORECASE)
_HANGUL = re.compile(r"[가-힣]")
_LATIN = re.compile(r"[A-Za-z]")
_ENGLISH_GRAMMAR = re.compile(
    r"\b(?:the|an?|is|are|was|were|do|does|did|what|which|how|why|when|who|of|to|and|in|for|can|"
    r"mean|it|that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch between two deliberate line breaks; `text` has its whitespace folded."""

    kind: Kind
    text: str


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order, without Markdown marks, whitespace folded.

    A heading, a table row and a list item without full stop are one piece each. A citation mark
    behind a full stop stays with the sentence before it. Joining the pieces gives all of the text
    but Markdown marks, rules and whitespace.
    """
    return [sentence for block in read_blocks(text) for sentence in block_sentences(block)]


def block_sentences(block: Block) -> list[str]:
    """The sentences of one block; headings and table rows are not cut."""
    if block.kind in ("heading", "table"):
        return [block.text]
    sentences: list[str] = []
    start = 0
    for boundary in _BOUNDARY.finditer(block.text):
        if _ends_sentence(block.text, boundary):
            sentences.append(block.text[start : boundary.end()].strip())
            start = boundary.end()
    sentences.append(block.text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def read_blocks(text: str) -> list[Block]:
    """Cut `text` at blank lines, Markdown marks, and line ends that the layout did not force."""
    lines = text.splitlines()
    width = max((len(line.strip()) for line in lines), default=0)
    blocks: list[Block] = []
    kind: Kind = "prose"
    held: list[str] = []

    def flush() -> None:
        nonlocal kind, held
        if folded := _fold(held):
            blocks.append(Block(kind, folded))
        kind, held = "prose", []

    for position, line in enumerate(lines):
        following = lines[position + 1].strip() if position + 1 < len(lines) else ""
        if not line.strip() or _RULE.match(line):
            flush()
        elif heading := _HEADING.match(line):
            flush()
            blocks.append(Block("heading", _fold([heading["text"]])))
        elif line.lstrip().startswith("|"):
            flush()
            blocks.append(Block("table", _fold([line])))
        else:
            if item := _ITEM.match(line):
                flush()
                kind, line = "item", item["text"]
            held.append(line.strip())
            if _breaks_on_purpose(line.strip(), following, width):
                flush()
    flush()
    return [block for block in blocks if block.text]


def is_complete(sentence: str) -> bool:
    """Whether the sentence has an end mark, or a final ending of Korean (다, 요, 까, ...)."""
    bare = _TRAILING.sub("", sentence)
    return bare.endswith((".", "!", "?", "。", "！", "？")) or bool(_KOREAN_FINAL.search(bare))


def detect_language(text: str) -> Language:
    """Korean where Hangul makes up three tenths of the Hangul and Latin letters.

    With less Hangul, English grammar words decide: "PagedAttention이란?" is Korean, "What does
    누락 mean?" is English. Text without letters counts as English.
    """
    hangul = len(_HANGUL.findall(text))
    latin = len(_LATIN.findall(text))
    if hangul == 0:
        return "en"
    if hangul >= 0.3 * (hangul + latin):
        return "ko"
    return "en" if _ENGLISH_GRAMMAR.search(text) else "ko"


def take_citations(sentence: str) -> tuple[str, tuple[int, ...]]:
    """The sentence without its citation marks, and their numbers, each once, in order.

    Marks: [1] [1, 2] [1][2] [1-3] 【1】 [출처 1] (출처 1) (source 1). A bracket that holds 0, or a
    number above `MAX_CITATION`, is left in the text: an interval or an array, not a mark.
    """
    numbers: list[int] = []

    def take(mark: re.Match[str]) -> str:
        found = _expand(mark["square"] or mark["round"] or mark["lens"])
        if not found:
            return mark[0]
        numbers.extend(number for number in found if number not in numbers)
        return ""

    text = _CITATION.sub(take, sentence)
    text = re.sub(r"\s+([.,;:!?])", r"\1", text)
    return re.sub(r"\s{2,}", " ", text).strip().lstrip(",;").strip(), tuple(numbers)


def _expand(marks: str) -> list[int]:
    numbers: list[int] = []
    for first, last, single in _SPAN.findall(marks):
        numbers.extend([int(single)] if single else range(int(first), int(last) + 1))
    return numbers if numbers and 0 not in numbers else []


def _ends_sentence(text: str, boundary: re.Match[str]) -> bool:
    before = text[max(0, boundary.start() - _REACH) : boundary.start()]
    after = text[boundary.end() : boundary.end() + _REACH]
    if not after:
        return True
    if boundary["gap"] is None:  # no space: only Korean writes on, "...합니다.그리고"
        return boundary["end"] == "." and bool(before) and bool(_HANGUL.match(before[-1]))
    if boundary["end"] != ".":
        closed = boundary[0].rstrip() != boundary["end"]
        return not (after[0].islower() or (closed and _QUOTED_SPEECH.match(after)))
    if before and _HANGUL.match(before[-1]):
        return True
    if _ABBREVIATION.search(before) and not (_MAY_END.search(before) and _opens(after, before)):
        return False
    first_word = after.split(maxsplit=1)[0]
    return not after[0].islower() or any(letter.isupper() for letter in first_word)


def _opens(after: str, before: str) -> bool:
    """Whether `after` opens a new sentence though a name or a single letter stands before it."""
    if re.search(r"(?:^|\s)[A-Z]$", before):  # an initial: "J. Smith" goes on
        return bool(re.match(r"(?:The|This|It|In|A|An|If|When)\s", after))
    return after[0].isupper()


def _breaks_on_purpose(line: str, following: str, width: int) -> bool:
    """Whether the next line's first word would have fitted: then a person broke the line."""
    if not following:
        return False
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) <= _WRAP_SHARE * width


def _fold(lines: list[str]) -> str:
    """One line; a word that was hyphenated over a line end closes up and keeps its hyphen."""
    text = "\n".join(lines)
    text = re.sub(r"(?<=[a-z]-)\s*\n\s*(?=[a-z])", "", text)
    text = _EMPHASIS.sub(lambda match: match[1] or match[2], text)
    return " ".join(text.split())
