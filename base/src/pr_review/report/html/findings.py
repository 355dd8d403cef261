"""Findings in HTML: whole as an article, in short as an item of a list."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pr_review.domain.finding import Finding, SuppressedFinding
from pr_review.report.html.code_lines import Line, change_lines, excerpt_lines
from pr_review.report.html.prose import line, text
from pr_review.report.html.safe_html import Html, code, code_block
from pr_review.report.wording import baseline
from pr_review.report.wording import finding as of_finding


class Entry(NamedTuple):
    """A finding on the page; ``is_highlighted``: highlight its code (within the highlighting budget)."""

    number: int
    finding: Finding
    url: str | None
    is_highlighted: bool


def severity(finding: Finding) -> Html:
    """The severity as a badge, a newline at its end."""
    return Html.fill('<span class="severity {name}">{name}</span>\n', name=finding.severity)


def overview_row(entry: Entry, state: Iterable[str]) -> Html:
    """The row of a finding in the table of all findings; ``state``: its labels against the baseline."""
    finding = entry.finding
    outside = () if finding.in_diff else ("outside the diff",)
    return Html.fill(
        '<tr><td class="number">{number}</td><td>{severity}</td>'
        '<td><a href="#finding-{number}">{title}</a><br>'
        "<small>{state}{place}{labels}</small></td></tr>\n",
        number=entry.number,
        severity=severity(finding),
        title=line(finding.title),
        state=Html.concat(Html.fill("<strong>{label}</strong> · ", label=label) for label in state),
        place=code(of_finding.location(finding)),
        labels=_dotted((*of_finding.place_labels(finding), *outside)),
    )


def article(entry: Entry) -> Html:
    """Everything about one finding."""
    finding = entry.finding
    return Html.fill(
        '<article id="finding-{number}" aria-labelledby="title-{number}">\n'
        '<h4 id="title-{number}">{severity} {number}. {title}</h4>\n'
        '<p class="place">{place}{labels}</p>\n{parts}</article>\n',
        number=entry.number,
        severity=severity(finding),
        title=line(finding.title),
        place=code(of_finding.location(finding), entry.url),
        labels=_dotted((*of_finding.labels(finding), *_names(finding))),
        parts=Html.concat((*_explanation(entry), *_advice(finding))),
    )


def suppressed_item(suppressed: SuppressedFinding) -> Html:
    """A finding that does not count, and why."""
    until = Html.fill(" (until {date})", date=suppressed.expires) if suppressed.expires else ""
    return Html.fill(
        "<li>{severity} {title}, {place}\n<p>{reason}{until}</p></li>\n",
        severity=severity(suppressed.finding),
        title=line(suppressed.finding.title),
        place=code(of_finding.location(suppressed.finding)),
        reason=line(suppressed.reason),
        until=until,
    )


def earlier_item(finding: Finding) -> Html:
    """A finding that only the baseline knows."""
    return Html.fill(
        "<li>{state}: {severity} {title}, {place}</li>\n",
        state=baseline.state(finding),
        severity=severity(finding),
        title=line(finding.title),
        place=code(of_finding.location(finding)),
    )


def _names(finding: Finding) -> Iterator[Html]:
    if finding.rule:
        yield Html.fill("rule {rule}", rule=code(finding.rule))
    if finding.fingerprint:
        yield Html.fill("fingerprint {fingerprint}", fingerprint=code(finding.fingerprint))


def _explanation(entry: Entry) -> Iterator[Html]:
    """How sure the place is, the explanation, the code, the evidence."""
    finding = entry.finding
    if note := of_finding.anchor_note(finding):
        yield Html.fill('<p class="aside">{note}</p>\n', note=note)
    yield Html.fill("{text}\n", text=text(finding.explanation))
    if lines := excerpt_lines(finding, is_highlighted=entry.is_highlighted):
        whose = of_finding.removed_lines(finding) or "Code of the file."
        yield _listing(lines, f"{whose} The lines of the finding are marked.")
    if evidence := of_finding.evidence_to_show(finding):
        is_code = of_finding.evidence_is_code(finding)
        shown = code_block(evidence) if is_code else Html.fill("{text}\n", text=text(evidence))
        yield Html.fill("<h5>Evidence</h5>\n{shown}", shown=shown)


def _advice(finding: Finding) -> Iterator[Html]:
    """The recommendation and the suggestion."""
    if finding.recommendation:
        yield Html.fill("<h5>Recommendation</h5>\n{text}\n", text=text(finding.recommendation))
    if lines := change_lines(finding):
        caption = "Removed lines begin with a minus, added ones with a plus."
        yield Html.fill("<h5>Suggested change</h5>\n{lines}", lines=_listing(lines, caption))
    elif finding.suggestion:
        yield Html.fill("<h5>Suggested code</h5>\n{code}", code=code_block(finding.suggestion))


def _listing(lines: Sequence[Line], caption: str) -> Html:
    return Html.fill(
        '<figure>\n<figcaption class="unseen">{caption}</figcaption>\n'
        '<pre class="listing"><code>{lines}</code></pre>\n</figure>\n\n',
        caption=caption,
        lines=Html.concat(map(_line, lines)),
    )


def _line(numbered: Line) -> Html:
    return Html.fill(
        '<span class="line{mark}" data-line="{number}">{words}\n</span>',
        mark=f" {numbered.mark}" if numbered.mark else "",
        number=numbered.number or "",
        words=Html.concat(
            Html.fill('<span class="word-{kind}">{text}</span>', kind=word.kind, text=word.text)
            if word.kind
            else word.text
            for word in numbered.words
        ),
    )


def _dotted(labels: Iterable[str]) -> Html:
    """Each label after a dot."""
    return Html.concat(Html.fill(" · {label}", label=label) for label in labels)
