"""What the log says of a run: numbers and fixed words; of a model or a repository, nothing raw."""

from collections.abc import Callable

from pr_review.actions.runner import Runner
from pr_review.domain.change import Diff, PullRequest
from pr_review.domain.run import Conclusion, Outcome, Turn
from pr_review.review.selection import Selection

TITLE = {"title": "pr-review"}


def say_prepared(runner: Runner, pull: PullRequest, diff: Diff, selection: Selection) -> None:
    """Which commits are compared, and how much of the change is reviewed; for debug logging."""
    runner.debug(f"base {pull.base_sha}, head {diff.head_sha}")
    runner.debug(f"merge base {diff.merge_base_sha}")
    runner.debug(f"changed files: {len(diff.files)}, selected: {len(selection.selected)}")


def say_turn(runner: Runner, turn: Turn, seconds_left: float) -> None:
    """One line of progress a turn; the runner folds the turn's tool calls below it."""
    tokens = turn.usage.total_tokens if turn.usage else None
    result_bytes = sum(call.result_bytes for call in turn.tool_calls)
    progress = (
        f"round {turn.round}: {turn.protocol_action}, tool calls: {len(turn.tool_calls)}, "
        f"result bytes: {result_bytes}, tokens: {'unknown' if tokens is None else tokens}, "
        f"seconds left: {seconds_left:.0f}"
    )
    with runner.group(progress):
        for call in turn.tool_calls if runner.active else ():
            ending = "" if call.ok else ", refused"
            runner.log(f"{call.name}: {call.result_bytes} bytes, {call.duration_ms} ms{ending}")
        runner.debug(f"model: {turn.duration_ms} ms, error: {turn.error or 'none'}")


def say_end(runner: Runner, outcome: Outcome) -> None:
    """What ended the run, as an annotation unless all is well; what was spent, for debug logging."""
    spent = outcome.requests
    runner.debug(
        f"model requests: {spent.requests}, retries: {spent.retries}, waited: {spent.waited_seconds:.0f} s"
    )
    if error := outcome.error:
        _level(runner, outcome)(f"[{error.code}] {error.detail} {error.advice}".strip(), TITLE)
    elif outcome.conclusion is Conclusion.INCOMPLETE:
        runner.warning("[incomplete] Some changed code was not reviewed; the report lists it.", TITLE)


def _level(runner: Runner, outcome: Outcome) -> Callable[[str, dict[str, str]], None]:
    if outcome.conclusion is Conclusion.SKIPPED:
        return runner.notice
    return runner.error if outcome.exit_code else runner.warning
