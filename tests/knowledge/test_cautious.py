"""The gate of corpora that are too small to calibrate: own questions pass, small talk does not.

Where both scripts are there, a question whose best passage is in the other one passes too: words
say nothing then. So Korean small talk is asked of Korean passages alone."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.knowledge.stubs import WordsEmbedder

RETURNS = (
    "# Returns\n\nUnopened goods may be sent back within thirty days of delivery. The buyer pays "
    "for the parcel unless the goods were faulty. Refunds reach the card within five working days."
)
LEAVE = (
    "# 휴가 규정\n\n연차는 입사 첫해에 열하루이다. 휴가 신청은 사흘 전에 팀장에게 한다. 병가에는 "
    "진단서를 낸다. 남은 연차는 이듬해 삼월까지 쓸 수 있다."
)
PRICES = "# Prices\n\nBasic: 10 euros a month.\nTeam: 40 euros a month, five seats.\n"
TIDES = {
    f"pump{number}": f"Pump {number} of the harbour lifts {number * 70} litres a minute. Its seals "
    f"are replaced by the night shift after {number * 90} hours, and its filter is rinsed weekly."
    for number in range(1, 18)
}
OWN_ENGLISH = (
    "How long do I have to send goods back?",
    "Who pays for the parcel?",
    "when will the refund reach my card",
    "Can faulty goods be sent back?",
    "RETURNS",
    "Could you please tell me how many days a refund takes?",
)
OWN_KOREAN = (
    "연차는 며칠인가요?",
    "휴가 신청은 누구에게 해야 하나요?",
    "병가에 필요한 서류가 뭐야?",
    "남은 연차는 언제까지 쓸 수 있어요?",
    "휴가 규정 알려 줘",
)
ABOUT_RETURNS_IN_KOREAN = ("반품은 며칠 안에 해야 하나요?", "환불은 언제 되나요?")
FOREIGN_ENGLISH = (
    "Hello, how are you?",
    "Tell me a joke",
    "What is the capital of Mongolia?",
    "who won the football match last night",
    "I feel so lonely lately",
    "set an alarm for seven",
)
FOREIGN_KOREAN = (
    "안녕, 잘 지냈어?",
    "오늘 저녁 뭐 먹지?",
    "심심한데 재미있는 얘기 해 줘",
    "몽골의 수도는 어디인가요?",
    "요즘 너무 외로워",
)


@dataclass(frozen=True)
class Tiny:
    documents: dict[str, str]
    own: tuple[str, ...]
    foreign: tuple[str, ...]


CORPORA = {
    "one English passage": Tiny({"returns": RETURNS}, OWN_ENGLISH, FOREIGN_ENGLISH),
    "one Korean passage": Tiny({"휴가": LEAVE}, OWN_KOREAN, FOREIGN_KOREAN),
    "a few lines": Tiny(
        {"prices": PRICES},
        ("What does Team cost?", "how many euros is basic", "How many seats has the team plan?"),
        FOREIGN_ENGLISH,
    ),
    "English and Korean": Tiny(
        {"returns": RETURNS, "휴가": LEAVE, "prices": PRICES},
        (*OWN_ENGLISH, *OWN_KOREAN, *ABOUT_RETURNS_IN_KOREAN),
        FOREIGN_ENGLISH,
    ),
    "nineteen passages": Tiny(
        {"returns": RETURNS, "휴가": LEAVE, **TIDES},
        (
            *OWN_ENGLISH,
            *OWN_KOREAN,
            "How much does pump 3 lift?",
            "Who replaces the seals of the harbour pumps?",
        ),
        FOREIGN_ENGLISH,
    ),
    "in another language": Tiny({"returns": RETURNS}, ABOUT_RETURNS_IN_KOREAN, ()),
}


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
async def test_a_tiny_corpus_refuses_small_talk_and_none_of_its_own_questions(
    corpus: Tiny, tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in corpus.documents.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    calibration = ingest(folder, address, embedder).calibration
    assert calibration is not None
    assert calibration.method == "cautious"
    with open_retriever(address, embedder) as retriever:

        async def refused(question: str) -> bool:
            signal = (await retriever.search(question, limit=3)).domain
            return signal.score < signal.bound

        assert [question for question in corpus.own if await refused(question)] == []
        assert [question for question in corpus.foreign if not await refused(question)] == []
