"""Builds the sample: a git repository that holds a pull request, as a runner's checkout leaves it.

`sample/base` is the base branch at the merge base. `sample/head` holds the files that the pull request adds
or replaces. `sample/main` holds the later changes of the base branch. Authors and dates are fixed, so the
SHAs are the same everywhere. `sample/expected.json` lists every planted defect.
"""

import argparse
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"
REMOVED = ("parcel/legacy.py",)
RENAMED = {"tests/test_rates.py": "tests/test_prices.py"}
NUMBER = 7
REPOSITORY = "parcel-desk/parcel"
TITLE = "Surcharges, direct printing, the carrier's new address"
BODY = "Adds the surcharge for heavy parcels and prints labels without the desk's old program."

PERSON = {"NAME": "Ada Example", "EMAIL": "ada@example.com"}
IDENTITY = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in PERSON.items()}
DATES = {"base": "2026-01-05T09:00:00+00:00", "head": "2026-01-06T09:00:00+00:00"}
DATES |= {"main": "2026-01-07T09:00:00+00:00", "merge": "2026-01-08T09:00:00+00:00"}


@dataclass(frozen=True)
class Sample:
    """Paths and commits of the sample; ``base_sha`` is the base branch's tip, as in GitHub's payload."""

    repo: Path
    event_path: Path
    base_sha: str
    merge_base_sha: str
    head_sha: str
    merge_sha: str


def build(destination: Path) -> Sample:
    """Create ``destination/workspace`` and ``destination/event.json``; neither may exist yet.

    The workspace is checked out at the pull request's merge commit, detached, with full history, as
    actions/checkout does with ``fetch-depth: 0``.
    """
    repo = destination / "workspace"
    repo.mkdir(parents=True)
    _git(repo, "init", "-q", "--template=", "--object-format=sha1", "-b", "main")
    merge_base = _commit(repo, "base", "Rates, labels and tracking")
    _git(repo, "checkout", "-q", "-b", "surcharges")
    for path in REMOVED:
        (repo / path).unlink()
    for old, new in RENAMED.items():
        (repo / old).rename(repo / new)
    head = _commit(repo, "head", TITLE)
    _git(repo, "checkout", "-q", "main")
    base = _commit(repo, "main", "Pounds for the overseas desk")
    _git(repo, "checkout", "-q", "--detach", "main")
    _git(repo, "merge", "-q", "--no-ff", "-m", f"Merge {head} into {base}", head, date=DATES["merge"])
    merge = _git(repo, "rev-parse", "HEAD")
    for ref, sha in {"origin/main": base, f"pull/{NUMBER}/merge": merge}.items():
        _git(repo, "update-ref", f"refs/remotes/{ref}", sha)
    _git(repo, "branch", "-q", "-D", "main", "surcharges")
    event_path = destination / "event.json"
    event_path.write_text(json.dumps(_event(base, head, merge), indent=2) + "\n", encoding="utf-8")
    return Sample(repo, event_path, base, merge_base, head, merge)


def expected() -> list[dict[str, object]]:
    """Every planted defect as ``{"path", "line", "kind"}``; a review may find nothing else."""
    defects: list[dict[str, object]] = json.loads((SAMPLE / "expected.json").read_text(encoding="utf-8"))
    return defects


def _commit(repo: Path, overlay: str, message: str) -> str:
    shutil.copytree(SAMPLE / overlay, repo, dirs_exist_ok=True, copy_function=shutil.copyfile)
    _git(repo, "add", "--all")
    _git(repo, "commit", "-q", "-m", message, date=DATES[overlay])
    return _git(repo, "rev-parse", "HEAD")


def _git(repo: Path, *arguments: str, date: str = "") -> str:
    """Run git without the user's configuration, so that it cannot change the SHAs."""
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env |= IDENTITY | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(
        command, cwd=repo, env=env, check=True, capture_output=True, text=True
    ).stdout.strip()


def _event(base_sha: str, head_sha: str, merge_sha: str) -> dict[str, object]:
    """The payload of `pull_request` as GitHub sends it, reduced to the fields that are read here."""
    owner, name = REPOSITORY.split("/")
    user = {"login": "ada-example", "id": 1001, "type": "User"}
    repository = {
        "id": 5001,
        "name": name,
        "full_name": REPOSITORY,
        "private": False,
        "owner": {"login": owner, "id": 1000, "type": "Organization"},
        "html_url": f"https://github.com/{REPOSITORY}",
        "default_branch": "main",
    }
    pull_request = {
        "number": NUMBER,
        "state": "open",
        "draft": False,
        "title": TITLE,
        "body": BODY,
        "user": user,
        "labels": [],
        "author_association": "CONTRIBUTOR",
        "html_url": f"https://github.com/{REPOSITORY}/pull/{NUMBER}",
        "merge_commit_sha": merge_sha,
        "base": {"label": f"{owner}:main", "ref": "main", "sha": base_sha, "repo": repository},
        "head": {"label": f"{owner}:surcharges", "ref": "surcharges", "sha": head_sha, "repo": repository},
    }
    return {
        "action": "opened",
        "number": NUMBER,
        "pull_request": pull_request,
        "repository": repository,
        "sender": user,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("destination", type=Path)
    print(build(parser.parse_args().destination.resolve()))
