"""Rules that a regular expression proves, matched in code only: not in comments, not in strings."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from pr_review.checks.hit import Hit, Rule
from pr_review.checks.languages import Language, Views, language_of
from pr_review.checks.source import Source


@dataclass(frozen=True)
class CodePattern:
    """A rule and the pattern that proves it in files of ``languages``.

    A match must start and end in code. If the pattern has a group ``at``, the group is the place to report,
    and a match without the group proves nothing. If there is a pattern ``needs``, it must match somewhere in
    the file; an import, for example, gives a common word its meaning.
    """

    rule: Rule
    languages: tuple[Language, ...]
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None = None


@dataclass(frozen=True)
class LineIndex:
    """Converts offsets in ``text`` to line numbers, which count from 1."""

    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        lengths = (len(line) + 1 for line in self.text.split("\n"))
        object.__setattr__(self, "starts", [0, *accumulate(lengths)])

    def line_at(self, offset: int) -> int:
        """The number of the line that contains the character at ``offset``."""
        return bisect_right(self.starts, offset)


def applies(table: Iterable[CodePattern], path: str) -> bool:
    """Whether a rule of the table covers the language of this file."""
    language = language_of(path)
    return any(language in entry.languages for entry in table)


def find(source: Source, table: Iterable[CodePattern]) -> Iterator[Hit]:
    """Find hits of the table's rules on added lines; a file without its whole text has none."""
    view = source.views
    if view is None:
        return
    index = LineIndex(view.code)
    for entry in table:
        if view.language in entry.languages and (not entry.needs or entry.needs.search(view.code)):
            for line in dict.fromkeys(_lines(entry.pattern, view, index)):
                if line in source.added:
                    yield Hit.of(entry.rule, line, source.added[line])


def _lines(pattern: re.Pattern[str], view: Views, index: LineIndex) -> Iterator[int]:
    for match in pattern.finditer(view.uncommented):
        place = _place(match)
        if place >= 0 and view.are_code(match.start(), place, match.end() - 1):
            yield index.line_at(place)


def _place(match: re.Match[str]) -> int:
    """The offset to report, or -1 if the group ``at`` did not match."""
    return match.start("at") if "at" in match.re.groupindex else match.start()
