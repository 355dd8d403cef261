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
from pr_review.errors import PrReviewError, ReviewStopped, Skipped, TerminationReason
from pr_review.findings.baseline import Baseline, find_code_gone
from pr_review.findings.placement import place
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import RuleSubmission, Submission
from pr_review.findings.suppression import suppress
from pr_review.git.object_store import ObjectStore
from pr_review.masking.redact import redact_text
from pr_review.review.passes.find import Opened, failure_of, hold_all, join
from pr_review.review.prompt import Prompt, build_prompt, prompt_version
from pr_review.review.selection import select

ResultT = TypeVar("ResultT")

CROSS_CHECK_SECONDS = 30.0
CROSS_CHECK_LATE = "The changed files were not compared with GitHub's list: it took too long."
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
    progress.reached(target=target)
    store = _allocate_store(job, target)
    progress.reached(store=store)
    base = await in_thread(partial(load_base, store, target))
    settings = await in_thread(partial(read_settings, job.settings, base))
    progress.reached(settings=settings)
    diff = await in_thread(partial(compute_change, store, target))
    progress.reached(diff=diff)
    selection = select(diff, settings.include, settings.exclusions)
    progress.reached(selection=selection)
    head = await in_thread(partial(load_head, store, diff))
    progress.reached(tracking=(head, base))
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
        raise nothing_selected(diff)

    reviewer, notes = _choose_reviewer(job, target, prepared)
    progress.reached(reviewer=reviewer, notes=notes)
    try:
        await _review(job, progress, prepared, reviewer)
    finally:
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await reviewer.aclose()
    progress.reached(notes=await _cross_check(job, target, diff))


async def _review(job: Job, progress: Progress, prepared: Prepared, reviewer: Reviewer) -> None:
    """Hold the conversations, then place what they found; what ended one of them is raised at the end."""
    opened = [_open_conversation(job, prepared, reviewer)]
    conversations = tuple(each.conversation for each in opened)
    progress.reached(conversations=conversations, prompt_version=prompt_version())
    if prepared.settings.dry_run:
        first_request = reviewer.preview(opened[0].messages, opened[0].conversation.tools)
        progress.reached(first_request=first_request)
        raise _dry_run(len(first_request))
    ended = await hold_all(opened)
    if answers := [each.answer for each in ended if each.answer]:
        asked = conversations[0] if len(conversations) == 1 else None
        await _place_answer(job, progress, prepared, join(answers), asked)
    if failure := failure_of(ended):
        raise failure
    if any(conversation.record.truncated_by_server for conversation in conversations):
        raise _prompt_truncated()


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
    place_findings = partial(_place, job, prepared, progress.state.baseline)
    progress.reached(answer=answer)
    progress.reached(**(await in_thread(partial(place_findings, answer)))._asdict())
    if prepared.settings.relocate and conversation and not isinstance(answer, RuleSubmission):
        again, notes = await _relocate(job, prepared, conversation, answer)
        progress.reached(answer=again, notes=notes)
        progress.reached(**(await in_thread(partial(place_findings, again)))._asdict())


class _Placed(NamedTuple):
    """Findings in their places; ``code_gone`` as in ``RunState``."""

    review: Review
    code_gone: frozenset[str]
    notes: tuple[str, ...]


def _place(job: Job, prepared: Prepared, baseline: Baseline | None, answer: Submission) -> _Placed:
    """Place, set apart what is suppressed, and look in the head for what the baseline knows."""
    settings, diff, trees = prepared.settings, prepared.diff, prepared.trees
    whole = place(answer, diff, trees, _mask_secrets)
    review, notes = suppress(whole, settings.suppress, job.process.today())

    def as_reported(line: str) -> str:
        return redact_text(_mask_secrets(line), settings.secrets)

    gone = find_code_gone(baseline, whole, diff, trees, as_reported) if baseline else frozenset[str]()
    return _Placed(review, gone, notes)


async def _relocate(
    job: Job, prepared: Prepared, conversation: Conversation[Submission], answer: Submission
) -> tuple[Submission, tuple[str, ...]]:
    """The placed review is safe already; this may take half of the time that is left."""
    from pr_review.review.passes.relocate import relocate  # noqa: PLC0415 -- start-up: most runs need none

    notes: tuple[str, ...] = ()
    with anyio.move_on_after(job.deadline.remaining() / 2):
        answer, notes = await relocate(conversation, answer, ReviewedFiles(prepared.diff, prepared.trees))
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
        on_turn=lambda turn: log.say_turn(job.runner, turn, job.deadline.remaining()),
    )
    return Opened(conversation, prompt.messages, prompt.shown if reviewer.reads_prompt else frozenset())


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


async def _cross_check(job: Job, target: ReviewTarget, diff: Diff) -> tuple[str, ...]:
    """Notes on GitHub's own list; a slow GitHub is such a note, never the end of a whole review."""
    if not target.has_listed_files:
        return ()
    with anyio.move_on_after(min(CROSS_CHECK_SECONDS, job.deadline.remaining() / 2)):
        return await in_thread(partial(cross_check_files, target, diff))
    return (CROSS_CHECK_LATE,)


async def in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Run blocking work in a worker thread that a cancellation does not wait for."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _mask_secrets(text: str) -> str:
    from pr_review.masking.secrets import mask_secrets  # noqa: PLC0415 -- start-up: only once a review exists

    return mask_secrets(text)


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
