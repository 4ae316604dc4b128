"""What a task does: it asks the agent, or the engine past the agent."""

from graph.state import AgentInput, Turn
from serving.api.engine import NODE, EngineCall
from serving.store.tasks import TaskRecord

Work = AgentInput | EngineCall


def described(work: Work) -> tuple[str, str]:
    """Its mode, and its question."""
    if isinstance(work, EngineCall):
        return NODE, ""
    return work.get("mode") or "auto", work["question"]


def turn_of(task: TaskRecord) -> Turn:
    """Of a task that was answered or refused, for the next question of its thread."""
    result = task.result or {}
    return Turn(
        question=result["query"] or task.asked["question"], answer=result["outcome"]["text"]
    )


def is_edited(task_input: AgentInput) -> bool:
    """Whether a person has put another plan in the place of the one under review."""
    reviewed = task_input.get("reviewed")
    return reviewed is not None and reviewed.made.maker == "person"
