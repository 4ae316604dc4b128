"""Review a text that a model wrote: keep what the passages bear, say why the rest is removed."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graph.answer import RemovalFlag, Removed, Sentence
from graph.evidence import Frozen, Language, Passage
from nodes.judge.abstention import abstains
from nodes.judge.injection import is_order
from nodes.judge.relevance import addresses
from nodes.judge.support import NO_SUPPORT, Support, support
from nodes.text.sentences import (
    Kind,
    block_sentences,
    detect_language,
    is_complete,
    read_blocks,
    take_citations,
)

LOOP_TIMES = 3
"""A stretch of words that stands this often in a row is a loop."""
LOOP_WORDS_MAX = 12
LOOP_SENTENCE_WORDS, LOOP_BYTES_MIN = 14, 4
"""A word of so many bytes, two syllables of Hangul, that a short sentence has `LOOP_TIMES` is a
loop as well: "the work of the work of the work"."""
SAME_SHARE = 0.9
"""Two sentences that share this part of their words say the same."""
SAME_WITHIN = 200
"""Earlier sentences that one is compared with."""
ECHO_WORDS_MIN = 4

_REASONS: dict[Language, dict[RemovalFlag, str]] = {
    "en": {
        "cut_off": "the sentence breaks off",
        "repetition": "it repeats what was said",
        "echo": "it repeats the question or the instruction",
        "wrong_language": "it is not in the language of the question",
        "not_a_statement": "a heading, a table row or a question states nothing",
        "unsupported": "no passage bears it",
        "off_topic": "the answer is not about what the question asks",
        "abstained": "it says that the passages hold no answer",
        "injected": "it is an order to a language model, not a statement",
    },
    "ko": {
        "cut_off": "문장이 중간에 끊김",
        "repetition": "앞에서 한 말을 되풀이함",
        "echo": "질문이나 지시를 되풀이함",
        "wrong_language": "질문과 다른 언어로 씀",
        "not_a_statement": "제목, 표의 행, 질문은 진술이 아님",
        "unsupported": "뒷받침하는 근거가 없음",
        "off_topic": "답변이 질문이 묻는 것을 다루지 않음",
        "abstained": "문서에 답이 없다는 말임",
        "injected": "진술이 아니라 언어 모델에게 내리는 지시임",
    },
}
_LABEL = re.compile(r"^(?:answer|summary|analysis|답변|답|요약|분석)\s*[:：]\s*", re.IGNORECASE)
_FOREIGN = re.compile(  # Cyrillic, Hebrew, Arabic, scripts of India, Thai, Lao, kana, Han
    r"[\u0400-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff]"
)
# A question that lost its mark: "양념은 무엇으로 만든다."
_KOREAN_ASKS = re.compile(
    r"(?<![가-힣])(?:무엇(?!보다|이든|인가)|누가(?![가-힣])|언제(?!나|든)|어디(?!서나|에나|든)"
    r"|얼마(?!나\s|든))"
)
# About what the model was given, and not about what it says.
_OF_THE_PROMPT = re.compile(
    r"(?:the|this|these|both)\s(?:given\s|above\s|provided\s)?passages?\b(?!\sof\b)"
    r"|(?:this|the\s(?:given|above|provided))\s(?:question|sentence|text)\b"
    r"|(?:위|이|본|해당|주어진)\s?(?:구절|본문|지문|문장|질문|글)(?:들)?(?:[은는이가의에을를]|에서)",
    re.IGNORECASE,
)
_OPENING, _CLOSING = re.compile(r"[(\[{「『《]"), re.compile(r"[)\]}」』》]")
_ENDS = re.compile(r"[.!?。！？…][\"'”’»)\]」』]*$")
_DANGLING = re.compile(
    r"(?:\b(?:a|an|the|of|to|and|or|but|with|in|on|at|for|from|by|is|are|was|that|which|than|as|if)"
    r"|[,:;(\-–]|[가-힣](?<=[을를은는의와과며고]))$",
    re.IGNORECASE,
)


class Review(Frozen):
    """What may be shown and what not; both empty for a text without words."""

    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    citations: tuple[int, ...]
    kind: Kind
    complete: bool
    broken: bool = False
    """A bracket is left open, or the text was cut off in it."""


def review(
    text: str,
    passages: Mapping[int, Passage],
    question: str,
    language: Language,
    *,
    instruction: str = "",
    focuses: Sequence[str] = (),
    cut_off: bool = False,
) -> Review:
    """Judge each sentence of `text` against the passages that it cites by their numbers.

    A sentence is kept if its cited passages bear it; failing that, if another passage does, which
    then is its citation. Citations that do not bear their sentence are dropped. `instruction` is
    what the model was told, for finding echoes of it. When the sentences together are about
    neither the question nor one of `focuses`, the parts of it that were to be written about, none
    is kept, however true. Of a text that was `cut_off` the last sentence must have its end mark.
    """
    pieces = _pieces(text)
    if cut_off and pieces and not _ENDS.search(pieces[-1].text):
        pieces[-1] = replace(pieces[-1], broken=True)
    kept: list[Sentence] = []
    removed: list[Removed] = []
    for position, piece in enumerate(pieces):
        flag = _fault_of_form(piece, pieces, position, (question, instruction), language)
        judged, citations = (
            (NO_SUPPORT, ()) if flag else _bear(piece.text, piece.citations, passages)
        )
        if citations:
            kept.append(Sentence(text=piece.text, citations=citations, support=judged.score))
        else:
            flag = flag or "unsupported"
            reason = _why(flag, language, judged)
            removed.append(Removed(text=piece.text, flag=flag, reason=reason))
    said = [sentence.text for sentence in kept]
    if not any(addresses(topic, said) for topic in (question, *focuses)):
        removed += (
            Removed(text=one.text, flag="off_topic", reason=_REASONS[language]["off_topic"])
            for one in kept
        )
        kept = []
    return Review(kept=tuple(kept), removed=tuple(removed))


def _pieces(text: str) -> list[_Piece]:
    blocks: list[list[_Piece]] = []
    for block in read_blocks(_LABEL.sub("", text.strip())):
        sentences = (take_citations(sentence) for sentence in block_sentences(block))
        blocks.append(
            [
                _Piece(bare, citations, block.kind, is_complete(bare), _is_left_open(bare))
                for bare, citations in sentences
                if re.search(r"\w", bare)
            ]
        )
    return [
        replace(piece, kind="heading")
        if block is not blocks[-1] and _is_bare_line(block)
        else piece
        for block in blocks
        for piece in block
    ]


def _is_bare_line(block: Sequence[_Piece]) -> bool:
    """A line of prose by itself that does not end like a sentence: where more text follows, it is
    a heading or a passage's title that was copied along."""
    return [(one.kind, one.complete) for one in block] == [("prose", False)]


