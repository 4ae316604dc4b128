from hypothesis import given
from hypothesis import strategies as st

from graph.evidence import Passage
from knowledge.chunk import MAX_TOKENS, chunk
from knowledge.embed import estimate_tokens
from knowledge.load.document import Heading, Loaded, Page

WORDS = st.sampled_from(
    [
        "cache",
        "prefix.",
        "Why?",
        "캐시는",
        "이다.",
        "\n",
        "\n\n",
        "3.5",
        "e.g.",
        "「끝。」",
        "x" * 900,
    ]
)
TEXTS = st.lists(WORDS, max_size=400).map(" ".join)


def passages_of(text: str, headings: tuple[Heading, ...] = ()) -> list[Passage]:
    return chunk("a.pdf", Loaded("A", (Page(1, text, headings),)), estimate_tokens)


@given(TEXTS | st.text(max_size=3_000))
def test_offsets_give_the_text_of_every_passage(text: str) -> None:
    for passage in passages_of(text):
        assert text[passage.start : passage.end] == passage.text


@given(TEXTS)
def test_every_character_lies_in_a_passage_and_none_is_too_long(text: str) -> None:
    covered: set[int] = set()
    for passage in passages_of(text):
        covered |= set(range(passage.start, passage.end))
        assert estimate_tokens(passage.text) <= MAX_TOKENS * 1.1
    assert all(text[at].isspace() for at in set(range(len(text))) - covered)


@given(TEXTS)
def test_ids_are_distinct_and_the_same_in_each_run(text: str) -> None:
    ids = [passage.id for passage in passages_of(text)]
    assert len(set(ids)) == len(ids)
    assert ids == [passage.id for passage in passages_of(text)]


def test_passages_break_between_sentences_in_both_languages() -> None:
    for sentence in (
        "The prefix cache keeps blocks of keys and values. ",
        "캐시는 블록을 담는다. ",
    ):
        made = passages_of(sentence * 60)
        assert len(made) > 1
        assert all(passage.text.endswith(".") for passage in made)


def test_neighbours_overlap_by_a_sentence_or_two() -> None:
    sentences = [f"Sentence number {n} tells of the cache." for n in range(60)]
    first, second, *_ = passages_of(" ".join(sentences))
    assert first.start < second.start < first.end < second.end


def test_a_passage_carries_the_headings_above_it_across_pages() -> None:
    one = "Caches\nTTL\nA time to live."
    first = Page(1, one, (Heading(0, 0, "Caches"), Heading(1, 7, "TTL")))
    made = chunk("a.pdf", Loaded("A", (first, Page(2, "Still on it."))), estimate_tokens)
    assert [(passage.page, passage.heading) for passage in made] == [
        (1, ("Caches",)),
        (2, ("Caches", "TTL")),
    ]
