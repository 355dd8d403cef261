"""One root cause is one finding: what is reported again is merged, and counted (docs/findings.md)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pr_review.domain.finding import Finding
from pr_review.findings.quotes import Lines, normalise_lines

# Shares of common words; tests/unit/review/data/dedupe.toml holds the pairs they were chosen with.
SIMILAR = 0.35
SIMILAR_WITH_SAME_QUOTE = 0.25

_WORD = re.compile(r"\w{3,}")
# What a text names of the code: in backticks, with an underscore or a dot inside, or in mixed case.
_NAME = re.compile(r"`([^`\n]+)`|\b(\w+(?:[_.]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b")
_STEM_CHARS = 5  # so that "raises" and "raised" are one word, in most languages


@dataclass(frozen=True)
class _Said:
    """A finding, the words of what it says, and the code it quotes."""

    finding: Finding

    @cached_property
    def words(self) -> frozenset[str]:
        return _words(f"{self.finding.title} {self.finding.explanation}")

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the code that it speaks of, parentheses aside."""
        found = _NAME.finditer(f"{self.finding.title} {self.finding.explanation}")
        return frozenset((match[1] or match[2]).strip("() ") for match in found)

    @cached_property
    def quote(self) -> Lines:
        return normalise_lines((self.finding.existing_code or "").split("\n"))


def merge_duplicates(findings: Sequence[Finding]) -> list[Finding]:
    """Merge each finding into the first worse or equal one that says the same about the same lines.

    The order of what is left is that of ``findings``.
    """
    kept: dict[int, _Said] = {}
    for index in sorted(range(len(findings)), key=lambda index: findings[index].severity.rank):
        said = _Said(findings[index])
        same = next((other for other, it in kept.items() if _are_same(it, said)), None)
        if same is None:
            kept[index] = said
        else:
            kept[same] = _Said(_merge(kept[same].finding, said.finding))
    return [kept[index].finding for index in sorted(kept)]


def _merge(first: Finding, again: Finding) -> Finding:
    """The first one; it takes over a suggestion for the very same lines when it has none."""
    update: dict[str, object] = {"merged": first.merged + 1 + again.merged}
    same_lines = (first.line, first.end_line) == (again.line, again.end_line)
    if first.suggestion is None and same_lines:
        update |= {name: getattr(again, name) for name in ("suggestion", "existing_code", "edit")}
    return first.model_copy(update=update)


def _are_same(one: _Said, other: _Said) -> bool:
    if not _overlap(one.finding, other.finding):
        return False
    if _squeezed(one.finding.title) == _squeezed(other.finding.title):
        return True
    if one.names - other.names and other.names - one.names:  # alike, but each about something else
        return False
    same_quote = one.quote and one.quote == other.quote
    needed = SIMILAR_WITH_SAME_QUOTE if same_quote else SIMILAR
    return _share(one.words, other.words) >= needed


def _overlap(one: Finding, other: Finding) -> bool:
    """The same lines of the same side, at least in part; or both about the file as a whole."""
    if (one.path, one.side, one.in_diff) != (other.path, other.side, other.in_diff):
        return False
    if one.line is None or other.line is None:
        return one.line == other.line
    return one.line <= (other.end_line or other.line) and other.line <= (one.end_line or one.line)


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM_CHARS] for word in _WORD.findall(text.casefold()))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """How many of their words they have in common (Jaccard index), 0 to 1."""
    return len(one & other) / max(len(one | other), 1)
