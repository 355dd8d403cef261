"""The whole summary from its fixed parts and the pieces that fit."""

from collections.abc import Iterator, Sequence

from pr_review.domain.change import PullRequest
from pr_review.domain.run import Conclusion, Outcome
from pr_review.domain.text import shorten
from pr_review.report import links
from pr_review.report.markdown import Markdown, block, code, link, quote
from pr_review.report.summary.pieces import ICONS, Piece, SectionName
from pr_review.report.summary.sections import (
    Section,
    earlier_section,
    file_section,
    finding_section,
    note_section,
    suppressed_section,
)
from pr_review.report.wording import baseline, coverage, order
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.run_facts import run_facts

SUMMARY_CHARS = 8192
TITLE_CHARS = 200
SHORT_SHA = 7
# The list of files is the message of these conclusions, so it is not folded.
FILES_OPEN = frozenset({Conclusion.SKIPPED, Conclusion.INCOMPLETE})


def assemble(outcome: Outcome, pieces: Sequence[Piece]) -> Markdown:
    """The page with these pieces; the pieces of the outcome that are not among them are counted."""
    sections = _sections(outcome, pieces)
    return Markdown.fill(
        "{head}{findings}{coverage}---\n\n{facts}",
        head=Markdown.concat(Markdown.fill("{text}\n\n", text=paragraph) for paragraph in _head(outcome)),
        findings=_finding_sections(sections),
        coverage=_coverage(outcome, sections["files"]),
        facts=_facts(outcome),
    )


def _sections(outcome: Outcome, pieces: Sequence[Piece]) -> dict[SectionName, Section]:
    totals: dict[SectionName, int] = {
        "inside": len(order.findings(outcome, in_diff=True)),
        "outside": len(order.findings(outcome, in_diff=False)),
        "notes": len(verdict.review_notes(outcome)),
        "run_notes": len(verdict.run_notes(outcome)),
        "suppressed": len(baseline.suppressed(outcome)),
        "earlier": len(baseline.earlier(outcome)),
        "files": len(outcome.coverage.files),
    }
    return {
        name: Section([piece for piece in pieces if piece.section == name], total)
        for name, total in totals.items()
    }


def _finding_sections(sections: dict[SectionName, Section]) -> Markdown:
    return Markdown.concat(
        (
            finding_section("Findings", "", sections["inside"]),
            finding_section("Outside the diff", order.OUTSIDE, sections["outside"]),
            suppressed_section(baseline.SUPPRESSED, sections["suppressed"]),
            earlier_section(baseline.EARLIER, sections["earlier"]),
            note_section("Notes of the reviewer", sections["notes"]),
            note_section("Notes on this run", sections["run_notes"]),
        )
    )


def _head(outcome: Outcome) -> Iterator[Markdown]:
    """The paragraphs before the findings."""
    yield Markdown.fill("## pr-review: {headline}", headline=verdict.headline(outcome))
    if counts := _counts(outcome):
        yield counts
    if outcome.comparison:
        new, *known = baseline.counts(outcome)
        yield Markdown.fill(
            "**{new}**{known} since the review of {sha}",
            new=new,
            known=Markdown.concat(Markdown.fill(" · {words}", words=words) for words in known),
            sha=code(outcome.comparison.head_sha[:SHORT_SHA]),
        )
    yield from _explanation(outcome)
    if outcome.pull_request:
        yield _origin(outcome, outcome.pull_request)
    if outcome.review and outcome.review.summary:
        yield quote(block(shorten(outcome.review.summary, SUMMARY_CHARS)))


def _counts(outcome: Outcome) -> Markdown:
    severities = (
        Markdown.fill(
            "{icon}\N{NO-BREAK SPACE}{number} {severity}",
            icon=ICONS[severity],
            number=number,
            severity=severity,
        )
        for severity, number in order.by_severity(outcome)
    )
    return Markdown.concat((*severities, *verdict.apart(outcome)), " · ")


def _explanation(outcome: Outcome) -> Iterator[Markdown]:
    """Why the run ended as it did, what to do, who reviewed, and what nobody may conclude."""
    if reason := verdict.reason(outcome):
        error = Markdown.fill("{code}: ", code=code(outcome.error.code)) if outcome.error else ""
        yield Markdown.fill("{error}{reason}", error=error, reason=reason)
    if advice := verdict.advice(outcome):
        yield Markdown.fill("**What to do:** {advice}", advice=advice)
    if method := verdict.method(outcome):
        yield Markdown.of(method)
    if verdict.caveat(outcome) == verdict.NO_PROOF:
        yield Markdown.of(verdict.NO_PROOF)


def _origin(outcome: Outcome, pull_request: PullRequest) -> Markdown:
    """Number, title, author and commits of the pull request."""
    url, base = links.pull_request_url(outcome), outcome.merge_base_sha
    number = link(Markdown.fill("#{number}", number=pull_request.number), url)
    author = Markdown.fill(" · by {author}", author=code(pull_request.author))
    return Markdown.fill(
        "{number}{title}{author} · head {head}{base}",
        number=Markdown.fill("{number} ", number=number) if url else "",
        title=shorten(pull_request.title, TITLE_CHARS),
        author=author if pull_request.author else "",
        head=_commit(outcome, pull_request.head_sha),
        base=Markdown.fill(" · merge base {base}", base=_commit(outcome, base)) if base else "",
    )


def _commit(outcome: Outcome, sha: str) -> Markdown:
    return link(code(sha[:SHORT_SHA]), links.commit_url(outcome, sha))


def _coverage(outcome: Outcome, files: Section) -> Markdown:
    has_caveat = verdict.caveat(outcome) == verdict.NO_PROOF_EITHER
    return Markdown.fill(
        "### Coverage\n\n{counts}{caveat}\n\n{files}",
        counts=coverage.counts(outcome),
        caveat=Markdown.fill(" {caveat}", caveat=verdict.NO_PROOF_EITHER) if has_caveat else "",
        files=file_section(
            files,
            last_column="Checks, or reason" if verdict.is_offline(outcome) else "Reason",
            is_open=outcome.conclusion in FILES_OPEN,
        ),
    )


def _facts(outcome: Outcome) -> Markdown:
    facts: list[str] = run_facts(outcome)
    if outcome.prompt_version:
        facts.append(Markdown.fill("prompt {version}", version=code(outcome.prompt_version)))
    return Markdown.fill("<sub>{facts}</sub>", facts=Markdown.concat(facts, " · "))
