"""What a check reads and what it says; every other module here speaks in these records."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from pr_review.checks.languages import Views, language_of, views
from pr_review.domain.finding import Category, Severity

PROSE = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")  # files that show code rather than hold it
MAX_EVIDENCE_CHARS = 300  # one line of code is proof enough; a minified one must not fill a report


@dataclass(frozen=True)
class Rule:
    """One thing a check can prove.

    ``title`` names the defect, ``why`` says what goes wrong (and so why the rule is on the list), ``fix``
    what to do. Hits of one ``cause`` on one line are one finding; without a cause, the code is the cause.
    """

    code: str
    severity: Severity
    category: Category
    title: str
    why: str
    fix: str
    cause: str = ""


@dataclass(frozen=True)
class Source:
    """One changed file at the head commit.

    ``text`` is the whole head version, or None when it could not be read; then only what a single line can
    prove is checked. ``added`` maps head line numbers to text; lines count from 1 and end at a line feed, as
    git counts them.
    """

    path: str
    text: str | None
    added: Mapping[int, str]

    @cached_property
    def views(self) -> Views | None:
        """The text without comments and strings; None when it or its language is not known."""
        language = language_of(self.path)
        return None if self.text is None or language is None else views(self.text, language)

    @property
    def is_prose(self) -> bool:
        """The file explains: what looks like a defect in it may be an illustration."""
        return self.path.lower().endswith(PROSE)

    @cached_property
    def lines(self) -> Mapping[int, str]:
        """Every known head line by number."""
        if self.text is None:
            return self.added
        return dict(enumerate(self.text.split("\n"), start=1))


@dataclass(frozen=True)
class Hit:
    """One defect on an added line; the texts are safe to quote once the registry has masked them."""

    rule: str
    line: int
    end_line: int | None
    severity: Severity
    category: Category
    title: str
    explanation: str
    evidence: str
    recommendation: str
    cause: str

    @classmethod
    def of(
        cls,
        rule: Rule,
        line: int,
        evidence: str,
        *,
        end_line: int | None = None,
        title: str | None = None,
    ) -> "Hit":
        """A hit of ``rule``."""
        return cls(
            rule=rule.code,
            line=line,
            end_line=end_line,
            severity=rule.severity,
            category=rule.category,
            title=clip(title or rule.title),
            explanation=rule.why,
            evidence=clip(evidence),
            recommendation=rule.fix,
            cause=rule.cause or rule.code,
        )


@dataclass(frozen=True)
class CheckReport:
    """The hits on one file, the names of the checks that ran on it, and of those that failed to run."""

    hits: tuple[Hit, ...]
    checks: tuple[str, ...]
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class LineIndex:
    """Turns an offset of ``text`` into a line number, from 1."""

    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        lengths = (len(line) + 1 for line in self.text.split("\n"))
        object.__setattr__(self, "starts", [0, *accumulate(lengths)])

    def line_at(self, offset: int) -> int:
        """The line that holds the character at ``offset``."""
        return bisect_right(self.starts, offset)


def clip(line: str) -> str:
    """One line of evidence without surrounding blanks, cut at ``MAX_EVIDENCE_CHARS``."""
    text = line.strip()
    return text if len(text) <= MAX_EVIDENCE_CHARS else text[: MAX_EVIDENCE_CHARS - 1] + "…"
