"""Servers of other projects, each in its own environment in ``.build/peers``, for ``make test-peers``."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.loopback.repo import Repo
from tests.peers.aimock import aimock  # noqa: F401 -- a fixture
from tests.peers.litellm_proxy import litellm  # noqa: F401 -- a fixture
from tests.peers.llamacpp import start_llamacpp  # noqa: F401 -- a fixture
from tests.peers.llmock import llmock, script_llmock, start_llmock  # noqa: F401 -- fixtures
from tests.peers.serving import KEY

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENTS = Path(os.environ.get("PR_REVIEW_PEERS", ROOT / ".build" / "peers"))
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/review.schema.json").read_text(encoding="utf-8")))
DOCUMENTED_CODES = frozenset(re.findall(r"^\| `(\w+)`", (ROOT / "docs/errors.md").read_text(), re.MULTILINE))


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Collect these tests only when they are named: they take minutes and need extra packages."""
    named = (config.invocation_params.dir / argument.partition("::")[0] for argument in config.args)
    return None if any(path.resolve().is_relative_to(HERE) for path in named) else True


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Path]:
    """The folder in which a peer is installed; the test is skipped when it is not installed."""

    def find(name: str) -> Path:
        folder = ENVIRONMENTS / name
        if not (folder / "stamp").exists():
            pytest.skip(
                f"{name} is not installed: `make test-peers` installs it where its registry is in reach"
            )
        return folder

    return find


@dataclass(frozen=True)
class Ended:
    """How one run of the program ended; ``name`` holds its conclusion and the reason."""

    code: int
    output: str
    artifact: Any

    @property
    def name(self) -> tuple[str, str]:
        error = self.artifact["error"]
        return self.artifact["conclusion"], error["code"] if error else self.artifact["termination_reason"]

    @property
    def actions(self) -> list[str]:
        return [turn["protocol_action"] for turn in self.artifact["turns"]]


@pytest.fixture
def repo(tmp_path):
    """One small change."""
    repo = Repo(tmp_path / "repository")
    repo.commit({"app.py": "def total(rows):\n    return sum(rows)\n"}, "base")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"app.py": "def total(rows):\n    return sum(rows) / len(rows)\n"}, "Average the rows")
    return repo


@pytest.fixture
def review(repo, tmp_path):
    """Run ``pr-review local`` against a peer; the run always ends with a documented code and its reports."""

    def run(url: str, **inputs: Any) -> Ended:
        folder = tmp_path / "cwd"
        folder.mkdir(exist_ok=True)
        given = {f"INPUT_{name.replace('_', '-').upper()}": str(value) for name, value in inputs.items()}
        defaults = {"INPUT_API-KEY": KEY, "INPUT_ENDPOINT": f"{url}/v1/chat/completions"}
        done = subprocess.run(
            [sys.executable, "-m", "pr_review", "local", "--repo", str(repo.path)],
            cwd=folder,
            env={"PATH": os.environ["PATH"]} | defaults | given,
            capture_output=True,
            text=True,
            timeout=600,
        )
        output = done.stdout + done.stderr
        artifact = json.loads((folder / "pr-review-report/review.json").read_text(encoding="utf-8"))
        SCHEMA.validate(artifact)
        assert "Traceback" not in output
        assert KEY not in output + json.dumps(artifact)
        assert (done.returncode, artifact["exit_code"]) in {(0, 0), (1, 1), (2, 2), (3, 3)}
        assert artifact["error"] is None or artifact["error"]["code"] in DOCUMENTED_CODES
        return Ended(done.returncode, output, artifact)

    return run
