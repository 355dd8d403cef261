"""What each event tells about its pull request, and who may cause it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class EventKind(StrEnum):
    """The event that started the run. An ``other`` event needs an explicit pull request."""

    PULL_REQUEST = "pull_request"
    PULL_REQUEST_TARGET = "pull_request_target"
    PULL_REQUEST_REVIEW = "pull_request_review"
    PULL_REQUEST_REVIEW_COMMENT = "pull_request_review_comment"
    WORKFLOW_DISPATCH = "workflow_dispatch"
    WORKFLOW_CALL = "workflow_call"
    WORKFLOW_RUN = "workflow_run"
    CHECK_RUN = "check_run"
    CHECK_SUITE = "check_suite"
    ISSUE_COMMENT = "issue_comment"
    ISSUES = "issues"
    DISCUSSION = "discussion"
    DISCUSSION_COMMENT = "discussion_comment"
    FORK = "fork"
    WATCH = "watch"
    OTHER = "other"


class Telling(StrEnum):
    """How an event tells its pull request."""

    WHOLE = "it carries the whole record"
    ISSUE = "its issue may be one"
    RUN = "its run names those of its branch"
    INPUTS = "a person gave the number"
    NOTHING = "it has none"


class EventRule(NamedTuple):
    """What holds for one event.

    secretless: GitHub gives it no secrets when a fork or Dependabot is behind it. anyone: It runs with the
    secrets, and anyone can cause it. post: The payload's field with what the sender wrote; it says how the
    sender is associated with the repository.
    https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
    """

    telling: Telling = Telling.NOTHING
    secretless: bool = False
    anyone: bool = False
    post: str | None = None


RULES: Mapping[EventKind, EventRule] = {
    EventKind.PULL_REQUEST: EventRule(Telling.WHOLE, secretless=True),
    EventKind.PULL_REQUEST_REVIEW: EventRule(Telling.WHOLE, secretless=True),
    EventKind.PULL_REQUEST_REVIEW_COMMENT: EventRule(Telling.WHOLE, secretless=True),
    EventKind.PULL_REQUEST_TARGET: EventRule(Telling.WHOLE),
    EventKind.WORKFLOW_DISPATCH: EventRule(Telling.INPUTS),
    EventKind.WORKFLOW_CALL: EventRule(Telling.INPUTS),
    EventKind.WORKFLOW_RUN: EventRule(Telling.RUN),
    EventKind.CHECK_RUN: EventRule(Telling.RUN),
    EventKind.CHECK_SUITE: EventRule(Telling.RUN),
    EventKind.ISSUE_COMMENT: EventRule(Telling.ISSUE, anyone=True, post="comment"),
    EventKind.ISSUES: EventRule(anyone=True, post="issue"),
    EventKind.DISCUSSION: EventRule(anyone=True, post="discussion"),
    EventKind.DISCUSSION_COMMENT: EventRule(anyone=True, post="comment"),
    EventKind.FORK: EventRule(anyone=True),
    EventKind.WATCH: EventRule(anyone=True),
    EventKind.OTHER: EventRule(),
}


def kind_of(event_name: str) -> EventKind:
    """The kind of the event with this name."""
    return EventKind(event_name) if event_name in set(EventKind) else EventKind.OTHER
