"""A section of the page, and the lists inside one."""

from collections.abc import Iterable
from typing import NamedTuple

from pr_review.report.html.bounded import Part
from pr_review.report.html.safe_html import Html
from pr_review.report.wording.quantities import count


class Section(NamedTuple):
    """A section of the page: its id, its title, which is also its entry in the contents, and its content."""

    id: str
    title: str
    content: Html


def section_element(section: Section) -> Html:
    """The section with its heading."""
    return Html.fill(
        '<section aria-labelledby="{id}">\n<h2 id="{id}">{title}</h2>\n{content}</section>\n',
        id=section.id,
        title=section.title,
        content=section.content,
    )


def paragraph(words: str) -> Html:
    """Words as a paragraph; nothing without words."""
    return Html.fill("<p>{words}</p>\n", words=words) if words else Html()


def bounded_list(part: Part, noun: str) -> Html:
    """The items that are shown; the last item counts the others, as ``noun``."""
    left_out = Html.fill(
        "<li>{more} in <code>review.json</code>.</li>\n", more=count(part.left_out, f"more {noun}")
    )
    return Html.fill(
        '<ul class="notes">\n{items}{left_out}</ul>\n',
        items=lines(part.shown),
        left_out=left_out if part.left_out else "",
    )


def lines(items: Iterable[Html]) -> Html:
    """Each item on lines of its own."""
    return Html.concat(Html.fill("{item}\n", item=item) for item in items)
