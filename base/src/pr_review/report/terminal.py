"""The report as plain text, for ``pr-review local`` and ``make review``."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pr_review.actions.commands import neutralise
from pr_review.domain.finding import Finding, Severity
from pr_review.domain.run import Outcome
from pr_review.domain.text import show_controls
from pr_review.report.wording import baseline, coverage
from pr_review.report.wording import finding as of_finding
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.order import numbered
from pr_review.report.wording.quantities import count
from pr_review.report.wording.run_facts import run_facts

WIDTH = 100
MAX_FILE_LINES = 200

_BOLD = "1"
_STYLES = {Severity.CRITICAL: "1;31", Severity.HIGH: "31", Severity.MEDIUM: "33", Severity.LOW: "34"}


class _Line(NamedTuple):
    """Untrusted text, and the ANSI SGR parameter of its colour."""

    text: str
    style: str = ""


def render(outcome: Outcome, *, color: bool = False, width: int = WIDTH) -> str:
    """The report, with a newline at its end; neither a terminal nor the runner obeys anything in it.

    ``color`` adds ANSI colours. Prose is wrapped at ``width`` columns, and code is not.
    """
    sections = [
        _verdict(outcome, width),
        _prose(outcome.review.summary if outcome.review else "", width),
        *_findings(outcome, width),
        _suppressed(outcome, width),
        _earlier(outcome, width),
        _notes("Notes of the reviewer", verdict.review_notes(outcome), width),
        _notes("Notes on this run", verdict.run_notes(outcome), width),
        _coverage(outcome),
        _prose(" · ".join(run_facts(outcome)), width),
    ]
    blocks = ("\n".join(_paint(line, color=color) for line in section).rstrip("\n") for section in sections)
    return "\n\n".join(filter(None, blocks)) + "\n"


def _paint(line: _Line, *, color: bool) -> str:
    text = neutralise(line.text)
    return f"\x1b[{line.style}m{text}\x1b[0m" if color and line.style else text


def _verdict(outcome: Outcome, width: int) -> Iterator[_Line]:
    yield _Line(f"pr-review: {verdict.headline(outcome)}", _BOLD)
    yield from _prose(" · ".join(verdict.counts(outcome)), width)
    yield from _prose(" · ".join(baseline.counts(outcome)), width)
    code = f"{outcome.error.code}: " if outcome.error else ""
    yield from _prose(code + verdict.reason(outcome), width)
    advice = verdict.advice(outcome)
    yield from _prose(f"What to do: {advice}" if advice else "", width)
    yield from _prose(verdict.method(outcome), width)
    yield from _prose(verdict.caveat(outcome), width)


def _findings(outcome: Outcome, width: int) -> Iterator[Iterator[_Line]]:
    for number, finding in numbered(outcome):
        yield _finding(number, finding, baseline.labels(outcome, finding), width)


def _finding(number: int, finding: Finding, state: list[str], width: int) -> Iterator[_Line]:
    indent = " " * len(f"{number}. ")
    yield _Line(
        f"{number}. {finding.severity.upper()}: {_one_line(finding.title)}", _STYLES[finding.severity]
    )
    labels = state + of_finding.labels(finding) + ([] if finding.in_diff else ["outside the diff"])
    names = [f"rule {finding.rule}"] if finding.rule else []
    names += [f"fingerprint {finding.fingerprint}"] if finding.fingerprint else []
    yield _Line(indent + " · ".join([_one_line(of_finding.location(finding)), *labels, *names]))
    yield from _prose(of_finding.anchor_note(finding), width, indent)
    yield from _prose(finding.explanation, width, indent)
    yield from _code(of_finding.numbered_code(finding), indent)
    evidence = of_finding.evidence_to_show(finding)
    yield from _prose(f"Evidence: {evidence}" if evidence else "", width, indent)
    yield from _prose(f"Recommendation: {finding.recommendation}", width, indent)
    yield from _code(of_finding.replacement(finding) or finding.suggestion or "", indent)


def _suppressed(outcome: Outcome, width: int) -> Iterator[_Line]:
    silenced = baseline.suppressed(outcome)
    if silenced:
        yield _Line("Suppressed", _BOLD)
        yield from _prose(baseline.SUPPRESSED, width)
    for each in silenced:
        until = f" (until {each.expires})" if each.expires else ""
        yield from _prose(f"- {_in_short(each.finding)}: {_one_line(each.reason)}{until}", width, hang="  ")


def _earlier(outcome: Outcome, width: int) -> Iterator[_Line]:
    known = baseline.earlier(outcome)
    if known:
        yield _Line("Earlier findings", _BOLD)
        yield from _prose(baseline.EARLIER, width)
    for finding in known:
        yield from _prose(f"- {baseline.state(finding)}: {_in_short(finding)}", width, hang="  ")


def _in_short(finding: Finding) -> str:
    place = _one_line(of_finding.location(finding))
    return f"{finding.severity.upper()} {_one_line(finding.title)}, {place}"


def _notes(title: str, notes: Sequence[str], width: int) -> Iterator[_Line]:
    if notes:
        yield _Line(title, _BOLD)
    for note in notes:
        yield from _prose(f"- {note}", width, hang="  ")


def _coverage(outcome: Outcome) -> Iterator[_Line]:
    yield _Line("Coverage", _BOLD)
    yield _Line(coverage.counts(outcome))
    files = coverage.files(outcome)
    for file in files[:MAX_FILE_LINES]:
        result, why = coverage.result(file), coverage.reason(file)
        yield _Line(f"  {result:12}  {_one_line(file.path)}" + (f"  ({_one_line(why)})" if why else ""))
    if len(files) > MAX_FILE_LINES:
        yield _Line(f"  {count(len(files) - MAX_FILE_LINES, 'more file')} in review.json")


def _prose(text: str, width: int, indent: str = "", hang: str = "") -> Iterator[_Line]:
    """Wrapped lines; the line breaks and the indentation of the text stay."""
    text = show_controls(text).strip("\n")
    for line in text.split("\n") if text else ():
        wrapped = textwrap.wrap(
            line,
            width,
            initial_indent=indent,
            subsequent_indent=indent + hang + line[: len(line) - len(line.lstrip(" "))],
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield from map(_Line, wrapped or [""])
        indent, hang = indent + hang, ""


def _code(text: str, indent: str) -> Iterator[_Line]:
    if text:
        yield _Line("")
        yield from (_Line(f"{indent}{line}") for line in text.split("\n"))
        yield _Line("")


def _one_line(text: str) -> str:
    return " ".join(show_controls(text).split())
