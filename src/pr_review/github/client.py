"""One GET of GitHub's REST API through PyGithub, retried within the run's deadline.

PyGithub's own retries are off (decision 14): they would wait past the deadline. Answers are validated by our
own payload models, not by its classes.
"""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic import SecretStr, ValidationError

from pr_review.github import api_errors
from pr_review.github.api_errors import Failure
from pr_review.github.payloads import PayloadT, validate_payload

if TYPE_CHECKING:
    from github import Github
    from tenacity import RetryCallState

MAX_ATTEMPTS = 4
REQUEST_TIMEOUT_SECONDS = 20


class _AttemptFailed(Exception):
    """Carries the classified failure of one HTTP request to the retry loop."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class GitHubApi:
    """Reads one server; a context manager that closes its connection.

    ``api_url`` is the runner's ``GITHUB_API_URL``, so GHES and ghe.com work; ``remaining`` gives the seconds
    left of the run; ``sleep`` waits between attempts; ``authorities``, a file or a hashed
    folder, replaces the bundled certificate authorities. Not for use from two threads at once.
    """

    def __init__(
        self,
        api_url: str,
        token: SecretStr | None,
        *,
        remaining: Callable[[], float],
        sleep: Callable[[float], None] | None = None,
        authorities: str | None = None,
    ) -> None:
        self._api_url = api_url.rstrip("/")
        self._token = token.get_secret_value() if token else ""
        self._remaining = remaining
        self._sleep = sleep
        self._authorities = authorities
        self._github: Github | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; can be called repeatedly."""
        if self._github is not None:
            self._github.close()
            self._github = None

    def get(self, path: str, model: type[PayloadT], needs: str, **query: int) -> PayloadT:
        """One validated answer; ``needs`` is the permission it takes, for the error's advice.

        A JSON array is validated as the object ``{"items": array}``. Raises ``HostError``.
        """
        from tenacity import (  # noqa: PLC0415 -- start-up: only runs that ask GitHub need it
            Retrying,
            nap,
            retry_if_exception,
            wait_exponential_jitter,
        )

        backoff = wait_exponential_jitter(initial=1, max=8)

        def wait(state: "RetryCallState") -> float:
            failure = _failure(state.outcome.exception() if state.outcome else None)
            return failure.wait if failure and failure.wait is not None else backoff(state)

        def stop(state: "RetryCallState") -> bool:
            return state.attempt_number >= MAX_ATTEMPTS or state.upcoming_sleep > self._remaining()

        retrying = Retrying(
            retry=retry_if_exception(lambda error: bool((failure := _failure(error)) and failure.retry)),
            wait=wait,
            stop=stop,
            sleep=self._sleep or nap.sleep,
            reraise=True,
        )
        try:
            data = retrying(self._attempt, path, query, needs)
            return validate_payload(model, {"items": data} if isinstance(data, list) else data)
        except _AttemptFailed as error:
            raise error.failure.error(self._remaining()) from None
        except ValidationError:
            raise api_errors.BAD_RESPONSE.error() from None

    def _attempt(self, path: str, query: dict[str, int], needs: str) -> Any:
        """One HTTP request; everything PyGithub and requests can raise becomes one classified failure."""
        from github import GithubException  # noqa: PLC0415 -- start-up: as above
        from requests import exceptions as http  # noqa: PLC0415 -- start-up: as above

        try:
            return self._connect().requester.requestJsonAndCheck("GET", path, parameters=query)[1]
        except GithubException as error:
            failure = api_errors.of_status(
                error.status,
                error.headers or {},
                _message(error.data),
                needs=needs,
                has_token=bool(self._token),
            )
        except http.SSLError:
            failure = api_errors.UNTRUSTED
        except (http.ConnectionError, http.Timeout, http.ChunkedEncodingError):
            failure = api_errors.UNREACHABLE
        except (http.RequestException, AssertionError, AttributeError, RuntimeError, TypeError, ValueError):
            # PyGithub's ways to say that an answer or a redirect is not what it expects
            failure = api_errors.BAD_RESPONSE
        except OSError:  # the file of certificate authorities is not there
            failure = api_errors.UNTRUSTED
        raise _AttemptFailed(failure) from None

    def _connect(self) -> "Github":
        from github import Auth, Github  # noqa: PLC0415 -- start-up: as above

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
            )
        return self._github


def _message(body: Any) -> str:
    """GitHub's own sentence, to tell failures apart."""
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""


def _failure(error: BaseException | None) -> Failure | None:
    return error.failure if isinstance(error, _AttemptFailed) else None
