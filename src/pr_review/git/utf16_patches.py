"""The patches of UTF-16 files, computed on their text: git splits their bytes in the middle of a character.

The decoded texts are written into the object store as two trees of one file a change, which git compares.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pr_review.domain.change import ChangedFile
from pr_review.domain.encoding import UTF_16, Decoded, decode
from pr_review.domain.sizes import MIB
from pr_review.git.command import Git, git_failed
from pr_review.git.file_patch import NUL_NOTE, PatchBudget, parse_file_patch, split_files

MAX_BLOB_BYTES = 4 * MIB  # twice what a patch may have, for each character of ASCII takes two bytes

_NO_OBJECT = "0" * 40


class Blobs(NamedTuple):
    """The ids of a changed file at the merge base and the head; 40 zeros where it does not exist."""

    old: str
    new: str


class _Texts(NamedTuple):
    """A changed file of which a side is UTF-16; None for a side that is absent or no text."""

    place: int
    old: Decoded | None
    new: Decoded | None


def decode_patches(
    git: Git,
    command: Sequence[str],
    files: Sequence[ChangedFile],
    blobs: Sequence[Blobs],
    budget: PatchBudget,
) -> tuple[ChangedFile, ...]:
    """The files with the patches of those that are UTF-16 at the merge base or the head, replaced.

    ``command`` compares two trees when their ids follow it.
    """
    files = [_checked_size(git, file, ids) for file, ids in zip(files, blobs, strict=True)]
    texts = list(_find_utf_16(git, files, blobs))
    if not texts:
        return tuple(files)
    old_tree = _write_tree(git.git_dir, [(text.place, text.old) for text in texts])
    new_tree = _write_tree(git.git_dir, [(text.place, text.new) for text in texts])
    decoded = {text.place: _unchanged(files[text.place], text) for text in texts}
    with git.stream(*command, old_tree, new_tree, "--") as process:
        for patch_text in split_files(process.chunks()):
            patch = parse_file_patch(patch_text, budget)
            place = int(patch.header.split()[2].removeprefix("a/"))  # diff --git a/12 b/12
            decoded[place] = replace(
                decoded[place],
                hunks=patch.hunks,
                additions=patch.additions,
                deletions=patch.deletions,
                oversized=patch.oversized,
                notes=(*decoded[place].notes, *patch.notes),
            )
        if (status := process.wait()) != 0:
            raise git_failed(command, status, bytes(process.stderr))
    return tuple(decoded.get(place, file) for place, file in enumerate(files))


def _find_utf_16(git: Git, files: Sequence[ChangedFile], blobs: Sequence[Blobs]) -> Iterator[_Texts]:
    """Those whose new side is text; git's own patch says whose bytes have to be looked at."""
    for place, (file, ids) in enumerate(zip(files, blobs, strict=True)):
        if not file.has_odd_bytes:
            continue
        old, new = _read(git, ids.old), _read(git, ids.new)
        is_readable = new is not None or (ids.new == _NO_OBJECT and old is not None)
        if is_readable and UTF_16 in {side.encoding for side in (old, new) if side}:
            yield _Texts(place, old, new)


def _checked_size(git: Git, file: ChangedFile, ids: Blobs) -> ChangedFile:
    """A file with NUL bytes that is too large to be decoded may be UTF-16: then its patch shows no text."""
    sizes = [info.size for oid in ids if NUL_NOTE in file.notes and (info := git.objects.info(oid))]
    if max(sizes, default=0) <= MAX_BLOB_BYTES:
        return file
    return replace(file, hunks=(), oversized=True)


def _read(git: Git, oid: str) -> Decoded | None:
    info = None if oid == _NO_OBJECT else git.objects.info(oid)
    if info is None or info.kind != "blob" or info.size > MAX_BLOB_BYTES:
        return None
    return decode(git.objects.contents(oid))


def _unchanged(file: ChangedFile, texts: _Texts) -> ChangedFile:
    """The file as if no line of its text had changed."""
    old, new = (side.encoding if side else None for side in texts[1:])
    note = f"The file is {new or old}; its text is shown."
    if old and new and old != new:
        note = f"The file is {new} and was {old}; its text is shown."
    return replace(
        file,
        hunks=(),
        additions=0,
        deletions=0,
        binary=False,
        oversized=False,
        encoding=new or old or file.encoding,
        notes=(note,),
    )


def _write_tree(git_dir: Path, files: Sequence[tuple[int, Decoded | None]]) -> str:
    """Write a tree of the texts, each under its number; its id."""
    entries = b""
    for place, decoded in files:
        blob = write_object(git_dir, "blob", decoded.text.encode() if decoded else b"")
        entries += b"100644 %010d\0" % place + bytes.fromhex(blob)
    return write_object(git_dir, "tree", entries)


def write_object(git_dir: Path, kind: str, content: bytes) -> str:
    """Write a loose object and return its id; see gitrepository-layout(5)."""
    data = b"%s %d\0%s" % (kind.encode(), len(content), content)
    oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
    path = git_dir / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(data, 1))
    return oid
