"""What became of the changed files, in words."""

from pr_review.domain.run import CoverageStatus, FileCoverage, Outcome
from pr_review.report.wording.quantities import count

_NAMES = {
    CoverageStatus.REVIEWED: "reviewed",
    CoverageStatus.EXCLUDED: "excluded",
    CoverageStatus.NOT_REVIEWED: "not reviewed",
}
# A reader must know first which files nobody looked at.
_ORDER = (CoverageStatus.NOT_REVIEWED, CoverageStatus.EXCLUDED, CoverageStatus.REVIEWED)


def counts(outcome: Outcome) -> str:
    """How many files have each result: ``12 changed files: 1 not reviewed, 11 reviewed.``."""
    files = outcome.coverage.files
    if not files:
        return "No changed file was looked at."
    numbers = ((status, outcome.coverage.count(status)) for status in _ORDER)
    parts = (f"{number:,} {_NAMES[status]}" for status, number in numbers if number)
    return f"{count(len(files), 'changed file')}: {', '.join(parts)}."


def files(outcome: Outcome) -> list[FileCoverage]:
    """Every changed file; files that were not reviewed come first."""
    return sorted(outcome.coverage.files, key=lambda file: _ORDER.index(file.status))


def result(file: FileCoverage) -> str:
    """``reviewed``, ``excluded`` or ``not reviewed``."""
    return _NAMES[file.status]


def reason(file: FileCoverage) -> str:
    """Why a file was not reviewed, or by which checks it was; both for a file that was checked in part."""
    return ": ".join(filter(None, (file.reason, ", ".join(file.checks))))
