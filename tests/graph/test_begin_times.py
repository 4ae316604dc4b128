import time

from graph.events import NodeFinished, UsageCounted
from graph.transcript import Transcript
from tests.fakes import make_deps
from tests.graph.test_run import TRUE, events_of


async def test_nodes_and_calls_tell_when_they_began() -> None:
    before_s = time.time()
    events = await events_of(make_deps({"answer": TRUE}))
    nodes = {event.node: event for event in events if isinstance(event, NodeFinished)}
    assert isinstance(events[-1], UsageCounted)
    (call,) = events[-1].calls
    assert call.started_s is not None
    assert before_s <= nodes["retrieve"].started_s <= nodes["answer"].started_s <= call.started_s


async def test_a_transcript_keeps_every_run_of_every_node() -> None:
    transcript = Transcript()
    events = await events_of(make_deps({"answer": TRUE}))
    for event in events:
        transcript.take(event)
    ran = [event for event in events if isinstance(event, NodeFinished)]
    told = [node.model_dump(exclude={"type"}) for node in ran]
    assert transcript.as_json()["usage"]["nodes"] == told
    assert [node.node for node in ran].count("schedule") == 2
