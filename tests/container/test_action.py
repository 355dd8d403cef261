"""The action in its container, run as GitHub's runner runs it."""

import hashlib
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from examples.build_sample import NUMBER, expected
from tests.container.engine import ROOT
from tests.container.runner import GRACE
from tests.container.sample_job import github_answers

SCHEMA = json.loads((ROOT / "docs" / "review.schema.json").read_text(encoding="utf-8"))
REPORT = "pr-review-report"
KEY = "sk-container-test-0123456789"
TOKEN = "ghs-container-test-0123456789"
MAX_SUMMARY_BYTES = 1_048_576
WAIT_SECONDS = 30
DEFECT = {
    "severity": "high",
    "title": "The label printer runs a shell",
    "explanation": "The path of a label reaches a shell.",
    "path": "parcel/printing.py",
    "line": 7,
    "evidence": "shell=True",
    "recommendation": "Pass a list.",
}
CALLS = [
    ("call-1", "read_repository_file", '{"path":"parcel/printing.py"}'),
    ("call-2", "inspect_git_diff", "{}"),
]
FINAL = json.dumps({"summary": "Labels are printed directly.", "findings": [DEFECT], "notes": []})


def tree(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Mode, owner, group and content of everything in ``folder``, including `.git`."""
    return {str(path.relative_to(folder)): _describe(path) for path in sorted(folder.rglob("*"))}


def _describe(path: Path) -> tuple[int, int, int, str]:
    status = path.lstat()
    content = b""
    if path.is_symlink():
        content = bytes(path.readlink())
    elif path.is_file():
        content = path.read_bytes()
    return status.st_mode, status.st_uid, status.st_gid, hashlib.sha256(content).hexdigest()


def without(folder: str, found: dict[str, Any]) -> dict[str, Any]:
    return {
        path: entry for path, entry in found.items() if path != folder and not path.startswith(f"{folder}/")
    }


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.05)


def places(report: Any) -> set[tuple[str, int]]:
    return {(finding["path"], finding["line"]) for finding in report["findings"]}


@pytest.fixture(scope="module")
def offline(new_job):
    """One run of the offline provider without a network, and the folders as they were before."""
    job = new_job()
    (job.workspace / "sitecustomize.py").write_text("raise SystemExit('the checkout was imported')\n")
    (job.workspace / "httpx.py").write_text("raise SystemExit('the checkout was imported')\n")
    before = tree(job.workspace), tree(job.temp)
    inputs = {"provider": "offline", "max-rounds": "8", "include-trace": "true", "output-dir": ""}
    environ = {"PYTHONPATH": "/github/workspace", "PYTHONSTARTUP": "/github/workspace/httpx.py"}
    return job.run(inputs, network="none", environ=environ), before, job


def test_offline_run_succeeds_without_a_network(offline):
    """The exit code is 0. No module of the checkout was imported, although PYTHONPATH pointed there."""
    step, _, _ = offline
    assert (step.exit_code, "was imported" in step.log) == (0, False), step.log


def test_offline_run_finds_the_planted_defects(offline):
    """The review finds every planted defect, and nothing else."""
    step, _, _ = offline
    assert places(step.report) == {(defect["path"], defect["line"]) for defect in expected()}


def test_artifact_is_valid(offline):
    """It matches the published schema."""
    jsonschema.validate(offline[0].report, SCHEMA)


def test_inputs_with_dashes_arrive(offline):
    """A shell between runner and program would have dropped include-trace."""
    assert offline[0].report["trace"]


def test_outputs_are_read_back(offline):
    """They equal the artifact's values; paths are relative to the workspace."""
    step, _, _ = offline
    assert step.outputs["conclusion"] == "findings"
    assert step.outputs["findings-count"] == str(len(step.report["findings"]))
    assert step.outputs["highest-severity"] in {"critical", "high"}
    assert step.outputs["report-path"] == f"{REPORT}/review.json"
    assert (step.workspace / step.outputs["summary-path"]).is_file()


def test_step_summary_is_written_within_its_limit(offline):
    """It also says that rules reviewed, not a model."""
    summary = offline[0].summary
    assert 0 < len(summary.encode()) <= MAX_SUMMARY_BYTES
    assert "parcel/printing.py" in summary
    assert "rules" in summary


def test_reports_belong_to_the_workspace_owner(offline):
    """Later steps of the job run as that user."""
    step, _, job = offline
    written = [step.workspace / REPORT, *(step.workspace / REPORT).rglob("*")]
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in written} == {(job.owner, job.owner)}
    assert len(written) > 1


