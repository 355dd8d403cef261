"""What a review says: findings, and where they stand."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from pr_review.domain.frozen import Frozen

CodeLine = Annotated[str, Field(pattern=r"\A[^\n]*\z")]
IsoDate = Annotated[str, Field(pattern=r"\A\d{4}-\d\d-\d\d\z")]


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


class AnchorStatus(StrEnum):
    """How a finding's place was found; docs/findings.md has the rules.

    ``HUNK``, ``OLD`` and ``FILE``: the quoted code stands there and nowhere else, or where the reviewer said.
    ``NEAREST``: it stands in several places, one of them by far the closest to the reviewer's line.
    ``AMBIGUOUS``: in several, and none can be told from the others. ``UNVERIFIED``: in none; the line is the
    reviewer's. ``LINE``: nothing was quoted; the line is the reviewer's. ``FILE_LEVEL``: no line is known.
    """

    HUNK = "hunk"
    OLD = "old"
    FILE = "file"
    NEAREST = "nearest"
    AMBIGUOUS = "ambiguous"
    UNVERIFIED = "unverified"
    LINE = "line"
    FILE_LEVEL = "file_level"


class BaselineState(StrEnum):
    """A finding against the baseline, an earlier review; docs/findings.md has the rules.

    ``NEW``: the baseline does not know it, or there is none. ``RESOLVED``: known, its file was reviewed
    again, and the code it stands on is gone. ``NOT_SEEN``: known and not reported this time, which proves
    nothing.
    """

    NEW = "new"
    UNCHANGED = "unchanged"
    RESOLVED = "resolved"
    NOT_SEEN = "not_seen"


class Place(Frozen):
    """Lines of one side of a file, both ends included; ``end_line`` is None for a single line."""

    side: Side
    line: int
    end_line: int | None = None


class Excerpt(Frozen):
    """A few lines of code around a finding, so that every report can be rendered from the artifact alone.

    ``start_line`` counts from 1; ``lines`` carry no newline and no marker.
    """

    start_line: int
    lines: tuple[str, ...]


class Edit(Frozen):
    """A suggestion as whole lines of the head file, exact to the byte: ``removed`` gives way to ``added``.

    ``start_line`` counts from 1 and is that of the first removed line; ``before`` and ``after`` are the up to
    three lines around, as a patch wants them. Lines carry no newline but keep a carriage return.
    ``open_end``: these lines reach the file's end, and no newline stands there.
    """

    start_line: int = Field(ge=1)
    before: tuple[CodeLine, ...] = ()
    removed: tuple[CodeLine, ...] = Field(min_length=1)
    added: tuple[CodeLine, ...] = Field(min_length=1)
    after: tuple[CodeLine, ...] = ()
    open_end: bool = False

    @property
    def end_line(self) -> int:
        """The last removed line."""
        return self.start_line + len(self.removed) - 1


class Finding(Frozen):
    """One defect. ``line`` is None when no valid line is known; ``in_diff``: a hunk of the change shows it.

    Lines of the left side count in the merge base. ``rule`` names the deterministic rule that proved it
    (offline), else None. ``alternatives`` are other places that hold the same code. ``merged`` counts the
    further findings that said the same. ``fingerprint`` stays the same when lines move; "" before placement.
    ``edit`` is the suggestion when what it replaces stands in the head exactly as quoted. ``base_path`` is
    the name of a renamed file at the merge base, where lines of the left side are.
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
    base_path: str | None = None
    existing_code: str | None = None
    suggestion: str | None = None
    category: Category = Category.OTHER
    confidence: Confidence | None = None
    in_diff: bool = False
    on_added_line: bool = False
    rule: str | None = None
    excerpt: Excerpt | None = None
    anchor: AnchorStatus = AnchorStatus.LINE
    alternatives: tuple[Place, ...] = ()
    merged: int = 0
    fingerprint: str = ""
    edit: Edit | None = None
    baseline_state: BaselineState = BaselineState.NEW


class Suppression(Frozen):
    """What the base commit says of one finding: why it does not count, and the last day (UTC) of that."""

    fingerprint: str
    reason: str
    expires: IsoDate | None = None


class SuppressedFinding(Frozen):
    """A finding that was reported and does not count, and why; as in its ``Suppression``."""

    finding: Finding
    reason: str
    expires: IsoDate | None = None


class Review(Frozen):
    """A validated final review; ``notes`` also hold what was moved out of the findings, with the reason.

    ``suppressed`` are no longer among the ``findings``.
    """

    summary: str
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    notes: tuple[str, ...] = ()


FindingKey = tuple[str, int, str]  # path, line and title, as a reviewer submitted them
