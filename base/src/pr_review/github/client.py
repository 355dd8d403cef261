"""Reads GitHub's REST API through PyGithub, with retries inside the deadline of the run.

PyGithub's own retries and pauses are off, because they would wait past the deadline. Our payload models check
each answer, because PyGithub does not. PyGithub is imported at the first request: a run whose event carries
everything starts without it.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr, ValidationError

from pr_review.github import api_errors
from pr_review.github.api_errors import ApiFailure
from pr_review.github.payloads import PayloadT, validate_payload

if TYPE_CHECKING:
    from github import Github

MAX_ATTEMPTS = 4
MAX_BACKOFF_SECONDS = 8.0
REQUEST_TIMEOUT_SECONDS = 20
PAGE_ITEMS = 100  # the most that GitHub lists on one page

# What PyGithub raises when a status, a header, a redirect or the shape of an answer is not GitHub's.
UNEXPECTED_ANSWER = (AssertionError, AttributeError, RuntimeError, TypeError, ValueError)


class GitHubClient:
    """Reads one server over one connection, which ``close`` ends.

    ``api_url`` is the runner's ``GITHUB_API_URL``, also of GitHub Enterprise Server. ``remaining`` gives the
    seconds that the run has left, and ``sleep`` waits between two attempts. ``authorities`` is a file, or a
    folder of hashed files, that replaces the bundled certificate authorities. ``jitter`` gives a random
    number below 1. Only one thread at a time may use a client.
    """

    def __init__(
        self,
        api_url: str,
        token: SecretStr | None,
        *,
        remaining: Callable[[], float],
        sleep: Callable[[float], None],
        authorities: str | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._api_url = api_url.rstrip("/")
        self._token = token.get_secret_value() if token else ""
        self._remaining = remaining
        self._sleep = sleep
        self._authorities = authorities
        self._jitter = jitter
        self._github: Github | None = None

    def close(self) -> None:
        """Close the connection, if there is one. Idempotent."""
        if self._github is not None:
            self._github.close()
            self._github = None

    def read(self, model: type[PayloadT], request: Callable[["Github"], Any], *, needs: str) -> PayloadT:
        """Send a request and return its validated answer.

        ``request`` makes one HTTP request with PyGithub's lazy objects and returns the raw data.
        ``needs`` is the permission of the request, such as ``contents: read``.

        Raises:
            HostError: when the last attempt failed, or the answer is not what GitHub sends.
        """
        answer = self._attempt(request, needs)
        for attempt in range(1, MAX_ATTEMPTS):
            if not isinstance(answer, ApiFailure) or not answer.retry:
                break
            wait = self._backoff(attempt) if answer.wait is None else answer.wait
            if wait > self._remaining():
                break
            self._sleep(wait)
            answer = self._attempt(request, needs)
        if isinstance(answer, ApiFailure):
            raise answer.error(self._remaining())
        return _validate(model, answer)

    def _backoff(self, attempt: int) -> float:
        """Return the seconds to wait after an attempt, counted from 1: 1, 2, 4 … plus up to one second."""
        return min(2.0 ** (attempt - 1) + self._jitter(), MAX_BACKOFF_SECONDS)

    def _attempt(self, request: Callable[["Github"], Any], needs: str) -> Any:
        """Return the raw data of an answer, or an ``ApiFailure`` for whatever PyGithub or requests raises."""
        from github import GithubException  # noqa: PLC0415 -- start-up: see the module
        from requests import exceptions as http  # noqa: PLC0415 -- start-up: see the module

        try:
            return request(self._connect())
        except GithubException as error:
            return api_errors.failure_of_status(
                error.status,
                error.headers or {},
                _message(error.data),
                needs=needs,
                has_token=bool(self._token),
            )
        except http.SSLError:
            return api_errors.UNTRUSTED
        except (http.ConnectionError, http.Timeout, http.ChunkedEncodingError):
            return api_errors.UNREACHABLE
        except (http.RequestException, *UNEXPECTED_ANSWER):
            return api_errors.BAD_RESPONSE
        except OSError:  # the file of certificate authorities is missing
            return api_errors.UNTRUSTED

    def _connect(self) -> "Github":
        from github import Auth, Github  # noqa: PLC0415 -- start-up: see the module

        if self._github is None:
            self._github = Github(
                auth=Auth.Token(self._token) if self._token else None,
                base_url=self._api_url,
                timeout=max(1, min(REQUEST_TIMEOUT_SECONDS, int(self._remaining()))),
                user_agent="pr-review",
                verify=self._authorities or True,
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
                per_page=PAGE_ITEMS,
                lazy=True,  # an object makes its request when its data is read, and no other one
            )
        return self._github


def _validate(model: type[PayloadT], data: Any) -> PayloadT:
    try:
        return validate_payload(model, data)
    except ValidationError:
        raise api_errors.BAD_RESPONSE.error() from None


def _message(body: Any) -> str:
    """Return GitHub's own sentence, which tells failures apart."""
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""
