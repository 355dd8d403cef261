"""Real repositories, and runs of the whole program over them inside this process."""

import io
import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from tests.loopback.git import GitServer, serve_git
from tests.loopback.github import GitHub
from tests.loopback.repo import Repo
from tests.loopback.upstream import NAME, TOKEN, Upstream, build_upstream

from pr_review.actions.runner import Runner
from pr_review.app.action import run_action
from pr_review.app.cancellation import received_signals
from pr_review.app.cli import run_command
from pr_review.app.deadline import Deadline, Sleeps, utc_today
from pr_review.app.local_target import target_of_repository
from pr_review.app.outcome import build_outcome
from pr_review.app.process import Process
from pr_review.app.run import Job, RunEnd, run
from pr_review.app.run_state import RunState
from pr_review.config.settings import Settings
from pr_review.domain.run import Outcome

SCHEMA = Path(__file__).parents[2] / "docs" / "review.schema.json"
KEY = "sk-integration-test-key"


def build_repo(path: Path, base: dict[str, Any], head: dict[str, Any]) -> Repo:
    """``base`` on main and ``head`` on a topic branch, which is checked out."""
    repo = Repo(path)
    repo.base_sha = repo.commit(base, "base")
    repo.git("checkout", "-q", "-b", "topic")
    repo.head_sha = repo.commit(head, "A topic")
    return repo


@pytest.fixture(scope="session")
def built_repo(tmp_path_factory):
    """Each repository is built once; nobody writes to it."""
    built: dict[Any, Repo] = {}

    def build(base: dict[str, Any], head: dict[str, Any]) -> Repo:
        key = (*base.items(), "then", *head.items())
        if key not in built:
            built[key] = build_repo(tmp_path_factory.mktemp("built") / "repo", base, head)
        return built[key]

    return build


@pytest.fixture
def make_repo(tmp_path, built_repo):
    """A repository of its own for each test, copied from one that was built once."""

    def make(base: dict[str, Any], head: dict[str, Any], name: str = "workspace") -> Repo:
        return built_repo(base, head).copy_to(tmp_path / name)

    return make


@dataclass
class Reviewed:
    """A finished run."""

    outcome: Outcome
    state: RunState

    @property
    def findings(self) -> list[tuple[str, int | None]]:
        review = self.outcome.review
        return [(found.path, found.line) for found in review.findings] if review else []


def make_process(environ: Mapping[str, str], cwd: Path, out: io.StringIO, **fields: Any) -> Process:
    """A process of its own inside this one; it never waits between attempts."""
    known: dict[str, Any] = {
        "environ": environ,
        "cwd": cwd,
        "clock": time.monotonic,
        "random_hex": lambda: secrets.token_hex(16),
        "stdin": io.BytesIO(),
        "stdout": out,
        "stderr": out,
        "sleeps": Sleeps(lambda _seconds: None, no_sleep),
    }
    return Process(**known | fields)


async def no_sleep(_seconds: float) -> None:
    """The wait of a test."""


@pytest.fixture
def review_repo(tmp_path):
    """Review a repository from main to HEAD; inputs are given as keyword arguments."""

    def review(repo: Repo, *, base: str = "main", head: str = "HEAD", **inputs: Any) -> Reviewed:
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        given = {f"INPUT_{name.replace('_', '-').upper()}": str(value) for name, value in inputs.items()}
        settings = Settings.from_mapping(given | {"INPUT_WORKSPACE-ROOT": str(scratch)})
        process = make_process({"PATH": os.environ["PATH"]}, repo.path, io.StringIO())
        deadline = Deadline.after(settings.timeout_seconds, process)
        find_target = partial(target_of_repository, repo.path, base, head, process.environ, deadline)
        runner = Runner(process.stdout, process.random_hex)
        job = Job(settings, find_target, process, runner, tmp_path, deadline)
        state, error = anyio.run(run_alone, job)
        assert list(scratch.iterdir()) == [], "the object store is removed on every way out"
        return Reviewed(build_outcome(state, error, deadline.elapsed_ms()), state)

    return review


@dataclass(frozen=True)
class Done:
    """A command of the program that has ended."""

    returncode: int
    stdout: str
    stderr: str


