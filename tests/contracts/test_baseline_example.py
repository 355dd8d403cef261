"""docs/examples/baseline.yml finds the right report in GitHub's list of artifacts."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "docs/examples/baseline.yml"
pytestmark = pytest.mark.skipif(shutil.which("jq") is None, reason="jq stands in for the one inside gh")


def artifact(run, created, *, branch="topic", repository=5, expired=False):
    where = {"id": run, "head_branch": branch, "head_repository_id": repository}
    return {"expired": expired, "created_at": f"2026-01-{created:02}T00:00:00Z", "workflow_run": where}


@pytest.mark.parametrize(
    ("artifacts", "run"),
    [
        ([], ""),
        ([artifact(10, 1)], "10"),
        ([artifact(10, 1), artifact(30, 3), artifact(20, 2)], "30"),
        ([artifact(10, 1), artifact(20, 2, expired=True)], "10"),
        ([artifact(10, 1), artifact(20, 2, branch="other")], "10"),
        ([artifact(10, 1), artifact(20, 2, repository=6)], "10"),
        ([artifact(20, 2, repository=None), artifact(30, 3, branch=None)], ""),
        ([{"expired": False, "created_at": "", "workflow_run": None}], ""),
    ],
    ids=["none", "one", "newest", "expired", "another branch", "another fork", "unknown", "no run"],
)
def test_the_newest_report_of_the_same_branch_is_found(tmp_path, artifacts, run):
    """Run the example's own script; a substitute for `gh` passes a fixed list to jq."""
    steps = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["jobs"]["review"]["steps"]
    (script,) = [step["run"] for step in steps if "run" in step]
    (tmp_path / "list.json").write_text(json.dumps({"artifacts": artifacts}))
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\necho "$1 $2" > asked\nexec jq -r "$4" list.json\n')
    gh.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "NAME": "pr-review-report-7",
        "BRANCH": "topic",
        "REPOSITORY_ID": "5",
    }
    subprocess.run(["bash", "-e", "-c", script], env=environment, cwd=tmp_path, check=True)
    assert (tmp_path / "output").read_text() == f"run={run}\n"
    asked = (tmp_path / "asked").read_text()
    assert asked == "api repos/o/r/actions/artifacts?name=pr-review-report-7&per_page=100\n"
