"""Rules that a pattern over code proves: matched outside comments and strings, on added lines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pr_review.checks.base import Hit, LineIndex, Rule, Source
from pr_review.checks.languages import Language, Views, language_of


@dataclass(frozen=True)
class CodePattern:
    """A rule and the expression that proves it in ``languages``.

    The match must start and end in code. Where the pattern has a group ``at``, that is the place to report,
    and a match without it proves nothing. ``needs`` must match somewhere in the file for the rule to apply
    (an import that gives a common word its meaning).
    """

    rule: Rule
    languages: tuple[Language, ...]
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None = None


def applies(table: Iterable[CodePattern], path: str) -> bool:
    """Some rule of the table is for the language of this file."""
    language = language_of(path)
    return any(language in entry.languages for entry in table)


def find(source: Source, table: Iterable[CodePattern]) -> Iterator[Hit]:
    """Hits of the table's rules on added lines of a file whose whole text is known."""
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
    """The offset to report; -1 when the group that would be it is not there."""
    return match.start("at") if "at" in match.re.groupindex else match.start()
