"""GitHub's runner as a container action sees it: folders, mounts, variables, cancellation.

It follows ContainerActionHandler and ProcessInvoker of actions/runner. The container runs as root without
`--user` and `--init`. The variable of an input is ``INPUT_`` and its upper-case name; only spaces become
underscores. A cancelled step gets SIGINT, then SIGTERM after 7.5 s, and is killed 2.5 s later.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.container.engine import Engine

RUNNER_UID = 1001  # the hosted runner's user, while the container's is root
GRACE = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5))
STEP_SECONDS = 120

FILE_COMMANDS = {
    "GITHUB_OUTPUT": "set_output",
    "GITHUB_STEP_SUMMARY": "step_summary",
    "GITHUB_ENV": "set_env",
    "GITHUB_PATH": "add_path",
    "GITHUB_STATE": "save_state",
}
CONSTANT = {
    "HOME": "/github/home",
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_WORKSPACE": "/github/workspace",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_REF_PROTECTED": "false",
    "GITHUB_ACTOR": "ada-example",
    "GITHUB_TRIGGERING_ACTOR": "ada-example",
    "GITHUB_RUN_ID": "1",
    "GITHUB_RUN_NUMBER": "1",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_JOB": "review",
    "GITHUB_WORKFLOW": "review",
    "GITHUB_RETENTION_DAYS": "90",
    "GITHUB_ACTION": "__self",
    "GITHUB_ACTION_REPOSITORY": "",
    "GITHUB_ACTION_REF": "",
    "RUNNER_OS": "Linux",
    "RUNNER_ARCH": "X64",
    "RUNNER_NAME": "hosted",
    "RUNNER_ENVIRONMENT": "github-hosted",
    "RUNNER_TEMP": "/github/runner_temp",
    "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache",
    "RUNNER_WORKSPACE": "/home/runner/work/parcel",
    "ACTIONS_RUNTIME_URL": "http://127.0.0.1:9/",
    "ACTIONS_RUNTIME_TOKEN": "runtime-token-of-the-runner",
    "ACTIONS_RESULTS_URL": "http://127.0.0.1:9/",
    "ACTIONS_CACHE_URL": "http://127.0.0.1:9/",
}


@dataclass(frozen=True)
class Step:
    """The results of a finished step; ``signals`` are the signals that were needed to end it."""

    exit_code: int
    log: str
    seconds: float
    workspace: Path
    commands: Path
    signals: tuple[signal.Signals, ...] = ()

    @cached_property
    def outputs(self) -> dict[str, str]:
        """``$GITHUB_OUTPUT``, parsed as the runner does."""
        return parse_outputs((self.commands / "set_output_1").read_text(encoding="utf-8"))

    @cached_property
    def summary(self) -> str:
        """``$GITHUB_STEP_SUMMARY``."""
        return (self.commands / "step_summary_1").read_text(encoding="utf-8")

    @cached_property
    def report(self) -> Any:
        """The JSON artifact that the output ``report-path`` names."""
        return json.loads((self.workspace / self.outputs["report-path"]).read_text(encoding="utf-8"))


@dataclass
class Job:
    """One job's folders in ``root``, and how its steps run; ``context`` holds the event's variables."""

    engine: Engine
    image: str
    root: Path
    context: Mapping[str, str]
    owner: int = field(init=False)

    def __post_init__(self) -> None:
        self.workspace = self.root / "parcel" / "parcel"
        self.temp = self.root / "_temp"
        self.home = self.temp / "_github_home"
        self.workflow = self.temp / "_github_workflow"
        self.commands = self.temp / "_runner_file_commands"

    @classmethod
    def lay_out(
        cls,
        engine: Engine,
        image: str,
        root: Path,
        *,
        checkout: Path,
        event: Path,
        context: Mapping[str, str],
    ) -> "Job":
        """Copy ``checkout`` into the workspace, and give everything to the runner's user."""
        job = cls(engine, image, root, context)
        for folder in (job.workspace.parent, job.home, job.workflow, job.commands):
            folder.mkdir(parents=True)
        shutil.copytree(checkout, job.workspace, symlinks=True)
        shutil.copyfile(event, job.workflow / "event.json")
        for name in FILE_COMMANDS.values():
            (job.commands / f"{name}_1").touch()
        job.owner = RUNNER_UID if os.geteuid() == 0 else os.geteuid()
        if os.geteuid() == 0:
            for path in (root, *root.rglob("*")):
                os.chown(path, RUNNER_UID, RUNNER_UID, follow_symlinks=False)
        return job

    def start(
        self, inputs: Mapping[str, str], *, network: str, environ: Mapping[str, str] | None = None
    ) -> "Running":
        """Start the action; ``environ`` holds the variables of the workflow's `env:`."""
        variables = CONSTANT | dict(self.context) | dict(environ or {})
        variables |= {key: f"/github/file_commands/{name}_1" for key, name in FILE_COMMANDS.items()}
        variables |= {f"INPUT_{key.replace(' ', '_').upper()}": value for key, value in inputs.items()}
        mounts = {
            self.temp: "/github/runner_temp",
            self.home: "/github/home",
            self.workflow: "/github/workflow",
            self.commands: "/github/file_commands",
            self.workspace: "/github/workspace",
        }
        name = f"pr-review-{uuid4().hex[:12]}"
        arguments = ["--rm", "--name", name, "--workdir", "/github/workspace", "--network", network]
        arguments += [option for key, value in variables.items() for option in ("-e", f"{key}={value}")]
        arguments += [option for path, inside in mounts.items() for option in ("-v", f"{path}:{inside}")]
        process = subprocess.Popen(
            self.engine.command("run", *arguments, self.image),
            env=os.environ | dict(self.engine.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Running(self, name, process, time.monotonic())

    def run(
        self, inputs: Mapping[str, str], *, network: str, environ: Mapping[str, str] | None = None
    ) -> Step:
        """Run the action to its end."""
        return self.start(inputs, network=network, environ=environ).finish()


@dataclass(frozen=True)
class Running:
    """A step that is running."""

    job: Job
    name: str
    process: "subprocess.Popen[str]"
    started: float

    def finish(self, seconds: float = STEP_SECONDS, signals: tuple[signal.Signals, ...] = ()) -> Step:
        """Wait until the step ends; raises ``subprocess.TimeoutExpired``."""
        log, _ = self.process.communicate(timeout=seconds)
        took = time.monotonic() - self.started
        return Step(self.process.returncode, log, took, self.job.workspace, self.job.commands, signals)

    def cancel(self) -> Step:
        """Cancel the step as the runner does."""
        sent: tuple[signal.Signals, ...] = ()
        for number, grace in GRACE:
            self.process.send_signal(number)
            sent += (number,)
            try:
                return self.finish(grace, sent)
            except subprocess.TimeoutExpired:
                continue
        self.kill()
        return self.finish(signals=(*sent, signal.SIGKILL))

    def kill(self) -> None:
        """Remove the container and its client."""
        self.job.engine.run("rm", "--force", self.name)
        self.process.kill()


def parse_outputs(text: str) -> dict[str, str]:
    """Values of a file command: ``name=value``, or ``name<<delimiter``, lines, ``delimiter``."""
    outputs: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        name, delimited, delimiter = line.partition("<<")
        if delimited and "=" not in name:
            value: list[str] = []
            while (row := next(lines)) != delimiter:
                value.append(row)
            outputs[name] = "\n".join(value)
        elif line:
            name, _, outputs[name] = line.partition("=")
    return outputs
