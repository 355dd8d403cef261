"""Where a checkout keeps its objects, read as plain files: git never runs in it (decision 1)."""

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
    """The git directory of a checkout and, for a linked worktree, the one it shares (``commondir``)."""

    git_dir: Path
    common_dir: Path

    @classmethod
    def locate(cls, folder: Path) -> Self:
        """Find the git directory of ``folder`` (an absolute path): ``.git``, a ``.git`` file, or a bare one.

        Raises:
            ConfigError: ``no_repository``, ``workspace_unreadable``, or ``unsupported_path`` when a path
                holds a newline, which the alternates file cannot express.
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
        """The object directory."""
        return self.common_dir / "objects"

    def shallow(self) -> bytes:
        """The list of commits whose parents were not fetched; empty in a complete clone."""
        with readable():
            path = self.common_dir / "shallow"
            return path.read_bytes() if path.exists() else b""

    def has_promisor_packs(self) -> bool:
        """A partial clone: commits can be present while blobs are not."""
        with readable():
            return any((self.objects / "pack").glob("*.promisor"))

    def head(self) -> str | None:
        """The commit HEAD names, None when it is unborn or kept in a way plain files do not show."""
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
    """The git directory that belongs to a folder, not to one of its parents."""
    dot_git = folder / ".git"
    if dot_git.is_dir():
        return dot_git
    if dot_git.is_file():  # a submodule or a linked worktree
        return folder / read_path(dot_git).removeprefix("gitdir: ")
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return folder
    raise no_repository()


def find_top(folder: Path, user: int) -> Path:
    """The folder of the repository that ``folder`` (an absolute path) is in, as git finds it.

    For ``pr-review local`` only. A repository above that does not belong to ``user`` is not entered: its
    configuration could name programs (git's ``safe.directory``).

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
    """The path a file of git's holds, without the final newline."""
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
    """Turn a failed read of the workspace into one clear error."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            "workspace_unreadable",
            "The workspace's repository cannot be read.",
            "Run the step as a user who may read the checkout.",
        ) from error
