"""Git's own HTTP backend on loopback, as GitHub serves repositories: ``/owner/name``, with a token."""

import base64
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class GitServer:
    """Serves the repositories below ``root``. With a ``token``, a client must send it.

    ``authorizations`` are the headers received. ``fetches`` counts the fetches. ``watch`` is called at each
    request, while the client's processes run.
    """

    root: Path
    url: str = ""
    token: str | None = None
    fetches: int = 0
    authorizations: set[str | None] = field(default_factory=set)
    watch: Callable[[], None] = lambda: None

    def forget(self) -> None:
        """Forget all requests so far."""
        self.fetches = 0
        self.authorizations.clear()

    def authorization(self) -> str | None:
        """The header that lets a client in."""
        if self.token is None:
            return None
        return f"Basic {base64.b64encode(f'x-access-token:{self.token}'.encode()).decode()}"

    def answer(self, request: BaseHTTPRequestHandler) -> bytes:
        """Status line, headers and body of one answer."""
        self.watch()
        given = request.headers.get("Authorization")
        self.authorizations.add(given)
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        path, _, query = request.path.partition("?")
        self.fetches += path.endswith("/info/refs")
        if self.token and given != self.authorization():
            return b'HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n'
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": request.command,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        status = b"200 OK"
        if head.startswith(b"Status: "):
            status, _, head = head.removeprefix(b"Status: ").partition(b"\r\n")
        return b"HTTP/1.0 " + status + b"\r\n" + head + b"\r\n\r\n" + content


@contextmanager
def serve_git(root: Path) -> Iterator[GitServer]:
    """A running server; stopped when the block is left."""
    state = GitServer(root)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.wfile.write(state.answer(self))

        do_GET = do_POST = answer  # noqa: N815 -- http.server's names

        def log_message(self, *_: object) -> None:
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield state
        server.shutdown()
        thread.join()
