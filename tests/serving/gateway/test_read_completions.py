"""Server-sent events, read as they come."""

from collections.abc import AsyncIterator, Sequence

import pytest

from serving.gateway.read_completions import MAX_EVENT_BYTES, event_data


async def pieces(*sent: bytes) -> AsyncIterator[bytes]:
    for one in sent:
        yield one


async def read(sent: Sequence[bytes]) -> list[bytes]:
    return [data async for data in event_data(pieces(*sent))]


STREAMS = {
    b'data: {"a": 1}\n\ndata: [DONE]\n\n': [b'{"a": 1}', b"[DONE]"],
    b"data: \xed\x95\x9c\r\n\r\ndata:b\r\n\r\n": ["한".encode(), b"b"],
    b"data: a\r\rdata: b\r\r": [b"a", b"b"],
    b": a heartbeat\n\nevent: message\nid: 1\ndata: a\n\nretry: 5\n\n": [b"a"],
    b"data: of two\r\ndata:  lines\r\n\r\n": [b"of two\n lines"],
    b"data\n\ndatabase: none\n\ndata: a\n\n": [b"a"],
    b"data: whole\n\ndata: broken o": [b"whole"],
    b"\n\n\n": [],
    b"": [],
}


@pytest.mark.parametrize(("stream", "events"), STREAMS.items())
async def test_events_are_the_same_wherever_their_bytes_are_cut(
    stream: bytes, events: list[bytes]
) -> None:
    assert await read([stream]) == events
    assert await read([stream[at : at + 1] for at in range(len(stream))]) == events
    for cut in range(len(stream)):
        assert await read([stream[:cut], stream[cut:]]) == events


@pytest.mark.parametrize("piece", [b"a" * 1_000, b"data: " + b"a" * 1_000 + b"\n"])
async def test_an_event_that_does_not_end_is_given_up(piece: bytes) -> None:
    with pytest.raises(ValueError, match="an event has over"):
        await read([piece] * (MAX_EVENT_BYTES // 1_000 + 1))
