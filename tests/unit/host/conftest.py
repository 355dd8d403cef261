"""Webhook payloads as GitHub sends them, and a loopback server that speaks its REST API."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

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


class GitHub:
    """GitHub's REST API for Codertocat/Hello-World, under ``/api/v3`` as on GHES.

    Answers three requests from its attributes: a pull request, a page of its files, and a comparison. Each
    may be changed by a test; ``failures`` are sent first.
    """

    ROOT = "/api/v3/repos/Codertocat/Hello-World"

    def __init__(self, server: Any) -> None:
        self.server = server
        self.server.rule = self.answer
        self.api_url = f"{server.base_url}/api/v3"
        self.pull = copy.deepcopy(EXAMPLES["pull_request.opened"]["pull_request"])
        self.merge_base = "c" * 40
        self.files: list[dict[str, Any]] = []
        self.token: str | None = None

    @property
    def requests(self) -> list[str]:
        """Path and query of each request so far."""
        return [request.path.removeprefix(self.ROOT) for request in self.server.requests]

    def fail(self, status: int, message: str = "", **headers: str) -> None:
        """Queue one error answer as GitHub words it."""
        body = {
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
        }
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.server.add(self.server.json(body, status=status, headers=named))

    def change(self, count: int) -> None:
        """Make the pull request change so many files."""
        self.files = [self.file(f"src/{number:05}.py") for number in range(count)]

    @staticmethod
    def file(name: str, status: str = "modified", **more: str) -> dict[str, Any]:
        """One entry of a file list."""
        counts = {"additions": 1, "deletions": 0, "changes": 1}
        return {"sha": "d" * 40, "filename": name, "status": status, **counts, "patch": "@@ -1 +1 @@", **more}

    def answer(self, request: Any) -> Any:
        url, query = urlsplit(request.path), parse_qs(urlsplit(request.path).query)
        number, head = self.pull["number"], self.pull["head"].get("sha")
        if self.token and request.headers.get("authorization") != f"token {self.token}":
            return self.server.json({"message": "Not Found", "status": "404"}, status=404)
        match url.path.removeprefix(self.ROOT).split("/")[1:]:
            case ["pulls", given] if given == str(number):
                return self.server.json(self.pull)
            case ["pulls", given, "files"] if given == str(number):
                return self._page(int(query["page"][0]), int(query["per_page"][0]))
            case ["compare", basehead] if basehead == f"{self.pull['base']['sha']}...{head}":
                return self.server.json(self._comparison())
        return self.server.json({"message": "Not Found", "status": "404"}, status=404)

    def _page(self, page: int, per_page: int) -> Any:
        listed = self.files[:3000]
        return self.server.json(listed[(page - 1) * per_page : page * per_page])

    def _comparison(self) -> dict[str, Any]:
        commit = {"sha": self.merge_base, "commit": {"message": "base"}, "parents": []}
        return {
            "base_commit": commit,
            "merge_base_commit": commit,
            "status": "diverged",
            "ahead_by": 1,
            "behind_by": 2,
            "total_commits": 1,
            "commits": [],
            "files": self.files[:300],
        }


@pytest.fixture
def github(chat_server: Any) -> GitHub:
    """GitHub on loopback."""
    return GitHub(chat_server)
