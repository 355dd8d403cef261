"""nektos/act runs the whole reusable workflow, as a caller's `uses:` line does.

act runs the workflow's own steps, inputs and outputs. It has neither the runner's mounts nor a workspace of
another user; test_action.py covers these. The action is pinned as in a release: by commit, with its image.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator

import jsonschema
import pytest
from examples.build_sample import REPOSITORY, expected
from tests.container.engine import PINNED_BASE, ROOT, STATE

WORKFLOW = ROOT / ".github" / "workflows" / "review.yml"
USES = re.compile(r"uses: (\S+@[0-9a-f]{40})")
ACT_SECONDS = 180
CALLER = """\
on: pull_request
jobs:
  review:
    permissions:
      contents: read
      pull-requests: read
    uses: {repository}/.github/workflows/review.yml@{commit}
    with:
      provider: offline
  after:
    needs: review
    runs-on: ubuntu-24.04
    steps:
      - run: echo "conclusion=${{{{ needs.review.outputs.conclusion }}}}"
"""
# Replaces actions/upload-artifact, which needs GitHub's server. The given path must hold the report.
UPLOAD = """\
name: upload
description: Looks at what would be uploaded.
inputs:
  name:
    description: Name.
  path:
    description: Folder.
  if-no-files-found:
    description: What to do.
runs:
  using: composite
  steps:
    - shell: bash
      run: test -s "${{ inputs.path }}/review.json" && echo "uploaded=${{ inputs.name }}"
"""


def used(part: str) -> str:
    """The one action of the reusable workflow whose name contains ``part``, as `owner/name@commit`."""
    (name,) = (name for name in USES.findall(WORKFLOW.read_text()) if part in name)
    return name


@pytest.fixture
def act() -> str:
    found = shutil.which("act")
    if found is None:
        pytest.skip("act is not on PATH; `make workflow-test` installs it")
    return found


@pytest.fixture
def docker_host(engine) -> Iterator[str | None]:
    """The engine's API: Docker's own, or podman's during a test."""
    if engine.program == "docker":
        yield os.environ.get("DOCKER_HOST")
        return
    socket = STATE / "podman.sock"
    socket.unlink(missing_ok=True)
    command = engine.command("system", "service", "--time=0", f"unix://{socket}")
    service = subprocess.Popen(command, env=os.environ | dict(engine.environ), stderr=subprocess.DEVNULL)
    while not socket.exists() and service.poll() is None:
        time.sleep(0.05)
    yield f"unix://{socket}"
    service.terminate()
    service.wait()


@pytest.fixture
def released(tmp_path, image):
    """The action at its release commit, whose action.yml names the built image."""
    release = tmp_path / "release"
    for name in ("action.yml", ".github/workflows/review.yml"):
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, release / name)
    action = release / "action.yml"
    action.write_text(action.read_text().replace("image: Dockerfile", f"image: docker://{image}"))
    return release


@pytest.fixture
def caller(tmp_path, sample):
    """The sample's checkout with a workflow that calls the reusable one."""
    workspace = tmp_path / "caller"
    shutil.copytree(sample.repo, workspace, symlinks=True)
    repository, _, commit = used("/pr-review@").partition("@")
    workflow = workspace / ".github" / "workflows" / "review.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(CALLER.format(repository=repository, commit=commit))
    remote = f"https://github.com/{REPOSITORY}"
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=workspace, check=True)
    return workspace


@pytest.fixture
def upload(tmp_path):
    """The substitute for actions/upload-artifact."""
    folder = tmp_path / "upload"
    folder.mkdir()
    (folder / "action.yml").write_text(UPLOAD)
    return folder


@pytest.fixture
def run_act(act, engine, docker_host, sample, tmp_path):
    """Run the sample's pull_request event in a checkout, with actions from local folders."""
    base = PINNED_BASE.findall((ROOT / "Dockerfile").read_text())[0][0]
    command = [act, "pull_request", "--eventpath", str(sample.event_path), "--bind", "--pull=false"]
    command += ["--container-daemon-socket", "-", "--no-cache-server"]
    command += ["--platform", f"ubuntu-24.04={engine.bases.get(base, base)}"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    environ |= {"DOCKER_HOST": docker_host} if docker_host else {}

    def run(workspace, local):
        options = [
            part for used, folder in local.items() for part in ("--local-repository", f"{used}={folder}")
        ]
        return subprocess.run(
            [*command, *options],
            cwd=workspace,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=ACT_SECONDS,
        )

    return run


def test_one_line_caller_gets_a_review(run_act, released, caller, upload):
    """The workflow checks out, reviews and uploads; the caller reads the conclusion."""
    done = run_act(caller, {used("/pr-review@"): released, used("actions/upload-artifact@"): upload})
    assert done.returncode == 0, done.stdout
    assert "uploaded=pr-review-report" in done.stdout
    assert "| conclusion=findings" in done.stdout
    report = json.loads((caller / "pr-review-report" / "review.json").read_text())
    jsonschema.validate(report, json.loads((ROOT / "docs" / "review.schema.json").read_text()))
    assert len(report["findings"]) == len(expected())
