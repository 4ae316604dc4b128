"""What a watcher of a task sees."""

import io
from decimal import Decimal
from typing import Any

from rich.console import Console

from graph.answer import Answered, CallRecord, Money, Refused, Removed, Sentence
from graph.events import StepFinished, TokenDrafted, UsageCounted
from graph.evidence import cite
from graph.plan import StepResult
from graph.transcript import Transcript
from serving.cli.show import TaskView, bill_table, show_result
from tests.fakes import EN_PASSAGES


def drafted(step: int, text: str) -> TokenDrafted:
    return TokenDrafted(node="answer", step=step, text=text)


def ended(step: int) -> StepFinished:
    return StepFinished(result=StepResult(step=step, action="answer", text="…"))


def shown(*events: TokenDrafted | StepFinished) -> list[str]:
    file = io.StringIO()
    view = TaskView(Console(file=file, width=200))
    for event in events:
        view.show(event)
    view.close()
    return file.getvalue().splitlines()


def test_drafts_of_parallel_steps_are_not_mixed() -> None:
    lines = shown(
        drafted(1, "one "),
        drafted(2, "둘 "),
        ended(3),
        drafted(1, "uno"),
        drafted(2, "이"),
        ended(1),
        ended(2),
    )
    assert lines == ["draft, answer (step 1): one uno", "draft (step 2): 둘 이"]


def test_a_draft_that_is_held_back_is_shown_at_the_end_at_the_latest() -> None:
    assert shown(drafted(1, "one"), drafted(2, "둘")) == [
        "draft, answer (step 1): one",
        "draft (step 2): 둘",
    ]


WITHHELD = Removed(text="It costs 9 dollars.", flag="unsupported", reason="no passage bears it")


def result(outcome: Answered | Refused) -> tuple[list[str], Any]:
    transcript, file = Transcript(outcome=outcome), io.StringIO()
    show_result(Console(file=file, width=200), transcript)
    return file.getvalue().splitlines(), transcript.as_json()["outcome"]


def test_an_answer_shows_the_support_of_each_sentence() -> None:
    lines, plain = result(
        Answered(
            sentences=(
                Sentence(text="A cache keeps tensors.", citations=(1,), support=0.914),
                Sentence(text="It saves tokens.", citations=(1,), support=1.0, quoted=True),
            ),
            citations=(cite(1, EN_PASSAGES[0]),),
            language="en",
        )
    )
    assert "  support, sentence by sentence: 0.91, quoted" in lines
    assert [each["support"] for each in plain["sentences"]] == [0.914, 1.0]


def test_a_refusal_shows_that_something_was_drafted_and_withheld() -> None:
    lines, plain = result(
        Refused(reason="unsupported", message="…", language="ko", removed=(WITHHELD,))
    )
    assert "1 drafted sentence(s) withheld; --json gives the reasons" in lines
    assert plain["removed"] == [WITHHELD.model_dump()]


def test_the_bill_tells_money_where_there_is_a_price() -> None:
    for cost in (None, Money(amount=Decimal("0.0012345"), currency="KRW")):
        call = CallRecord(
            id="a",
            node="answer",
            prompt_tokens=5,
            cached_tokens=0,
            output_tokens=1,
            seconds=1,
            outcome="ok",
            cost=cost,
        )
        usage = UsageCounted(calls=(call, call), node_seconds={"answer": 1}, seconds=2)
        file = io.StringIO()
        Console(file=file, width=200).print(bill_table(Transcript(usage=usage)))
        assert ("by your prices: 0.002469 KRW" in file.getvalue()) is (cost is not None)
