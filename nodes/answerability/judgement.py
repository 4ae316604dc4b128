"""Do these passages hold an answer? A score with its parts and a reason, without a model.

The weights come from questions that this project wrote (`data/pairs_*.yaml`), by
`python -m evals.fit_answerability`, which prints them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from graph.evidence import Language, Passage
from nodes.answerability.measure import Measured, Parts, measure
from nodes.text.sentences import detect_language

UNDECIDED = 0.5

INTERCEPT = -18.79
WEIGHTS: Mapping[str, float] = {
    "sentence": 1.23,
    "context": 0.80,
    "passage": 0.73,
    "anywhere": 1.03,
    "lead": 1.30,
    "typed": 1.38,
    "near": 0.33,
    "together": 1.41,
    "names": 5.78,
    "numbers": 3.73,
    "agrees": 1.10,
    "denial": 2.81,
}

_OF_WORDS = ("sentence", "context", "passage", "anywhere", "lead")

_PREMISES = ("names", "numbers", "agrees", "denial")
"""Parts that are 0 where something that the question takes for true is missing or contradicted."""

_WORDING: dict[Language, dict[str, str]] = {
    "en": {
        "sentence": "no sentence holds enough of the question's words together",
        "anywhere": "the passages do not mention: {missing}",
        "typed": "nothing there has the form of the answer that is asked for",
        "near": "nothing that could be the answer stands near the question's words",
        "together": "the question's words stand in different places of the passage",
        "names": "a name of the question is not found with the rest of it",
        "numbers": "a number of the question is not found with the rest of it",
        "agrees": "the passage says the opposite of a word of the question",
        "denial": "the question denies something that the passage does not deny",
        "none": "there are no words to compare",
        "language": "the passages are in another language, so words cannot be compared",
    },
    "ko": {
        "sentence": "질문의 낱말이 충분히 함께 나오는 문장이 없습니다",
        "anywhere": "구절에 나오지 않는 낱말: {missing}",
        "typed": "묻는 답의 형태를 갖춘 말이 없습니다",
        "near": "질문의 낱말 가까이에 답이 될 만한 말이 없습니다",
        "together": "질문의 낱말이 구절의 서로 다른 곳에 흩어져 있습니다",
        "names": "질문에 나온 이름이 나머지 내용과 함께 나오지 않습니다",
        "numbers": "질문에 나온 숫자가 나머지 내용과 함께 나오지 않습니다",
        "agrees": "구절은 질문에 나온 말과 반대되는 내용을 담고 있습니다",
        "denial": "질문은 부정하지만 구절은 부정하지 않습니다",
        "none": "비교할 낱말이 없습니다",
        "language": "구절이 다른 언어로 쓰여 낱말을 비교할 수 없습니다",
    },
}


@dataclass(frozen=True, slots=True)
class Answerability:
    """`score` from 0 to 1, higher where an answer is likelier; no calibrated probability.

    `reason` says in the question's language what speaks most against an answer. `passage` is the
    index of the passage with the best sentence, and `sentence` that sentence; without `parts` there
    was nothing to compare. `broken_premise` says what the question takes for true and the passages
    lack or contradict; it is empty where they do not.
    """

    score: float
    reason: str
    parts: Parts | None = None
    passage: int | None = None
    sentence: str = ""
    broken_premise: str = ""


def answerability(
    question: str,
    passages: Sequence[Passage],
    *,
    rarity: Callable[[str], float] | None = None,
) -> Answerability:
    """Judge by the words of the question, its names and numbers, and the type of its answer.

    `rarity` gives the weight of a word of the question in the corpus (such as an inverse document
    frequency); without it, the passages at hand tell which words are rare. Nothing can be said of a
    question without content words, or in another language than all passages: `UNDECIDED`.
    """
    language = detect_language(question)
    wording = _WORDING[language]
    if passages and all(detect_language(passage.text) != language for passage in passages):
        return Answerability(UNDECIDED, wording["language"])
    found = measure(question, passages, rarity)
    if found is None:
        return Answerability(UNDECIDED if passages else 0.0, wording["none"])
    values = asdict(found.parts)
    logit = INTERCEPT + sum(weight * values[name] for name, weight in WEIGHTS.items())
    return Answerability(
        score=1 / (1 + math.exp(-logit)),
        reason=_reason(found, values, wording),
        parts=found.parts,
        passage=found.passage,
        sentence=found.text,
        broken_premise="; ".join(wording[name] for name in _PREMISES if not values[name]),
    )


def _reason(found: Measured, values: Mapping[str, float], wording: Mapping[str, str]) -> str:
    """What the part says that lowers the score most, against the best that it could have been."""
    worst = max(WEIGHTS, key=lambda name: WEIGHTS[name] * (1 - values[name]))
    if worst in _OF_WORDS:  # the plainest way to say it
        worst = "anywhere" if found.missing else "sentence"
    return wording[worst].format(missing=", ".join(found.missing))
