"""Rules that a pattern over code proves: matched outside comments and strings, on added lines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pr_review.checks.base import Hit, LineIndex, Rule, Source
from pr_review.checks.languages import Language, language_of, views


@dataclass(frozen=True)
class CodePattern:
    """A rule and the expression that proves it in ``languages``.

    The match must start in code; its group ``at``, when it has one, is the place to report. ``needs`` must
    match somewhere in the file for the rule to apply (an import that gives a common word its meaning).
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
    language = language_of(source.path)
    if language is None or source.text is None:
        return
    view, index = views(source.text, language), LineIndex(source.text)
    for entry in table:
        if language not in entry.languages or (entry.needs and not entry.needs.search(view.code)):
            continue
        for match in entry.pattern.finditer(view.uncommented):
            place = match.start("at") if "at" in match.re.groupindex else match.start()
            line = index.line_at(place)
            if line in source.added and view.is_code(match.start()) and view.is_code(place):
                yield Hit.of(entry.rule, line, source.added[line])
