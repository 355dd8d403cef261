"""Finds the pull request of this run in the runner's event.

An explicit ``pull-request`` input wins. Otherwise the payload of a pull-request event names the pull request,
or else the inputs of a dispatch do.
"""

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from pr_review.domain.change import PullRequest
from pr_review.domain.frozen import Frozen
from pr_review.domain.sizes import MIB
from pr_review.errors import ConfigError, Skipped
from pr_review.github.payloads import EventPayload, PullPayload, validate_payload

MAX_EVENT_BYTES = 32 * MIB  # GitHub limits a webhook payload to 25 MB
DEPENDABOT = frozenset({"dependabot[bot]", "dependabot-preview[bot]"})
DISPATCH_INPUTS = ("pull-request", "pull_request")

_REPOSITORY = re.compile(r"([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_URL = re.compile(r"(https?://[^/?#\s]+)/([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/pull/([1-9][0-9]{0,9})")


class EventKind(StrEnum):
    """The event that started the run. An ``other`` event needs an explicit pull request."""

    PULL_REQUEST = "pull_request"
    PULL_REQUEST_TARGET = "pull_request_target"
    WORKFLOW_DISPATCH = "workflow_dispatch"
    WORKFLOW_CALL = "workflow_call"
    OTHER = "other"


class ReviewRequest(Frozen):
    """The pull request to review, and the facts that filters use.

    ``pull_request`` is None when the payload did not carry the whole record. The fields after it then have
    their defaults until GitHub is asked. ``is_fork``: the head is not in this repository, also when the head
    repository was deleted. ``sender`` is the login that caused the event.
    """

    kind: EventKind
    owner: str
    repository: str
    number: int
    sender: str | None = None
    pull_request: PullRequest | None = None
    is_fork: bool = False
    is_dependabot: bool = False
    draft: bool = False
    labels: tuple[str, ...] = ()
    author_association: str | None = None


def load_event(
    event_name: str,
    path: Path | None,
    *,
    pull_request: str | None,
    server_url: str,
    repository: str,
) -> ReviewRequest:
    """Return the request of this run.

    ``path`` is the event file. ``repository`` is ``owner/name``. ``pull_request`` is the explicit input: a
    number, or a canonical URL of the repository on ``server_url``.

    Raises:
        Skipped: the event has no pull request.
        ConfigError: the event or the input cannot be understood.
    """
    kind = EventKind(event_name) if event_name in set(EventKind) else EventKind.OTHER
    number = parse_pull_request(pull_request, server_url, repository) if pull_request else None
    payload, sender = None, None
    if kind in {EventKind.PULL_REQUEST, EventKind.PULL_REQUEST_TARGET}:
        payload, sender = _pull_of_event(path, repository)
        number = number or payload.number
    elif kind is not EventKind.OTHER and number is None:
        number, sender = _number_of_dispatch(path, server_url, repository)
    if number is None:
        _skip(event_name)
    owner, name = _split(repository)
    request = ReviewRequest(kind=kind, owner=owner, repository=name, number=number, sender=sender)
    return with_payload(request, payload, server_url) if payload and payload.number == number else request


def with_payload(request: ReviewRequest, pull: PullPayload, server_url: str) -> ReviewRequest:
    """Return the request with the facts that the payload holds about its pull request."""
    home = f"{request.owner}/{request.repository}"
    author = pull.user.login if pull.user else None
    return request.model_copy(
        update={
            "pull_request": _record(pull, request, server_url),
            "is_fork": pull.head.repo is None or not _same(pull.head.repo.full_name, home),
            "is_dependabot": not DEPENDABOT.isdisjoint({author, request.sender}),
            "draft": pull.draft,
            "labels": tuple(label.name for label in pull.labels),
            "author_association": pull.author_association,
        }
    )


def _record(pull: PullPayload, request: ReviewRequest, server_url: str) -> PullRequest | None:
    """Return the canonical record, or None when the payload lacks the title or a SHA."""
    if pull.title is None or pull.base.sha is None or pull.head.sha is None:
        return None
    return PullRequest(
        url=pull_url(server_url, request.owner, request.repository, pull.number),
        owner=request.owner,
        repository=request.repository,
        number=pull.number,
        title=pull.title,
        body=pull.body or "",
        author=pull.user.login if pull.user else "ghost",
        base_ref=pull.base.ref,
        head_ref=pull.head.ref,
        base_sha=pull.base.sha,
        head_sha=pull.head.sha,
    )


def parse_pull_request(text: str, server_url: str, repository: str) -> int:
    """Return the number that a ``pull-request`` input names. Raises ``ConfigError`` for other text."""
    if _NUMBER.fullmatch(text):
        return int(text)
    match = _URL.fullmatch(text)
    if not match:
        raise ConfigError(
            "invalid_pull_request",
            "The pull-request input is neither a number nor a canonical pull request URL.",
            f"Give a number, or {pull_url(server_url, *_split(repository), 123)} with the right number.",
        )
    server, full_name, number = match.groups()
    if server != server_url.rstrip("/") or not _same(full_name, repository):
        raise ConfigError(
            "foreign_pull_request",
            "The pull-request input names another repository or server.",
            "Run this action in the repository that the pull request belongs to.",
        )
    return int(number)


def pull_url(server_url: str, owner: str, repository: str, number: int) -> str:
    """Return the canonical URL of a pull request, without a trailing path, query or fragment."""
    return f"{server_url.rstrip('/')}/{owner}/{repository}/pull/{number}"


def _pull_of_event(path: Path | None, repository: str) -> tuple[PullPayload, str | None]:
    event = _load_event_file(path)
    if event.pull_request is None:
        _refuse("The event file carries no pull request.")
    home = event.pull_request.base.repo
    if home is not None and not _same(home.full_name, repository):
        _refuse("The event file is about another repository than this run.")
    return event.pull_request, event.sender.login if event.sender else None


def _number_of_dispatch(path: Path | None, server_url: str, repository: str) -> tuple[int, str | None]:
    event = _load_event_file(path)
    inputs = event.inputs or {}
    given = next((inputs[name] for name in DISPATCH_INPUTS if inputs.get(name)), None)
    if given is None:
        raise ConfigError(
            "missing_pull_request",
            "The workflow was started without a pull request.",
            "Give the pull-request input a number or a pull request URL.",
        )
    return parse_pull_request(
        str(given), server_url, repository
    ), event.sender.login if event.sender else None


def _load_event_file(path: Path | None) -> EventPayload:
    if path is None:
        _refuse("The runner named no event file.")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_EVENT_BYTES + 1)
    except OSError:
        _refuse("The event file cannot be read.")
    if len(content) > MAX_EVENT_BYTES:
        _refuse("The event file is too large.")
    try:
        return validate_payload(EventPayload, json.loads(content))
    except ValidationError as error:
        _refuse(f"The event file's {_where(error)} is not what GitHub sends.")
    except (ValueError, RecursionError):
        _refuse("The event file is not JSON.")


def _where(error: ValidationError) -> str:
    """Return the name of the first wrong field. Only names of our models appear, never keys of the file."""
    names = [part for part in error.errors(include_input=False)[0]["loc"] if isinstance(part, str)]
    return ".".join(names[:3]) or "top level"


def _refuse(detail: str) -> NoReturn:
    raise ConfigError(
        "invalid_event",
        detail,
        "Run as a workflow step on pull_request, or give the pull-request input.",
    ) from None


def _skip(event_name: str) -> NoReturn:
    shown = event_name if re.fullmatch(r"[a-z_]{1,40}", event_name) else "of this run"
    raise Skipped(
        "no_pull_request",
        f"The event {shown} carries no pull request, so there is nothing to review.",
        "Run on pull_request, or give the pull-request input.",
    )


def _split(repository: str) -> tuple[str, str]:
    match = _REPOSITORY.fullmatch(repository)
    if not match:
        raise ConfigError(
            "invalid_repository",
            "GITHUB_REPOSITORY is not of the form owner/name.",
            "Run as a workflow step, or set it.",
        )
    return match[1], match[2]


def _same(one: str, other: str) -> bool:
    """Whether two names are equal for GitHub, which ignores the case of owners and repositories."""
    return one.lower() == other.lower()
