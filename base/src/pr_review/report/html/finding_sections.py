"""The sections of findings: those of this review, the suppressed ones, and those of the baseline."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from pr_review.domain.run import Outcome
from pr_review.domain.sizes import KIB
from pr_review.report import links
from pr_review.report.html.bounded import take
from pr_review.report.html.findings import Entry, article, earlier_item, overview_row, suppressed_item
from pr_review.report.html.safe_html import Html, code
from pr_review.report.html.section import Section, bounded_list, lines, paragraph
from pr_review.report.wording import baseline, order
from pr_review.report.wording.quantities import count

MAX_HIGHLIGHTED_CHARS = 64 * KIB  # of code on the whole page, because lexers are slow; the rest stays plain


def finding_sections(outcome: Outcome) -> Iterator[Section]:
    """The table of all findings with the articles inside the diff, then the articles outside it."""
    found = list(entries(outcome))
    articles = take(map(article, found), len(found))
    shown = found[: len(articles.shown)]
    groups = list(_groups(zip(shown, articles.shown, strict=True)))
    if shown:
        rows = (overview_row(entry, baseline.labels(outcome, entry.finding)) for entry in shown)
        inside = Html.concat(group for in_diff, group in groups if in_diff)
        yield Section("findings", "Findings", Html.concat((_overview(rows, articles.left_out), inside)))
    outside = Html.concat(group for in_diff, group in groups if not in_diff)
    if outside:
        yield Section("outside", "Outside the diff", Html.concat((paragraph(order.OUTSIDE), outside)))


def known_sections(outcome: Outcome) -> Iterator[Section]:
    """Findings that do not count, in short: the suppressed ones, then those that only the baseline knows."""
    suppressed, earlier = baseline.suppressed(outcome), baseline.earlier(outcome)
    silenced = _in_short(baseline.SUPPRESSED, map(suppressed_item, suppressed), len(suppressed))
    yield Section("suppressed", "Suppressed", silenced)
    known = _in_short(baseline.EARLIER, map(earlier_item, earlier), len(earlier))
    yield Section("earlier", "Earlier findings", known)


def entries(outcome: Outcome) -> Iterator[Entry]:
    """Every finding in order; the code of the first ones is highlighted, until the budget is used up."""
    findings = order.numbered(outcome)
    sizes = (sum(map(len, found.excerpt.lines)) if found.excerpt else 0 for _, found in findings)
    for (number, finding), size in zip(findings, accumulate(sizes), strict=True):
        yield Entry(number, finding, links.finding_url(outcome, finding), size <= MAX_HIGHLIGHTED_CHARS)


def _overview(rows: Iterable[Html], left_out: int) -> Html:
    more = Html.fill("<strong>{more}</strong>", more=count(left_out, "more finding"))
    note = Html.fill(
        "<p>{more} in <code>review.json</code>: they did not fit into this page.</p>\n", more=more
    )
    return Html.fill(
        '<table class="overview">\n<thead><tr><th scope="col" class="number">No.</th>'
        '<th scope="col">Severity</th><th scope="col">Finding</th></tr></thead>\n'
        "<tbody>\n{rows}</tbody>\n</table>\n{note}",
        rows=Html.concat(rows),
        note=note if left_out else "",
    )


def _groups(pairs: Iterable[tuple[Entry, Html]]) -> Iterator[tuple[bool, Html]]:
    """Inside the diff or not, and the articles of one file below its name; the worst file comes first."""
    files: dict[tuple[bool, str], list[Html]] = {}
    for entry, shown in pairs:
        files.setdefault((entry.finding.in_diff, entry.finding.path), []).append(shown)
    for (in_diff, path), articles in files.items():
        yield in_diff, Html.fill("<h3>{path}</h3>\n{articles}", path=code(path), articles=lines(articles))


def _in_short(explanation: str, items: Iterable[Html], total: int) -> Html:
    """An explanation and a list; nothing without items."""
    part = take(items, total)
    if not part.shown:
        return Html()
    return Html.concat((paragraph(explanation), bounded_list(part, "finding")))
