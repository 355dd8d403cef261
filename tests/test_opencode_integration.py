"""Reviews with the real provider. They run only with ``OPENCODE_INTEGRATION=1`` and a key.

Neither the key nor its header is printed. ``OPENCODE_BASE_URL`` and ``OPENCODE_MODEL`` choose another
endpoint and model, as for the program itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.loopback.repo import Repo

SCHEMA = Path(__file__).parents[1] / "docs/review.schema.json"
KEY = os.environ.get("OPENCODE_API_KEY", "")
PASSED_ON = (
    "PATH",
    "OPENCODE_API_KEY",
    "OPENCODE_BASE_URL",
    "OPENCODE_MODEL",
    "SSL_CERT_FILE",
    "HTTPS_PROXY",
)

pytestmark = [
    pytest.mark.skipif(os.environ.get("OPENCODE_INTEGRATION") != "1", reason="OPENCODE_INTEGRATION is not 1"),
    pytest.mark.skipif(not KEY, reason="OPENCODE_API_KEY is not set"),
]

# The change alone looks right. It is wrong because of a definition that the patch does not show.
BASE = {
    "shop/prices.py": 'def unit_price(item):\n    """The price in cents, or None for an unknown item."""\n'
    "    return {'apple': 30, 'pear': 45}.get(item)\n",
    "shop/cart.py": "def count(items):\n    return len(items)\n",
}
HEAD = {
    "shop/cart.py": "from shop.prices import unit_price\n\n\ndef count(items):\n    return len(items)\n\n\n"
    "def total(items):\n    return sum(unit_price(item) for item in items)\n",
}
INSTRUCTIONS = (
    "Before you answer, read shop/prices.py with read_repository_file, whatever you think of the patch."
)


@pytest.fixture
def pr_review(tmp_path):
    """Run the program in an empty folder; neither the key nor its header is ever printed or written."""

    def run(*arguments, **inputs):
        given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-m", "pr_review", *arguments],
            cwd=tmp_path,
            env=given | {f"INPUT_{name.replace('_', '-').upper()}": text for name, text in inputs.items()},
            capture_output=True,
            text=True,
            timeout=600,
        )
        written = [path.read_text(encoding="utf-8") for path in tmp_path.glob("pr-review-report/*.*")]
        everything = "\n".join([done.stdout, done.stderr, *written])
        if KEY in everything or "authorization:" in everything.lower():  # an assertion would print it
            pytest.fail("the key or its header was printed or written", pytrace=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_check_finds_native_tools(pr_review):
    said = pr_review("check")
    print(said)
    assert "tools: native calls work" in said


def test_a_review_calls_native_tools_and_then_stops(pr_review, tmp_path):
    repo = Repo(tmp_path / "repository")
    repo.commit(BASE, "base")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit(HEAD, "Add the total of a cart")
    print(pr_review("local", "--repo", str(repo.path), tool_mode="native", instructions=INSTRUCTIONS))
    report = json.loads((tmp_path / "pr-review-report/review.json").read_text(encoding="utf-8"))
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(report)
    turns = [(turn["finish_reason"], turn["protocol_action"]) for turn in report["turns"]]
    assert ("tool_calls", "execute_tools") in turns
    assert turns[-1] == ("stop", "return_review")
    assert report["conclusion"] in {"clean", "findings"}
