"""A scripted chat-completions server on loopback, shared by every test that speaks HTTP."""

import gzip
import json
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import hypothesis
import pytest

# The number of examples is limited, not their time, so that no test fails on a slow machine.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names are lower case, repeated ones are joined, ``body`` is raw."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """One scripted response; ``chunks`` form a chunked body, and ``hang_up`` closes before its end."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0
    chunks: tuple[bytes, ...] | None = None
    chunk_delay: float = 0.0
    hang_up: bool = False


Rule = Callable[[Request], Answer]


class ChatServer:
    """Answers from a queue, then by a rule when the queue is empty. An unscripted request gets a 501."""

    def __init__(self, address: tuple[str, int], stopping: threading.Event, *, scheme: str = "http") -> None:
        self.requests: list[Request] = []
        self.rule: Rule = lambda _: self.json({"error": {"message": "unscripted request"}}, status=501)
        self.stopping = stopping
        self._answers: deque[Answer] = deque()
        self._lock = threading.Lock()
        self.base_url = f"{scheme}://{address[0]}:{address[1]}"
        self.url = f"{self.base_url}/v1/chat/completions"

    @property
    def bodies(self) -> list[Any]:
        """Decoded request bodies, in order."""
        return [request.json for request in self.requests]

    def add(self, *answers: Answer) -> None:
        """Queue answers, in order."""
        self._answers.extend(answers)

    def take(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            queued = self._answers.popleft() if self._answers else None
        return queued if queued is not None else self.rule(request)

    @staticmethod
    def json(value: Any, *, status: int = 200, gzipped: bool = False, **options: Any) -> Answer:
        """A JSON response, compact and without ASCII escapes."""
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        if gzipped:
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        return Answer(status=status, headers=headers, body=body, **options)

    @staticmethod
    def raw(body: bytes, *, status: int = 200, **options: Any) -> Answer:
        """A response with any bytes."""
        return Answer(status=status, body=body, **options)

    @staticmethod
    def sse(events: Iterable[Any], **options: Any) -> Answer:
        """A stream of server-sent events: JSON values, or texts such as ``[DONE]``, sent unchanged."""
        chunks = tuple(
            f"data: {event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)}\n\n".encode()
            for event in events
        )
        return ChatServer.chunked(chunks, headers={"Content-Type": "text/event-stream"}, **options)

    @staticmethod
    def chunked(chunks: Iterable[bytes], **options: Any) -> Answer:
        """A chunked body; each chunk is flushed separately."""
        return Answer(chunks=tuple(chunks), **options)

    @staticmethod
    def completion(
        content: str | None = None,
        calls: Iterable[tuple[str, str, str]] = (),
        *,
        finish_reason: str | None = None,
        **options: Any,
    ) -> Answer:
        """A whole reply. ``calls`` are (id, name, arguments as text) and set the default finish reason."""
        tool_calls = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
        message = {"role": "assistant", "content": content} | (
            {"tool_calls": tool_calls} if tool_calls else {}
        )
        finish = finish_reason or ("tool_calls" if tool_calls else "stop")
        usage = options.pop("usage", {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "m-1",
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        } | ({"usage": usage} if usage else {})
        return ChatServer.json(body, **options)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise the two writes of head and body take 40 ms
    timeout = 10
    server: "_Server"

    def _handle(self) -> None:
        chat = self.server.chat
        length = int(self.headers.get("Content-Length", 0))
        names = {name.lower() for name in self.headers}
        headers = {name: ", ".join(self.headers.get_all(name, ())) for name in names}
        answer = chat.take(Request(self.command, self.path, headers, self.rfile.read(length)))
        chat.stopping.wait(answer.delay) if answer.delay else None
        try:
            self._send(answer)
        except OSError:  # the client went away, as tests of timeouts expect
            self.close_connection = True

    do_POST = do_GET = _handle  # noqa: N815 -- http.server's names

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.chunks is None:
            self.send_header("Content-Length", str(len(answer.body) + (1 if answer.hang_up else 0)))
            self.end_headers()
            self.wfile.write(answer.body)
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._send_chunks(answer)
        if answer.hang_up:
            self.close_connection = True

    def _send_chunks(self, answer: Answer) -> None:
        for chunk in answer.chunks or ():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
            self.server.chat.stopping.wait(answer.chunk_delay) if answer.chunk_delay else None
        if not answer.hang_up:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Print nothing; a test reads the requests from the fixture."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    chat: ChatServer

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        """Print nothing; in many tests the client hangs up."""


@contextmanager
def _serving(tls: ssl.SSLContext | None) -> Iterator[ChatServer]:
    stopping = threading.Event()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.chat = ChatServer(server.server_address, stopping, scheme="https" if tls else "http")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server.chat
        stopping.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def start_chat_server() -> Iterator[Callable[..., ChatServer]]:
    """A factory for scripted servers on 127.0.0.1, with TLS if given a context; they stop after the test."""
    with ExitStack() as stack:
        yield lambda tls=None: stack.enter_context(_serving(tls))


@pytest.fixture
def chat_server(start_chat_server: Callable[..., ChatServer]) -> ChatServer:
    """A fresh scripted server on 127.0.0.1."""
    return start_chat_server()


@pytest.fixture
def anyio_backend() -> str:
    """Async tests (``@pytest.mark.anyio``) run on asyncio, as the program does."""
    return "asyncio"
