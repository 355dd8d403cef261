"""Finds the pull request of this run in the runner's event.

An explicit ``pull-request`` input wins. Otherwise the payload carries the pull request or names it, as
``event_kinds`` says of each event.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from pr_review.domain.change import PullRequest
from pr_review.domain.frozen import Frozen
from pr_review.domain.sizes import KIB, MIB
from pr_review.domain.text import shorten
from pr_review.errors import ConfigError, Skipped
from pr_review.github.event_kinds import RULES, EventKind, Telling, kind_of
from pr_review.github.payloads import (
    MAX_LABELS,
    EventPayload,
    PostPayload,
    PullPayload,
    PullReference,
    RunPayload,
    validate_payload,
)

MAX_EVENT_BYTES = 32 * MIB  # GitHub limits a webhook payload to 25 MB
DEPENDABOT = frozenset({"dependabot[bot]", "dependabot-preview[bot]"})
DISPATCH_INPUTS = ("pull-request", "pull_request")
COMMENTS = frozenset({EventKind.ISSUE_COMMENT, EventKind.PULL_REQUEST_REVIEW_COMMENT})
PAST_ACTIONS = frozenset({"edited", "deleted"})  # of a comment

# Characters that are kept of each text; GitHub itself allows fewer.
MAX_CHARS = {"title": KIB, "body": 128 * KIB, "author": 256, "base_ref": KIB, "head_ref": KIB}
MAX_LABEL_CHARS = 256

_REPOSITORY = re.compile(r"([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_URL = re.compile(r"(https?://[^/?#\s]+)/([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/pull/([1-9][0-9]{0,9})")


class ReviewRequest(Frozen):
    """The pull request to review, and the facts that filters use.

    ``sender`` is the login that caused the event, and ``sender_association`` how they belong to the
    repository, where the event tells it. ``pull_request`` is None when the payload did not carry the whole
    record. The fields after it then have their defaults until GitHub is asked. ``is_fork``: the head is not
    in this repository, also when the head repository was deleted. ``notes`` say what was cut.
    """

    kind: EventKind
    owner: str
    repository: str
    number: int
    sender: str | None = None
    sender_association: str | None = None
    pull_request: PullRequest | None = None
    is_fork: bool = False
    is_dependabot: bool = False
    draft: bool = False
    labels: tuple[str, ...] = ()
    author_association: str | None = None
    notes: tuple[str, ...] = ()


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
    kind = kind_of(event_name)
    owner, name = _split(repository)
    given = parse_pull_request(pull_request, server_url, repository) if pull_request else None
    event = _read_event(kind, path, is_given=given is not None)
    _check_home(event, repository)
    number = given or _number(kind, event_name, event, server_url, repository)
    request = ReviewRequest(
        kind=kind,
        owner=owner,
        repository=name,
        number=number,
        sender=event.sender.login,
        sender_association=_sender_association(kind, event),
    )
    carried = event.pull_request if RULES[kind].telling is Telling.WHOLE else None
    return with_payload(request, carried, server_url) if carried and carried.number == number else request


def _read_event(kind: EventKind, path: Path | None, *, is_given: bool) -> EventPayload:
    """The payload as far as it counts: with a given number, what it carries or who caused the event."""
    rule = RULES[kind]
    names_one = rule.telling is not Telling.NOTHING and not is_given
    if rule.telling is Telling.WHOLE or names_one or (rule.anyone and path is not None):
        return _load_event_file(path)
    return EventPayload()


def with_payload(request: ReviewRequest, pull: PullPayload, server_url: str) -> ReviewRequest:
    """Return the request with the facts that the payload holds about its pull request."""
    home = f"{request.owner}/{request.repository}"
    texts = {
        "title": pull.title,
        "body": pull.body,
        "author": pull.user.login or "ghost",
        "base_ref": pull.base.ref,
        "head_ref": pull.head.ref,
    }
    return request.model_copy(
        update={
            "pull_request": _record(pull, request, server_url, texts),
            "is_fork": not _same(pull.head.repo.full_name, home),
            "is_dependabot": not DEPENDABOT.isdisjoint({pull.user.login, request.sender}),
            "draft": pull.draft,
            "labels": tuple(label.name[:MAX_LABEL_CHARS] for label in pull.labels[:MAX_LABELS] if label.name),
            "author_association": pull.author_association,
            "notes": tuple(_notes_on_cuts(pull, texts)),
        }
    )


def _record(
    pull: PullPayload, request: ReviewRequest, server_url: str, texts: Mapping[str, str]
) -> PullRequest | None:
    """Return the canonical record, or None when the payload lacks a SHA."""
    if pull.base.sha is None or pull.head.sha is None:
        return None
    return PullRequest(
        url=pull_url(server_url, request.owner, request.repository, pull.number),
        owner=request.owner,
        repository=request.repository,
        number=pull.number,
        base_sha=pull.base.sha,
        head_sha=pull.head.sha,
        **{name: shorten(text, MAX_CHARS[name]) for name, text in texts.items()},
    )


def _notes_on_cuts(pull: PullPayload, texts: Mapping[str, str]) -> Iterator[str]:
    for name, text in texts.items():
        if len(text) > MAX_CHARS[name]:
            used = f"{len(text):,} characters; the first {MAX_CHARS[name]:,} are used."
            yield f"The pull request's {name} has {used}"
    if len(pull.labels) > MAX_LABELS:
        yield f"The pull request has more than {MAX_LABELS:,} labels; the others are ignored."


def _number(kind: EventKind, event_name: str, event: EventPayload, server_url: str, repository: str) -> int:
    """The pull request that the event carries or names; raises ``Skipped`` or ``ConfigError``."""
    match RULES[kind].telling:
        case Telling.WHOLE:
            _check_action(kind, event)
            if event.pull_request is None:
                _refuse("The event file carries no pull request.")
            return event.pull_request.number
        case Telling.INPUTS:
            return _number_of_dispatch(event, server_url, repository)
        case Telling.ISSUE:
            _check_action(kind, event)
            return _number_of_issue(event)
        case Telling.RUN:
            return _number_of_run(kind, event, repository)
    raise _without_one(event_name)


def _check_home(event: EventPayload, repository: str) -> None:
    homes = [event.repository.full_name]
    if event.pull_request:
        homes.append(event.pull_request.base.repo.full_name)
    if any(home is not None and not _same(home, repository) for home in homes):
        _refuse("The event file is about another repository than this run.")


def _check_action(kind: EventKind, event: EventPayload) -> None:
    """Only a new comment starts a review: nobody asks for one by editing or deleting."""
    if kind in COMMENTS and event.action in PAST_ACTIONS:
        raise Skipped(
            "no_pull_request",
            f"A comment was {event.action}, and only a new comment starts a review.",
            "Limit the workflow to `types: [created]`, or give the pull-request input.",
        )


def _number_of_issue(event: EventPayload) -> int:
    if event.issue is None:
        _refuse("The event file carries no issue.")
    if event.issue.pull_request is None:
        raise Skipped(
            "no_pull_request",
            "The comment is on an issue and not on a pull request, so there is nothing to review.",
            "Limit the job with `if: github.event.issue.pull_request`, or give the pull-request input.",
        )
    return event.issue.number


def _number_of_run(kind: EventKind, event: EventPayload, repository: str) -> int:
    """The one pull request of this repository that the run belongs to."""
    run: RunPayload = getattr(event, kind.value)
    numbers = {named.number for named in run.pull_requests if _is_of(named, repository)}
    if len(numbers) == 1:
        return numbers.pop()
    if numbers:
        raise Skipped(
            "ambiguous_pull_request",
            f"The event {kind} names {len(numbers)} pull requests, so it is not clear which one to review.",
            "Give the pull-request input the one to review.",
        )
    raise Skipped(
        "no_pull_request",
        f"The event {kind} names no pull request; GitHub names none that comes from a fork.",
        "Give the pull-request input its number.",
    )


def _is_of(named: PullReference, repository: str) -> bool:
    """A run of a fork's branch may name a pull request of the repository above it."""
    return named.url is None or _same(named.url.partition("/repos/")[2], f"{repository}/pulls/{named.number}")


def _sender_association(kind: EventKind, event: EventPayload) -> str | None:
    """How the sender belongs to the repository, as far as it is the sender who wrote the post."""
    post: PostPayload | None = getattr(event, RULES[kind].post or "", None)
    if post is None or event.sender.login is None or not _same(post.user.login, event.sender.login):
        return None
    return post.author_association


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


def _number_of_dispatch(event: EventPayload, server_url: str, repository: str) -> int:
    given = next((event.inputs[name] for name in DISPATCH_INPUTS if event.inputs.get(name)), None)
    if given is None:
        raise ConfigError(
            "missing_pull_request",
            "The workflow was started without a pull request.",
            "Give the pull-request input a number or a pull request URL.",
        )
    return parse_pull_request(str(given), server_url, repository)


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


def _without_one(event_name: str) -> Skipped:
    shown = event_name if re.fullmatch(r"[a-z_]{1,40}", event_name) else "of this run"
    return Skipped(
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


def _same(one: str | None, other: str) -> bool:
    """Whether two names are equal for GitHub, which ignores the case of logins and repositories."""
    return one is not None and one.lower() == other.lower()