def _bear(
    sentence: str, cited: Sequence[int], passages: Mapping[int, Passage]
) -> tuple[Support, tuple[int, ...]]:
    """The support of the sentence and the numbers that bear it; no numbers: nothing does."""
    known = [number for number in cited if number in passages]
    alone = {number: support(sentence, [passages[number]]) for number in known}
    if bearing := [number for number in known if alone[number].holds]:
        return max((alone[n] for n in bearing), key=lambda one: one.score), tuple(bearing)
    best = max(alone.values(), key=lambda one: one.score, default=NO_SUPPORT)
    if len(known) > 1:
        together = support(sentence, [passages[number] for number in known])
        if together.holds:
            return together, tuple(known)
    for number, passage in passages.items():
        if number not in alone:
            judged = support(sentence, [passage])
            alone[number] = judged
            best = max(best, judged, key=lambda one: one.score)
    if best.holds:
        return best, (next(number for number, one in alone.items() if one is best),)
    return best, ()


def _fault_of_form(
    piece: _Piece,
    pieces: Sequence[_Piece],
    position: int,
    prompts: Sequence[str],
    language: Language,
) -> RemovalFlag | None:
    """What is wrong with a sentence apart from its support, or None.

    An abstention is one in any language: small models write it as the prompt has it.
    """
    if abstains(piece.text):
        return "abstained"
    if _is_loop(piece.text):
        return "repetition"
    if any(_echoes(piece.text, prompt) for prompt in prompts):
        return "echo"
    if is_order(piece.text):  # of a document: our own are echoes
        return "injected"
    if piece.kind in ("heading", "table") or piece.text.endswith(("?", "？")):
        return "not_a_statement"
    if _OF_THE_PROMPT.match(piece.text):
        return "not_a_statement"
    if _KOREAN_ASKS.search(piece.text) or (
        piece.kind == "prose" and not piece.complete and position < len(pieces) - 1
    ):
        return "not_a_statement"
    if _is_foreign(piece.text, language):
        return "wrong_language"
    before = pieces[max(0, position - SAME_WITHIN) : position]
    if any(_says_the_same(piece.text, earlier.text) for earlier in before):
        return "repetition"
    if piece.broken or (position == len(pieces) - 1 and _breaks_off(piece, pieces)):
        return "cut_off"
    return None


def _why(flag: RemovalFlag, language: Language, judged: Support) -> str:
    faults = "; ".join(fault.in_words(language) for fault in judged.faults)
    return f"{_REASONS[language][flag]}: {faults}" if faults else _REASONS[language][flag]


def _is_loop(text: str) -> bool:
    words = text.lower().split()
    counts = Counter(word for word in words if len(word.encode()) >= LOOP_BYTES_MIN)
    if len(words) <= LOOP_SENTENCE_WORDS and max(counts.values(), default=0) >= LOOP_TIMES:
        return True
    for size in range(1, LOOP_WORDS_MAX + 1):
        run = 0
        for earlier, later in zip(words, words[size:], strict=False):
            run = run + 1 if earlier == later else 0
            if run >= size * (LOOP_TIMES - 1):
                return True
    return False


def _echoes(sentence: str, prompt: str) -> bool:
    """Whether the sentence stands in the prompt, or the prompt in it, word for word."""
    ours, theirs = _squeeze(sentence), _squeeze(prompt)
    if not theirs or len(ours.split()) < ECHO_WORDS_MIN:
        return bool(theirs) and ours == theirs
    return ours in theirs or (len(theirs.split()) >= ECHO_WORDS_MIN and theirs in ours)


def _squeeze(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _is_foreign(text: str, language: Language) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    if 3 * len(_FOREIGN.findall(text)) > len(letters):
        return True
    return len(text.split()) > 2 and detect_language(text) != language


@lru_cache(maxsize=2 * SAME_WITHIN)
def _words(text: str) -> frozenset[str]:
    return frozenset(_squeeze(text).split())


def _says_the_same(one: str, other: str) -> bool:
    ours, theirs = _words(one), _words(other)
    if any(any(map(str.isdigit, word)) for word in ours ^ theirs):
        return False
    return len(ours & theirs) >= SAME_SHARE * len(ours | theirs)


def _is_left_open(text: str) -> bool:
    """A half-open interval, [0, 1), has as many of both."""
    return len(_OPENING.findall(text)) > len(_CLOSING.findall(text))


def _breaks_off(piece: _Piece, pieces: Sequence[_Piece]) -> bool:
    """Whether the last sentence has no end though its fellows do, or ends where none can."""
    if piece.complete:
        return False
    fellows = [other.complete for other in pieces[:-1] if other.kind == piece.kind]
    return bool(_DANGLING.search(piece.text)) or any(fellows)