class CommandLine:
    """Runs ``pr-review`` inside this process, in an empty folder, with only PATH in its environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def __call__(self, *arguments: str, stdin: str = "", **environ: str) -> Done:
        out, err = io.StringIO(), io.StringIO()
        process = make_process(
            {"PATH": os.environ["PATH"], **environ},
            self.folder,
            out,
            stderr=err,
            stdin=io.BytesIO(stdin.encode()),
        )
        with redirect_stdout(out), redirect_stderr(err):  # argparse prints by itself
            try:
                code = run_command(arguments, process)
            except SystemExit as end:
                code = int(end.code or 0)
        return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture
def cli(tmp_path) -> CommandLine:
    """``cli("local", "--repo", path, NAME=value)``: a command, its output, its exit code."""
    return CommandLine(tmp_path / "cwd")


async def run_alone(job: Job) -> RunEnd:
    """A run without its reports."""
    async with received_signals() as signals:
        return await run(job, signals)


@pytest.fixture
def chat_inputs(chat_server):
    """Inputs that point at the loopback model."""
    return {"endpoint": chat_server.url, "model": "m-1", "api_key": KEY}


@pytest.fixture
def output():
    return io.StringIO()


OUTPUT = re.compile(r"([\w-]+)<<([0-9a-f]+)\n(.*?)\n\2\n", re.DOTALL)


@dataclass(frozen=True)
class ActionResult:
    """What the runner sees of one run of the action."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    workspace: Path

    @property
    def artifact(self) -> Any:
        """The decoded report; it must be valid against the published schema."""
        report = json.loads((self.workspace / self.outputs["report-path"]).read_text(encoding="utf-8"))
        Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(report)
        return report


class ActionBox:
    """What a runner gives one step: event file, command files, variables."""

    def __init__(self, root: Path, workspace: Path) -> None:
        self.root = root
        self.workspace = workspace
        self.event_path = root / "event.json"
        self.today = utc_today
        for name in ("output", "summary"):
            (root / name).touch()
        (root / "scratch").mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.event_path),
            "GITHUB_REPOSITORY": "octo/demo",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_OUTPUT": str(root / "output"),
            "GITHUB_STEP_SUMMARY": str(root / "summary"),
            "INPUT_WORKSPACE-ROOT": str(root / "scratch"),
        }

    def write_event(self, base_sha: str, head_sha: str, **fields: Any) -> None:
        repository = {"full_name": "octo/demo"}
        pull = {
            "number": 7,
            "title": "A topic",
            "body": "Why.",
            "user": {"login": "octocat"},
            "base": {"ref": "main", "sha": base_sha, "repo": repository},
            "head": {"ref": "topic", "sha": head_sha, "repo": repository},
        }
        event = {"action": "opened", "pull_request": pull | fields, "sender": {"login": "octocat"}}
        self.event_path.write_text(json.dumps(event), encoding="utf-8")

    def variables(self, **inputs: Any) -> dict[str, str]:
        given = {f"INPUT_{name.replace('_', '-').upper()}": str(value) for name, value in inputs.items()}
        return self.environ | given

    def run(self, **inputs: Any) -> ActionResult:
        """Run the action inside this process."""
        log = io.StringIO()
        process = make_process(self.variables(**inputs), self.workspace, log, today=self.today)
        return self.result(run_action(process), log.getvalue())

    def start(self, **inputs: Any) -> subprocess.Popen[str]:
        """Start the action as a process of its own, as the container does."""
        return subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "pr_review", "action"],
            env=self.variables(**inputs),
            cwd=self.workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self, code: int, log: str) -> ActionResult:
        output = (self.root / "output").read_text(encoding="utf-8")
        outputs = {name: value for name, _, value in OUTPUT.findall(output)}
        outputs |= dict(re.findall(r"^([\w-]+)=(.*)$", output, re.MULTILINE))
        summary = (self.root / "summary").read_text(encoding="utf-8")
        return ActionResult(code, log, outputs, summary, self.workspace)


@pytest.fixture
def make_box(tmp_path):
    """The runner around a workspace."""

    def make(workspace: Path) -> ActionBox:
        root = tmp_path / "runner"
        root.mkdir()
        return ActionBox(root, workspace)

    return make


@pytest.fixture
def action_box(make_repo, make_box):
    """A checkout of a small pull request, and the runner around it."""
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 1\n\n\ndef f(x=[]):\n    return x\n"})
    box = make_box(repo.path)
    box.repo = repo
    box.write_event(repo.base_sha, repo.head_sha)
    return box


@pytest.fixture(scope="module")
def git_server(tmp_path_factory) -> Iterator[GitServer]:
    with serve_git(tmp_path_factory.mktemp("server")) as server:
        server.token = TOKEN
        yield server


@pytest.fixture(scope="module")
def upstream(git_server) -> Upstream:
    """Pull request 7 of octo/demo, on a git server that wants a token."""
    return build_upstream(git_server)


@pytest.fixture
def github(start_chat_server, upstream) -> GitHub:
    """The API that knows this pull request and wants the same token."""
    api = GitHub(start_chat_server(), NAME, upstream.pull())
    api.token = TOKEN
    upstream.describe(api)
    return api


@pytest.fixture
def remote_box(tmp_path, make_box, upstream, github):
    """The runner around a workspace that was checked out from the loopback GitHub."""

    def make(event: Any = None, *, name: str = "pull_request") -> ActionBox:
        box = make_box(tmp_path / "workspace")
        box.environ |= {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_SERVER_URL": upstream.server.url,
            "GITHUB_API_URL": github.api_url,
            "INPUT_GITHUB-TOKEN": TOKEN,
        }
        event = event or {"action": "opened", "pull_request": upstream.pull()}
        box.event_path.write_text(json.dumps(event), encoding="utf-8")
        return box

    return make
