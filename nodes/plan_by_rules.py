"""A plan without a model: from what the question asks for in so many words."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypedDict

from graph.plan import (
    ACTIONS,
    MAX_RETRIEVALS,
    MAX_STEPS,
    Action,
    Plan,
    PlanMade,
    allowed_actions,
    validate_plan,
)
from graph.ports import Deps
from graph.state import Failure, Task
from nodes.question.intent import Ask, read_intent

FOCUS_CHARS = 200  # what graph.plan allows for a focus and for a query
WORDLESS = "the question"  # the focus for a question without a single word


class PlanByRulesInput(TypedDict):
    query: str
    task: Task
    failures: dict[str, Failure]


class PlanByRulesUpdate(TypedDict):
    made: PlanMade


async def plan_by_rules(state: PlanByRulesInput, deps: Deps) -> PlanByRulesUpdate:
    """The plan when no model makes one: a single step for `direct` and for a plain look-up."""
    question, profile = state["query"], state["task"].profile
    failed = state["failures"].get("plan/0")
    if failed is None and (state["task"].mode == "direct" or read_intent(question).is_look_up):
        action = "personalize" if profile else "answer"
        step = {"action": action, "focus": _cut(question)}
        return {"made": PlanMade(plan=validate_plan({"steps": [step]}), maker="direct")}
    plan = rule_plan(
        question,
        has_profile=profile is not None,
        allowed=allowed_actions(profile),
    )
    return {"made": PlanMade(plan=plan, maker="rules", reason=failed.message if failed else "")}


def rule_plan(question: str, *, has_profile: bool, allowed: Collection[Action] = ACTIONS) -> Plan:
    """A valid plan for any text. `allowed` must hold `answer`, which stands in for what it lacks.

    Compared things are searched one by one (3 at most) before the analysis; separate questions are
    answered in parallel; an order that points back reads the texts that no step reads yet. What is
    written for the reader comes last and reads every other text.
    """
    asks = _open_asks(read_intent(question).asks, allowed)
    if has_profile and "personalize" in allowed and asks[-1].action != "personalize":
        asks.append(Ask(action="personalize", text=_cut(question)))
    if len(asks) > MAX_STEPS:
        asks = _joined(asks, lambda ask: ask.action)
    room = min(MAX_RETRIEVALS, MAX_STEPS - len(asks)) if "retrieve" in allowed else 0
    steps: list[dict[str, object]] = []
    searches: dict[str, int] = {}
    texts: list[int] = []
    unread: list[int] = []
    for ask in asks:
        queries = _queries(ask.compared, room - len(searches))
        for query in queries:
            if query not in searches:
                steps.append({"action": "retrieve", "query": query})
                searches[query] = len(steps)
        earlier = texts if ask.action == "personalize" else unread if ask.points_back else []
        after = [*(searches[query] for query in queries), *earlier]
        steps.append({"action": ask.action, "focus": ask.text, "after": sorted(after)})
        texts.append(len(steps))
        unread = [number for number in texts if number in {*unread, len(steps)} - {*after}]
    return validate_plan({"steps": steps}, allowed=allowed)


def _open_asks(asks: Sequence[Ask], allowed: Collection[Action]) -> list[Ask]:
    """The asks with actions from `allowed` only, no two alike, the reader's own one at the end."""
    found: list[Ask] = []
    for ask in asks:
        action: Action = ask.action if ask.action in allowed else "answer"
        said_otherwise = any(other.text == ask.text for other in asks if other is not ask)
        if ask.action == "personalize" != action and said_otherwise:
            continue  # 'summarize X for a beginner': without a reader the summary is all
        found.append(ask.model_copy(update={"action": action, "text": _cut(ask.text)}))
    found.sort(key=lambda ask: ask.action == "personalize")
    return _joined(
        found, lambda ask: ask.action if ask.action == "personalize" else (ask.action, ask.text)
    )


def _joined(asks: Iterable[Ask], key: Callable[[Ask], object]) -> list[Ask]:
    """One ask for all that share a key."""
    groups: dict[object, Ask] = {}
    for ask in asks:
        first = groups.get(key(ask), ask)
        texts = dict.fromkeys((first.text, ask.text))
        compared = tuple(dict.fromkeys(first.compared + ask.compared))
        groups[key(ask)] = first.model_copy(
            update={"text": _cut(" ".join(texts)), "compared": compared}
        )
    return list(groups.values())


def _queries(things: Sequence[str], room: int) -> list[str]:
    """At most `room` queries for the things; the last takes the things for which none is left."""
    if not things or room < 1:
        return []
    head = things[-1].split()[1:][-1:]  # 'open and closed loops': the query is 'open loops'
    named = [" ".join([thing, *head]) if " " not in thing else thing for thing in things]
    own, shared = named[: room - 1], named[room - 1 :]
    return list(dict.fromkeys(_cut(query) for query in (*own, ", ".join(shared)) if query))


def _cut(text: str) -> str:
    """`text` in one line and within the contract, cut between words where it has any."""
    line = " ".join(text.encode(errors="replace").decode().split())
    if len(line) > FOCUS_CHARS:
        head = line[: FOCUS_CHARS + 1]
        line = head.rsplit(" ", 1)[0] if " " in head[FOCUS_CHARS // 2 :] else head[:FOCUS_CHARS]
    return line or WORDLESS
