"""The reader of server-sent events: the same events however the bytes arrive."""

import pytest

from pr_review.llm.server_sent_events import EventReader

FRAMES = [
    (b"data: a\n\n", [b"a"]),
    (b"data:a\r\n\r\n", [b"a"]),
    (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    (b"data: a\ndata: b\n\n", [b"a\nb"]),
    (b"data: a\r\ndata:  b\r\n\r\n", [b"a\n b"]),
    (b": keep-alive\n\ndata: a\n\n", [b"a"]),
    (b"event: x\nid: 1\nretry: 5\ndata: a\n\n", [b"a"]),
    (b"\n\n\ndata: a\n\n\n\n", [b"a"]),
    (b"data: a", [b"a"]),
    (b"data: a\r", [b"a"]),
    (b"data: a\n", [b"a"]),
    (b"data\n\n", [b""]),
    (b"{}\n", []),
    (b"", []),
]


@pytest.mark.parametrize(("stream", "events"), FRAMES)
def test_events_are_the_same_however_the_bytes_arrive(stream, events):
    for size in (1, 2, 3, 1000):
        reader = EventReader()
        pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
        read = [event for piece in pieces for event in reader.feed(piece)]
        assert read + list(reader.close()) == events


def test_an_empty_piece_changes_nothing():
    reader = EventReader()
    read = [event for piece in (b"data: a\r", b"", b"\ndata: b\r\n\r\n") for event in reader.feed(piece)]
    assert read == [b"a\nb"]
