"""Real repositories, and runs of the whole program over them inside this process."""

import io
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from pr_review.domain.run import Outcome
from pr_review.entry.deadline import Deadline
from pr_review.entry.run import ReviewRun
from pr_review.entry.settings import Settings
from pr_review.entry.subject import subject_of_repository
from pr_review.entry.supervise import supervise
from pr_review.errors import PrReviewError

KEY = "sk-integration-test-key"


class Repo:
    """A git repository with a base branch and a topic branch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        identity = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in {"NAME": "T", "EMAIL": "t@example.com", "DATE": "2026-01-01T00:00:00Z"}.items()
        }
        env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=env | identity, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes | None], message: str = "change") -> str:
        self.write(files)
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path):
    """A repository with ``base`` on main and ``head`` on a topic branch, which is checked out."""

    def make(base: dict[str, Any], head: dict[str, Any], name: str = "workspace") -> Repo:
        repo = Repo(tmp_path / name)
        repo.base_sha = repo.commit(base, "base")
        repo.git("checkout", "-q", "-b", "topic")
        repo.head_sha = repo.commit(head, "A topic")
        return repo

    return make


@dataclass
class Reviewed:
    """A finished run."""

    outcome: Outcome
    run: ReviewRun
    log: list[str] = field(default_factory=list)

    @property
    def findings(self) -> list[tuple[str, int | None]]:
        review = self.outcome.review
        return [(found.path, found.line) for found in review.findings] if review else []


@pytest.fixture
def review_repo(tmp_path):
    """Review a repository from main to HEAD; inputs are given as keyword arguments."""

    def review(repo: Repo, *, base: str = "main", head: str = "HEAD", **inputs: Any) -> Reviewed:
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        given = {f"INPUT_{name.replace('_', '-').upper()}": str(value) for name, value in inputs.items()}
        settings = Settings.from_mapping(given)
        deadline = Deadline.after(settings.timeout_seconds, time.monotonic)
        environ = {"PATH": os.environ["PATH"]}
        run = ReviewRun(settings, environ, scratch, deadline, on_turn=lambda _: None)

        def finish(error: PrReviewError | None) -> Outcome:
            return run.known.outcome(error, deadline.elapsed_ms())

        outcome = anyio.run(
            supervise,
            run,
            lambda: subject_of_repository(repo.path, base, head, environ, deadline),
            finish,
        )
        assert list(scratch.iterdir()) == [], "the object store is removed on every way out"
        return Reviewed(outcome, run)

    return review


@pytest.fixture
def chat_inputs(chat_server):
    """Inputs that point at the loopback model."""
    return {"endpoint": chat_server.url, "model": "m-1", "api_key": KEY}


@pytest.fixture
def output():
    return io.StringIO()
