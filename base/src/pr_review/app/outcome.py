"""From what is known of a run to the ``Outcome`` that every report is made of."""

from pr_review.app.run_state import RunState
from pr_review.conversation.record import ConversationRecord, total_usage
from pr_review.domain.finding import Review
from pr_review.domain.run import (
    Coverage,
    ErrorRecord,
    Limits,
    Outcome,
    RequestStats,
    TraceTurn,
)
from pr_review.errors import PartialReview, PrReviewError, Skipped, TerminationReason
from pr_review.findings.baseline import compare, with_baseline_states
from pr_review.findings.submission import RuleSubmission
from pr_review.review.conclusion import conclude, exit_code
from pr_review.review.coverage import Seen, build_coverage


def build_outcome(state: RunState, error: PrReviewError | None, duration_ms: int) -> Outcome:
    """The run as the reports take it; ``error`` is what ended it, None for a final review."""
    coverage, review, provider = _coverage(state, error), _review(state), _provider(state)
    records = [conversation.record for conversation in state.conversations]
    outcome = Outcome(
        conclusion=conclude(review, coverage, error, offline=provider == "offline"),
        exit_code=0,
        provider=provider,
        pull_request=state.target.pull_request if state.target else None,
        merge_base_sha=state.diff.merge_base_sha if state.diff else None,
        review=review,
        comparison=compare(review, state.baseline, state.code_gone, coverage) if state.baseline else None,
        model=next((record.model for record in reversed(records) if record.model), None),
        request_id=next((record.request_id for record in reversed(records) if record.request_id), None),
        termination_reason=_termination_reason(state, error),
        error=ErrorRecord.of(error) if error else None,
        coverage=coverage,
        conversations=tuple(record.summary() for record in records),
        turns=tuple(turn for record in records for turn in record.turns),
        trace=_trace(state, error),
        usage=total_usage([record.usage for record in records]),
        requests=_requests(state),
        limits=_limits(state),
        prompt_version=state.prompt_version,
        notes=_notes(state),
        duration_ms=duration_ms,
    )
    return outcome.model_copy(update={"exit_code": _exit_code(outcome, state, error)})


def _exit_code(outcome: Outcome, state: RunState, error: PrReviewError | None) -> int:
    return exit_code(
        outcome.conclusion,
        error,
        state.settings,
        worst=outcome.highest_severity,
        worst_new=outcome.highest_new_severity,
    )


def _review(state: RunState) -> Review | None:
    if state.review and state.baseline:
        return with_baseline_states(state.review, state.baseline)
    return state.review


def _provider(state: RunState) -> str:
    if state.reviewer:
        return state.reviewer.provider
    return state.settings.provider if state.settings else "unknown"


def _limits(state: RunState) -> Limits:
    if state.reviewer:
        return state.reviewer.limits
    return state.settings.limits if state.settings else Limits()


def _requests(state: RunState) -> RequestStats:
    """What the run spent; conversations that adapted themselves say so after what their models say."""
    spent = state.reviewer.budget.stats if state.reviewer else RequestStats()
    adapted = [event for conversation in state.conversations for event in conversation.record.events]
    return spent.model_copy(update={"events": tuple(dict.fromkeys((*spent.events, *adapted)))})


def _notes(state: RunState) -> tuple[str, ...]:
    of_settings = state.settings.notes if state.settings else ()
    of_diff = state.diff.notes if state.diff else ()
    return tuple(dict.fromkeys((*of_settings, *of_diff, *state.notes)))


def _termination_reason(state: RunState, error: PrReviewError | None) -> TerminationReason | None:
    if error:
        return error.termination_reason
    return TerminationReason.FINAL_REVIEW if state.review else None


def _trace(state: RunState, error: PrReviewError | None) -> tuple[TraceTurn, ...] | None:
    """On success only, unless the workflow asks for it always: a trace holds repository content."""
    wanted = state.settings.include_trace if state.settings else "false"
    if wanted == "always" or (wanted == "true" and error is None):
        return tuple(turn for conversation in state.conversations for turn in conversation.record.trace)
    return None


def _coverage(state: RunState, error: PrReviewError | None) -> Coverage:
    if state.diff is None or state.selection is None:
        return Coverage()
    rules = state.answer if isinstance(state.answer, RuleSubmission) else None
    return build_coverage(
        state.diff,
        state.selection.excluded,
        [_seen(conversation.record) for conversation in state.conversations],
        unfinished=_unfinished(error),
        checks=rules.checks if rules else None,
        in_part=rules.checked_in_part if rules else (),
    )


def _seen(record: ConversationRecord) -> Seen:
    failure = f"the review did not finish ({record.error.code})" if record.error else None
    return Seen(record.id, record.shown, failure)


def _unfinished(error: PrReviewError | None) -> str | None:
    """Why nothing of the run counts as reviewed; None when what its conversations covered does."""
    if error is None or isinstance(error, PartialReview):
        return None
    if not isinstance(error, Skipped):
        return f"the review did not finish ({error.code})"
    return "dry run" if error.code == "dry_run" else f"skipped ({error.code})"
