"""One review, step by step: target, repository, selection, conversations, placed findings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import anyio
import anyio.to_thread

from pr_review.actions.runner import Runner
from pr_review.app import log
from pr_review.app.baseline_file import load_baseline
from pr_review.app.cancellation import Signals, recorded_end
from pr_review.app.deadline import Deadline
from pr_review.app.endpoint_host import check_endpoint_host
from pr_review.app.prepare import (
    Prepared,
    compute_change,
    load_base,
    load_head,
    nothing_selected,
    prepare,
    read_settings,
)
from pr_review.app.process import Process
from pr_review.app.reports import choose_place
from pr_review.app.run_state import Progress, RunState
from pr_review.app.target import ReviewTarget, cross_check_files
from pr_review.app.wiring import Reviewer, build_reviewer, build_toolbox, choose_provider
from pr_review.config.settings import Settings
from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import Diff
from pr_review.domain.finding import Review
from pr_review.domain.run import Purpose
from pr_review.domain.shown import NOTHING_SHOWN
from pr_review.errors import PrReviewError, ReviewStopped, Skipped, TerminationReason
from pr_review.findings.base_code import BaseCode
from pr_review.findings.baseline import Baseline, find_code_gone
from pr_review.findings.placement import place, say_respelled
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import RuleSubmission, Submission
from pr_review.findings.suppression import suppress
from pr_review.git.object_store import ObjectStore
from pr_review.git.reviewed_trees import lines_of
from pr_review.masking.redact import redact_text
from pr_review.review.passes.find import Ended, Opened, failure_of, hold_all, join, partial_answer
from pr_review.review.passes.unseen import ask_about_unseen, find_unseen
from pr_review.review.prompt import Prompt, build_prompt, prompt_version
from pr_review.review.selection import select
from pr_review.review.unmatched_patterns import unmatched_notes

ResultT = TypeVar("ResultT")

CROSS_CHECK_SECONDS = 30.0
CROSS_CHECK_LATE = "The changed files were not compared with GitHub's list: it took too long."
FINAL_REQUEST_AT = 0.8  # of the run's time: then the model is asked for what it has found
CLOSE_SECONDS = 1.0  # a connection that does not close in time is left to the end of the process


@dataclass(frozen=True)
class Job:
    """One review to run: what to do, for whom to log, and until when.

    ``find_target`` is ``target_of_event`` or ``target_of_repository``, bound to its arguments; it may ask
    GitHub. ``workspace`` is where reports go and where a baseline lies.
    """

    settings: Settings
    find_target: Callable[[], ReviewTarget]
    process: Process
    runner: Runner
    workspace: Path
    deadline: Deadline


class RunEnd(NamedTuple):
    """How far a run came, and what ended it: None for a complete final review."""

    state: RunState
    error: PrReviewError | None = None


async def run(job: Job, signals: Signals) -> RunEnd:
    """Take the steps of a review until the last one, an error, the deadline or a signal.

    The object store is gone when this returns.
    """
    progress = Progress(RunState(settings=job.settings))
    async with recorded_end(job.deadline, signals) as end:
        try:
            await _take_steps(job, progress)
        finally:
            _release(progress)
    return RunEnd(progress.state, end.error)


async def _take_steps(job: Job, progress: Progress) -> None:
    """Every step takes what the steps before it gave; ``progress`` keeps each result for an early end.

    Raises ``PrReviewError`` for every end that is not a complete final review.
    """
    target = await in_thread(job.find_target)
    progress.reached(target=target, notes=target.notes)
    store = _allocate_store(job, target)
    progress.reached(store=store)
    base = await in_thread(partial(load_base, store, target))
    head = await in_thread(partial(load_head, store, target))
    progress.reached(tracking=(head, base))  # before anything that can fail: a report needs a safe place
    settings = await in_thread(partial(read_settings, job.settings, base))
    progress.reached(settings=settings)
    diff = await in_thread(partial(compute_change, store, target))
    progress.reached(diff=diff)
    selection = select(diff, settings.include, settings.exclusions)
    progress.reached(selection=selection, notes=unmatched_notes(diff, settings.include, settings.exclude))
    prepared = await in_thread(
        partial(
            prepare, store, target, settings=settings, base=base, head=head, diff=diff, selection=selection
        )
    )
    log.say_prepared(job.runner, target.pull_request, diff, selection)

    output = choose_place(
        job.workspace, settings.output_dir, job.process.random_hex, progress.state.is_tracked
    )
    progress.reached(place=output)
    if output.problem:  # before anything is spent
        raise output.problem
    baseline, notes = load_baseline(
        job.workspace, settings.baseline, target.pull_request, progress.state.is_tracked
    )
    progress.reached(baseline=baseline, notes=notes)
    if not selection.selected:
        await _cross_check(job, progress, target, diff)
        unlisted = len(progress.state.unlisted)
        raise _unlisted(unlisted) if unlisted else nothing_selected(diff, selection)

    if settings.starts_model and not settings.dry_run:
        await in_thread(partial(check_endpoint_host, settings))
    reviewer, notes = _choose_reviewer(job, target, prepared)
    progress.reached(reviewer=reviewer, notes=notes)
    try:
        await _review(job, progress, prepared, reviewer)
    finally:
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await reviewer.aclose()
    await _cross_check(job, progress, target, diff)


async def _review(job: Job, progress: Progress, prepared: Prepared, reviewer: Reviewer) -> None:
    """Hold the conversations, then place what they found; what ended one of them is raised at the end."""
    opened = [_open_conversation(job, prepared, reviewer)]
    conversations = tuple(each.conversation for each in opened)
    progress.reached(conversations=conversations, prompt_version=prompt_version())
    if prepared.settings.dry_run:
        first_request = reviewer.preview(opened[0].messages, opened[0].conversation.tools)
        progress.reached(first_request=first_request)
        raise _dry_run(len(first_request))
    ended = await _ask_about_unseen(job, progress, prepared, await hold_all(opened))
    answer = join([each.answer for each in ended if each.answer])
    partial_failure = partial_answer(answer) if answer else None
    if answer:
        asked = conversations[0] if len(conversations) == 1 and not partial_failure else None
        await _place_answer(job, progress, prepared, answer, asked)
    if failure := failure_of(ended):
        raise failure
    if partial_failure:
        raise partial_failure
    if any(conversation.record.truncated_by_server for conversation in conversations):
        raise _prompt_truncated()


async def _ask_about_unseen(
    job: Job, progress: Progress, prepared: Prepared, ended: list[Ended[Submission]]
) -> list[Ended[Submission]]:
    """Ask once more when a model ended before it was shown everything; first its findings are placed."""
    unseen = find_unseen(ended, prepared.selection.selected)
    so_far = join([each.answer for each in ended if each.answer])
    if unseen is None or so_far is None:
        return ended
    await _place_submission(job, progress, prepared, so_far)
    return await ask_about_unseen(ended, unseen)


async def _place_submission(job: Job, progress: Progress, prepared: Prepared, answer: Submission) -> None:
    placed = await in_thread(partial(_place, job, prepared, progress.state.baseline, answer))
    progress.reached(answer=answer, **placed._asdict())


async def _place_answer(
    job: Job,
    progress: Progress,
    prepared: Prepared,
    answer: Submission,
    conversation: Conversation[Submission] | None,
) -> None:
    """Place the findings; then, when asked to, look again for the code of those that are nowhere.

    ``conversation`` is the one that gave the whole answer; only it knows which code it meant.
    """
    await _place_submission(job, progress, prepared, answer)
    if prepared.settings.relocate and conversation and not isinstance(answer, RuleSubmission):
        again, notes = await _relocate(job, prepared, conversation, answer)
        progress.reached(notes=notes)
        await _place_submission(job, progress, prepared, again)


class _Placed(NamedTuple):
    """Findings in their places; ``code_gone`` as in ``RunState``."""

    review: Review
    code_gone: frozenset[str]
    notes: tuple[str, ...]


def _place(job: Job, prepared: Prepared, baseline: Baseline | None, answer: Submission) -> _Placed:
    """Place, set apart what is suppressed, and look in the head for what the baseline knows."""
    settings, diff, trees = prepared.settings, prepared.diff, prepared.trees
    whole = place(answer, diff, trees, _mask_secrets, prepared.origin)
    base_code = BaseCode(ReviewedFiles(diff, trees), partial(lines_of, prepared.base), _mask_secrets)
    review, notes = suppress(whole, settings.suppress, job.process.today(), base_code.known_as)

    def as_reported(line: str) -> str:
        return redact_text(_mask_secrets(line), settings.secrets)

    notes += say_respelled(answer, ReviewedFiles(diff, trees, prepared.origin))
    gone = find_code_gone(baseline, whole, diff, trees, as_reported) if baseline else frozenset[str]()
    return _Placed(review, gone, notes)


async def _relocate(
    job: Job, prepared: Prepared, conversation: Conversation[Submission], answer: Submission
) -> tuple[Submission, tuple[str, ...]]:
    """The placed review is safe already; this may take half of the time that is left."""
    from pr_review.review.passes.relocate import relocate  # noqa: PLC0415 -- start-up: most runs need none

    notes: tuple[str, ...] = ()
    with anyio.move_on_after(job.deadline.remaining() / 2):
        files = ReviewedFiles(prepared.diff, prepared.trees, prepared.origin)
        answer, notes = await relocate(conversation, answer, files)
    return answer, notes


def _open_conversation(job: Job, prepared: Prepared, reviewer: Reviewer) -> Opened[Submission]:
    prompt = _prompt(prepared, reviewer)
    conversation = Conversation(
        "find-1",
        Purpose.FIND,
        model=reviewer.open_model(),
        toolbox=build_toolbox(prepared),
        limits=reviewer.limits,
        answers=reviewer.answers,
        clock=job.deadline.clock,
        close_at=job.deadline.moment(FINAL_REQUEST_AT),
        on_turn=lambda turn: log.say_turn(job.runner, turn, job.deadline.remaining()),
    )
    return Opened(conversation, prompt.messages, prompt.shown if reviewer.reads_prompt else NOTHING_SHOWN)


def _prompt(prepared: Prepared, reviewer: Reviewer) -> Prompt:
    return build_prompt(
        prepared.pull_request,
        prepared.diff.merge_base_sha,
        prepared.commits,
        prepared.selection,
        reviewer.limits,
        language=prepared.settings.language,
        instructions=prepared.instructions,
        top_level=prepared.top_level,
    )


def _allocate_store(job: Job, target: ReviewTarget) -> ObjectStore:
    """An empty store; nothing waits here, so whoever ends the run finds it and removes it."""
    return ObjectStore.allocate(
        target.workspace,
        job.process.scratch(job.settings.workspace_root),
        env=job.process.environ,
        remaining=job.deadline.remaining,
    )


def _release(progress: Progress) -> None:
    """Close what the run holds; a store that cannot be removed is a note."""
    state = progress.state
    if state.target:
        state.target.close()
    try:
        if state.store:
            state.store.close()
    except PrReviewError as problem:
        progress.reached(notes=(problem.detail,))


def _choose_reviewer(job: Job, target: ReviewTarget, prepared: Prepared) -> tuple[Reviewer, tuple[str, ...]]:
    settings = prepared.settings
    provider, note = choose_provider(
        settings, without_secrets=target.without_secrets, sends=not settings.dry_run
    )
    return build_reviewer(provider, prepared, job.deadline), (note,) if note else ()


async def _cross_check(job: Job, progress: Progress, target: ReviewTarget, diff: Diff) -> None:
    """Compare with GitHub's own list; a slow GitHub is a note, never the end of a whole review."""
    if not target.has_listed_files:
        return
    unlisted: tuple[str, ...] = ()
    notes: tuple[str, ...] = (CROSS_CHECK_LATE,)
    with anyio.move_on_after(min(CROSS_CHECK_SECONDS, job.deadline.remaining() / 2)):
        unlisted, notes = await in_thread(partial(cross_check_files, target, diff))
    progress.reached(unlisted=unlisted, notes=notes)


async def in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Run blocking work in a worker thread that a cancellation does not wait for."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _mask_secrets(text: str) -> str:
    from pr_review.masking.secrets import mask_secrets  # noqa: PLC0415 -- start-up: only once a review exists

    return mask_secrets(text)


def _dry_run(size: int) -> Skipped:
    sent = f"The first request would be {size:,} bytes" if size else "This provider sends nothing"
    return Skipped("dry_run", f"{sent}; nothing was sent.", "Leave out dry-run to review.")


def _unlisted(count: int) -> ReviewStopped:
    return ReviewStopped(
        None,
        f"GitHub lists {count:,} changed files that the local diff does not have; nothing else is to review.",
        "Run again on the newest event, and check which commits the workflow checks out.",
        code="files_missing",
    )


def _prompt_truncated() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.FINAL_REVIEW,
        "The server counted far fewer prompt tokens than were sent, so it cut the prompt silently.",
        "Raise the server's context length (Ollama: num_ctx), or choose a model with a larger one.",
        code="prompt_truncated",
    )
