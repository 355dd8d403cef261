"""The pieces of a summary: a finding, a note or a row, each shown whole or not at all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pr_review.domain.finding import Finding, Severity, SuppressedFinding
from pr_review.domain.run import FileCoverage, Outcome
from pr_review.domain.sizes import utf8_size
from pr_review.report import links
from pr_review.report.fence_languages import language_of
from pr_review.report.markdown import Markdown, block, cell, code, code_block, html, link, list_item
from pr_review.report.wording import baseline, coverage
from pr_review.report.wording import finding as of_finding
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.order import numbered

MAX_FILE_ROWS = 1000  # more would only slow the page down; the artifact lists every file
REASON_CHARS = 400
ICONS = {Severity.CRITICAL: "🔴", Severity.HIGH: "🟠", Severity.MEDIUM: "🟡", Severity.LOW: "🔵"}

SectionName = Literal["inside", "outside", "notes", "run_notes", "suppressed", "earlier", "files"]

_NOTHING = Markdown()


@dataclass(frozen=True)
class Piece:
    """One unit of a section: a line of its table or list, and for a finding the folded details below."""

    section: SectionName
    row: Markdown
    detail: Markdown = _NOTHING

    @property
    def size(self) -> int:
        """UTF-8 bytes."""
        return utf8_size(self.row) + utf8_size(self.detail)


def pieces(outcome: Outcome) -> Iterator[Piece]:
    """Everything that may be left out, the most important first."""
    yield from _findings(outcome)
    yield from (Piece("notes", list_item(block(note))) for note in verdict.review_notes(outcome))
    yield from (Piece("run_notes", list_item(block(note))) for note in verdict.run_notes(outcome))
    yield from (Piece("suppressed", _suppressed_row(each)) for each in baseline.suppressed(outcome))
    yield from (Piece("earlier", _earlier_row(finding)) for finding in baseline.earlier(outcome))
    yield from (Piece("files", _file_row(file)) for file in coverage.files(outcome)[:MAX_FILE_ROWS])


def _findings(outcome: Outcome) -> Iterator[Piece]:
    for number, finding in numbered(outcome):
        url, state = links.finding_url(outcome, finding), baseline.labels(outcome, finding)
        row, detail = _finding_row(number, finding, url, state), _finding_detail(number, finding, url, state)
        yield Piece("inside" if finding.in_diff else "outside", row, detail)


def _finding_row(number: int, finding: Finding, url: str | None, state: list[str]) -> Markdown:
    return Markdown.fill(
        "| {number} | {severity} | {new}{title} | {place}{labels} |\n",
        number=number,
        severity=_severity(finding),
        new=Markdown("**new:** ") if "new" in state else "",
        title=cell(finding.title),
        place=link(code(of_finding.location(finding), in_cell=True), url),
        labels=_dotted(of_finding.place_labels(finding)),
    )


def _finding_detail(number: int, finding: Finding, url: str | None, state: list[str]) -> Markdown:
    head = Markdown.fill(
        "<details>\n<summary>{icon} {number}. {title}</summary>",
        icon=ICONS[finding.severity],
        number=number,
        title=html(finding.title),
    )
    place = Markdown.fill(
        "{place}{labels}",
        place=link(code(of_finding.location(finding)), url),
        labels=_dotted([*state, *of_finding.labels(finding), *_names(finding)]),
    )
    paragraphs = (head, place, *_explanation(finding), *_change(finding), Markdown("</details>"))
    return Markdown.fill("{paragraphs}\n\n", paragraphs=Markdown.concat(paragraphs, "\n\n"))


def _names(finding: Finding) -> Iterator[Markdown]:
    """Its rule and its fingerprint, where it has them."""
    if finding.rule:
        yield Markdown.fill("rule {rule}", rule=code(finding.rule))
    if finding.fingerprint:
        yield Markdown.fill("fingerprint {fingerprint}", fingerprint=code(finding.fingerprint))


def _explanation(finding: Finding) -> Iterator[Markdown]:
    """Paragraphs: how sure the place is, the explanation, the code, the evidence."""
    if note := of_finding.anchor_note(finding):
        yield Markdown.fill("_{note}_", note=note)
    yield block(finding.explanation)
    if finding.excerpt:
        yield code_block(of_finding.numbered_code(finding))
    if evidence := of_finding.evidence_to_show(finding):
        yield Markdown("**Evidence**")
        if of_finding.evidence_is_code(finding):
            yield code_block(evidence, language_of(finding.path))
        else:
            yield block(evidence)


def _change(finding: Finding) -> Iterator[Markdown]:
    """Paragraphs: the recommendation and the suggestion."""
    yield Markdown("**Recommendation**")
    yield block(finding.recommendation)
    if change := of_finding.replacement(finding):
        yield Markdown("**Suggested change**")
        yield code_block(change, "diff")
    elif finding.suggestion:
        yield Markdown("**Suggested code**")
        yield code_block(finding.suggestion, language_of(finding.path))


def _suppressed_row(suppressed: SuppressedFinding) -> Markdown:
    finding = suppressed.finding
    return Markdown.fill(
        "| {severity} | {title} | {place} | {reason} | {until} |\n",
        severity=_severity(finding),
        title=cell(finding.title),
        place=code(of_finding.location(finding), in_cell=True),
        reason=cell(suppressed.reason, REASON_CHARS),
        until=suppressed.expires or "",
    )


def _earlier_row(finding: Finding) -> Markdown:
    return Markdown.fill(
        "| {state} | {severity} | {title} | {place} |\n",
        state=baseline.state(finding),
        severity=_severity(finding),
        title=cell(finding.title),
        place=code(of_finding.location(finding), in_cell=True),
    )


def _file_row(file: FileCoverage) -> Markdown:
    return Markdown.fill(
        "| {path} | +{additions} \N{MINUS SIGN}{deletions} | {result} | {reason} |\n",
        path=code(file.path, in_cell=True),
        additions=file.additions,
        deletions=file.deletions,
        result=coverage.result(file),
        reason=cell(coverage.reason(file), REASON_CHARS),
    )


def _severity(finding: Finding) -> Markdown:
    return Markdown.fill(
        "{icon}\N{NO-BREAK SPACE}{severity}", icon=ICONS[finding.severity], severity=finding.severity
    )


def _dotted(labels: Iterable[str]) -> Markdown:
    """Each label after a dot."""
    return Markdown.concat(Markdown.fill(" · {label}", label=label) for label in labels)
