"""`search` and `ask` in a part of the documents."""

import json

import pytest

from tests.serving.cli.conftest import Run
from tests.serving.cli.test_commands import QUESTION, QUESTION_KO

pytestmark = pytest.mark.usefixtures("ready")


@pytest.mark.parametrize(
    ("options", "document"),
    [
        (("--document", "cach*"), "caching.txt"),
        (("--document", "캐시.txt"), "캐시.txt"),
        (("--document", "캐시.*", "--document", "none", "--since", "2020-01-01"), "캐시.txt"),
    ],
)
@pytest.mark.parametrize("question", [QUESTION, QUESTION_KO])
def test_search_keeps_to_the_documents_that_are_named(
    run: Run, question: str, options: tuple[str, ...], document: str
) -> None:
    code, out, _ = run("search", question, *options, "--json")
    assert code == 0
    assert [hit["passage"]["document"] for hit in json.loads(out)["hits"]] == [document]


@pytest.mark.parametrize(
    ("question", "document", "code", "said"),
    [
        (QUESTION, "caching.txt", 0, "[1] caching.txt, page 1"),
        (QUESTION_KO, "캐시.txt", 0, "[1] 캐시.txt, page 1"),
        (QUESTION, "캐시.txt", 3, "ask without that limit"),
        (QUESTION_KO, "caching.txt", 3, "범위를 정하지 말고 다시"),
    ],
)
def test_ask_answers_from_the_documents_that_are_named_and_from_no_other(
    run: Run, question: str, document: str, code: int, said: str
) -> None:
    ended, out, _ = run("ask", question, "--document", document)
    assert ended == code
    assert said in " ".join(out.split())


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--document", "cashing.txt"), 1, "near by name: caching.txt"),
        (("--document", "캐쉬.txt"), 1, "near by name: 캐시.txt"),
        (("--tag", "없음"), 1, "(tag 없음)"),
        (("--since", "어제"), 1, "'어제' is no day; write it as YYYY-MM-DD"),
        (("--since", "2024-02-01", "--until", "2024-01-01"), 1, "is later than until"),
        (("--document", ""), 1, "at least 1 character"),
    ],
)
def test_a_scope_that_holds_nothing_or_is_none_exits_with_1(
    run: Run, command: str, options: tuple[str, ...], code: int, said: str
) -> None:
    ended, out, err = run(command, QUESTION, *options)
    assert (ended, out) == (code, "")
    assert "InputError" in err
    assert said in err


def test_search_refuses_more_neighbours_than_there_may_be(run: Run) -> None:
    code, _, err = run("search", QUESTION, "--neighbours", "4")
    assert code == 2
    assert "neighbours" in err
