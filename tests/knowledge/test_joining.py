from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.evidence import Hit, Passage
from knowledge.chunk import chunk
from knowledge.joining import join
from knowledge.load.document import Loaded, Page

TEXTS = {
    "en": " ".join(f"The valve number {n} opens at {n} bar and closes." for n in range(250)),
    "ko": " ".join(f"{n}번 밸브는 {n}바에서 열리고 다시 닫힌다." for n in range(500)),
}


@dataclass
class OnePage:
    """A page in passages, as a catalog gives it."""

    text: str

    def __post_init__(self) -> None:
        loaded = Loaded("Valves", (Page(1, self.text),))
        self.passages = chunk("valves.txt", loaded, lambda text: len(text) // 4)

    def passages_on(self, document: str, page: int) -> list[Passage]:
        assert (document, page) == ("valves.txt", 1)
        return self.passages

    def page_text(self, document: str, page: int) -> str:
        assert (document, page) == ("valves.txt", 1)
        return self.text

    def hit(self, at: int, fused: float = 1.0, lexical: float | None = None) -> Hit:
        return Hit(passage=self.passages[at], dense=0.5, lexical=lexical, fused=fused)


@pytest.fixture(params=["en", "ko"])
def page(request: pytest.FixtureRequest) -> OnePage:
    made = OnePage(TEXTS[request.param])
    assert len(made.passages) > 6
    return made


def test_a_hit_gets_its_neighbours_on_both_sides(page: OnePage) -> None:
    (joined,) = join([page.hit(3)], page, 1)
    assert joined.passage.start == page.passages[2].start
    assert joined.passage.end == page.passages[4].end
    assert page.passages[3].text in joined.passage.text


def test_at_the_ends_of_a_page_there_is_less_to_join(page: OnePage) -> None:
    (first,) = join([page.hit(0)], page, 2)
    (last,) = join([page.hit(-1)], page, 2)
    assert first.passage.start == 0
    assert last.passage.end == len(page.text)


def test_hits_that_meet_become_one_in_the_place_of_the_better(page: OnePage) -> None:
    hits = [page.hit(5, 3.0), page.hit(0, 2.0), page.hit(6, 1.0, lexical=7.0)]
    best, other = join(hits, page, 1)
    assert (best.fused, best.lexical) == (3.0, 7.0)
    assert (best.passage.start, other.passage.start) == (page.passages[4].start, 0)


def test_without_neighbours_hits_stay_as_they_are(page: OnePage) -> None:
    hits = [page.hit(1), page.hit(0)]
    assert join(hits, page, 0) == hits


def test_the_only_passage_of_a_page_keeps_its_id() -> None:
    page = OnePage("하나뿐인 문장이다.")
    assert join([page.hit(0)], page, 3) == [page.hit(0)]


@given(
    language=st.sampled_from(["en", "ko"]),
    places=st.lists(st.integers(0, 6), unique=True, min_size=1),
    neighbours=st.integers(1, 4),
)
def test_a_joined_passage_is_a_stretch_of_its_page(
    language: str, places: list[int], neighbours: int
) -> None:
    page = OnePage(TEXTS[language])
    joined = [hit.passage for hit in join([page.hit(at) for at in places], page, neighbours)]
    for passage in joined:
        assert passage.text == page.text[passage.start : passage.end]
    for at in places:
        inside = [p for p in joined if p.start <= page.passages[at].start < p.end]
        assert len(inside) == 1
    assert len({passage.id for passage in joined}) == len(joined)
