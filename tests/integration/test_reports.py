"""Every report of a run, as files and rendered again from the artifact; the patch applied with git."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from jsonschema import Draft4Validator

from pr_review.actions.output_directory import ReportDirectory
from pr_review.app.rendering import Rendering
from pr_review.app.reports import write_further_reports
from pr_review.domain.run import Outcome
from pr_review.report.artifact.build import build, to_json
from pr_review.report.formats import BY_NAME

SARIF_SCHEMA = Path(__file__).parents[1] / "unit/report/data/sarif-2.1.0-rtm.5.json"
FILES = ["review.html", "review.json", "review.md", "review.sarif", "suggestions.patch"]


def finding(**fields) -> dict:
    base = {
        "severity": "high",
        "title": "A default that all calls share",
        "explanation": "The list is made once.",
        "path": "a.py",
        "line": 4,
        "evidence": "def f(x=[]):",
        "recommendation": "Use None.",
        "existing_code": "def f(x=[]):\n    return x",
        "suggestion": "def f(x=None):\n    return x or []",
    }
    return base | fields


@pytest.fixture
def reviewed(action_box, chat_server, chat_inputs):
    """``reviewed(*findings, **inputs)``: the action run with a model that reports these."""

    def run(*findings: dict, **inputs):
        review = {"summary": "Adds f.", "findings": list(findings), "notes": []}
        chat_server.rule = lambda _: chat_server.completion(content=json.dumps(review))
        return action_box.run(**chat_inputs, **inputs)

    return run


def written(workspace: Path) -> dict[str, bytes]:
    folder = workspace / "pr-review-report"
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def render(workspace: Path, kind: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "pr_review", "render", "pr-review-report/review.json", "--format", kind],
        cwd=workspace,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        check=True,
    )


def test_every_report_is_written_and_comes_again_from_the_artifact(reviewed, action_box, cli):
    """Byte for byte; the SARIF file keeps its schema."""
    assert reviewed(finding()).outputs["conclusion"] == "findings"
    files = written(action_box.workspace)
    assert sorted(files) == FILES
    Draft4Validator(json.loads(SARIF_SCHEMA.read_text())).validate(json.loads(files["review.sarif"]))
    kinds = {"md": "review.md", "html": "review.html", "sarif": "review.sarif", "patch": "suggestions.patch"}
    stored = action_box.workspace / "pr-review-report" / "review.json"
    for kind, name in kinds.items():
        rendered = cli("render", str(stored), "--format", kind)
        assert rendered.returncode == 0
        assert rendered.stdout.encode().rstrip(b"\n") == files[name].rstrip(b"\n")


def test_patch_applies_at_the_head_commit(reviewed, action_box):
    """The checkout is the head commit; afterwards it is what the suggestion says."""
    reviewed(finding())
    apply = ["git", "apply", "pr-review-report/suggestions.patch"]
    subprocess.run([*apply, "--check"], cwd=action_box.workspace, check=True)
    subprocess.run(apply, cwd=action_box.workspace, check=True)
    assert (action_box.workspace / "a.py").read_text() == "one = 1\n\n\ndef f(x=None):\n    return x or []\n"


@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "true"}])
def test_patch_can_be_piped_into_git(reviewed, action_box, environ):
    """Also in a workflow, where the runner is kept from obeying what the lines say."""
    reviewed(finding(suggestion="def f(x=()):\n    ::error::evil"))
    patch = render(action_box.workspace, "patch", **environ).stdout
    lines = patch.decode().splitlines()
    assert ("::stop-commands::" in lines[0]) is bool(environ)
    if environ:
        token = lines[0].removeprefix("::stop-commands::")
        assert len(token) == 32
        assert lines[-1] == f"::{token}::"
        assert [line for line in lines if token in line] == [lines[0], lines[-1]]
    subprocess.run(["git", "apply", "-"], cwd=action_box.workspace, input=patch, check=True)
    assert "::error::evil" in (action_box.workspace / "a.py").read_text()


def test_a_run_without_suggestions_leaves_no_patch_of_an_earlier_one(reviewed, action_box):
    reviewed(finding())
    assert "suggestions.patch" in written(action_box.workspace)
    reviewed()
    assert sorted(written(action_box.workspace)) == [name for name in FILES if name != "suggestions.patch"]


def test_a_suggestion_for_a_link_is_not_in_the_patch(reviewed, action_box):
    """Git would not write through it."""
    (action_box.workspace / "link.py").symlink_to("a.py")
    head = action_box.repo.commit({}, "a link")
    action_box.write_event(action_box.repo.base_sha, head)
    result = reviewed(finding(path="link.py"))
    [found] = result.artifact["findings"]
    assert (found["path"], found["line"], found["edit"]) == ("link.py", 4, None)
    assert "suggestions.patch" not in written(action_box.workspace)


@pytest.mark.parametrize("inputs", [{"max_rounds": "many"}, {"exclude": "*"}])
def test_a_run_that_reviews_nothing_leaves_its_reports_too(reviewed, action_box, inputs):
    """Wrong settings, and nothing selected."""
    result = reviewed(finding(), **inputs)
    assert result.outputs["conclusion"] in {"failed", "skipped"}
    assert sorted(written(action_box.workspace)) == [name for name in FILES if name != "suggestions.patch"]


def test_no_report_holds_the_key(reviewed, action_box, chat_inputs):
    """A model that quotes it, in the suggestion too: what is redacted is no edit."""
    key = chat_inputs["api_key"]
    reviewed(finding(title=key, suggestion=f"def f(x={key}):\n    return x"))
    files = written(action_box.workspace)
    assert sorted(files) == [name for name in FILES if name != "suggestions.patch"]
    assert [name for name, data in files.items() if key.encode() in data] == []


@pytest.mark.parametrize("name", ["review.html", "review.sarif", "suggestions.patch"])
def test_a_folder_in_the_place_of_a_report_moves_them_all(reviewed, action_box, name):
    """Somebody's file is never replaced; the outputs name where the reports are."""
    (action_box.workspace / "pr-review-report" / name).mkdir(parents=True)
    result = reviewed(finding())
    folder = Path(result.outputs["report-path"]).parent
    assert folder.name.startswith("pr-review-report-")
    assert (action_box.workspace / folder / "review.html").is_file()
    assert "output_dir_unsafe" in result.log


