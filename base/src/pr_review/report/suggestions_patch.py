"""``suggestions.patch``: every suggestion that can be applied as it stands, in one patch."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pr_review.domain.finding import Edit, Finding
from pr_review.domain.run import Outcome
from pr_review.domain.text import shorten, show_controls
from pr_review.report.wording.order import numbered

MAX_TITLE_CHARS = 120

# As git's quote_c_style with core.quotePath=false; other names stand as they are.
_NEEDS_QUOTES = re.compile(r'[\x00-\x1f\x7f"\\]')
_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}
_NO_NEWLINE = "\\ No newline at end of file\n"


class Suggestion(NamedTuple):
    """A finding with an edit; ``number`` is the finding's number in every report."""

    number: int
    finding: Finding
    edit: Edit


class PatchContent(NamedTuple):
    """The suggestions in the patch, and those left out, each with the number of the one it overlaps."""

    chosen: tuple[Suggestion, ...]
    overlapping: tuple[tuple[Suggestion, int], ...]


def render(outcome: Outcome) -> str:
    """The patch against the head commit, after a preamble; empty without a suggestion to apply."""
    content = select(outcome)
    if not content.chosen:
        return ""
    in_place = sorted(content.chosen, key=lambda each: (each.finding.path, each.edit.start_line))
    files = groupby(in_place, key=lambda each: each.finding.path)
    patch = [_file(path, [each.edit for each in suggestions]) for path, suggestions in files]
    return "".join((*_preamble(outcome, content), *patch))


def select(outcome: Outcome) -> PatchContent:
    """Where suggestions replace the same line, the worst finding's is chosen, and among equals the first."""
    chosen: list[Suggestion] = []
    overlapping: list[tuple[Suggestion, int]] = []
    for number, finding in numbered(outcome):
        if finding.edit:
            suggestion = Suggestion(number, finding, finding.edit)
            taken = next((each for each in chosen if _overlap(each, suggestion)), None)
            if taken:
                overlapping.append((suggestion, taken.number))
            else:
                chosen.append(suggestion)
    return PatchContent(tuple(chosen), tuple(overlapping))


def _overlap(one: Suggestion, other: Suggestion) -> bool:
    return (
        one.finding.path == other.finding.path
        and one.edit.start_line <= other.edit.end_line
        and other.edit.start_line <= one.edit.end_line
    )


def _preamble(outcome: Outcome, content: PatchContent) -> Iterator[str]:
    """Comments, which git skips: every line begins with ``#``, so git takes nothing in it for a patch."""
    head = f" for commit {outcome.pull_request.head_sha}" if outcome.pull_request else ""
    yield f"# Suggestions of pr-review{head}. Read them before you apply them:\n"
    yield "#   git apply suggestions.patch\n#\n"
    for each in content.chosen:
        yield f"# {_title(each)}\n"
    if content.overlapping:
        yield "#\n# Left out, because they change the same lines as another one:\n"
    for each, other in content.overlapping:
        yield f"# {_title(each)} (overlaps with {other})\n"
    yield "\n"


def _title(suggestion: Suggestion) -> str:
    place = f"{suggestion.finding.path}:{suggestion.edit.start_line}"
    text = f"{suggestion.number}. {shorten(suggestion.finding.title, MAX_TITLE_CHARS)} ({place})"
    return " ".join(show_controls(text).split())


def _file(path: str, edits: Sequence[Edit]) -> str:
    """The part of the patch for one file; ``edits`` are in order and do not overlap."""
    old, new = _quote(f"a/{path}"), _quote(f"b/{path}")
    tab = "\t" if " " in path else ""  # as git does, so that a name with spaces has an end
    lines = [f"diff --git {old} {new}\n--- {old}{tab}\n+++ {new}{tab}\n"]
    shift = 0
    for hunk in _hunks(edits):
        lines.extend(_hunk(hunk, shift))
        shift += sum(len(edit.added) - len(edit.removed) for edit in hunk)
    return "".join(lines)


def _quote(name: str) -> str:
    if not _NEEDS_QUOTES.search(name):
        return name
    return '"' + _NEEDS_QUOTES.sub(lambda match: f"\\{_escape(match[0])}", name) + '"'


def _escape(character: str) -> str:
    return _ESCAPES.get(character) or f"{ord(character):03o}"


def _hunks(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Edits whose context lines touch share a hunk, because hunks of a patch must not overlap."""
    hunk: list[Edit] = []
    for edit in edits:
        if hunk and hunk[-1].end_line + len(hunk[-1].after) < edit.start_line - len(edit.before) - 1:
            yield hunk
            hunk = []
        hunk.append(edit)
    yield hunk


def _hunk(edits: Sequence[Edit], shift: int) -> Iterator[str]:
    """One hunk; ``shift`` is how many lines the hunks above it add."""
    first, last = edits[0], edits[-1]
    start = first.start_line - len(first.before)
    end = last.end_line + len(last.after)
    growth = sum(len(edit.added) - len(edit.removed) for edit in edits)
    size = end - start + 1
    yield f"@@ -{start},{size} +{start + shift},{size + growth} @@\n"
    context = _context(edits)
    line = start
    for edit in edits:
        yield from (f" {context[number]}\n" for number in range(line, edit.start_line))
        ends = _NO_NEWLINE if edit.open_end and not edit.after and edit is last else ""
        yield from (f"-{text}\n" for text in edit.removed)
        yield ends
        yield from (f"+{text}\n" for text in edit.added)
        yield ends
        line = edit.end_line + 1
    yield from (f" {context[number]}\n" for number in range(line, end + 1))
    if last.open_end and last.after:
        yield _NO_NEWLINE


def _context(edits: Iterable[Edit]) -> dict[int, str]:
    """The lines around the edits, by their number in the head."""
    known: dict[int, str] = {}
    for edit in edits:
        known |= dict(enumerate(edit.before, edit.start_line - len(edit.before)))
        known |= dict(enumerate(edit.after, edit.end_line + 1))
    return known
