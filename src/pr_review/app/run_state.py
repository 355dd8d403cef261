"""What is known of a run at any moment, and the ``Outcome`` made of it: reports exist on every way out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pr_review.app.wiring import Reviewer
from pr_review.config.settings import Settings
from pr_review.conversation.record import Record
from pr_review.domain.change import Diff, PullRequest
from pr_review.domain.finding import Review
from pr_review.domain.run import Coverage, Limits, Outcome, RequestStats, TraceTurn
from pr_review.errors import PrReviewError, Skipped, TerminationReason
from pr_review.findings.baseline import Baseline, compare, with_baseline_states
from pr_review.review.conclusion import conclude, exit_code, record_error
from pr_review.review.coverage import build_coverage
from pr_review.review.selection import Selection


@dataclass
class RunState:
    """Filled in as a run goes; a field is None, or empty, until its step has finished.

    ``gone`` are the fingerprints of findings of the baseline whose code is no longer there.
    """

    settings: Settings | None = None
    pull_request: PullRequest | None = None
    diff: Diff | None = None
    selection: Selection | None = None
    reviewer: Reviewer | None = None
    prompt_version: str | None = None
    record: Record | None = None
    review: Review | None = None
    baseline: Baseline | None = None
    gone: frozenset[str] = frozenset()
    first_request: bytes | None = None
    is_tracked: Callable[[Path], bool] = lambda _path: False
    notes: list[str] = field(default_factory=list)

    def outcome(self, error: PrReviewError | None, duration_ms: int) -> Outcome:
        """The run as the reports take it; ``error`` is what ended it, None for a final review."""
        coverage = self._coverage(error)
        review = self.review
        if review and self.baseline:
            review = with_baseline_states(review, self.baseline)
        record = self.record or Record()
        provider = self.reviewer.provider if self.reviewer else self._setting_provider
        outcome = Outcome(
            conclusion=conclude(review, coverage, error, offline=provider == "offline"),
            exit_code=0,
            provider=provider,
            pull_request=self.pull_request,
            merge_base_sha=self.diff.merge_base_sha if self.diff else None,
            review=review,
            comparison=compare(review, self.baseline, self.gone, coverage) if self.baseline else None,
            model=record.model,
            request_id=record.request_id,
            termination_reason=self._termination(error),
            error=record_error(error) if error else None,
            coverage=coverage,
            turns=tuple(record.turns),
            trace=self._trace(record, error),
            usage=record.usage,
            requests=self.reviewer.model.stats if self.reviewer else RequestStats(),
            limits=self._limits,
            prompt_version=self.prompt_version,
            notes=self._all_notes,
            duration_ms=duration_ms,
        )
        code = exit_code(
            outcome.conclusion,
            error,
            self.settings,
            worst=outcome.highest_severity,
            worst_new=outcome.highest_new_severity,
        )
        return outcome.model_copy(update={"exit_code": code})

    @property
    def _setting_provider(self) -> str:
        return self.settings.provider if self.settings else "unknown"

    @property
    def _limits(self) -> Limits:
        if self.reviewer:
            return self.reviewer.limits
        return self.settings.limits if self.settings else Limits()

    @property
    def _all_notes(self) -> tuple[str, ...]:
        of_settings = self.settings.notes if self.settings else ()
        of_diff = self.diff.notes if self.diff else ()
        return tuple(dict.fromkeys((*of_settings, *of_diff, *self.notes)))

    def _termination(self, error: PrReviewError | None) -> TerminationReason | None:
        if error:
            return error.termination_reason
        return TerminationReason.FINAL_REVIEW if self.review else None

    def _trace(self, record: Record, error: PrReviewError | None) -> tuple[TraceTurn, ...] | None:
        """Item 71 and decision 9: on success only, unless the workflow asks for it always."""
        wanted = self.settings.include_trace if self.settings else "false"
        keep = wanted == "always" or (wanted == "true" and error is None)
        return tuple(record.trace) if keep else None

    def _coverage(self, error: PrReviewError | None) -> Coverage:
        if self.diff is None or self.selection is None:
            return Coverage()
        return build_coverage(
            self.diff,
            self.selection.excluded,
            self.record.shown if self.record else frozenset(),
            unfinished=_unfinished(error) if error else None,
            checks=self.reviewer.checks() if self.reviewer else None,
            in_part=self.reviewer.in_part() if self.reviewer else frozenset(),
        )


def _unfinished(error: PrReviewError) -> str:
    """Why nothing counts as reviewed."""
    if not isinstance(error, Skipped):
        return f"the review did not finish ({error.code})"
    return "dry run" if error.code == "dry_run" else f"skipped ({error.code})"
