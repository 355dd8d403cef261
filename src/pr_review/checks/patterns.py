"""Rules that a regular expression proves, matched in code only: not in comments, not in strings."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from pr_review.checks.bindings import Bindings
from pr_review.checks.hit import Hit, Rule
from pr_review.checks.languages import Language, Views
from pr_review.checks.source import Source

MAX_AROUND = 800
MAX_EXCUSED = 20  # matches on one line; each takes some time to judge


@dataclass(frozen=True)
class CodeFile:
    """A file whose language is known, and the names that it defines."""

    source: Source
    views: Views
    bindings: Bindings


@dataclass(frozen=True)
class Matched:
    """A match in a file, with what decides whether it is a defect."""

    source: Source
    views: Views
    match: re.Match[str]
    bindings: Bindings

    @property
    def above(self) -> str:
        """The code before the match, at most ``MAX_AROUND`` characters, so that many matches stay cheap."""
        return self.views.uncommented[max(0, self.match.start() - MAX_AROUND) : self.match.start()]

    @property
    def before(self) -> str:
        """The end of ``above`` that is on the line of the match."""
        return self.above.rpartition("\n")[2]

    @property
    def below(self) -> str:
        """The code after the match, at most ``MAX_AROUND`` characters."""
        return self.views.uncommented[self.match.end() : self.match.end() + MAX_AROUND]


Excuse = Callable[[Matched], bool]


@dataclass(frozen=True)
class CodePattern:
    """A rule and the pattern that proves it in files of ``languages``.

    A match must start and end in code. If the pattern has a group ``at``, the group is the place to report,
    and a match without the group proves nothing. If there is a pattern ``needs``, it must match somewhere in
    the file; an import, for example, gives a common word its meaning. A match that one of the ``excuses``
    explains proves nothing.
    """

    rule: Rule
    languages: tuple[Language, ...]
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None = None
    excuses: tuple[Excuse, ...] = ()

    def excused(self, found: Matched) -> bool:
        """Whether the match proves nothing."""
        return any(excuse(found) for excuse in self.excuses)


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


def applies(table: Iterable[CodePattern], source: Source) -> bool:
    """Whether a rule of the table covers the language of this file."""
    return any(source.language in entry.languages for entry in table)


def find(source: Source, table: Iterable[CodePattern]) -> Iterator[Hit]:
    """Find hits of the table's rules on added lines; a file without its whole text has none."""
    view = source.views
    if view is None:
        return
    file, index = CodeFile(source, view, Bindings(view)), LineIndex(view.code)
    for entry in table:
        if view.language in entry.languages and (not entry.needs or entry.needs.search(view.code)):
            for line in _lines(entry, file, index):
                yield Hit.of(entry.rule, line, source.added[line])


def _lines(entry: CodePattern, file: CodeFile, index: LineIndex) -> Iterator[int]:
    """The added lines with a match that nothing excuses; after ``MAX_EXCUSED`` on a line, nothing does."""
    excused: Counter[int] = Counter()
    proven: set[int] = set()
    for match in entry.pattern.finditer(file.views.uncommented):
        place = _place(match)
        if place < 0 or not file.views.are_code(match.start(), place, match.end() - 1):
            continue
        line = index.line_at(place)
        if line in proven or line not in file.source.added:
            continue
        if excused[line] < MAX_EXCUSED and entry.excused(
            Matched(file.source, file.views, match, file.bindings)
        ):
            excused[line] += 1
        else:
            proven.add(line)
            yield line


def _place(match: re.Match[str]) -> int:
    """The offset to report, or -1 if the group ``at`` did not match."""
    return match.start("at") if "at" in match.re.groupindex else match.start()
