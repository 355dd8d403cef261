"""Findings as annotations in the pull request's diff, as many as the runner shows for one step."""

from typing import Literal, NamedTuple

from pr_review.actions.commands import command, neutralise
from pr_review.domain.finding import Finding, Severity, Side
from pr_review.domain.run import Outcome
from pr_review.domain.text import shorten
from pr_review.report.wording.finding import removed_lines

PER_LEVEL = (
    9  # the runner shows 10 annotations of a level for a step; one is left for a message of this program
)
MAX_MESSAGE_CHARS = 4096
MAX_TITLE_CHARS = 120

Level = Literal["error", "warning", "notice"]

LEVELS: dict[Severity, Level] = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "notice",
}


class Annotation(NamedTuple):
    """One annotation, unescaped: whoever prints it escapes it. ``properties`` have the runner's names."""

    level: Level
    message: str
    properties: dict[str, str | int]


class Annotations(NamedTuple):
    """The annotations that are shown, worst first, and how many findings have none."""

    shown: tuple[Annotation, ...]
    left_out: int


def build(outcome: Outcome) -> Annotations:
    """Annotations of the findings inside the diff; a removed line has no place, so the message names it."""
    findings = [found for found in outcome.review.findings if found.in_diff] if outcome.review else []
    findings.sort(key=lambda found: found.severity.rank)
    room = dict.fromkeys(LEVELS.values(), PER_LEVEL)
    shown = []
    for found in findings:
        level = LEVELS[found.severity]
        if room[level]:
            room[level] -= 1
            shown.append(_annotate(level, found))
    return Annotations(tuple(shown), len(findings) - len(shown))


def render(outcome: Outcome) -> str:
    """Workflow commands for a step to print, one a line, then how many findings have no annotation."""
    annotations = build(outcome)
    lines = [
        command(
            level, neutralise(message), {key: neutralise(str(value)) for key, value in properties.items()}
        )
        for level, message, properties in annotations.shown
    ]
    if annotations.left_out:
        lines.append(f"{annotations.left_out} more findings are not annotated.")
    return "".join(f"{line}\n" for line in lines)


def _annotate(level: Level, found: Finding) -> Annotation:
    properties: dict[str, str | int] = {"title": shorten(found.title, MAX_TITLE_CHARS), "file": found.path}
    message = f"{found.explanation}\n\n{found.recommendation}"
    if found.line is not None and found.side is Side.RIGHT:
        properties["line"] = found.line
        if found.end_line is not None:
            properties["endLine"] = found.end_line
    else:
        message = f"{removed_lines(found)} {message}".strip()
    return Annotation(level, shorten(message, MAX_MESSAGE_CHARS), properties)
