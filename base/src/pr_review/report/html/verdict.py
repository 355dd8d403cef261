"""The top of the page: the verdict, what to know before anything else, and the pull request."""

from pr_review.domain.change import PullRequest
from pr_review.domain.run import Outcome
from pr_review.report import links
from pr_review.report.html.prose import line
from pr_review.report.html.safe_html import Html, code
from pr_review.report.html.section import paragraph
from pr_review.report.wording import baseline
from pr_review.report.wording import outcome as verdict

SHORT_SHA = 7


def verdict_element(outcome: Outcome) -> Html:
    """The headline, and what a reader must know before anything else."""
    counts, reason = verdict.counts(outcome), verdict.reason(outcome)
    code_of_error = Html.fill("{code}: ", code=code(outcome.error.code)) if outcome.error else ""
    advice = verdict.advice(outcome)
    paragraphs = (
        Html.fill('<p class="counts">{counts}</p>\n', counts=Html.concat(counts, " · ")) if counts else "",
        _compared(outcome),
        Html.fill("<p>{code}{reason}</p>\n", code=code_of_error, reason=reason) if reason else "",
        Html.fill("<p><strong>What to do:</strong> {advice}</p>\n", advice=advice) if advice else "",
        paragraph(verdict.method(outcome)),
        paragraph(verdict.caveat(outcome)),
        _origin(outcome, outcome.pull_request) if outcome.pull_request else "",
    )
    return Html.fill(
        "<h1>pr-review: {headline}</h1>\n{paragraphs}",
        headline=verdict.headline(outcome),
        paragraphs=Html.concat(paragraphs),
    )


def _compared(outcome: Outcome) -> Html:
    if outcome.comparison is None:
        return Html()
    return Html.fill(
        '<p class="counts">{counts} since the review of {sha}</p>\n',
        counts=" · ".join(baseline.counts(outcome)),
        sha=code(outcome.comparison.head_sha[:SHORT_SHA]),
    )


def _origin(outcome: Outcome, pull: PullRequest) -> Html:
    """Number, title, author and commits of the pull request."""
    url, base = links.pull_request_url(outcome), outcome.merge_base_sha
    return Html.fill(
        '<p class="place">{number}{title}{author} · head {head}{base}</p>\n',
        number=Html.fill('<a href="{url}">#{number}</a> ', url=url, number=pull.number) if url else "",
        title=line(pull.title),
        author=Html.fill(" · by {author}", author=code(pull.author)) if pull.author else "",
        head=_commit(outcome, pull.head_sha),
        base=Html.fill(" · merge base {commit}", commit=_commit(outcome, base)) if base else "",
    )


def _commit(outcome: Outcome, sha: str) -> Html:
    return code(sha[:SHORT_SHA], links.commit_url(outcome, sha))