def test_workspace_is_otherwise_unchanged(offline):
    """Bytes, modes and owners stay the same, also in `.git` and in the runner's home and temporary folder."""
    _, (workspace, temp), job = offline
    assert without(REPORT, tree(job.workspace)) == workspace
    commands = job.commands.relative_to(job.temp)
    assert without(str(commands), tree(job.temp)) == without(str(commands), temp)


@pytest.fixture
def scripted(chat_server, sample):
    """A model that reads once and then reports, without usage. The same server also acts as GitHub."""
    answers = github_answers(sample)

    def rule(request):
        if request.method == "GET":
            answer = answers.get(request.path.partition("?")[0])
            return chat_server.json(answer or {"message": "Not Found"}, status=200 if answer else 404)
        if any(message["role"] == "tool" for message in request.json["messages"]):
            return chat_server.completion(FINAL, usage=None)
        return chat_server.completion(calls=CALLS, usage=None)

    chat_server.rule = rule
    return chat_server


@pytest.fixture
def inputs(chat_server):
    own = {"endpoint": chat_server.url, "model": "m-1", "api-key": KEY, "github-token": TOKEN}
    return {"provider": "chat-completions", **own}


def test_model_behind_a_loopback_server(new_job, scripted, inputs):
    """Two rounds give one finding. GitHub's list is compared. Key and token stay where they belong."""
    step = new_job().run(inputs, network="host", environ={"GITHUB_API_URL": scripted.base_url})
    assert step.exit_code == 0, step.log
    jsonschema.validate(step.report, SCHEMA)
    asked = [request for request in scripted.requests if request.method == "POST"]
    assert [request.headers["authorization"] for request in asked] == [f"Bearer {KEY}"] * 2
    assert [request for request in scripted.requests if "/compare/" in request.path]
    assert places(step.report) == {("parcel/printing.py", 7)}
    assert step.outputs["conclusion"] == "findings"
    assert step.report["termination_reason"] == "final_review"
    for secret in (KEY, TOKEN):
        assert secret not in json.dumps(step.report) + step.summary
        lines = [line for line in step.log.splitlines() if secret in line]
        assert lines == [f"::add-mask::{secret}"]


def test_dispatch_asks_github_for_the_pull_request(new_job, scripted, inputs):
    """The event is workflow_dispatch on the default branch, with a number."""
    environ = {"GITHUB_API_URL": scripted.base_url, "GITHUB_EVENT_NAME": "workflow_dispatch"}
    step = new_job().run(inputs | {"pull-request": str(NUMBER)}, network="host", environ=environ)
    assert step.exit_code == 0, step.log
    assert step.report["pull_request"]["number"] == NUMBER
    assert step.outputs["conclusion"] == "findings"


def test_cancelled_run_leaves_a_report(new_job, chat_server, inputs):
    """The runner sends SIGINT, SIGTERM after 7.5 s, and kills after 2.5 s more. SIGINT is enough."""
    chat_server.rule = lambda _: chat_server.completion(FINAL, delay=60)
    running = new_job().start(inputs, network="host", environ={"GITHUB_API_URL": chat_server.base_url})
    wait_until(lambda: chat_server.requests or running.process.poll() is not None)
    step = running.cancel()
    assert (step.exit_code, step.signals) == (130, (signal.SIGINT,)), step.log
    jsonschema.validate(step.report, SCHEMA)
    assert (step.report["error"]["code"], step.report["termination_reason"]) == ("cancelled", None)
    assert step.outputs["conclusion"] == "failed"
    assert step.summary


def test_stopped_container_leaves_a_report(new_job, chat_server, inputs):
    """`docker stop` sends SIGTERM alone, and PID 1 ignores a signal that it does not handle."""
    chat_server.rule = lambda _: chat_server.completion(FINAL, delay=60)
    running = new_job().start(inputs, network="host", environ={"GITHUB_API_URL": chat_server.base_url})
    wait_until(lambda: chat_server.requests or running.process.poll() is not None)
    running.process.send_signal(signal.SIGTERM)
    step = running.finish(sum(grace for _, grace in GRACE))
    assert step.exit_code == 143, step.log
    jsonschema.validate(step.report, SCHEMA)
