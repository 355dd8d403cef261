"""What a check reads: one changed file at the head commit."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pr_review.checks.languages import Views, language_of, views

PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")


@dataclass(frozen=True)
class Source:
    """One changed file at the head commit.

    ``text`` is the whole head version. It is None if the file could not be read; then only those checks run
    that need a single line. ``added`` maps the numbers of added lines in the head version to their text.
    Lines count from 1 and end at a line feed, as in git.
    """

    path: str
    text: str | None
    added: Mapping[int, str]

    @cached_property
    def views(self) -> Views | None:
        """The text without comments and strings, or None if the text or its language is unknown."""
        language = language_of(self.path)
        return None if self.text is None or language is None else views(self.text, language)

    @property
    def is_prose(self) -> bool:
        """Whether the file is documentation, where code with a defect may be an illustration."""
        return self.path.lower().endswith(PROSE_SUFFIXES)

    @cached_property
    def lines(self) -> Mapping[int, str]:
        """Every known line of the head version by its number."""
        if self.text is None:
            return self.added
        return dict(enumerate(self.text.split("\n"), start=1))
