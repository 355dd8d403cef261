"""The change from merge base to head, computed once a run (decision 2)."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.paths import is_addressable
from pr_review.errors import RepositoryError
from pr_review.git.command import Git
from pr_review.git.patch import MIB, FilePatch, FilePatchText, PatchBudget, parse_file, split_files
from pr_review.git.tree import SUBMODULE, decode_path

RENAME_SECONDS = 5.0  # decision 2
MAX_RAW_BYTES = 16 * MIB  # some 200,000 changed files; ten trees inside each other can name billions

# The options of item 47 (its "-c" come from git.SETTINGS), but for the plumbing command: outside a repository
# "git diff" silently compares two paths instead (item 48), which "git diff-tree" never does.
COMMAND = ("diff-tree", "-r", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "--abbrev=10")

# Without "-l0" git gives up on more than 1,000 renames without a status that says so: here the clock decides.
RENAMES, NO_RENAMES = ("-M", "-l0"), ("--no-renames",)

STATUS = {
    "A": FileStatus.ADDED,
    "M": FileStatus.MODIFIED,
    "D": FileStatus.DELETED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.TYPE_CHANGED,
}

NO_RENAMES_NOTE = "Renames are shown as deletions and additions: finding them took more than 5 s."
SUBMODULE_NOTE = "A submodule: only the commit it points at changes."


class Change(NamedTuple):
    """One record of ``git diff-tree --raw -z``; names are the raw bytes."""

    status: FileStatus
    modes: tuple[str, str]
    name: bytes
    old_name: bytes | None = None


def compute_diff(git: Git, merge_base: str, head: str, *, rename_seconds: float = RENAME_SECONDS) -> Diff:
    """Return every file that differs between two commits, in git's order of paths.

    Renames are found unless that takes more than ``rename_seconds``; then a note says so. Both commits must
    be there whole (``ObjectStore.check_complete``); any status of git but 0 is ``git_failed``, never an empty
    diff.
    """
    raw, renames = read_raw(git, merge_base, head, rename_seconds)
    changes = list(parse_raw(raw))
    with git.stream(*COMMAND, *renames, "--unified=3", merge_base, head, "--") as child:
        files = tuple(pair(changes, split_files(child.chunks()), PatchBudget()))
        if child.wait() != 0:
            raise mismatch()
    if len({file.path for file in files}) < len(files):  # coverage is counted by name
        raise named_twice()
    return Diff(merge_base, head, files, notes=(NO_RENAMES_NOTE,) if renames == NO_RENAMES else ())


def read_raw(
    git: Git, merge_base: str, head: str, rename_seconds: float, max_bytes: int = MAX_RAW_BYTES
) -> tuple[bytes, tuple[str, ...]]:
    """Return ``git diff-tree --raw -z`` and the rename options that it was made with."""
    what = ("--raw", "-z", merge_base, head, "--")
    try:
        return git.run(*COMMAND, *RENAMES, *what, max_bytes=max_bytes, within=rename_seconds), RENAMES
    except RepositoryError as error:
        if error.code != "git_timeout":
            raise
    return git.run(*COMMAND, *NO_RENAMES, *what, max_bytes=max_bytes), NO_RENAMES


def parse_raw(raw: bytes) -> Iterator[Change]:
    r"""Parse ``:mode mode oid oid status\0name\0`` records; renames and copies carry two names."""
    fields = iter(raw.split(b"\0")[:-1])
    for meta in fields:
        old_mode, new_mode, _, _, status = meta.decode().removeprefix(":").split(" ")
        names = list(islice(fields, 2 if status[0] in "RC" else 1))
        yield Change(STATUS[status[0]], (old_mode, new_mode), names[-1], names[0] if len(names) > 1 else None)


def pair(
    changes: list[Change], sections: Iterator[FilePatchText], room: PatchBudget
) -> Iterator[ChangedFile]:
    """Join names with patches: both come in the same order, and a changed type makes two sections."""
    for change in changes:
        expected = 2 if change.status is FileStatus.TYPE_CHANGED else 1
        patches = [parse_file(section, room) for section in islice(sections, expected)]
        if len(patches) != expected:
            raise mismatch()
        yield changed_file(change, patches)
    if next(sections, None) is not None:
        raise mismatch()


def changed_file(change: Change, patches: list[FilePatch]) -> ChangedFile:
    """One file from its name and its one or two patches."""
    path = decode_path(change.name)
    oversized = any(patch.oversized for patch in patches)
    notes = [SUBMODULE_NOTE] if SUBMODULE in change.modes else []
    return ChangedFile(
        path=path,
        status=change.status,
        header="".join(patch.header for patch in patches),
        old_path=None if change.old_name is None else decode_path(change.old_name),
        hunks=() if oversized else tuple(hunk for patch in patches for hunk in patch.hunks),
        additions=sum(patch.additions for patch in patches),
        deletions=sum(patch.deletions for patch in patches),
        binary=patches[-1].binary,
        oversized=oversized,
        addressable=is_addressable(path),
        notes=tuple(dict.fromkeys(notes + [note for patch in patches for note in patch.notes])),
    )


def mismatch() -> RepositoryError:
    """The error for a patch that does not hold the files that were announced."""
    return RepositoryError(
        "diff_failed", "git diff-tree did not give the patch of every changed file.", "Run the review again."
    )


def named_twice() -> RepositoryError:
    """The error for a malformed tree, of which git shows both entries."""
    return RepositoryError(
        "malformed_tree",
        "A tree of the reviewed commits holds the same name twice.",
        "See what `git fsck` says of the commits, and make them anew.",
    )
