"""Finds where a checkout keeps its objects. It reads plain files: git never runs in the checkout."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pr_review.errors import ConfigError

SHA = re.compile(r"[0-9a-f]{40}")
HEAD_REF = re.compile(r"ref: (refs/[^\s:?*\[\\^~]+)")


@dataclass(frozen=True)
class Workspace:
    """The git directory of a checkout, and the one that a linked worktree shares (``commondir``)."""

    git_dir: Path
    common_dir: Path

    @classmethod
    def locate(cls, folder: Path) -> Self:
        """Find the git directory of ``folder``, an absolute path: ``.git``, its target, or ``folder`` itself.

        Raises:
            ConfigError: ``no_repository``, ``workspace_unreadable``, or ``unsupported_path`` for a path with
                a newline, which the alternates file cannot express.
        """
        with readable():
            git_dir = find_git_dir(folder)
            commondir = git_dir / "commondir"
            common_dir = git_dir / read_path(commondir) if commondir.is_file() else git_dir
            found = cls(git_dir, common_dir)
            if not found.objects.is_dir():
                raise no_repository()
            os.scandir(found.objects).close()
        if "\n" in str(found.objects):
            raise ConfigError(
                "unsupported_path",
                "The path of the checkout holds a newline.",
                "Check out into a folder whose name has none.",
            )
        return found

    @property
    def objects(self) -> Path:
        """The directory of the objects."""
        return self.common_dir / "objects"

    def shallow(self) -> bytes:
        """Return the ``shallow`` file: the commits whose parents are missing. Empty for a complete clone."""
        with readable():
            path = self.common_dir / "shallow"
            return path.read_bytes() if path.exists() else b""

    def has_promisor_packs(self) -> bool:
        """Whether this is a partial clone, which may have a commit but lack its blobs."""
        with readable():
            return any((self.objects / "pack").glob("*.promisor"))

    def head(self) -> str | None:
        """Return the commit of HEAD; None when it has no commit or plain files do not show it."""
        with readable():
            content = (self.git_dir / "HEAD").read_text("utf-8", "replace")
            ref = HEAD_REF.match(content)
            value = self._read_ref(ref[1]) if ref else content
        sha = SHA.match(value)
        return sha[0] if sha else None

    def _read_ref(self, name: str) -> str:
        loose = self.common_dir / name
        if ".." not in name and loose.is_file():
            return loose.read_text("utf-8", "replace")
        packed = self.common_dir / "packed-refs"
        lines = packed.read_text("utf-8", "replace").split("\n") if packed.is_file() else []
        return next((line for line in lines if line.endswith(f" {name}")), "")


def find_git_dir(folder: Path) -> Path:
    """Return the git directory of a folder. Parents of the folder are not searched."""
    dot_git = folder / ".git"
    if dot_git.is_dir():
        return dot_git
    if dot_git.is_file():  # a submodule or a linked worktree
        return folder / read_path(dot_git).removeprefix("gitdir: ")
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return folder
    raise no_repository()


def find_top(folder: Path, user: int) -> Path:
    """Return the top folder of the repository that holds ``folder`` (an absolute path).

    Only ``pr-review local`` calls this. A repository in a parent folder must belong to ``user``, because its
    configuration could name programs (``safe.directory`` in git-config(1)).

    Raises:
        ConfigError: ``no_repository``.
    """
    with readable():
        for place in (folder, *folder.parents) if folder.is_dir() else ():
            with suppress(ConfigError):
                git_dir = find_git_dir(place)
                if place == folder or _belongs_to(user, place, git_dir):
                    return place
                break
    raise ConfigError(
        "no_repository",
        f"The folder {folder.name!a} is not inside a git repository of yours.",
        "Give --repo the top folder of the repository to review.",
    )


def _belongs_to(user: int, *folders: Path) -> bool:
    return all(folder.is_dir() and folder.stat().st_uid == user for folder in folders)


def read_path(file: Path) -> str:
    """Return the path that a file of git holds, without the final newline."""
    return os.fsdecode(file.read_bytes().removesuffix(b"\n"))


def no_repository() -> ConfigError:
    """The error for a folder without a usable repository."""
    return ConfigError(
        "no_repository",
        "The workspace holds no git repository.",
        "Run actions/checkout before this step, and set `path` when it checks out into a folder.",
    )


@contextmanager
def readable() -> Iterator[None]:
    """Raise ``workspace_unreadable`` when the workspace cannot be read."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            "workspace_unreadable",
            "The workspace's repository cannot be read.",
            "Run the step as a user who may read the checkout.",
        ) from error
