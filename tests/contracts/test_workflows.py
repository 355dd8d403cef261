"""Workflows, the action's metadata and Dependabot's: valid, pinned, and least privileged."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
IDS = [path.name for path in WORKFLOWS]

# owner/name[/path]@commit, with the version that the commit is.
PINNED = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?@[0-9a-f]{40} # v\d+(?:\.\d+)*")


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def uses_lines(text):
    return re.findall(r"^\s*(?:- )?uses: *(.+?) *$", text, re.MULTILINE)


def wrong_uses(text):
    return [line for line in uses_lines(text) if not PINNED.fullmatch(line)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=IDS)
def test_actions_are_used_only_by_owner_name_and_commit(path):
    """A tag can be moved, and `./` is whatever was checked out: in a reusable workflow, the caller's code."""
    text = path.read_text(encoding="utf-8")
    assert text.count("uses:") - text.count("`uses:`") == len(uses_lines(text))
    assert wrong_uses(text) == []


@pytest.mark.parametrize(
    "use",
    [
        "./",
        "./ # the action of the base",
        "./.github/workflows/review.yml",
        "$/",
        "OWNER/pr-review/.github/workflows/review.yml@v1",
        "actions/checkout@v7",
        "actions/checkout@main # v7.0.1",
        f"actions/checkout@{'a' * 40}",
        f"actions/checkout@{'a' * 39} # v7.0.1",
        "docker://alpine:3",
        "actions/checkout",
    ],
)
def test_the_rule_sees_each_unpinned_use(use):
    """A guard of the guard."""
    for prefix in ("      - uses: ", "        uses: "):
        assert wrong_uses(f"{prefix}{use}\n") == [use]


def test_the_project_reviews_itself_as_others_do():
    """Through the reusable workflow, with the rights that it asks for and a secret that it knows."""
    (job,) = load(ROOT / ".github/workflows/self-review.yml")["jobs"].values()
    called = load(ROOT / ".github/workflows/review.yml")
    assert re.fullmatch(r"[\w-]+/pr-review/\.github/workflows/review\.yml@[0-9a-f]{40}", job["uses"])
    assert "vars.PR_REVIEW_ENABLED == 'true' && " in job["if"]
    assert job["permissions"] == called["jobs"]["review"]["permissions"]
    assert job["secrets"].keys() <= called[True]["workflow_call"]["secrets"].keys()


@pytest.mark.parametrize("path", WORKFLOWS, ids=IDS)
def test_rights_are_given_job_by_job_and_time_is_bounded(path):
    """Nothing by default; a called workflow brings its own limit."""
    workflow = load(path)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "permissions" in job
        assert "timeout-minutes" in job or "uses" in job


@pytest.mark.parametrize("path", WORKFLOWS, ids=IDS)
def test_checkouts_leave_no_token_behind(path):
    """A later step would find it in the workspace or the runner's folder."""
    steps = [step for job in load(path)["jobs"].values() for step in job.get("steps", ())]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_nothing_is_interpolated_into_a_script():
    """Values reach scripts through the environment."""
    scripts = [
        step["run"]
        for path in WORKFLOWS
        for job in load(path)["jobs"].values()
        for step in job.get("steps", ())
        if "run" in step
    ]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


def test_one_check_joins_every_job_of_ci():
    """So that branch protection needs only `required`."""
    jobs = load(ROOT / ".github/workflows/ci.yml")["jobs"]
    assert jobs["required"]["if"] == "always()"
    assert set(jobs["required"]["needs"]) == jobs.keys() - {"required"}


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.dependabot", [ROOT / ".github/dependabot.yml"]),
    ],
    ids=["workflows", "action", "dependabot"],
)
def test_files_are_valid_against_the_published_schemas(schema, files):
    """check-jsonschema carries the schemas with it; nothing is downloaded."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
