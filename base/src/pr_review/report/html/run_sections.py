"""The sections about the run: notes, coverage, figures and timeline."""

from collections.abc import Sequence

from pr_review.domain.run import Conclusion, FileCoverage, Outcome
from pr_review.report.html.bounded import Part, take
from pr_review.report.html.prose import text
from pr_review.report.html.safe_html import Html, code
from pr_review.report.html.section import Section, bounded_list, lines
from pr_review.report.html.turns import turn_item
from pr_review.report.wording import coverage, timeline
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.quantities import count
from pr_review.report.wording.run_facts import run_facts

MAX_FILE_ROWS = 1000
# The list of files is the message of these conclusions, so it is not folded.
FILES_OPEN = frozenset({Conclusion.SKIPPED, Conclusion.INCOMPLETE})


def notes_section(outcome: Outcome) -> Section:
    """The notes of the reviewer, then this program's own."""
    of_reviewer = _note_list("Of the reviewer", verdict.review_notes(outcome))
    on_run = _note_list("On this run", verdict.run_notes(outcome))
    return Section("notes", "Notes", Html.concat((of_reviewer, on_run)))


def _note_list(title: str, notes: Sequence[str]) -> Html:
    part = take((Html.fill("<li>{text}</li>\n", text=text(note)) for note in notes), len(notes))
    if not part.shown:
        return Html()
    return Html.fill("<h3>{title}</h3>\n{notes}", title=title, notes=bounded_list(part, "note"))


def coverage_section(outcome: Outcome) -> Section:
    """How many files were reviewed, and a table of them."""
    files = coverage.files(outcome)
    part = take(map(_file_row, files[:MAX_FILE_ROWS]), len(files))
    table = _file_table(outcome, part) if part.shown else ""
    content = Html.fill("<p>{counts}</p>\n{table}", counts=coverage.counts(outcome), table=table)
    return Section("coverage", "Coverage", content)


def _file_table(outcome: Outcome, part: Part) -> Html:
    left_out = Html.fill(
        "<p>{more} in <code>review.json</code>.</p>\n", more=count(part.left_out, "more file")
    )
    return Html.fill(
        "<details{open}>\n<summary>Files ({total})</summary>\n<table>\n"
        '<thead><tr><th scope="col">File</th><th scope="col" class="number">Lines</th>'
        '<th scope="col">Result</th><th scope="col">{last_column}</th></tr></thead>\n'
        "<tbody>\n{rows}</tbody>\n</table>\n{left_out}</details>\n",
        open=" open" if outcome.conclusion in FILES_OPEN else "",
        total=len(outcome.coverage.files),
        last_column="Checks, or reason" if verdict.is_offline(outcome) else "Reason",
        rows=lines(part.shown),
        left_out=left_out if part.left_out else "",
    )


def _file_row(file: FileCoverage) -> Html:
    return Html.fill(
        '<tr><td>{path}</td><td class="number">+{additions} \N{MINUS SIGN}{deletions}</td>'
        "<td>{result}</td><td>{reason}</td></tr>\n",
        path=code(file.path),
        additions=file.additions,
        deletions=file.deletions,
        result=coverage.result(file),
        reason=coverage.reason(file),
    )


def run_section(outcome: Outcome) -> Section:
    """The figures of the run and its timeline."""
    facts: list[str] = run_facts(outcome)
    if outcome.prompt_version:
        facts.append(Html.fill("prompt {version}", version=code(outcome.prompt_version)))
    if outcome.termination_reason:
        facts.append(Html.fill("ended as {reason}", reason=code(outcome.termination_reason)))
    items = Html.concat(Html.fill("<li>{fact}</li>\n", fact=fact) for fact in facts)
    content = Html.fill(
        '<ul class="facts">\n{facts}</ul>\n{timeline}', facts=items, timeline=_timeline(outcome)
    )
    return Section("run", "Run", content)


def _timeline(outcome: Outcome) -> Html:
    part = take(map(turn_item, timeline.steps(outcome)), len(outcome.turns))
    left_out = Html.fill(
        "<p>{more} in <code>review.json</code>.</p>\n", more=count(part.left_out, "more round")
    )
    if not part.shown:
        return Html()
    return Html.fill(
        '<h3>Timeline</h3>\n<p class="place">Time of the model and of each tool call, one after the other; '
        "waiting between requests is not shown.</p>\n"
        '<ol class="timeline">\n{turns}</ol>\n{left_out}',
        turns=lines(part.shown),
        left_out=left_out if part.left_out else "",
    )
