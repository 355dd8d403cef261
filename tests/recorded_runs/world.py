"""The surroundings of one run: folders, repository, event, servers and variables; then the process itself."""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from examples.build_sample import REPOSITORY as SAMPLE_REPOSITORY
from examples.build_sample import build as build_sample
from tests.conftest import ChatServer, _serving
from tests.loopback.git import GitServer, serve_git
from tests.loopback.github import GitHub
from tests.loopback.repo import Repo
from tests.loopback.upstream import NAME, TOKEN, build_upstream
from tests.recorded_runs.scenario import Cancel, Event, Files, Remote, Sample, Scenario

ACTION = Path(__file__).parents[2] / "action.yml"
NOBODY = "http://127.0.0.1:9"
SECONDS = 90  # after which a process has failed to end
PIPE_BYTES = 4096  # the least that Linux allows
COMMAND_FILES = {
    "GITHUB_OUTPUT": "outputs",
    "GITHUB_STEP_SUMMARY": "summary.md",
    "GITHUB_ENV": "env",
    "GITHUB_STATE": "state",
    "GITHUB_PATH": "path",
}


@dataclass
class World:
    """The folders and servers of one run; ``environ`` is all that the program's environment holds."""

    root: Path
    model: ChatServer
    closed: str
    environ: dict[str, str] = field(default_factory=dict)
    api: GitHub | None = None
    git: GitServer | None = None

    @property
    def workspace(self) -> Path:
        """The checkout."""
        return self.root / "workspace"

    @property
    def commands(self) -> Path:
        """The runner's own files."""
        return self.root / "commands"

    def folder(self, scenario: Scenario) -> Path:
        """Where the program starts."""
        return self.workspace if scenario.is_action else self.root / "cwd"

    def words(self) -> dict[str, str]:
        """What the words in braces stand for."""
        return {
            "{model}": self.model.base_url,
            "{closed}": self.closed,
            "{git}": self.git.url if self.git else NOBODY,
            "{workspace}": str(self.workspace),
            "{moment}": str(self.root / "moment"),
        }

    def fill(self, text: str) -> str:
        """The text with its words in braces replaced."""
        for word, value in self.words().items():
            text = text.replace(word, value)
        return text


@dataclass(frozen=True)
class Ended:
    """What a process left on its two channels, and its exit code."""

    code: int
    stdout: bytes
    stderr: bytes


@contextmanager
def build_world(scenario: Scenario) -> Iterator[World]:
    """Everything that the scenario describes, until the block is left."""
    with ExitStack() as stack:
        place = tempfile.TemporaryDirectory(prefix="recorded-", ignore_cleanup_errors=True)
        root = Path(stack.enter_context(place)).resolve()
        closed = stack.enter_context(socket.socket())
        closed.bind(("127.0.0.1", 0))  # without listening: whoever connects is refused
        model = stack.enter_context(_serving(None))
        model.add(*scenario.answers)
        model.rule = lambda _: scenario.then
        world = World(root, model, f"http://127.0.0.1:{closed.getsockname()[1]}")
        for name in ("home", "tmp", "cwd", "commands"):
            (root / name).mkdir()
        world.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(root / "home"),
            "TMPDIR": str(root / "tmp"),
            "COLUMNS": "100",
        }
        _build_repository(world, scenario, stack)
        _fill_environment(world, scenario)
        _wrap_git(world, scenario.git)
        for name, content in scenario.loose.items():
            path = world.folder(scenario) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield world


def _build_repository(world: World, scenario: Scenario, stack: ExitStack) -> None:
    match scenario.repository:
        case Files() as files:
            _build_files(world, files, scenario.event)
        case Sample():
            build_sample(world.root)
            world.environ["GITHUB_REPOSITORY"] = SAMPLE_REPOSITORY
        case Remote():
            _build_remote(world, scenario, stack)
        case _:
            world.workspace.mkdir()
            _write_event(world, scenario.event, {})


@dataclass(frozen=True)
class Built:
    """A repository to copy from, and its two commits."""

    path: Path
    base: str
    head: str


class Builder:
    """Makes each repository once; a copy is much cheaper."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="recorded-")
        self._built: dict[int, Built] = {}
        self._lock = threading.Lock()

    def copy(self, files: Files, target: Path) -> Built:
        """A copy at ``target``, which must not be there."""
        with self._lock:
            if id(files) not in self._built:
                self._built[id(files)] = self._build(files)
        built = self._built[id(files)]
        shutil.copytree(built.path, target, symlinks=True)
        return built

    def _build(self, files: Files) -> Built:
        repo = Repo(Path(self._folder.name, str(len(self._built))))
        base = repo.commit(dict(files.base), "base")
        repo.git("checkout", "-q", "-b", "topic")
        for name, target in files.links.items():
            (repo.path / name).symlink_to(target)
        return Built(repo.path, base, repo.commit(dict(files.head), "A topic"))


BUILDER = Builder()


def _build_files(world: World, files: Files, event: Event) -> None:
    built = BUILDER.copy(files, world.workspace)
    repository = {"full_name": NAME}
    _write_event(
        world,
        event,
        {
            "number": 7,
            "title": "A topic",
            "body": "Why.",
            "user": {"login": "octocat"},
            "base": {"ref": "main", "sha": built.base, "repo": repository},
            "head": {"ref": "topic", "sha": built.head, "repo": repository},
        },
    )


def _build_remote(world: World, scenario: Scenario, stack: ExitStack) -> None:
    """A git server and GitHub's API, both with a token, and a checkout made from them."""
    server = world.git = stack.enter_context(serve_git(world.root / "server"))
    server.token = TOKEN
    upstream = build_upstream(server)
    api = world.api = GitHub(stack.enter_context(_serving(None)), NAME, upstream.pull())
    api.token = TOKEN
    upstream.describe(api)
    if scenario.github:
        scenario.github(api)
    _write_event(world, scenario.event, upstream.pull())
    upstream.check_out(world.workspace)
    server.forget()
    world.environ |= {
        "GITHUB_SERVER_URL": server.url,
        "GITHUB_API_URL": api.api_url,
        "INPUT_GITHUB-TOKEN": TOKEN,
    }


