"""Server-sent events, in which wire formats stream their replies.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class EventReader:
    """Splits a stream into events, however its bytes are cut; comments and other fields are skipped."""

    def __init__(self) -> None:
        self._line_parts: list[bytes] = []
        self._data: list[bytes] = []
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that is complete now."""
        if not chunk:
            return
        if self._after_return:  # this line feed belongs to the carriage return before it
            chunk = chunk.removeprefix(b"\n")
        self._after_return = chunk.endswith(b"\r")
        first, *others = _LINE_END.split(chunk)
        self._line_parts.append(first)
        for start in others:
            line = b"".join(self._line_parts)
            self._line_parts = [start]
            yield from self._line(line)

    def close(self) -> Iterator[bytes]:
        """Yield what the last event holds when the stream ended without its empty line."""
        yield from self.feed(b"\n\n")

    def _line(self, line: bytes) -> Iterator[bytes]:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data.clear()
