"""Pull requests that the workflow's owner does not want reviewed: drafts, labels, authors."""

from pr_review.config.settings import Settings
from pr_review.errors import Skipped
from pr_review.github.event import ReviewRequest

# GitHub's CommentAuthorAssociation
ASSOCIATIONS = frozenset({
    "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "MEMBER", "NONE",
    "OWNER",
})  # fmt: skip


def check_wanted(request: ReviewRequest, author: str, settings: Settings) -> None:
    """Raise ``Skipped`` with the filter that applies."""
    if settings.skip_drafts and request.draft:
        raise _skipped("draft", "The pull request is a draft and skip-drafts is on.")
    if _overlap(settings.skip_labels, request.labels):
        raise _skipped("label", "The pull request has a label that skip-labels names.")
    if _overlap(settings.skip_authors, (author,)):
        raise _skipped("author", "skip-authors names the pull request's author.")
    if settings.allow_authors and not _is_allowed(settings.allow_authors, author, request):
        raise _skipped("author", "allow-authors names neither the author nor their association.")


def _is_allowed(allowed: tuple[str, ...], author: str, request: ReviewRequest) -> bool:
    """An association's word admits those who have it, never the stranger whose login is that word."""
    associations = tuple(name for name in allowed if name in ASSOCIATIONS)
    logins = tuple(name for name in allowed if name not in ASSOCIATIONS)
    return request.author_association in associations or _overlap(logins, (author,))


def _overlap(wanted: tuple[str, ...], actual: tuple[str, ...]) -> bool:
    """Whether a name is in both; GitHub compares logins and labels without case."""
    return not {name.casefold() for name in wanted}.isdisjoint(name.casefold() for name in actual)


def _skipped(kind: str, detail: str) -> Skipped:
    return Skipped(f"skipped_{kind}", detail, "Change the filter in the workflow to review it.")
