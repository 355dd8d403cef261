"""GitHub's REST API for one repository, on a scripted loopback server."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

EXAMPLES = json.loads((Path(__file__).parent / "github_answers.json").read_text(encoding="utf-8"))


def overlay(example: Any, wanted: Mapping[str, Any]) -> Any:
    """Return GitHub's example with our values: objects are merged by key, other values are replaced."""
    if not isinstance(example, dict):
        return copy.deepcopy(wanted)
    merged = copy.deepcopy(example)
    for key, value in wanted.items():
        merged[key] = overlay(merged.get(key), value) if isinstance(value, dict) else copy.deepcopy(value)
    return merged


class GitHub:
    """Answers three requests from its attributes; a test may change each attribute.

    The requests are a pull request, a page of its files, and a comparison of its base with any head.
    ``pull`` gives the fields of the pull request that differ from GitHub's own example. The paths start with
    ``/api/v3``, as on GitHub Enterprise Server. Answers queued by ``fail`` are sent first. After a ``token``
    is set, a request without it gets a 404.
    """

    def __init__(self, server: Any, full_name: str, pull: Mapping[str, Any]) -> None:
        self.server = server
        self.server.rule = self.answer
        self.api_url = f"{server.base_url}/api/v3"
        self.root = f"/api/v3/repos/{full_name}"
        self.pull = overlay(EXAMPLES["pull"], pull)
        self.merge_base = "c" * 40
        self.files: list[dict[str, Any]] = []
        self.token: str | None = None

    @property
    def requests(self) -> list[str]:
        """Path and query of each request so far."""
        return [request.path.removeprefix(self.root) for request in self.server.requests]

    def fail(self, status: int, message: str = "", **headers: str) -> None:
        """Queue one error answer as GitHub words it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.server.add(self.error(status, message, headers=named))

    def error(self, status: int, message: str, **options: Any) -> Any:
        """An error answer."""
        body = {
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
        }
        return self.server.json(body, status=status, **options)

    def change(self, count: int) -> None:
        """Make the pull request change so many files."""
        self.files = [self.file(f"src/{number:05}.py") for number in range(count)]

    @staticmethod
    def file(name: str, status: str = "modified", **more: str) -> dict[str, Any]:
        """One entry of a file list."""
        return EXAMPLES["file"] | {"filename": name, "status": status} | more

    def answer(self, request: Any) -> Any:
        """The rule of the server."""
        url, query = urlsplit(request.path), parse_qs(urlsplit(request.path).query)
        number, base = self.pull["number"], self.pull["base"]["sha"]
        if self.token and request.headers.get("authorization") != f"token {self.token}":
            return self.error(404, "Not Found")
        match url.path.removeprefix(self.root).split("/")[1:]:
            case ["pulls", given] if given == str(number):
                return self.server.json(self.pull)
            case ["pulls", given, "files"] if given == str(number):
                return self._page(int(query.get("page", ["1"])[0]), int(query["per_page"][0]))
            case ["compare", basehead] if basehead.startswith(f"{base}..."):
                return self.server.json(self._comparison())
        return self.error(404, "Not Found")

    def _page(self, page: int, per_page: int) -> Any:
        listed = self.files[:3000]
        return self.server.json(listed[(page - 1) * per_page : page * per_page])

    def _comparison(self) -> dict[str, Any]:
        wanted = {
            "merge_base_commit": {"sha": self.merge_base},
            "status": "diverged",
            "behind_by": 2,
            "files": self.files[:300],
        }
        return overlay(EXAMPLES["comparison"], wanted)
