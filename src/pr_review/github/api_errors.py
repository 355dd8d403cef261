"""What a failed request to GitHub means: pure functions from status and headers to a sentence with advice.

GitHub's own text is read to tell cases apart and never repeated; a token never comes near this module.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from pr_review.errors import HostError

# GitHub's rule for a secondary rate limit without a header: wait at least a minute.
SECONDARY_LIMIT_SECONDS = 60.0

SECONDARY_LIMIT_PHRASES = ("secondary rate limit", "please wait a few minutes", "abuse detection")
CHECK_PERMISSION = (
    "Give the job `permissions: {{ contents: read, pull-requests: read }}`; this needs {needs}."
)
NOT_FOUND = (
    "GitHub shows no such pull request or commit; a private repository looks the same to a token without "
    "permission."
)


class Failure(NamedTuple):
    """One failed request; ``wait`` is what GitHub asks for in seconds, None when it does not say."""

    code: str
    detail: str
    advice: str
    retry: bool = False
    wait: float | None = None

    def error(self, remaining: float = 0.0) -> HostError:
        """The error to raise once no retry is left within ``remaining`` seconds (decision 12)."""
        detail = self.detail
        if self.wait is not None and self.wait > remaining:
            detail += f" It asks to wait {self.wait:.0f} s, longer than this run has left."
        return HostError(self.code, detail, self.advice)


UNREACHABLE = Failure(
    "github_unreachable",
    "GitHub's API could not be reached.",
    "Check GITHUB_API_URL, proxy and network of the runner, then run again.",
    retry=True,
)
UNTRUSTED = Failure(
    "github_tls",
    "The certificate of GitHub's API is not trusted.",
    "Give the certificate authority of your server in SSL_CERT_FILE.",
)
BAD_RESPONSE = Failure(
    "github_bad_response",
    "GitHub's API answered with something that is not its API.",
    "Check GITHUB_API_URL: GitHub Enterprise Server needs the /api/v3 path.",
)
NO_COMMON_HISTORY = Failure(
    "no_common_history",
    "Base and head of the pull request share no history, so there is no change to review.",
    "Rebase the pull request onto its base branch.",
)
UNAUTHORIZED = Failure(
    "github_unauthorized",
    "GitHub refused the token.",
    "Check the github-token input: it is expired, revoked, or of another server.",
)


def of_status(
    status: int, headers: Mapping[str, str], message: str, *, needs: str, has_token: bool
) -> Failure:
    """Classify an answer of 400 or more.

    ``headers`` have lower-case names, ``message`` is GitHub's, ``needs`` the permission of the request
    (``contents: read``).
    """
    text = message.lower()
    if status == HTTPStatus.TOO_MANY_REQUESTS or (
        status == HTTPStatus.FORBIDDEN and _is_limited(headers, text)
    ):
        return _limited(headers, text)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Failure(
            "github_unavailable", f"GitHub's API answered {status}.", "Run again later.", retry=True
        )
    if "no common ancestor" in text:
        return NO_COMMON_HISTORY
    advice = CHECK_PERMISSION.format(needs=needs)
    if not has_token:
        advice = f"Give the github-token input a token with {needs}; without one only public data is visible."
    answers: dict[int, Failure] = {
        HTTPStatus.UNAUTHORIZED: UNAUTHORIZED,
        HTTPStatus.FORBIDDEN: Failure("github_forbidden", "The token may not read this from GitHub.", advice),
        HTTPStatus.NOT_FOUND: Failure("github_not_found", NOT_FOUND, advice),
    }
    other = Failure("github_refused", f"GitHub's API refused the request with {status}.", advice)
    return answers.get(status, other)


def _is_limited(headers: Mapping[str, str], text: str) -> bool:
    return (
        "retry-after" in headers
        or headers.get("x-ratelimit-remaining") == "0"
        or "rate limit" in text
        or any(phrase in text for phrase in SECONDARY_LIMIT_PHRASES)
    )


def _limited(headers: Mapping[str, str], text: str) -> Failure:
    """A secondary limit passes within minutes; the hourly one is not worth waiting for."""
    asked = headers.get("retry-after", "")
    secondary = any(phrase in text for phrase in SECONDARY_LIMIT_PHRASES)
    wait = float(asked) if asked.isdecimal() else SECONDARY_LIMIT_SECONDS if secondary else None
    return Failure(
        "github_rate_limited",
        "GitHub's rate limit is reached.",
        "Run again later, or give a github-token: requests without one share a low limit.",
        retry=wait is not None,
        wait=wait,
    )
