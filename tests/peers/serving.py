"""Starts a peer in its own process, and waits until it answers."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

# LiteLLM compiles its byte code at its first start. A server that ends is noticed at once.
START_SECONDS = 300.0
KEY = "sk-peer-0123456789abcdef0123456789abcdef"  # long enough for a LiteLLM proxy


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@contextmanager
def serving(
    command: Sequence[str], port: int, health: str, log: Path, environ: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The base URL of a server on ``port`` that answers ``GET health``; it is stopped afterwards."""
    url = f"http://127.0.0.1:{port}"
    env = {"PATH": os.environ["PATH"], "HOME": str(log.parent)} | dict(environ or {})
    with (
        log.open("wb") as output,
        subprocess.Popen(command, env=env, stdout=output, stderr=output) as process,
    ):
        try:
            _wait_for(url + health, process, log)
            yield url
        finally:
            process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"the peer did not start:\n{log.read_text(errors='replace')[-2000:]}")
