"""How a task looks on a terminal: drafts while it runs, then the answer and its bill."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from graph.answer import Answered, Refused
from graph.events import Event, FailureSeen, PassagesFound, Planned, StepFinished, TokenDrafted
from graph.plan import PlanMade
from graph.transcript import Transcript, total, total_cost

BILL_COLUMNS = ("calls", "prompt", "cached", "output", "seconds")


class TaskView:
    """Prints events as they come. Of the drafts of parallel steps the first that writes is live;
    the others are held back and printed in full when its step has ended."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._drafts: dict[int | None, str] = {}  # held back, by step
        self._live: int | None = None
        self._is_open = False

    def show(self, event: Event) -> None:
        match event:
            case TokenDrafted():
                self._draft(event)
            case PassagesFound():
                places = dict.fromkeys(f"{p.document} p. {p.page}" for p in event.passages)
                pages = ", ".join(places)
                self._say(f"evidence: {len(event.passages)} passages ({pages})")
            case Planned():
                for line in plan_lines(event.made):
                    self._say(line)
            case StepFinished():
                self._end_draft_of(event.result.step)
                if event.result.action == "retrieve" and not event.result.failure:
                    found = len(event.result.passages)
                    self._say(f"step {event.result.step}: {found} further passages")
            case FailureSeen():
                self._end_draft_of(event.step)
                where = event.node if event.step is None else f"{event.node}, step {event.step}"
                again = event.fallback == event.node
                then = "trying again" if again else f"going on with {event.fallback}"
                self._say(f"{where}: {event.message}; {then}", style="yellow")

    def close(self) -> None:
        """Print what is still held back, before the answer."""
        self._end_line()
        for step in list(self._drafts):
            self._print_held(step)

    def _say(self, text: str, style: str = "dim") -> None:
        self._end_line()
        self._console.print(escape(text), style=style, soft_wrap=True)

    def _draft(self, event: TokenDrafted) -> None:
        if self._is_open and event.step != self._live:
            self._drafts[event.step] = self._drafts.get(event.step, "") + event.text
            return
        if not self._is_open:
            self._is_open, self._live = True, event.step
            step = f" (step {event.step})" if event.step else ""
            self._console.print(f"draft, {event.node}{step}: ", end="", style="dim")
        self._console.print(escape(event.text), end="", style="dim italic", soft_wrap=True)

    def _end_draft_of(self, step: int | None) -> None:
        if self._is_open and step == self._live:
            self._end_line()
        if not self._is_open:
            self._print_held(step)

    def _end_line(self) -> None:
        if self._is_open:
            self._is_open = False
            self._console.print()

    def _print_held(self, step: int | None) -> None:
        text = self._drafts.pop(step, "")
        if text:
            where = f"step {step}" if step else "task"
            self._console.print(escape(f"draft ({where}): {text}"), style="dim italic")


def plan_lines(made: PlanMade) -> list[str]:
    """The plan as text, a line a step."""
    makers = {
        "model": "plan by the model",
        "rules": "plan by rules",
        "direct": "no plan needed: direct",
        "person": "plan edited by a person",
    }
    lines = [makers[made.maker] + (f" ({made.reason})" if made.reason else "")]
    for number, step in enumerate(made.plan.steps, start=1):
        about = step.query if step.action == "retrieve" else step.focus
        after = f" (after {', '.join(map(str, step.after))})" if step.after else ""
        lines.append(f"  {number}. {step.action}: {about}{after}")
    return lines


def show_result(console: Console, transcript: Transcript) -> None:
    """The verified answer with its sources, or the refusal; an error goes to stderr."""
    outcome = transcript.outcome
    if isinstance(outcome, Answered):
        console.print(escape(outcome.text), soft_wrap=True)
        for citation in outcome.citations:
            console.print(
                escape(f"  [{citation.number}] {citation.document}, page {citation.page}"),
                style="cyan",
                soft_wrap=True,
            )
        console.print(escape(support_line(outcome)), style="dim", soft_wrap=True)
    elif isinstance(outcome, Refused):
        console.print(escape(f"Refused ({outcome.reason}). {outcome.message}"), soft_wrap=True)
        for nearest in outcome.nearest:
            console.print(
                escape(f"  nearest: {nearest.title} ({nearest.document})"),
                style="dim",
                soft_wrap=True,
            )
    if outcome is not None:
        if outcome.removed:
            console.print(
                f"{len(outcome.removed)} drafted sentence(s) withheld; --json gives the reasons",
                style="dim",
                soft_wrap=True,
            )
        for degraded in outcome.degraded:
            console.print(
                escape(f"Degraded: {degraded.what}: {degraded.why}"),
                style="yellow",
                soft_wrap=True,
            )
    if transcript.error is not None:
        Console(stderr=True, highlight=False).print(
            escape(f"{transcript.error.error}: {transcript.error.message}"),
            style="red",
            soft_wrap=True,
        )


def support_line(answer: Answered) -> str:
    """How well the cited passages bear each sentence, in their order."""
    shares = (
        "quoted" if sentence.quoted else f"{sentence.support:.2f}" for sentence in answer.sentences
    )
    return f"  support, sentence by sentence: {', '.join(shares)}"


def bill_table(transcript: Transcript) -> Table:
    """Calls, tokens and seconds, a row a node, and the total of the task."""
    table = Table(title="What the task cost: model calls, tokens, seconds", title_justify="left")
    table.add_column("node", no_wrap=True)
    for column in BILL_COLUMNS:
        table.add_column(column, justify="right")
    usage = transcript.usage
    if usage is None:
        return table
    for node, seconds in usage.node_seconds.items():
        spent = total(call for call in usage.calls if call.node == node)
        table.add_row(node, *map(str, spent.values()), f"{seconds:.2f}")
    table.add_section()
    table.add_row("total", *map(str, total(usage.calls).values()), f"{usage.seconds:.2f}")
    if (cost := total_cost(usage.calls)) is not None:
        table.caption = f"by your prices: {cost.amount:.6f} {cost.currency}"
    return table


def trace_tree(transcript: Transcript) -> Tree:
    """The task as a tree: nodes with their seconds, below each its model calls with tokens."""
    tree = Tree(f"task {transcript.task_id}")
    usage = transcript.usage
    if usage is None:
        return tree
    for node, seconds in usage.node_seconds.items():
        branch = tree.add(f"{node}  {seconds:.2f} s")
        for call in usage.calls:
            if call.node != node:
                continue
            step = f" step {call.step}" if call.step else ""
            branch.add(
                f"model call{step}, {call.outcome}: {call.seconds:.2f} s, "
                f"{call.prompt_tokens} prompt tokens ({call.cached_tokens} cached), "
                f"{call.output_tokens} output tokens" + (", estimated" if call.estimated else "")
            )
    return tree
