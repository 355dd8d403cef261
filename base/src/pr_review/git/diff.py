"""Computes the change from merge base to head, once a run."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.paths import is_addressable
from pr_review.domain.sizes import MIB
from pr_review.errors import RepositoryError
from pr_review.git.command import Git
from pr_review.git.file_patch import FilePatch, FilePatchText, PatchBudget, parse_file_patch, split_files
from pr_review.git.tree import SUBMODULE, decode_path

RENAME_SECONDS = 5.0
MAX_RAW_BYTES = 16 * MIB  # about 200,000 changed files; ten nested trees can name billions

# This is the plumbing command because "git diff" silently compares two paths outside a repository.
COMMAND = (
    "diff-tree",
    "-r",
    "--text",  # attributes and a NUL byte must not hide a change as "binary"
    "--no-ext-diff",  # no program of a diff driver may replace the patch; git-diff-tree(1)
    "--no-textconv",  # no program may rewrite the text that is compared; gitattributes(5)
    "--no-color",
    "--abbrev=10",
)

# Without "-l0" git silently stops looking for renames when there are more than 1,000; here the clock decides.
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


class RawChange(NamedTuple):
    """One record of ``git diff-tree --raw -z``; names are raw bytes."""

    status: FileStatus
    modes: tuple[str, str]
    name: bytes
    old_name: bytes | None = None


def compute_diff(git: Git, merge_base: str, head: str, *, rename_seconds: float = RENAME_SECONDS) -> Diff:
    """Return every file that differs between two commits, in git's order of paths.

    Git looks for renames for at most ``rename_seconds``; a note says when it stopped. Both commits must be
    complete (``ObjectStore.check_complete``).

    Raises:
        RepositoryError: ``git_failed`` for any exit status but 0, ``diff_failed`` for a patch that lacks a
            file, ``malformed_tree`` for a tree that holds a name twice.
    """
    raw, renames = read_raw(git, merge_base, head, rename_seconds)
    changes = list(parse_raw(raw))
    with git.stream(*COMMAND, *renames, "--unified=3", merge_base, head, "--") as process:
        files = tuple(join_patches(changes, split_files(process.chunks()), PatchBudget()))
        if process.wait() != 0:
            raise mismatch()
    if len({file.path for file in files}) < len(files):  # coverage counts files by name
        raise named_twice()
    return Diff(merge_base, head, files, notes=(NO_RENAMES_NOTE,) if renames == NO_RENAMES else ())


def read_raw(
    git: Git, merge_base: str, head: str, rename_seconds: float, max_bytes: int = MAX_RAW_BYTES
) -> tuple[bytes, tuple[str, ...]]:
    """Return the output of ``git diff-tree --raw -z`` and the rename options that produced it."""
    arguments = ("--raw", "-z", merge_base, head, "--")
    try:
        return git.run(*COMMAND, *RENAMES, *arguments, max_bytes=max_bytes, within=rename_seconds), RENAMES
    except RepositoryError as error:
        if error.code != "git_timeout":
            raise
    return git.run(*COMMAND, *NO_RENAMES, *arguments, max_bytes=max_bytes), NO_RENAMES


def parse_raw(raw: bytes) -> Iterator[RawChange]:
    r"""Parse ``:mode mode oid oid status\0name\0`` records; renames and copies carry two names."""
    fields = iter(raw.split(b"\0")[:-1])
    for meta in fields:
        old_mode, new_mode, _, _, status = meta.decode().removeprefix(":").split(" ")
        names = list(islice(fields, 2 if status[0] in "RC" else 1))
        yield RawChange(
            STATUS[status[0]], (old_mode, new_mode), names[-1], names[0] if len(names) > 1 else None
        )


def join_patches(
    changes: list[RawChange], texts: Iterator[FilePatchText], budget: PatchBudget
) -> Iterator[ChangedFile]:
    """Join each change with its file patch.

    Git prints both in the same order. A file whose type changed has two file patches.
    """
    for change in changes:
        expected = 2 if change.status is FileStatus.TYPE_CHANGED else 1
        patches = [parse_file_patch(text, budget) for text in islice(texts, expected)]
        if len(patches) != expected:
            raise mismatch()
        yield changed_file(change, patches)
    if next(texts, None) is not None:
        raise mismatch()


def changed_file(change: RawChange, patches: list[FilePatch]) -> ChangedFile:
    """Build one changed file from its names and its one or two file patches."""
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
    """The error for a patch that does not hold exactly the files that git listed."""
    return RepositoryError(
        "diff_failed", "git diff-tree did not give the patch of every changed file.", "Run the review again."
    )


def named_twice() -> RepositoryError:
    """The error for a malformed tree that holds two entries of one name; git shows both."""
    return RepositoryError(
        "malformed_tree",
        "A tree of the reviewed commits holds the same name twice.",
        "See what `git fsck` says of the commits, and make them anew.",
    )
