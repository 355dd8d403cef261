"""What reached the models whole, file by file."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.chat import HunkId
from pr_review.domain.run import Coverage, CoverageStatus, FileCoverage

IN_PART = "only its added lines could be checked"
NOT_TEXT = "it is named as code and holds bytes that are no text"
OVERSIZED = "its patch is too large to show"
UNSEEN = "its new name or mode never reached the model"


class Seen(NamedTuple):
    """What one conversation was shown; ``failure`` is why none of it counts, None when it answered."""

    conversation: str
    hunks: AbstractSet[HunkId]
    failure: str | None = None


def build_coverage(
    diff: Diff,
    excluded: Mapping[str, str],
    seen: Sequence[Seen],
    *,
    unfinished: str | None = None,
    checks: Mapping[str, Sequence[str]] | None = None,
    in_part: Collection[str] = (),
) -> Coverage:
    """One entry for every changed file, in diff order.

    ``unfinished`` says why nothing of the run counts as reviewed. For the offline reviewer, ``checks`` names
    what ran on each file and ``in_part`` the files of which only the added lines were checked.
    """

    def cover(file: ChangedFile) -> FileCoverage:
        if file.path in excluded:
            return _entry(file, CoverageStatus.EXCLUDED, excluded[file.path])
        if missing := unfinished or _missing_because(file, seen):
            return _entry(file, CoverageStatus.NOT_REVIEWED, missing, conversations=_seeing(file, seen))
        return _entry(
            file,
            CoverageStatus.REVIEWED,
            IN_PART if file.path in in_part else None,
            checks=tuple((checks or {}).get(file.path, ())),
            conversations=_seeing(file, seen),
        )

    return Coverage(files=tuple(map(cover, diff.files)))


def _entry(
    file: ChangedFile,
    status: CoverageStatus,
    reason: str | None,
    *,
    checks: tuple[str, ...] = (),
    conversations: tuple[str, ...] = (),
) -> FileCoverage:
    return FileCoverage(
        path=file.path,
        status=status,
        reason=reason,
        checks=checks,
        conversations=conversations,
        additions=file.additions,
        deletions=file.deletions,
    )


def _seeing(file: ChangedFile, seen: Sequence[Seen]) -> tuple[str, ...]:
    """The conversations that answered and saw any of the file."""
    return tuple(each.conversation for each in seen if each.failure is None and _saw(each, file))


def _saw(seen: Seen, file: ChangedFile) -> bool:
    return any(hunk.path == file.path for hunk in seen.hunks)


def _missing_because(file: ChangedFile, seen: Sequence[Seen]) -> str | None:
    """Why the file did not reach the models whole, or None; a conversation that failed is the first cause."""
    shown = {hunk for each in seen if each.failure is None for hunk in each.hunks}
    missing = _missing(file, shown)
    if missing is None:
        return None
    return next((each.failure for each in seen if each.failure and _saw(each, file)), missing)


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
