"""Cancelled as the runner does it: the artifact is written, and the process ends within seconds."""

import json
import os
import signal
import stat
import time
from pathlib import Path

import pytest

SECONDS = 5.0
IMPORTS = ["pydantic_core", "pydantic", "pr_review.domain.run", "anyio", "pr_review.app.run"]


def wait_for(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the moment to cancel at never came"
        time.sleep(0.01)


def finish(box, process, number):
    """Signal the process and return what it left; it must be gone within five seconds."""
    started = time.monotonic()
    process.send_signal(number)
    log, _ = process.communicate(timeout=SECONDS)
    assert time.monotonic() - started < SECONDS
    return box.result(process.returncode, log)


def check_cancelled(result, number):
    assert result.code == 128 + number
    report = result.artifact
    assert report["error"]["code"] == "cancelled"
    assert (report["termination_reason"], report["conclusion"]) == (None, "failed")
    assert report["exit_code"] == 128 + number
    assert "cancelled" in result.summary
    assert result.outputs.get("conclusion", "failed") == "failed"


@pytest.mark.parametrize("module", IMPORTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_during_imports(action_box, module, number):
    process = action_box.start(provider="offline")
    while process.poll() is None:
        line = process.stderr.readline()
        if line.rstrip().endswith(f"| {module}") or line.rstrip().endswith(f" {module}"):
            break
    check_cancelled(finish(action_box, process, number), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_during_a_slow_request(action_box, chat_server, chat_inputs, number):
    chat_server.add(chat_server.completion(content="{}", delay=60))
    process = action_box.start(**chat_inputs)
    wait_for(lambda: chat_server.requests)
    result = finish(action_box, process, number)
    check_cancelled(result, number)
    assert result.artifact["pull_request"]["number"] == 7
    assert [file["status"] for file in result.artifact["coverage"]["files"]] == ["not_reviewed"]


def test_between_retries(action_box, chat_server, chat_inputs):
    chat_server.add(chat_server.json({}, status=503, headers={"Retry-After": "60"}))
    process = action_box.start(**chat_inputs)
    wait_for(lambda: chat_server.requests)
    time.sleep(0.3)
    check_cancelled(finish(action_box, process, signal.SIGTERM), signal.SIGTERM)


def test_after_a_tool_round_the_turns_are_kept(action_box, chat_server, chat_inputs):
    chat_server.add(
        chat_server.completion(calls=[("c1", "list_repository_files", "{}")]),
        chat_server.completion(content="{}", delay=60),
    )
    process = action_box.start(**chat_inputs, include_trace="always")
    wait_for(lambda: len(chat_server.requests) == 2)
    result = finish(action_box, process, signal.SIGINT)
    check_cancelled(result, signal.SIGINT)
    assert [turn["protocol_action"] for turn in result.artifact["turns"]] == ["execute_tools"]
    assert len(result.artifact["trace"]) == 1


def slow_git(box, subcommand):
    """A git that hangs in one subcommand: a real one behind a wrapper, first on PATH."""
    folder = box.root / "bin"
    folder.mkdir()
    started = box.root / "git-started"
    real = next(p for d in os.environ["PATH"].split(":") if (p := Path(d) / "git").exists())
    script = folder / "git"
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" {subcommand} "*) touch "{started}"; sleep 60;; esac\n'
        f'exec "{real}" "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    box.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    return started


@pytest.mark.parametrize("subcommand", ["init", "rev-list", "ls-tree", "merge-base", "log"])
def test_during_a_slow_git(action_box, subcommand):
    started = slow_git(action_box, subcommand)
    process = action_box.start(provider="offline")
    wait_for(started.exists)
    check_cancelled(finish(action_box, process, signal.SIGINT), signal.SIGINT)
    assert list((action_box.root / "scratch").iterdir()) == []


def test_during_a_slow_tool(action_box, chat_server, chat_inputs):
    started = slow_git(action_box, "grep")
    chat_server.add(chat_server.completion(calls=[("c1", "search_repository", '{"query":"one"}')]))
    process = action_box.start(**chat_inputs)
    wait_for(started.exists)
    check_cancelled(finish(action_box, process, signal.SIGTERM), signal.SIGTERM)


def test_a_second_signal_does_not_cut_the_reports_short(action_box, chat_server, chat_inputs):
    """Both at once: the runner waits 7.5 s between them, an impatient person does not."""
    chat_server.add(chat_server.completion(content="{}", delay=60))
    process = action_box.start(**chat_inputs)
    wait_for(lambda: chat_server.requests)
    process.send_signal(signal.SIGINT)
    result = finish(action_box, process, signal.SIGTERM)
    assert result.code in {130, 143}
    check_cancelled(result, result.code - 128)


def test_a_timeout_kills_a_slow_git(action_box):
    slow_git(action_box, "ls-tree")
    process = action_box.start(provider="offline", timeout_seconds=2)
    log, _ = process.communicate(timeout=15)
    result = action_box.result(process.returncode, log)
    assert (result.code, result.artifact["error"]["code"]) == (0, "review_timeout")
    assert result.artifact["conclusion"] == "incomplete"
    assert json.dumps(result.artifact["coverage"]["files"]) == "[]"


def test_while_reports_are_written(action_box, chat_server, chat_inputs):
    """The largest notes, as lists: the artifact is there first, and holds the review."""
    notes = ["- a\n" * 2000] * 100
    review = {"summary": "Read.", "findings": [], "notes": notes}
    chat_server.rule = lambda _: chat_server.completion(content=json.dumps(review))
    process = action_box.start(**chat_inputs)
    artifact = action_box.workspace / "pr-review-report" / "review.json"
    wait_for(artifact.exists)
    result = finish(action_box, process, signal.SIGTERM)
    assert result.artifact["conclusion"] in {"clean", "findings", "incomplete"}
    assert len(result.artifact["notes"]) == 100
    assert "took too long; review.json holds everything." in result.log
    assert result.summary.startswith("## pr-review:")
