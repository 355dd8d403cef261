"""Turns the status and headers of a failed request to GitHub into one sentence with advice.

GitHub's own text tells cases apart and is never repeated. No token reaches this module.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from pr_review.errors import HostError

# For a secondary rate limit without a header, GitHub's documentation asks to wait at least one minute:
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
SECONDARY_LIMIT_SECONDS = 60.0

SECONDARY_LIMIT_PHRASES = ("secondary rate limit", "please wait a few minutes", "abuse detection")
CHECK_PERMISSION = (
    "Give the job `permissions: {{ contents: read, pull-requests: read }}`; this needs {needs}."
)
NOT_FOUND = (
    "GitHub shows no such pull request or commit; a private repository looks the same to a token without "
    "permission."
)


class ApiFailure(NamedTuple):
    """One failed request.

    ``retry``: another attempt may succeed. ``wait``: the seconds that GitHub asks to wait, or None.
    """

    code: str
    detail: str
    advice: str
    retry: bool = False
    wait: float | None = None

    def error(self, remaining: float = 0.0) -> HostError:
        """Return the error to raise; ``remaining`` are the seconds that the run has left."""
        detail = self.detail
        if self.wait is not None and self.wait > remaining:
            detail += f" It asks to wait {self.wait:.0f} s, longer than this run has left."
        return HostError(self.code, detail, self.advice)


UNREACHABLE = ApiFailure(
    "github_unreachable",
    "GitHub's API could not be reached.",
    "Check GITHUB_API_URL, proxy and network of the runner, then run again.",
    retry=True,
)
UNTRUSTED = ApiFailure(
    "github_tls",
    "The certificate of GitHub's API is not trusted.",
    "Give the certificate authority of your server in SSL_CERT_FILE.",
)
BAD_RESPONSE = ApiFailure(
    "github_bad_response",
    "GitHub's API answered with something that is not its API.",
    "Check GITHUB_API_URL: GitHub Enterprise Server needs the /api/v3 path.",
)
NO_COMMON_HISTORY = ApiFailure(
    "no_common_history",
    "Base and head of the pull request share no history, so there is no change to review.",
    "Rebase the pull request onto its base branch.",
)
UNAUTHORIZED = ApiFailure(
    "github_unauthorized",
    "GitHub refused the token.",
    "Check the github-token input: it is expired, revoked, or of another server.",
)


def failure_of_status(
    status: int, headers: Mapping[str, str], message: str, *, needs: str, has_token: bool
) -> ApiFailure:
    """Return the failure of an answer whose status is 400 or more.

    ``headers`` have lower-case names. ``message`` is GitHub's. ``needs`` is the permission of the request,
    such as ``contents: read``.
    """
    text = message.lower()
    if status == HTTPStatus.TOO_MANY_REQUESTS or (
        status == HTTPStatus.FORBIDDEN and _is_limited(headers, text)
    ):
        return _limited(headers, text)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ApiFailure(
            "github_unavailable", f"GitHub's API answered {status}.", "Run again later.", retry=True
        )
    if "no common ancestor" in text:
        return NO_COMMON_HISTORY
    advice = CHECK_PERMISSION.format(needs=needs)
    if not has_token:
        advice = f"Give the github-token input a token with {needs}; without one only public data is visible."
    answers: dict[int, ApiFailure] = {
        HTTPStatus.UNAUTHORIZED: UNAUTHORIZED,
        HTTPStatus.FORBIDDEN: ApiFailure(
            "github_forbidden", "The token may not read this from GitHub.", advice
        ),
        HTTPStatus.NOT_FOUND: ApiFailure("github_not_found", NOT_FOUND, advice),
    }
    other = ApiFailure("github_refused", f"GitHub's API refused the request with {status}.", advice)
    return answers.get(status, other)


def _is_limited(headers: Mapping[str, str], text: str) -> bool:
    return (
        "retry-after" in headers
        or headers.get("x-ratelimit-remaining") == "0"
        or "rate limit" in text
        or any(phrase in text for phrase in SECONDARY_LIMIT_PHRASES)
    )


def _limited(headers: Mapping[str, str], text: str) -> ApiFailure:
    """Return the failure of a rate limit. A secondary limit ends within minutes; the hourly one does not."""
    asked = headers.get("retry-after", "")
    secondary = any(phrase in text for phrase in SECONDARY_LIMIT_PHRASES)
    wait = float(asked) if asked.isdecimal() else SECONDARY_LIMIT_SECONDS if secondary else None
    return ApiFailure(
        "github_rate_limited",
        "GitHub's rate limit is reached.",
        "Run again later, or give a github-token: requests without one share a low limit.",
        retry=wait is not None,
        wait=wait,
    )
