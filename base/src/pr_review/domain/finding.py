"""What a review says: findings, and where they are."""

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
    """What kind of defect a finding is about; a reviewer cannot add one."""

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
    """The side of the diff that a line number counts on: ``RIGHT`` is the head, ``LEFT`` the merge base."""

    RIGHT = "RIGHT"
    LEFT = "LEFT"


class AnchorStatus(StrEnum):
    """How the place of a finding was found; docs/findings.md has the rules."""

    #: The quoted code is at one place only, or at the reviewer's line; it is on the new side of a hunk.
    HUNK = "hunk"
    #: As ``HUNK``, but the place is among removed lines.
    OLD = "old"
    #: As ``HUNK``, but the place is elsewhere in the head file.
    FILE = "file"
    #: The quoted code is at several places, and one of them is by far the nearest to the reviewer's line.
    NEAREST = "nearest"
    #: The quoted code is at several places, and nothing tells which one is meant.
    AMBIGUOUS = "ambiguous"
    #: The quoted code is nowhere; the line is the reviewer's.
    UNVERIFIED = "unverified"
    #: Nothing was quoted; the line is the reviewer's.
    LINE = "line"
    #: No valid line is known; the finding is about the file.
    FILE_LEVEL = "file_level"

    @property
    def is_located(self) -> bool:
        """Whether the lines of the finding are the code that it is about, as far as anybody can tell."""
        return self not in {AnchorStatus.UNVERIFIED, AnchorStatus.FILE_LEVEL}


class BaselineState(StrEnum):
    """A finding compared with the baseline, an earlier review; docs/findings.md has the rules."""

    #: The baseline does not know the finding, or there is no baseline.
    NEW = "new"
    #: The baseline knows it, and this review reports it again.
    UNCHANGED = "unchanged"
    #: Known, not reported, its file was reviewed, and its code is no longer in the file.
    RESOLVED = "resolved"
    #: Known and not reported, which proves nothing.
    NOT_SEEN = "not_seen"


class Place(Frozen):
    """Lines of one side of a file, from 1, both ends included; ``end_line`` is None for a single line."""

    side: Side
    line: int
    end_line: int | None = None

    @property
    def numbers(self) -> range:
        """The numbers of the lines."""
        return range(self.line, (self.end_line or self.line) + 1)


class Excerpt(Frozen):
    """A few lines of code around a finding, so that every report can be rendered from the artifact alone."""

    #: The number of the first line, from 1.
    start_line: int
    #: Without newline and without the marker of a patch.
    lines: tuple[str, ...]


class Edit(Frozen):
    """A suggestion as whole lines of the head file, exact to the byte.

    Lines have no newline but keep a carriage return.
    """

    #: The number of the first removed line, from 1.
    start_line: int = Field(ge=1)
    #: At most three lines above, as context of a patch.
    before: tuple[CodeLine, ...] = ()
    removed: tuple[CodeLine, ...] = Field(min_length=1)
    #: What replaces ``removed``.
    added: tuple[CodeLine, ...] = Field(min_length=1)
    #: At most three lines below.
    after: tuple[CodeLine, ...] = ()
    #: The last of these lines is the last of the file, and the file does not end with a newline.
    open_end: bool = False

    @property
    def end_line(self) -> int:
        """The number of the last removed line."""
        return self.start_line + len(self.removed) - 1


class Finding(Frozen):
    """One defect: what the reviewer says about it, and where the code is."""

    severity: Severity
    title: str
    explanation: str
    #: The path in the head; for a deleted file, the path in the merge base.
    path: str
    #: The first line, from 1; None when no valid line is known.
    line: int | None
    #: What the reviewer saw that proves the defect.
    evidence: str
    recommendation: str
    #: The last line; None for a single line.
    end_line: int | None = None
    #: The side that the lines count on.
    side: Side = Side.RIGHT
    #: The name of a renamed file at the merge base, where the lines of the left side are.
    base_path: str | None = None
    #: The code that the reviewer quoted.
    existing_code: str | None = None
    #: The code that would replace ``existing_code``, as the reviewer wrote it.
    suggestion: str | None = None
    category: Category = Category.OTHER
    confidence: Confidence | None = None
    #: A hunk of the change shows the finding.
    in_diff: bool = False
    #: The change added at least one of the lines.
    on_added_line: bool = False
    #: The deterministic rule that proved the finding; None for a finding of a model.
    rule: str | None = None
    #: The code around the lines; None without a line.
    excerpt: Excerpt | None = None
    #: How the lines were found.
    anchor: AnchorStatus = AnchorStatus.LINE
    #: Other places with the same code, from near to far.
    alternatives: tuple[Place, ...] = ()
    #: How many further findings said the same and were merged into this one.
    merged: int = 0
    #: Identifies the finding across runs, also after lines have moved; "" before placement.
    fingerprint: str = ""
    #: The suggestion as a change of the file; None unless the head has ``existing_code`` exactly as quoted.
    edit: Edit | None = None
    baseline_state: BaselineState = BaselineState.NEW


class Suppression(Frozen):
    """An entry of the base commit's configuration: one finding does not count."""

    fingerprint: str
    reason: str
    #: The last day, in UTC, on which the entry holds; None for no end.
    expires: IsoDate | None = None


class SuppressedFinding(Frozen):
    """A finding that was reported and does not count; the other fields are those of its ``Suppression``."""

    finding: Finding
    reason: str
    expires: IsoDate | None = None


class Review(Frozen):
    """A validated final review, with every finding in its place."""

    summary: str
    #: The findings that count.
    findings: tuple[Finding, ...] = ()
    #: The findings that were suppressed; they are not among ``findings``.
    suppressed: tuple[SuppressedFinding, ...] = ()
    #: The reviewer's notes, then submitted findings that no file could be found for, with the reason.
    notes: tuple[str, ...] = ()
