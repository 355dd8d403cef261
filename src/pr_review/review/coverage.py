"""What reached the model whole, file by file (DESIGN.md, Coverage)."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.chat import HunkId
from pr_review.domain.run import Coverage, CoverageStatus, FileCoverage

IN_PART = "only its added lines could be checked"
NOT_TEXT = "it is named as code and holds bytes that are no text"
OVERSIZED = "its patch is too large to show"
UNSEEN = "its new name or mode never reached the model"


def build_coverage(
    diff: Diff,
    excluded: Mapping[str, str],
    shown: AbstractSet[HunkId],
    *,
    unfinished: str | None = None,
    checks: Mapping[str, tuple[str, ...]] | None = None,
    in_part: AbstractSet[str] = frozenset(),
) -> Coverage:
    """One entry for every changed file, in diff order.

    ``shown`` names the hunks that reached the model; ``unfinished`` says why the conversation did not end in
    a final review (then nothing counts as reviewed); offline, ``checks`` names what ran on each file and
    ``in_part`` the files of which only added lines were checked.
    """
    return Coverage(
        files=tuple(
            _cover(file, excluded, shown, unfinished, checks=checks or {}, in_part=in_part)
            for file in diff.files
        )
    )


def _cover(
    file: ChangedFile,
    excluded: Mapping[str, str],
    shown: AbstractSet[HunkId],
    unfinished: str | None,
    *,
    checks: Mapping[str, tuple[str, ...]],
    in_part: AbstractSet[str],
) -> FileCoverage:
    status, reason = CoverageStatus.REVIEWED, None
    if file.path in excluded:
        status, reason = CoverageStatus.EXCLUDED, excluded[file.path]
    elif missing := unfinished or _missing(file, shown):
        status, reason = CoverageStatus.NOT_REVIEWED, missing
    elif file.path in in_part:
        reason = IN_PART
    return FileCoverage(
        path=file.path,
        status=status,
        reason=reason,
        checks=checks.get(file.path, ()) if status is CoverageStatus.REVIEWED else (),
        additions=file.additions,
        deletions=file.deletions,
    )


def _missing(file: ChangedFile, shown: AbstractSet[HunkId]) -> str | None:
    """Why the file did not reach the model whole, or None."""
    if file.binary:  # only one that is named as code is selected at all
        return NOT_TEXT
    if file.oversized:
        return OVERSIZED
    if not file.hunks:  # a rename or a mode can matter as much as a line: a script that becomes a workflow
        return None if HunkId(path=file.path, index=0) in shown else UNSEEN
    total = len(file.hunks)
    seen = sum(HunkId(path=file.path, index=index) in shown for index in range(total))
    return None if seen == total else f"{total - seen} of {total} hunks never reached the model"
