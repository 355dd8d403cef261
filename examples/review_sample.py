"""Reviews the sample as GitHub's runner would, with an event file and INPUT_* and GITHUB_* variables.

`make review` runs this script. It builds the sample repository in `.build/sample`, runs `pr-review action`
on it with the offline provider, and prints the report. Its exit code is the action's.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from build_sample import REPOSITORY, Sample, build

ROOT = Path(__file__).resolve().parent.parent / ".build" / "sample"
FILES = {
    "GITHUB_STEP_SUMMARY": "summary.md",
    "GITHUB_OUTPUT": "output",
    "GITHUB_ENV": "env",
    "GITHUB_STATE": "state",
    "GITHUB_PATH": "path",
}


def runner_environment(sample: Sample, commands: Path) -> dict[str, str]:
    """The variables that the runner sets for a container action, and only PATH from this machine."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(commands),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(sample.repo),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(sample.event_path),
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_API_URL": "https://api.github.com",
        "GITHUB_SHA": sample.merge_sha,
        "INPUT_PROVIDER": "offline",
        "INPUT_FAIL-ON": "never",
        "INPUT_GITHUB-TOKEN": "",
    } | {name: str(commands / file) for name, file in FILES.items()}


def main() -> int:
    """Build the sample, run the action on it, and print the report."""
    shutil.rmtree(ROOT, ignore_errors=True)
    sample = build(ROOT)
    commands = ROOT / "commands"
    commands.mkdir()
    for file in FILES.values():
        (commands / file).touch()
    action = [sys.executable, "-m", "pr_review", "action"]
    log = commands / "log.txt"
    with log.open("wb") as file:
        done = subprocess.run(
            action,
            env=runner_environment(sample, commands),
            cwd=sample.repo,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    artifact = sample.repo / "pr-review-report" / "review.json"
    render = [sys.executable, "-m", "pr_review", "render", str(artifact), "--format", "text"]
    subprocess.run(render, check=True)
    summary = commands / FILES["GITHUB_STEP_SUMMARY"]
    print(f"\nstep log:    {log}\njob summary: {summary}\nartifact:    {artifact}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