def write_further(directory: ReportDirectory, outcome: Outcome):
    async def write():
        return await write_further_reports(directory, outcome, Rendering(anyio.current_time() + 60))

    return anyio.run(write)


def test_a_report_that_fails_does_not_take_the_others_with_it(tmp_path, outcomes):
    """A folder that appears in the place of one, after the folder was opened."""
    with ReportDirectory.open(tmp_path, "out") as directory:
        (tmp_path / "out" / "review.sarif").mkdir()
        paths, failed = write_further(directory, outcomes)
    assert list(failed) == ["review.sarif"]
    assert paths == ("out/review.html",)


def test_a_report_that_fails_leaves_none_of_an_earlier_run(tmp_path, outcomes):
    """Nobody must take that one for this run's."""
    broken = outcomes.model_copy(update={"coverage": None})
    with ReportDirectory.open(tmp_path, "out") as directory:
        (tmp_path / "out" / "review.html").write_text("old")
        _, failed = write_further(directory, broken)
    assert "review.html" in failed
    assert not (tmp_path / "out" / "review.html").exists()


@pytest.fixture
def outcomes() -> Outcome:
    return Outcome(conclusion="skipped", exit_code=0, provider="offline")


def test_a_failed_report_is_said_in_the_log(action_box, chat_server, chat_inputs):
    """As a warning; the run itself, its outputs and the other reports are as good as without."""

    def answer(_):
        (action_box.workspace / "pr-review-report" / "review.html").mkdir()
        return chat_server.completion(content=json.dumps({"summary": "", "findings": [], "notes": []}))

    chat_server.rule = answer
    result = action_box.run(**chat_inputs)
    assert "::warning title=pr-review::review.html could not be written; review.json holds" in result.log
    assert (result.code, result.outputs["conclusion"]) == (0, "clean")
    assert (action_box.workspace / "pr-review-report" / "review.sarif").is_file()


@pytest.mark.parametrize("kind", BY_NAME)
def test_only_the_format_that_is_asked_for_is_imported(tmp_path, kind, outcomes):
    """The others would cost start-up time."""
    (tmp_path / "review.json").write_text(to_json(build(outcomes)), encoding="utf-8")
    code = (
        "import sys; from pr_review.app.cli import run_command; from pr_review.app.process import Process;"
        "run_command(sys.argv[1:], Process.of_process());"
        "print('\\n', *(name for name in sys.modules if name.startswith('pr_review.report.')))"
    )
    command = [sys.executable, "-c", code, "render", "review.json", "--format", kind]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    imported = set(done.stdout.splitlines()[-1].split())
    assert imported & {each.module for each in BY_NAME.values()} == {BY_NAME[kind].module}


def test_annotations_come_from_the_artifact_too(reviewed, action_box, cli):
    reviewed(finding(title="50% ::error::x\n::set"), annotations="false")
    stored = action_box.workspace / "pr-review-report" / "review.json"
    printed = cli("render", str(stored), "--format", "annotations").stdout
    assert printed == (
        "::error title=50%25 %3A%3Aerror%3A%3Ax%0A%3A %3Aset,file=a.py,line=4,endLine=5"
        "::The list is made once.%0A%0AUse None.\n"
    )
