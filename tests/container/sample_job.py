"""A job for the sample pull request, and GitHub's answers about it, built from its event and from git."""

import json
import subprocess
from pathlib import Path
from typing import Any

from examples.build_sample import NUMBER, REPOSITORY, Sample
from tests.container.engine import Engine
from tests.container.runner import Job

STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed"}


def lay_out(engine: Engine, image: str, sample: Sample, root: Path) -> Job:
    """A job for the sample's pull_request event; its workspace is checked out at the merge commit."""
    context = {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_REPOSITORY_OWNER": REPOSITORY.partition("/")[0],
        "GITHUB_REF": f"refs/pull/{NUMBER}/merge",
        "GITHUB_REF_NAME": f"{NUMBER}/merge",
        "GITHUB_HEAD_REF": "surcharges",
        "GITHUB_BASE_REF": "main",
        "GITHUB_SHA": sample.merge_sha,
    }
    return Job.lay_out(engine, image, root, checkout=sample.repo, event=sample.event_path, context=context)


def github_answers(sample: Sample) -> dict[str, Any]:
    """The REST API's JSON by path; paths have no query."""
    event = json.loads(sample.event_path.read_text(encoding="utf-8"))
    return {
        f"/repos/{REPOSITORY}/pulls/{NUMBER}": event["pull_request"],
        f"/repos/{REPOSITORY}/compare/{sample.base_sha}...{sample.head_sha}": {
            "merge_base_commit": {"sha": sample.merge_base_sha},
            "files": _changed_files(sample),
        },
    }


def _changed_files(sample: Sample) -> list[dict[str, str]]:
    commits = (sample.merge_base_sha, sample.head_sha)
    command = ["git", "-C", str(sample.repo), "diff", "--name-status", "-M", *commits]
    rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [_file(*row.split("\t")) for row in rows]


def _file(status: str, *names: str) -> dict[str, str]:
    file = {"filename": names[-1], "status": STATUS[status[0]]}
    return file | {"previous_filename": names[0]} if len(names) > 1 else file
