"""The pull request knows the page of its repository."""

import pytest

from pr_review.domain.change import PullRequest


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://github.com/o/r.py/pull/1", "https://github.com/o/r.py"),
        ("https://ghe.example:8443/o/r/pull/1", "https://ghe.example:8443/o/r"),
        ("http://127.0.0.1:8080/o/r/pull/1", "http://127.0.0.1:8080/o/r"),
        ("javascript:alert(1)//o/r/pull/1", None),
        ("https://github.com/o/r/pull/1?x", None),
        ("https://github.com/o/r)](x/pull/1", None),
        ("", None),
    ],
)
def test_the_repository_url_comes_only_from_a_canonical_url(url, repository):
    """A local review has no URL."""
    names = ("owner", "repository", "title", "body", "author", "base_ref", "head_ref")
    pull_request = PullRequest(
        url=url, number=1, base_sha="0" * 40, head_sha="0" * 40, **dict.fromkeys(names, "")
    )
    assert pull_request.repository_url == repository
