"""Review a text that a model wrote: keep what the passages bear, say why the rest is removed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph.answer import RemovalFlag, Removed, Sentence
from graph.evidence import Frozen, Language, Passage
from nodes.judge.abstention import abstains
from nodes.judge.form import (
    SAME_WITHIN,
    echoes,
    is_about_the_prompt,
    is_foreign,
    is_fragment,
    is_loop,
    says_the_same,
)
from nodes.judge.injection import is_order
from nodes.judge.relevance import addresses
from nodes.judge.support import NO_SUPPORT, Support, support
from nodes.text.sentences import (
    Kind,
    block_sentences,
    is_complete,
    read_blocks,
    take_citations,
)

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
# A question that lost its mark: "양념은 무엇으로 만든다."
_KOREAN_ASKS = re.compile(
    r"(?<![가-힣])(?:무엇(?!보다|이든|인가)|누가(?![가-힣])|언제(?!나|든)|어디(?!서나|에나|든)"
    r"|얼마(?!나\s|든))"
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
        if flag is None and is_fragment(piece.text, passages.values()):
            flag = "not_a_statement"
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
    if is_loop(piece.text):
        return "repetition"
    if any(echoes(piece.text, prompt) for prompt in prompts):
        return "echo"
    if is_order(piece.text):  # of a document: our own are echoes
        return "injected"
    if piece.kind in ("heading", "table") or piece.text.endswith(("?", "？")):
        return "not_a_statement"
    if is_about_the_prompt(piece.text):
        return "not_a_statement"
    if _KOREAN_ASKS.search(piece.text) or (
        piece.kind == "prose" and not piece.complete and position < len(pieces) - 1
    ):
        return "not_a_statement"
    if is_foreign(piece.text, language):
        return "wrong_language"
    before = pieces[max(0, position - SAME_WITHIN) : position]
    if any(says_the_same(piece.text, earlier.text) for earlier in before):
        return "repetition"
    if piece.broken or (position == len(pieces) - 1 and _breaks_off(piece, pieces)):
        return "cut_off"
    return None


def _why(flag: RemovalFlag, language: Language, judged: Support) -> str:
    faults = "; ".join(fault.in_words(language) for fault in judged.faults)
    return f"{_REASONS[language][flag]}: {faults}" if faults else _REASONS[language][flag]


def _is_left_open(text: str) -> bool:
    """A half-open interval, [0, 1), has as many of both."""
    return len(_OPENING.findall(text)) > len(_CLOSING.findall(text))


def _breaks_off(piece: _Piece, pieces: Sequence[_Piece]) -> bool:
    """Whether the last sentence has no end though its fellows do, or ends where none can."""
    if piece.complete:
        return False
    fellows = [other.complete for other in pieces[:-1] if other.kind == piece.kind]
    return bool(_DANGLING.search(piece.text)) or any(fellows)
