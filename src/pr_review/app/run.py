"""One review, step by step: find the pull request, prepare the repository, run the loop, place findings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from pr_review.app.deadline import Deadline, utc_today
from pr_review.app.prepare import Prepared, prepare
from pr_review.app.run_state import RunState
from pr_review.app.target import ReviewTarget
from pr_review.app.wiring import Reviewer, build_reviewer, build_toolbox, choose_provider
from pr_review.config.settings import Settings
from pr_review.conversation.loop import ReviewLoop
from pr_review.domain.change import Diff
from pr_review.domain.chat import Message
from pr_review.domain.run import Turn
from pr_review.errors import (
    ReviewStopped,
    Skipped,
    TerminationReason,
)
from pr_review.findings.baseline import find_code_gone
from pr_review.findings.placement import place
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import RuleSubmission, Submission
from pr_review.findings.suppression import suppress
from pr_review.git.object_store import ObjectStore
from pr_review.git.reviewed_trees import ReviewedTrees
from pr_review.git.tree import CommitTree
from pr_review.masking.redact import redact_text
from pr_review.review.passes.relocate import ask_again
from pr_review.review.prompt import build_prompt, prompt_version

ResultT = TypeVar("ResultT")

CROSS_CHECK_SECONDS = 30.0
CROSS_CHECK_LATE = "The changed files were not compared with GitHub's list: it took too long."
CLOSE_SECONDS = 1.0  # a connection that does not close in time is left to the end of the process


@dataclass
class ReviewRun:
    """One run; ``known`` tells the reports how far it came. Used as a context manager, it leaves nothing."""

    settings: Settings
    environ: Mapping[str, str]
    scratch: Path
    deadline: Deadline
    on_turn: Callable[[Turn], None] = lambda _: None
    on_prepared: Callable[[], None] = lambda: None
    known: RunState = field(default_factory=RunState)
    today: Callable[[], date] = utc_today
    _store: ObjectStore | None = None

    async def execute(self, find_target: Callable[[], ReviewTarget]) -> None:
        """Review; raises ``PrReviewError`` for every end that is not a complete final review."""
        self.known.settings = self.settings
        target = await in_thread(find_target)
        self.known.pull_request = target.pull_request
        store = await in_thread(lambda: self._open_store(target))
        prepared = await in_thread(lambda: prepare(store, target, self.settings, self.known))
        self.settings = prepared.settings
        self.on_prepared()
        if not prepared.selection.selected:
            raise _nothing_selected(prepared.diff)
        reviewer = self._choose_reviewer(target, prepared)
        try:
            await self._converse(store, target, prepared, reviewer)
        finally:
            with anyio.move_on_after(CLOSE_SECONDS, shield=True):
                await reviewer.aclose()
        await self._cross_check(target, prepared.diff)

    def close(self) -> None:
        """Kill git and remove the object store; idempotent, from any thread."""
        if self._store:
            self._store.close()

    def _open_store(self, target: ReviewTarget) -> ObjectStore:
        """Allocate the store where ``close`` finds it, then fill it."""
        self._store = ObjectStore.allocate(
            target.workspace, self.scratch, env=self.environ, remaining=self.deadline.remaining
        )
        self._store.fill()
        return self._store

    def _choose_reviewer(self, target: ReviewTarget, prepared: Prepared) -> Reviewer:
        provider, note = choose_provider(
            self.settings, without_secrets=target.without_secrets, sends=not self.settings.dry_run
        )
        self.known.notes += [note] if note else []
        self.known.reviewer = build_reviewer(
            provider, self.settings, prepared.selection.selected, prepared.head, self.deadline
        )
        return self.known.reviewer

    async def _converse(
        self, store: ObjectStore, target: ReviewTarget, prepared: Prepared, reviewer: Reviewer
    ) -> None:
        toolbox = build_toolbox(store, prepared.head, prepared.diff)
        loop = ReviewLoop(
            reviewer.model, toolbox, reviewer.limits, clock=self.deadline.clock, on_turn=self.on_turn
        )
        self.known.record = loop.record
        conversation = self._first_messages(target, prepared, reviewer, loop)
        if self.settings.dry_run:
            self.known.first_request = reviewer.preview(conversation, toolbox.specs)
            raise _dry_run(len(self.known.first_request))
        submission = await loop.run(conversation)
        trees = ReviewedTrees(prepared.head, lambda: CommitTree.load(store.git, prepared.diff.merge_base_sha))
        await self._place(submission, prepared.diff, trees)
        if self.settings.relocate and not isinstance(submission, RuleSubmission):
            again = await self._relocate(loop, submission, ReviewedFiles(prepared.diff, trees))
            await self._place(again, prepared.diff, trees)
        if loop.record.truncated_by_server:
            raise _prompt_truncated()

    async def _relocate(self, loop: ReviewLoop, submission: Submission, files: ReviewedFiles) -> Submission:
        """The placed review is safe already; this may take half of the time that is left."""
        with anyio.move_on_after(self.deadline.remaining() / 2):
            submission, notes = await ask_again(loop, submission, files)
            self.known.notes.extend(notes)
        return submission

    async def _place(self, submission: Submission, diff: Diff, trees: ReviewedTrees) -> None:
        """Place, set apart what is suppressed, and look in the head for what the baseline knows."""
        review = await in_thread(lambda: place(submission, diff, trees, _mask_secrets))
        self.known.review, notes = suppress(review, self.settings.suppress, self.today())
        self.known.notes.extend(notes)
        if baseline := self.known.baseline:
            self.known.gone = await in_thread(
                lambda: find_code_gone(baseline, review, diff, trees, self._as_reported)
            )

    def _as_reported(self, line: str) -> str:
        """A line of code as a report shows it."""
        return redact_text(_mask_secrets(line), self.settings.secrets)

    def _first_messages(
        self, target: ReviewTarget, prepared: Prepared, reviewer: Reviewer, loop: ReviewLoop
    ) -> tuple[Message, ...]:
        prompt = build_prompt(
            target.pull_request,
            prepared.diff.merge_base_sha,
            prepared.commits,
            prepared.selection,
            reviewer.limits,
            language=self.settings.language,
            instructions=prepared.instructions,
            top_level=prepared.top_level,
        )
        self.known.prompt_version = prompt_version()
        if reviewer.reads_prompt:
            loop.record.shown.update(prompt.shown)
        return prompt.messages

    async def _cross_check(self, target: ReviewTarget, diff: Diff) -> None:
        """Add notes on GitHub's own list; a slow GitHub is such a note, never the end of a whole review."""
        if check := target.cross_check:
            notes: tuple[str, ...] = (CROSS_CHECK_LATE,)
            with anyio.move_on_after(min(CROSS_CHECK_SECONDS, self.deadline.remaining() / 2)):
                notes = await in_thread(lambda: check(diff))
            self.known.notes.extend(notes)


async def in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Run blocking work in a worker thread that a cancellation does not wait for (decision 14)."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _mask_secrets(text: str) -> str:
    from pr_review.masking.secrets import mask_secrets  # noqa: PLC0415 -- start-up: only once a review exists

    return mask_secrets(text)


def _nothing_selected(diff: Diff) -> Skipped:
    if not diff.files:
        advice = "Commit something, or compare with another base."
        return Skipped("no_changes", "The pull request changes nothing.", advice)
    return Skipped(
        "all_excluded",
        "Every changed file is excluded from the review.",
        "Change include or exclude if that is not what you want.",
    )


def _dry_run(size: int) -> Skipped:
    sent = f"The first request would be {size:,} bytes" if size else "This provider sends nothing"
    return Skipped("dry_run", f"{sent}; nothing was sent.", "Leave out dry-run to review.")


def _prompt_truncated() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.FINAL_REVIEW,
        "The server counted far fewer prompt tokens than were sent, so it cut the prompt silently.",
        "Raise the server's context length (Ollama: num_ctx), or choose a model with a larger one.",
        code="prompt_truncated",
    )
