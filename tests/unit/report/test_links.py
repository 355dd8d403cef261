"""Links name the exact lines at the right commit."""

import pytest

from pr_review.domain.finding import Finding, Severity, Side
from pr_review.report.links import commit_url, finding_url, repository_url

BASE, HEAD = "b" * 40, "a" * 40


def finding(path="src/app.py", line=3, end_line=None, side=Side.RIGHT, base_path=None):
    text = {"title": "t", "explanation": "e", "evidence": "v", "recommendation": "r"}
    places = {"path": path, "line": line, "end_line": end_line, "side": side, "base_path": base_path}
    return Finding(severity=Severity.LOW, **places, **text)


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (finding(), f"{HEAD}/src/app.py#L3"),
        (finding(end_line=7), f"{HEAD}/src/app.py#L3-L7"),
        (finding(end_line=3), f"{HEAD}/src/app.py#L3"),
        (finding(line=None), f"{HEAD}/src/app.py"),
        (finding(side=Side.LEFT), f"{BASE}/src/app.py#L3"),
        (finding(side=Side.LEFT, base_path="old/app.py"), f"{BASE}/old/app.py#L3"),
        (finding(base_path="old/app.py"), f"{HEAD}/src/app.py#L3"),
        (finding(path="docs/READ ME.md"), f"{HEAD}/docs/READ%20ME.md?plain=1#L3"),
        (finding(path="a)](x|y\n<é>#?%.py"), f"{HEAD}/a%29%5D%28x%7Cy%0A%3C%C3%A9%3E%23%3F%25.py#L3"),
    ],
)
def test_finding_url(outcomes, found, end):
    outcome = outcomes.clean.model_copy(update={"merge_base_sha": BASE})
    assert outcome.pull_request.head_sha == HEAD
    assert finding_url(outcome, found) == f"https://github.com/octo/shop/blob/{end}"


def test_no_link_without_a_server(outcomes):
    """A local review, an unknown pull request, an unknown merge base."""
    assert finding_url(outcomes.crashed, finding()) is None
    assert commit_url(outcomes.crashed, HEAD) is None
    unknown = outcomes.clean.model_copy(update={"merge_base_sha": None})
    assert finding_url(unknown, finding(side=Side.LEFT)) is None


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://github.com/o/r.py/pull/1", "https://github.com/o/r.py"),
        ("https://ghe.example:8443/o/r/pull/1", "https://ghe.example:8443/o/r"),
        ("http://127.0.0.1:8080/o/r/pull/1", "http://127.0.0.1:8080/o/r"),
        ("javascript:alert(1)//o/r/pull/1", None),
        ("https://github.com/o/r/pull/1?x", None),
        ("https://github.com/o/r)](x/pull/1", None),
        ("local", None),
    ],
)
def test_repository_url(outcomes, url, repository):
    pull_request = outcomes.clean.pull_request.model_copy(update={"url": url})
    assert repository_url(pull_request) == repository
