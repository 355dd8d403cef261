"""PyPI ``llmock``: it plays queued answers and faults; the fixtures start it and queue them."""

import json
import urllib.request

import pytest
from tests.peers.serving import free_port, serving


@pytest.fixture(scope="session")
def start_llmock(environment, tmp_path_factory):
    """Start the server with options of ``llmock serve``."""
    program = environment("llmock") / "bin/llmock"

    def run(*options):
        folder, port = tmp_path_factory.mktemp("llmock"), free_port()
        command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port), *options]
        return serving(command, port, "/health", folder / "log")

    run.program = program
    return run


@pytest.fixture(scope="session")
def llmock(start_llmock):
    with start_llmock("--stream-chunk-delay-ms", "30") as url:  # time to notice that a client stopped reading
        yield url


@pytest.fixture
def script_llmock(llmock):
    """Reset the server, and queue the answers to the next requests."""

    def run(*behaviors):
        for path, body in (("reset", {}), ("scenario", {"behaviors": behaviors})):
            data = json.dumps(body).encode()
            urllib.request.urlopen(f"{llmock}/_llmock/{path}", data=data, timeout=10).close()
        return llmock

    return run
