"""What a check reads: one changed file at the head commit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pr_review.checks.languages import MARKUP_SUFFIXES, Language, Views, language_of, scripts_only, views

PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testdata|test[-_]?utils|fixtures?|integration(?:[-_]?tests?)?|e2e|specs?|t|cypress)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.pyi?$|[_.-](?:test|spec|tests|e2e|cy)\.[A-Za-z]{1,5}$"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|kt|scala|cs|groovy|php)$"
)


@dataclass(frozen=True)
class Source:
    """One changed file at the head commit.

    ``text`` is the whole head version. It is None if the file could not be read; then only those checks run
    that need a single line. ``added`` maps the numbers of added lines in the head version to their text.
    Lines count from 1 and end at a line feed, as in git. The only line of a symbolic link (``is_link``) is
    the path that it points to, whatever its own name.
    """

    path: str
    text: str | None
    added: Mapping[int, str]
    is_link: bool = False

    @cached_property
    def views(self) -> Views | None:
        """The text without comments and strings, or None if the text or its language is unknown."""
        language = self.language
        if self.text is None or language is None:
            return None
        is_markup = self.path.lower().endswith(MARKUP_SUFFIXES)
        return views(scripts_only(self.text) if is_markup else self.text, language)

    @property
    def language(self) -> Language | None:
        """The language of the file, or None."""
        return None if self.is_link else language_of(self.path)

    @property
    def is_prose(self) -> bool:
        """Whether the file is documentation, where code with a defect may be an illustration."""
        return self.path.lower().endswith(PROSE_SUFFIXES)

    @cached_property
    def is_test(self) -> bool:
        """Whether the name of the file or of one of its folders says that it is a test."""
        return bool(_TEST.search(self.path))

    @cached_property
    def lines(self) -> Mapping[int, str]:
        """Every known line of the head version by its number."""
        if self.text is None:
            return self.added
        return dict(enumerate(self.text.split("\n"), start=1))
