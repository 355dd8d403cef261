"""The loopback GitHub answers as GitHub's own OpenAPI description says; opt-in: ``make test-github``."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.loopback.github import GitHub

from pr_review.github.client import GitHubClient
from pr_review.github.event import EventKind, ReviewRequest
from pr_review.github.pull_requests import GitHubPulls

ROOT = Path(__file__).parents[2]
NPM = Path(os.environ.get("PR_REVIEW_NPM", ROOT / ".build" / "npm")) / "node_modules"
DESCRIPTION = NPM / "@octokit/openapi/generated/api.github.com.json"
PRISM = NPM / ".bin/prism"
WEBHOOKS = ROOT / "tests/unit/github/data/webhook_examples.json"

REPOSITORY = "/repos/{owner}/{repo}"
PATHS = (
    f"{REPOSITORY}/pulls/{{pull_number}}",
    f"{REPOSITORY}/pulls/{{pull_number}}/files",
    f"{REPOSITORY}/compare/{{basehead}}",
)
PULLS = {
    "plain": {"number": 2, "base": {"sha": "a" * 40}, "head": {"sha": "b" * 40}},
    "webhook": json.loads(WEBHOOKS.read_text())["pull_request.opened"]["pull_request"],
}

REQUEST = ReviewRequest(
    kind=EventKind.WORKFLOW_DISPATCH, owner="Codertocat", repository="Hello-World", number=2
)

pytestmark = pytest.mark.skipif(
    not (DESCRIPTION.exists() and PRISM.exists()),
    reason="npm packages are missing: see make test-github",
)


def references(part: Any) -> Iterator[str]:
    """Every ``$ref`` of a part of the description."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from [value] if key == "$ref" and isinstance(value, str) else references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def trimmed(description: dict[str, Any]) -> dict[str, Any]:
    """The description of our three requests, with the components that they need: a proxy starts at once."""
    components: dict[str, Any] = {}
    paths = {path: {"get": description["paths"][path]["get"]} for path in PATHS}
    todo: list[Any] = [paths]
    while todo:
        for reference in references(todo.pop()):
            kind, name = reference.removeprefix("#/components/").split("/")
            known = components.setdefault(kind, {})
            if name not in known:
                known[name] = description["components"][kind][name]
                todo.append(known[name])
    head = {"openapi": description["openapi"], "info": description["info"]}
    return head | {"servers": [{"url": "/"}], "paths": paths, "components": components}


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """A process that listens on a port; ended with the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture(scope="module")
def description(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("openapi") / "description.json"
    path.write_text(json.dumps(trimmed(json.loads(DESCRIPTION.read_bytes()))))
    return path


@pytest.fixture(params=PULLS)
def github(request, chat_server) -> GitHub:
    return GitHub(chat_server, "Codertocat/Hello-World", PULLS[request.param])


@pytest.fixture
def proxy(github, description) -> Iterator[str]:
    """The URL of Prism before the loopback GitHub: what GitHub would not ask or answer so becomes a 500."""
    port = free_port()
    command = [str(PRISM), "proxy", "--errors", "--port", str(port), str(description), github.api_url]
    with running(command, port):
        yield f"http://127.0.0.1:{port}"


def test_a_whole_conversation_is_as_github_describes_it(github, proxy):
    github.change(301)
    client = GitHubClient(proxy, None, remaining=lambda: 60.0, sleep=lambda _: None)
    with closing(GitHubPulls(client, "https://github.com")) as pulls:
        pull = pulls.complete(REQUEST).pull_request
        assert (
            pulls.merge_base(pull.owner, pull.repository, pull.base_sha, pull.head_sha) == github.merge_base
        )
        assert len(pulls.changed_files(pull).files) == 301
    for path in dict.fromkeys(github.requests):
        answer = httpx.get(f"{proxy}/repos/Codertocat/Hello-World{path}")
        assert answer.status_code == 200, f"{path}: {answer.text}"
    missing = httpx.get(f"{proxy}/repos/Codertocat/Hello-World/pulls/99")
    assert missing.status_code == 404, missing.text


@pytest.mark.parametrize("github", ["plain"], indirect=True)
@pytest.mark.parametrize("change", [{"title": 7}, {"state": "ajar"}, {"head": {"ref": "main"}}])
def test_the_proxy_sees_an_answer_that_is_not_github_s(github, proxy, change):
    """A guard of the guard."""
    github.pull |= change
    answer = httpx.get(f"{proxy}/repos/Codertocat/Hello-World/pulls/2")
    assert answer.status_code == 500
    assert "VIOLATIONS" in answer.text
