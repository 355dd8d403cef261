"""Webhook payloads as GitHub sends them, and its REST API on loopback."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.loopback.github import GitHub

EXAMPLES = json.loads((Path(__file__).parent / "data" / "webhook_examples.json").read_text())


@pytest.fixture
def payload() -> dict[str, Any]:
    """A pull_request payload of Codertocat/Hello-World#2, to be changed at will."""
    return copy.deepcopy(EXAMPLES["pull_request.opened"])


@pytest.fixture
def event_file(tmp_path: Path) -> Callable[[Any], Path]:
    """Writes an event file: bytes as they are, anything else as JSON."""

    def write(content: Any) -> Path:
        path = tmp_path / "event.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


@pytest.fixture
def github(chat_server: Any) -> GitHub:
    """GitHub on loopback."""
    return GitHub(chat_server, "Codertocat/Hello-World", EXAMPLES["pull_request.opened"]["pull_request"])
