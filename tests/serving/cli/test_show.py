"""What a watcher of a task sees."""

import io

from rich.console import Console

from graph.events import StepFinished, TokenDrafted
from graph.plan import StepResult
from serving.cli.show import TaskView


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
