"""Every format of a report, as a table; it imports none of them.

To add a format, write a module with ``render(outcome) -> str`` and give it a line here. Signal handlers use
this table, so it needs only the standard library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pr_review.domain.run import Outcome

ARTIFACT, SUMMARY, REQUEST = "review.json", "review.md", "request.json"


class Format(NamedTuple):
    """One format: its name for ``pr-review render``, its module, and the file that every run writes."""

    name: str
    module: str
    file: str = ""

    def render(self, outcome: "Outcome") -> str:
        """The report; empty when the format has nothing to say."""
        return str(import_module(self.module).render(outcome))


# The formats that are written come in the order of their cost: a cancelled run has few seconds to write.
FORMATS = (
    Format("text", "pr_review.report.terminal"),
    Format("annotations", "pr_review.report.annotations"),
    Format("md", "pr_review.report.summary", SUMMARY),
    Format("sarif", "pr_review.report.sarif", "review.sarif"),
    Format("patch", "pr_review.report.suggestions_patch", "suggestions.patch"),
    Format("html", "pr_review.report.html", "review.html"),
)
BY_NAME = {each.name: each for each in FORMATS}
FILES = (ARTIFACT, REQUEST, *(each.file for each in FORMATS if each.file))
