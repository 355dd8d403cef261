"""Pull requests that the workflow's owner does not want reviewed: drafts, labels, authors."""

from pr_review.entry.settings import Settings
from pr_review.errors import Skipped
from pr_review.host.event import ReviewRequest


def check_wanted(request: ReviewRequest, author: str, settings: Settings) -> None:
    """Raise ``Skipped`` with the filter that applies."""
    if settings.skip_drafts and request.draft:
        raise _skipped("draft", "The pull request is a draft and skip-drafts is on.")
    if _overlap(settings.skip_labels, request.labels):
        raise _skipped("label", "The pull request has a label that skip-labels names.")
    if _overlap(settings.skip_authors, (author,)):
        raise _skipped("author", "skip-authors names the pull request's author.")
    if settings.allow_authors and not _overlap(
        settings.allow_authors, (author, request.author_association or "")
    ):
        raise _skipped("author", "allow-authors names neither the author nor their association.")


def _overlap(wanted: tuple[str, ...], actual: tuple[str, ...]) -> bool:
    """Whether a name is in both; GitHub compares logins and labels without case."""
    return not {name.casefold() for name in wanted}.isdisjoint(name.casefold() for name in actual)


def _skipped(kind: str, detail: str) -> Skipped:
    return Skipped(f"skipped_{kind}", detail, "Change the filter in the workflow to review it.")
