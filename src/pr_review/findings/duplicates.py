"""One root cause is one finding: a finding that repeats another one is merged into it and counted.

docs/findings.md states the rules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pr_review.domain.finding import Finding
from pr_review.findings.quotes import Lines, normalise_lines

# Shares of common words, chosen with the pairs of tests/unit/findings/data/dedupe.toml.
SIMILAR = 0.35
SIMILAR_WITH_SAME_QUOTE = 0.25

_WORD = re.compile(r"\w{3,}")
# A name of the code in a text: in backticks, with an underscore or a dot inside, or in mixed case.
_NAME = re.compile(r"`([^`\n]+)`|\b(\w+(?:[_.]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b")
_STEM_CHARS = 5  # "raises" and "raised" become one word, in most languages


@dataclass(frozen=True)
class FindingText:
    """A finding with the words of its text and the code that it quotes."""

    finding: Finding

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the words in title and explanation."""
        return _words(f"{self.finding.title} {self.finding.explanation}")

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the code in its text, without parentheses."""
        found = _NAME.finditer(f"{self.finding.title} {self.finding.explanation}")
        return frozenset((match[1] or match[2]).strip("() ") for match in found)

    @cached_property
    def quote(self) -> Lines:
        """The normalised lines of the quoted code; empty without a quote."""
        return normalise_lines((self.finding.existing_code or "").split("\n"))


def merge_duplicates(findings: Sequence[Finding]) -> list[Finding]:
    """Merge each finding into the first one, at least as severe, that says the same about the same lines.

    The remaining findings keep their order. A finding of a rule is never merged, because each rule reports a
    cause of its own.
    """
    kept: dict[int, FindingText] = {}
    for index in sorted(range(len(findings)), key=lambda index: findings[index].severity.rank):
        text = FindingText(findings[index])
        same = next((other for other, earlier in kept.items() if _are_same(earlier, text)), None)
        if same is None:
            kept[index] = text
        else:
            kept[same] = FindingText(_merge(kept[same].finding, text.finding))
    return [kept[index].finding for index in sorted(kept)]


def _merge(first: Finding, again: Finding) -> Finding:
    """The first finding; without a suggestion, it takes over one for exactly the same lines."""
    update: dict[str, object] = {"merged": first.merged + 1 + again.merged}
    same_lines = (first.line, first.end_line) == (again.line, again.end_line)
    if first.suggestion is None and same_lines:
        update |= {name: getattr(again, name) for name in ("suggestion", "existing_code", "edit")}
    return first.model_copy(update=update)


def _are_same(one: FindingText, other: FindingText) -> bool:
    if one.finding.rule or other.finding.rule or not _overlap(one.finding, other.finding):
        return False
    if _squeezed(one.finding.title) == _squeezed(other.finding.title):
        return True
    if one.names - other.names and other.names - one.names:  # similar words about different code
        return False
    same_quote = one.quote and one.quote == other.quote
    needed = SIMILAR_WITH_SAME_QUOTE if same_quote else SIMILAR
    return _share(one.words, other.words) >= needed


def _overlap(one: Finding, other: Finding) -> bool:
    """Whether they have a line of the same side in common, or are both about the file as a whole.

    Without a place nobody knows the lines, so the quote has to be the same.
    """
    if (one.path, one.side, one.in_diff) != (other.path, other.side, other.in_diff):
        return False
    if not one.is_placed and one.existing_code != other.existing_code:
        return False
    if one.line is None or other.line is None:
        return one.line == other.line
    return one.line <= (other.end_line or other.line) and other.line <= (one.end_line or one.line)


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM_CHARS] for word in _WORD.findall(text.casefold()))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that they have in common (Jaccard index), from 0 to 1."""
    return len(one & other) / max(len(one | other), 1)
