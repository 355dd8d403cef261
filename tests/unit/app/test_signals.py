"""Early signals, with real processes that are still importing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pr_review.config.defaults import DEFAULT_OUTPUT_DIR

# What the program does first, then what it imports for a review, then a wait.
CHILD = """
import os
from pr_review.app import signals
signals.install(os.environ)
import {modules}
print("imported", flush=True)
import time
time.sleep(30)
"""
MODULES = "pydantic, httpx, anyio, github, pygments.lexer, yaml, pathspec"


@pytest.fixture
def runner(tmp_path):
    """The runner's variables and files around an empty workspace."""
    (tmp_path / "workspace").mkdir()
    for name in ("summary", "output"):
        (tmp_path / name).touch()
    return {
        "PATH": os.environ["PATH"],
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }


def start(environ, *options):
    code = CHILD.format(modules=MODULES)
    command = [sys.executable, *options, "-c", code]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupt_when_imported(environ, module, number):
    """Signal the child as soon as it has imported ``module``; returns exit code, stdout and seconds."""
    with start(environ, "-X", "importtime") as child:
        seen = next((line for line in child.stderr if line.split(b"|")[-1].strip() == module.encode()), None)
        assert seen, f"{module} was never imported"
        began = time.monotonic()
        child.send_signal(number)
        stdout, _ = child.communicate(timeout=10)
        return child.returncode, stdout, time.monotonic() - began


def interrupt_at_rest(environ, number):
    with start(environ) as child:
        assert child.stdout.readline() == b"imported\n"
        child.send_signal(number)
        stdout, _ = child.communicate(timeout=10)
        return child.returncode, stdout


def artifact(environ, folder=DEFAULT_OUTPUT_DIR):
    return json.loads(Path(environ["GITHUB_WORKSPACE"], folder, "review.json").read_bytes())


@pytest.mark.parametrize(
    ("module", "number", "code"),
    [
        ("pydantic_core", signal.SIGINT, 130),
        ("pydantic._migration", signal.SIGTERM, 143),
        ("httpx._models", signal.SIGINT, 130),
        ("github.GithubObject", signal.SIGTERM, 143),
        ("pygments.lexer", signal.SIGINT, 130),
        ("yaml.nodes", signal.SIGTERM, 143),
    ],
)
def test_a_signal_during_an_import_leaves_the_reports(runner, module, number, code):
    """Whatever is half imported: exit code, artifact, summary and outputs, and no traceback's wait."""
    returncode, stdout, seconds = interrupt_when_imported(runner, module, number)
    assert returncode == code
    assert seconds < 5
    report = artifact(runner)
    assert report["error"]["code"] == "cancelled"
    assert report["termination_reason"] is None
    assert (report["conclusion"], report["exit_code"]) == ("failed", code)
    assert b"error [cancelled]: " in stdout
    assert "cancelled" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text()
    outputs = Path(runner["GITHUB_OUTPUT"]).read_text()
    assert outputs == "conclusion=failed\nreport-path=pr-review-report/review.json\n"


def test_a_signal_at_rest_leaves_the_reports(runner):
    """After all imports, before anything replaced the handlers."""
    returncode, _ = interrupt_at_rest(runner, signal.SIGTERM)
    assert returncode == 143
    assert artifact(runner)["exit_code"] == 143


def test_the_runner_s_second_signal_does_not_cut_the_writing_short(runner):
    """SIGINT and SIGTERM at once: whichever decides, the artifact is whole and says the same."""
    with start(runner) as child:
        assert child.stdout.readline() == b"imported\n"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            child.send_signal(number)
        child.communicate(timeout=10)
    assert child.returncode in {130, 143}
    assert artifact(runner)["exit_code"] == child.returncode


def test_output_dir_is_honoured(runner):
    """As the input says."""
    interrupt_at_rest(runner | {"INPUT_OUTPUT-DIR": " out/reports "}, signal.SIGINT)
    assert artifact(runner, "out/reports")["error"]["code"] == "cancelled"


@pytest.mark.parametrize("output_dir", ["../elsewhere", "/etc", ".git/x"])
def test_a_bad_output_dir_is_not_used(runner, tmp_path, output_dir):
    """A folder of a random name is."""
    interrupt_at_rest(runner | {"INPUT_OUTPUT-DIR": output_dir}, signal.SIGINT)
    [folder] = (tmp_path / "workspace").iterdir()
    assert folder.name.startswith("pr-review-report-")
    assert artifact(runner, folder.name)["exit_code"] == 130
    assert not (tmp_path / "elsewhere").exists()


def test_a_committed_link_is_not_followed(runner, tmp_path):
    """The pull request may have put anything at the report's place."""
    target = tmp_path / "target"
    target.mkdir()
    link = tmp_path / "workspace" / DEFAULT_OUTPUT_DIR
    link.symlink_to(target)
    _, stdout = interrupt_at_rest(runner, signal.SIGTERM)
    assert list(target.iterdir()) == []
    assert b"Traceback" not in stdout
    [folder] = set(link.parent.iterdir()) - {link}
    assert artifact(runner, folder.name)["exit_code"] == 143


def test_without_a_runner_nothing_is_written(tmp_path):
    """In a terminal: the exit code and one sentence."""
    environ = {"PATH": os.environ["PATH"]}
    with start(environ) as child:
        assert child.stdout.readline() == b"imported\n"
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=10)
    assert (child.returncode, stderr) == (130, b"")
    assert stdout.startswith(b"error [cancelled]: The run was cancelled.")
    assert list(tmp_path.iterdir()) == []


def test_one_channel_that_fails_takes_no_other_with_it(runner, tmp_path):
    """No workspace: still a summary. No summary: still outputs. Neither changes the exit code."""
    assert interrupt_at_rest(runner | {"GITHUB_WORKSPACE": "/nonexistent"}, signal.SIGINT)[0] == 130
    assert "cancelled" in (tmp_path / "summary").read_text()
    assert interrupt_at_rest(runner | {"GITHUB_STEP_SUMMARY": "/nonexistent/x"}, signal.SIGINT)[0] == 130
    assert "review.json" in (tmp_path / "output").read_text()


def test_a_closed_log_does_not_matter(runner):
    """The artifact is written although nobody reads the log any more."""
    with start(runner) as child:
        assert child.stdout.readline() == b"imported\n"
        child.stdout.close()
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=10) == 143
    assert artifact(runner)["exit_code"] == 143


def test_the_handlers_need_only_the_standard_library():
    """They must be in place before anything heavy is imported."""
    code = (
        "import sys; before = set(sys.modules); import pr_review.app.signals;"
        "print([m for m in set(sys.modules) - before"
        " if m.split('.')[0] not in sys.stdlib_module_names | {'pr_review'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reports_of_an_earlier_run_do_not_stay_beside_it(runner):
    """They would be uploaded as this run's; what is no report stays."""
    folder = Path(runner["GITHUB_WORKSPACE"], DEFAULT_OUTPUT_DIR)
    (folder / "review.html").mkdir(parents=True)
    for name in ("review.json", "review.sarif", "suggestions.patch", "mine.txt"):
        (folder / name).write_text("old")
    assert interrupt_at_rest(runner, signal.SIGTERM)[0] == 143
    assert {path.name for path in folder.iterdir()} == {
        ".gitignore",
        "mine.txt",
        "review.html",
        "review.json",
    }
    assert artifact(runner)["error"]["code"] == "cancelled"
