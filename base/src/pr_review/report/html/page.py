"""The whole page: head, verdict, contents, and one section after the other."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from pr_review.actions.printed_commands import break_in_html
from pr_review.domain.run import Outcome
from pr_review.report.html.finding_sections import finding_sections, known_sections
from pr_review.report.html.prose import text
from pr_review.report.html.run_sections import coverage_section, notes_section, run_section
from pr_review.report.html.safe_html import Html
from pr_review.report.html.section import Section, section_element
from pr_review.report.html.verdict import verdict_element
from pr_review.report.wording.outcome import headline


def render(outcome: Outcome) -> str:
    """The page; an item that would make it too large is left out whole, and counted."""
    sections = [section for section in _sections(outcome) if section.content]
    page = Html.fill(
        "<!doctype html>\n"
        '<html lang="en">\n{head}<body>\n'
        '<a class="skip" href="#main">Skip to the review</a>\n'
        "<header>\n{verdict}{contents}</header>\n"
        '<main id="main" tabindex="-1">\n{sections}</main>\n'
        "</body>\n</html>",
        head=_head(outcome),
        verdict=verdict_element(outcome),
        contents=_contents(sections),
        sections=Html.concat(map(section_element, sections)),
    )
    return break_in_html(page)


@cache
def style() -> str:
    """The style sheet."""
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def _head(outcome: Outcome) -> Html:
    pull = outcome.pull_request
    name = f" · {pull.owner}/{pull.repository}#{pull.number}" if pull and pull.number else ""
    return Html.fill(
        '<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="'
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        "<title>pr-review: {headline}{name}</title>\n"
        "<style>{style}</style>\n</head>\n",
        hash=Html(b64encode(sha256(style().encode()).digest()).decode()),
        headline=headline(outcome),
        name=name,
        style=Html(style()),
    )


def _contents(sections: Iterable[Section]) -> Html:
    items = (
        Html.fill('<li><a href="#{id}">{title}</a></li>\n', id=section.id, title=section.title)
        for section in sections
    )
    return Html.fill('<nav aria-label="Contents">\n<ul>\n{items}</ul>\n</nav>\n', items=Html.concat(items))


def _sections(outcome: Outcome) -> Iterator[Section]:
    """Every section; one without content is not shown."""
    yield Section("summary", "Summary", _summary(outcome))
    yield from finding_sections(outcome)
    yield from known_sections(outcome)
    yield notes_section(outcome)
    yield coverage_section(outcome)
    yield run_section(outcome)


def _summary(outcome: Outcome) -> Html:
    if outcome.review is None or not outcome.review.summary:
        return Html()
    return Html.fill("{text}\n", text=text(outcome.review.summary))