def _write_event(world: World, event: Event, pull: Mapping[str, Any]) -> None:
    path = world.root / "event.json"
    if event.missing:
        return
    if event.raw is not None:
        path.write_bytes(event.raw)
        return
    described = {**pull, **event.pull}
    if event.fork:
        described["head"] = {**described["head"], "repo": {"full_name": "stranger/demo"}}
    payload = {"action": "opened", "pull_request": described, "sender": {"login": event.sender}}
    path.write_text(json.dumps(payload), encoding="utf-8")


def _fill_environment(world: World, scenario: Scenario) -> None:
    """As GitHub's runner sets it for the action; a person's command has its inputs and nothing else."""
    environ = world.environ
    inputs = {f"INPUT_{name.upper()}": value for name, value in scenario.inputs.items()}
    if scenario.is_action:
        environ = _runner_variables(world, scenario.event) | environ
    else:
        environ = {name: value for name, value in environ.items() if not name.startswith("GITHUB_")}
    environ = {**environ, **inputs, **scenario.environ}
    world.environ = {name: world.fill(value) for name, value in environ.items() if value is not None}


def _runner_variables(world: World, event: Event) -> dict[str, str]:
    for name in COMMAND_FILES.values():
        (world.commands / name).touch()
    declared = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    return {
        **{f"INPUT_{name.upper()}": "" for name in declared},
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(world.workspace),
        "GITHUB_EVENT_NAME": event.name,
        "GITHUB_EVENT_PATH": str(world.root / "event.json"),
        "GITHUB_REPOSITORY": NAME,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_API_URL": NOBODY,
        "RUNNER_TEMP": str(world.root / "tmp"),
        **{variable: str(world.commands / name) for variable, name in COMMAND_FILES.items()},
    }


def _wrap_git(world: World, replaced: Mapping[str, str]) -> None:
    """A git, first on PATH, that does something else for some subcommands."""
    if not replaced:
        return
    real = shutil.which("git")
    folder = world.root / "bin"
    folder.mkdir()
    cases = "".join(f'*" {name} "*) {world.fill(shell)};;\n' for name, shell in replaced.items())
    script = folder / "git"
    script.write_text(f'#!/bin/sh\ncase " $* " in\n{cases}esac\nexec "{real}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    world.environ["PATH"] = f"{folder}:{world.environ['PATH']}"


def run_program(world: World, scenario: Scenario, python: str) -> Ended:
    """Start the program and wait for its end; a signal is sent at the scenario's moment."""
    cancel = scenario.cancel
    flags = ["-I", "-B", *(["-X", "importtime"] if cancel and cancel.module else [])]
    arguments = [world.fill(word) for word in scenario.command]
    process = subprocess.Popen(
        [python, *flags, "-m", "pr_review", *arguments],
        cwd=world.folder(scenario),
        env=world.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        if cancel:
            _wait_for_the_moment(process, world, cancel)
            process.send_signal(cancel.number)
        stdout, stderr = process.communicate(scenario.stdin, timeout=SECONDS)
    finally:
        process.kill()
    if cancel and cancel.module:
        stderr = b"".join(line for line in stderr.splitlines(True) if not line.startswith(b"import time:"))
    return Ended(process.returncode, stdout, stderr)


def _wait_for_the_moment(process: subprocess.Popen[bytes], world: World, cancel: Cancel) -> None:
    if cancel.module:
        _read_until_imported(process, cancel.module)
    elif cancel.git:
        _wait_until((world.root / "moment").exists)
    else:
        _wait_until(lambda: len(world.model.requests) >= cancel.requests)


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the moment of the signal never came")
        time.sleep(0.005)


def _read_until_imported(process: subprocess.Popen[bytes], module: str) -> None:
    """Read import times up to a module's; a small pipe keeps the process from running on meanwhile."""
    channel = process.stderr
    if channel is None:
        raise TypeError("no stderr to read from")
    fcntl.fcntl(channel, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    for line in channel:
        if line.rpartition(b"|")[2].strip() == module.encode():
            return
    raise TimeoutError(f"{module} was never imported")
