"""The workflows that users copy are valid, pinned and least privileged, and use the action's real inputs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs/examples").glob("*.yml"))
IDS = [path.name for path in EXAMPLES]
OURS = "OWNER/pr-review@COMMIT"  # the reader replaces it with a release
PINNED = re.compile(
    rf"[\w.-]+/[\w.-]+(?:/[\w./-]+)?@[0-9a-f]{{40}} # v\d+(?:\.\d+)*|{OURS} # the newest release"
)
WRITES = {"comment.yml": {"pull-requests"}, "code-scanning.yml": {"security-events"}}
USES = re.compile(r"^\s*(?:- )?uses: *(.+?) *$", re.MULTILINE)


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def uses_of(path):
    """Each action of a workflow, with the comment after it."""
    return USES.findall(path.read_text(encoding="utf-8"))


def steps_of(path):
    return [step for job in load(path)["jobs"].values() for step in job.get("steps", ())]


def test_they_are_valid_against_github_s_schema():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, EXAMPLES)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=IDS)
def test_actions_are_pinned_with_their_version(path):
    assert [use for use in uses_of(path) if not PINNED.fullmatch(use)] == []


def test_the_pins_are_those_of_this_project_s_own_workflows():
    """One update then reaches both."""
    known = {use for path in (ROOT / ".github/workflows").glob("*.yml") for use in uses_of(path)}
    names = {use.split("@")[0] for use in known} - {OURS.split("@", maxsplit=1)[0]}
    shown = {use for path in EXAMPLES for use in uses_of(path)}
    assert {use for use in shown if use.split("@")[0] in names} <= known


@pytest.mark.parametrize("path", EXAMPLES, ids=IDS)
def test_rights_are_given_job_by_job_and_reading_is_enough(path):
    workflow = load(path)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        writing = {name for name, right in job["permissions"].items() if right != "read"}
        assert writing <= WRITES.get(path.name, set())
        assert "timeout-minutes" in job


@pytest.mark.parametrize("name", WRITES)
def test_what_may_write_sees_no_secret_and_no_code(name):
    """The job with write permission is not the one that reviews."""
    for job in load(ROOT / "docs/examples" / name)["jobs"].values():
        if "write" in job["permissions"].values():
            assert "secrets." not in str(job)
            assert not any("checkout" in step.get("uses", "") for step in job["steps"])


@pytest.mark.parametrize("path", EXAMPLES, ids=IDS)
def test_checkouts_keep_no_token_and_never_name_a_head(path):
    checkouts = [step for step in steps_of(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert not any("head" in str(step["with"].get("ref", "")) for step in checkouts)


@pytest.mark.parametrize("path", EXAMPLES, ids=IDS)
def test_the_action_s_inputs_exist(path):
    inputs = load(ROOT / "action.yml")["inputs"].keys()
    for step in steps_of(path):
        if step.get("uses") == OURS:
            assert step.get("with", {}).keys() <= inputs


@pytest.mark.parametrize("path", EXAMPLES, ids=IDS)
def test_nothing_is_interpolated_into_a_script(path):
    assert not [step for step in steps_of(path) if "${{" in step.get("run", "")]


def test_the_readme_shows_the_first_example_whole():
    """The README omits the comment, so that there is one workflow to start with."""
    example = (ROOT / "docs/examples/pull-request.yml").read_text(encoding="utf-8")
    workflow = example[example.index("name:") :]
    assert f"```yaml\n{workflow}```\n" in (ROOT / "README.md").read_text(encoding="utf-8")


BY_NAME = re.compile(r"\binstall\b[^\n]*[\s\"']pr-review(?:[=<>~!\[\"'`\s]|$)", re.MULTILINE)


def test_nobody_is_told_to_install_the_package_by_name():
    """In the registry the name belongs to another project."""
    told = ("pip install pr-review", 'pip" install --quiet "pr-review==1"', "pipx install pr-review\n")
    assert all(map(BY_NAME.search, told))
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *EXAMPLES, ROOT / "Makefile"]
    assert [path.name for path in pages if BY_NAME.search(path.read_text(encoding="utf-8"))] == []


def test_every_example_is_explained_on_a_page():
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    assert [
        path.name for path in EXAMPLES if not any(f"examples/{path.name}" in page for page in pages)
    ] == []


@pytest.mark.parametrize(
    ("content", "number"),
    [
        (b"7\n", "7"),
        (b"12345", "12345"),
        (b"", None),
        (b"\n", None),
        (b"7\nx=1\n", None),
        (b"7\n8\n", None),
        (b"-1", None),
        (b"7; id", None),
        (b"$(id)", None),
        (b"../7", None),
        (b"7" * 4096, "7" * 20),
    ],
)
def test_the_second_workflow_takes_over_digits_only(tmp_path, content, number):
    """Run the example's own script on what a pull request could have passed on."""
    (script,) = [step["run"] for step in steps_of(ROOT / "docs/examples/forks-review.yml") if "run" in step]
    (tmp_path / "number").write_bytes(content)
    output = tmp_path / "output"
    environment = {"PATH": "/usr/bin:/bin", "FILE": str(tmp_path / "number"), "GITHUB_OUTPUT": str(output)}
    done = subprocess.run(["bash", "-e", "-c", script], env=environment, capture_output=True)
    assert (done.returncode == 0) is (number is not None)
    assert (output.read_text() if output.exists() else None) == (f"number={number}\n" if number else None)


FOLDED = "<details><summary>1</summary>\n\n```\ncode\n```\n\n</details>\n"


@pytest.mark.parametrize("known", ["", "41\n42\n"], ids=["first", "again"])
@pytest.mark.parametrize(
    ("review", "posted"),
    [
        (f"## two findings\n{FOLDED}", f"## two findings\n{FOLDED}"),
        (f"## many\n{FOLDED * 2000}", "## many\n\n\nThe whole report is the job summary.\n"),
    ],
    ids=["whole", "cut"],
)
def test_the_comment_is_found_again_and_cut_where_no_block_is_open(tmp_path, known, review, posted):
    """Run the example's own script; a substitute for `gh` records its calls."""
    (script,) = [step["run"] for step in steps_of(ROOT / "docs/examples/comment.yml") if "run" in step]
    (tmp_path / "report").mkdir()
    (tmp_path / "report/review.md").write_text(review, encoding="utf-8")
    gh = tmp_path / "gh"
    gh.write_text(f'#!/bin/sh\necho "$@" >> calls\n[ "$2" = --paginate ] && printf \'{known}\'\nexit 0\n')
    gh.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "GH_REPO": "o/r", "NUMBER": "7"}
    subprocess.run(["bash", "-e", "-c", script], env=environment, cwd=tmp_path, check=True)
    assert (tmp_path / "comment.md").read_text(encoding="utf-8") == f"<!-- pr-review -->\n{posted}"
    target = "PATCH repos/o/r/issues/comments/42" if known else "POST repos/o/r/issues/7/comments"
    (_, call) = (tmp_path / "calls").read_text().splitlines()
    assert call == f"api --silent --method {target} --field body=@comment.md"
