"""The HTTP connection below PyGithub: bounded answers, a given proxy, and nothing of the environment.

PyGithub and requests take an answer whole, however large it becomes when it is unpacked. So an adapter of
requests reads it here, piece by piece.
"""

import io
import re
from functools import partial
from typing import Any, cast

from github import Auth, Github
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from requests import PreparedRequest, RequestException, Response, Session, exceptions
from requests.adapters import HTTPAdapter

from pr_review.domain.sizes import KIB, MIB
from pr_review.github import api_errors
from pr_review.github.api_errors import ApiFailure

MAX_ANSWER_BYTES = (
    10 * MIB
)  # unpacked; a comparison of 300 files with their patches is the largest we ask for
MAX_ANSWER_PARTS = 20_000  # objects and lists: each of them costs PyGithub a hundred times its bytes
PIECE_BYTES = 64 * KIB

_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+"?', re.DOTALL)


class AnswerTooLarge(RequestException):
    """The answer is larger than any that GitHub sends."""


# What is wrong when one of these is raised; the first match counts.
FAILURES: tuple[tuple[tuple[type[Exception], ...], ApiFailure], ...] = (
    ((AnswerTooLarge,), api_errors.TOO_LARGE),
    ((exceptions.SSLError,), api_errors.UNTRUSTED),
    (
        (exceptions.ConnectionError, exceptions.Timeout, exceptions.ChunkedEncodingError),
        api_errors.UNREACHABLE,
    ),
    ((RequestException,), api_errors.BAD_RESPONSE),
    ((OSError,), api_errors.UNTRUSTED),  # the file of certificate authorities is missing
)


def failure_of(error: Exception) -> ApiFailure:
    """The failure for what was raised instead of an answer."""
    found = (failure for kinds, failure in FAILURES if isinstance(error, kinds))
    return next(found, api_errors.BAD_RESPONSE)


class BoundedAdapter(HTTPAdapter):
    """Reads each answer whole and within bounds, and gives its connection back."""

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        """The answer; raises ``AnswerTooLarge``, or what requests raises for a broken one."""
        answer = super().send(request, *args, **options)
        try:
            body = _read(answer)
        finally:
            answer.close()
        return _with_body(answer, body)


def connect(
    api_url: str, token: str, *, proxy: str | None, timeout: int, verify: str | bool, page_items: int
) -> Github:
    """PyGithub for one server; it opens its connection with the first request."""
    Requester.injectConnectionClasses(
        cast("type[HTTPRequestsConnectionClass]", partial(_bounded, HTTPRequestsConnectionClass, proxy)),
        cast("type[HTTPSRequestsConnectionClass]", partial(_bounded, HTTPSRequestsConnectionClass, proxy)),
    )
    try:  # a requester keeps the classes of the moment in which it was made
        return Github(
            auth=Auth.Token(token) if token else None,
            base_url=api_url,
            timeout=timeout,
            user_agent="pr-review",
            verify=verify,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            per_page=page_items,
            lazy=True,  # an object makes its request when its data is read, and no other one
        )
    finally:
        Requester.resetConnectionClasses()


def _bounded(kind: type, proxy: str | None, *args: Any, **options: Any) -> Any:
    """A connection of PyGithub whose session is ours."""
    connection = kind(*args, **options)
    session: Session = connection.session
    session.trust_env = False
    session.proxies = {"http": proxy, "https": proxy} if proxy else {}
    for scheme in ("http://", "https://"):
        session.mount(scheme, BoundedAdapter())
    return connection


def _read(answer: Response) -> bytes:
    body = bytearray()
    for piece in answer.iter_content(PIECE_BYTES):
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise AnswerTooLarge
    if _parts(bytes(body)) > MAX_ANSWER_PARTS:
        raise AnswerTooLarge
    return bytes(body)


def _parts(body: bytes) -> int:
    """How many objects and lists a JSON text opens; brackets inside strings do not count."""
    outside = _STRING.sub(b"", body)
    return outside.count(b"{") + outside.count(b"[")


def _with_body(answer: Response, body: bytes) -> Response:
    """The same answer with a body that is in memory and unpacked; GitHub's JSON is UTF-8."""
    read = Response()
    read.status_code, read.reason, read.url = answer.status_code, answer.reason, answer.url
    read.headers, read.request, read.encoding = answer.headers, answer.request, "utf-8"
    read.raw = io.BytesIO(body)
    return read
