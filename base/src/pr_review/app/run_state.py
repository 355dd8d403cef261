"""What is known of a run: enough to write its reports, however early it ends."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pr_review.actions.output_directory import ReportDirectory
from pr_review.app.target import ReviewTarget
from pr_review.app.wiring import Reviewer
from pr_review.config.settings import Settings
from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import Diff
from pr_review.domain.finding import Review
from pr_review.errors import PrReviewError
from pr_review.findings.baseline import Baseline
from pr_review.findings.submission import Submission
from pr_review.git.object_store import ObjectStore
from pr_review.git.reviewed_trees import is_tracked
from pr_review.git.tree import CommitTree
from pr_review.review.selection import Selection


@dataclass(frozen=True)
class OutputPlace:
    """The folder for the reports, held open; ``problem`` says why it is not the configured one."""

    directory: ReportDirectory
    problem: PrReviewError | None = None


@dataclass(frozen=True)
class RunState:
    """The results of the steps so far; a field is None, or empty, until its step has ended.

    ``tracking`` are the trees that decide what stands in the checkout, as soon as both are known.
    ``conversations`` are those that were started; each keeps its own record. ``answer`` is what they found,
    before it was placed. ``code_gone`` are the fingerprints of findings of the baseline whose code is gone.
    ``first_request`` is what a dry run would have sent.
    """

    settings: Settings | None = None
    target: ReviewTarget | None = None
    store: ObjectStore | None = None
    diff: Diff | None = None
    selection: Selection | None = None
    tracking: tuple[CommitTree, ...] = ()
    place: OutputPlace | None = None
    baseline: Baseline | None = None
    reviewer: Reviewer | None = None
    prompt_version: str | None = None
    conversations: tuple[Conversation[Submission], ...] = ()
    first_request: bytes | None = None
    answer: Submission | None = None
    review: Review | None = None
    code_gone: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def is_tracked(self, path: Path) -> bool:
        """Whether the head or the base of the pull request decides what stands at an absolute path."""
        return self.target is not None and is_tracked(path, self.target.workspace, self.tracking)


class Progress:
    """The one place where the state of a run is kept while it goes on."""

    def __init__(self, state: RunState) -> None:
        self.state = state

    def reached(self, *, notes: tuple[str, ...] = (), **known: Any) -> None:
        """Keep what a step has found; ``notes`` are added to those before."""
        self.state = replace(self.state, notes=(*self.state.notes, *notes), **known)
