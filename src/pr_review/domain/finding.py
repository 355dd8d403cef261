"""What a review says: findings, and where they stand."""

from enum import StrEnum

from pr_review.domain.base import Frozen


class Severity(StrEnum):
    """From worst to least."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return list(Severity).index(self)


class Category(StrEnum):
    """The closed list of decision 8."""

    BUG = "bug"
    SECURITY = "security"
    DATA = "data"
    CONCURRENCY = "concurrency"
    PERFORMANCE = "performance"
    API = "api"
    ERROR_HANDLING = "error_handling"
    TEST = "test"
    DOCS = "docs"
    OTHER = "other"


class Confidence(StrEnum):
    """How sure the reviewer says it is; separate from severity."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Side(StrEnum):
    """Which side of the diff a line number counts on."""

    RIGHT = "RIGHT"
    LEFT = "LEFT"


class Excerpt(Frozen):
    """A few lines of code around a finding, so that every report can be rendered from the artifact alone.

    ``start_line`` counts from 1; ``lines`` carry no newline and no marker.
    """

    start_line: int
    lines: tuple[str, ...]


class Finding(Frozen):
    """One defect. ``line`` is None when no valid line is known; ``in_diff``: a hunk of the change shows it.

    ``rule`` names the deterministic rule that proved it (offline), else None.
    """

    severity: Severity
    title: str
    explanation: str
    path: str
    line: int | None
    evidence: str
    recommendation: str
    end_line: int | None = None
    side: Side = Side.RIGHT
    existing_code: str | None = None
    suggestion: str | None = None
    category: Category = Category.OTHER
    confidence: Confidence | None = None
    in_diff: bool = False
    on_added_line: bool = False
    rule: str | None = None
    excerpt: Excerpt | None = None


class Review(Frozen):
    """A validated final review; ``notes`` also hold what was moved out of the findings, with the reason."""

    summary: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
