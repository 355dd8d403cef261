"""A disposable bare repository over the workspace's objects (decision 1)."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.command import Git, failure
from pr_review.git.fetch import FetchSource, fetch_commits, fetch_error
from pr_review.git.workspace import SHA, Workspace

MAX_MESSAGES = 100
MAX_MESSAGE_BYTES = 256 * 1024
REMOVAL_ATTEMPTS = 5
MAX_QUOTED_CHARS = 100
NOT_FOUND = 1

FULL_HISTORY = "Add these two lines to the actions/checkout step:\nwith:\n  fetch-depth: 0"


class ObjectStore:
    """Commits, trees and blobs of a checkout, without its configuration, hooks, filters or attributes.

    A context manager: the directory is removed on every way out.
    """

    def __init__(self, git: Git, workspace: Workspace) -> None:
        self.git = git
        self._workspace = workspace
        self._complete: set[str] = set()

    @classmethod
    def open(
        cls, workspace: Path, scratch: Path, *, env: Mapping[str, str], remaining: Callable[[], float]
    ) -> Self:
        """Create and fill the store: ``allocate`` and ``fill`` in one, for callers nobody cancels."""
        store = cls.allocate(workspace, scratch, env=env, remaining=remaining)
        try:
            store.fill()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def allocate(
        cls, workspace: Path, scratch: Path, *, env: Mapping[str, str], remaining: Callable[[], float]
    ) -> Self:
        """Make an empty directory under ``scratch`` for the store; both paths are absolute.

        No git has run yet, so whoever holds the store can ``close`` it at any moment after this.

        Raises:
            ConfigError: as ``Workspace.locate``; ``scratch_unwritable``.
        """
        source = Workspace.locate(workspace)
        try:
            git_dir = Path(tempfile.mkdtemp(prefix="pr-review-", dir=scratch))
        except OSError as error:
            raise ConfigError(
                "scratch_unwritable",
                "The directory for temporary files cannot be written.",
                "Set REVIEW_WORKSPACE_ROOT to a writable directory.",
            ) from error
        return cls(Git(git_dir, env, remaining), source)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fill(self) -> None:
        """Turn the directory into a bare repository over the workspace's objects.

        Raises:
            ConfigError: ``git_missing``.
        """
        self.git.run("init", "--quiet", "--bare", "--template=", "--initial-branch=none")
        info = self.git.git_dir / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_bytes(bytes(self._workspace.objects) + b"\n")
        if shallow := self._workspace.shallow():
            (self.git.git_dir / "shallow").write_bytes(shallow)

    def ensure(self, base_sha: str, head_sha: str, source: FetchSource | None, pr_number: int | None) -> None:
        """Make both commits available with all their files, fetching them when the checkout lacks something.

        The workspace's HEAD is offered as the one commit we have, unless the workspace is a partial clone:
        the server would then leave out blobs that are not there either.

        Raises:
            ConfigError: ``missing_commits`` when something is missing and there is no ``source``.
            RepositoryError: ``fetch_denied``, ``fetch_unreachable``, ``commit_not_found``, ``fetch_failed``.
        """
        if self._is_complete(base_sha, head_sha):
            return
        if source is None:
            raise missing_commits()
        have = self._have()
        done = fetch_commits(self.git, source, (base_sha, head_sha), have)
        if done.status != 0 and pr_number is not None:
            fetch_commits(self.git, source, (f"refs/pull/{pr_number}/head",), have)
        if not self._is_complete(base_sha, head_sha):
            raise fetch_error(done)

    def merge_base(self, base: str, head: str) -> str | None:
        """Return the merge base, or None when the history here is not complete: GitHub must say it then.

        A shallow history can give a wrong commit with status 0, and a missing parent looks like none at all.

        Raises:
            ConfigError: ``no_common_history``.
        """
        if (self.git.git_dir / "shallow").exists():
            return None
        done = self.git.call("merge-base", base, head)
        if done.stderr:
            return None
        if done.status == NOT_FOUND:
            raise ConfigError(
                "no_common_history",
                "Base and head have no commit in common.",
                "Rebase the branch onto its base, or compare with another base.",
            )
        if done.status != 0:
            raise failure(("merge-base",), done.status, done.stderr)
        return done.stdout.decode().strip()

    def check_complete(self, merge_base: str, head: str) -> None:
        """Raise ``missing_commits`` unless the head tree and both sides of the diff are here whole."""
        if not self._is_complete(merge_base, head):
            raise missing_commits()

    def commit_messages(self, merge_base: str, head: str) -> tuple[str, ...]:
        """The messages of the last 100 commits from merge base to head that are here, oldest first."""
        limit = f"--max-count={MAX_MESSAGES}"
        printed = bytearray()
        with self.git.stream(
            "log", "-z", "--reverse", "--format=%B", limit, f"{merge_base}..{head}", "--"
        ) as log:
            for chunk in log.chunks():
                printed += chunk
                if len(printed) > MAX_MESSAGE_BYTES:
                    break
            else:
                if (status := log.wait()) != 0:
                    raise failure(("log",), status)
        texts = bytes(printed[:MAX_MESSAGE_BYTES]).decode("utf-8", "replace").split("\0")
        return tuple(text.strip() for text in texts if text.strip())

    def close(self) -> None:
        """Kill git and remove the directory; idempotent."""
        self.git.close()
        for _ in range(REMOVAL_ATTEMPTS):
            shutil.rmtree(self.git.git_dir, ignore_errors=True)
            if not self.git.git_dir.exists():
                return
        raise RepositoryError(
            "store_not_removed",
            "The temporary copy of the repository's index could not be removed.",
            "Remove the pr-review-* directories under REVIEW_WORKSPACE_ROOT.",
        )

    def _have(self) -> str | None:
        head = None if self._workspace.has_promisor_packs() else self._workspace.head()
        return head if head and self.git.objects.info(head) else None

    def _is_complete(self, *shas: str) -> bool:
        """All files of the commits are here (``--missing=print`` marks what is not with a question mark)."""
        if not all(SHA.fullmatch(sha) for sha in shas):
            raise ConfigError(
                "invalid_commit", "A commit is not given by its full id.", "Give all 40 hexadecimal digits."
            )
        new = [sha for sha in shas if sha not in self._complete]
        if new:
            done = self.git.call(
                "rev-list", "--quiet", "--objects", "--missing=print", "--no-walk", *new, "--"
            )
            if done.status != 0 or b"?" in done.stdout:
                return False
            self._complete.update(new)
        return True


def missing_commits() -> ConfigError:
    """The error for a checkout that lacks commits which cannot be fetched."""
    return ConfigError(
        "missing_commits", "The checkout does not hold the pull request's commits whole.", FULL_HISTORY
    )


def resolve_ref(workspace: Path, ref: str, *, env: Mapping[str, str], remaining: Callable[[], float]) -> str:
    """Return the commit a ref names.

    For ``pr-review local`` only: the one place where git runs in the workspace and reads its configuration.

    Raises:
        ConfigError: ``empty_repository``, ``unknown_ref``, and as ``Workspace.locate``.
    """
    if ref.startswith("-") or not ref.isprintable():
        raise unknown_ref(ref)
    found = Workspace.locate(workspace)
    git = Git(found.git_dir, env, remaining)
    done = git.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if done.status == 0:
        return done.stdout.decode().strip()
    if git.call("rev-list", "--max-count=1", "--all").stdout:
        raise unknown_ref(ref)
    raise ConfigError(
        "empty_repository", "The repository has no commit yet.", "Commit something, then review it."
    )


def unknown_ref(ref: str) -> ConfigError:
    """The error for a name that is no commit of the repository."""
    return ConfigError(
        "unknown_ref",
        f"The ref {ref[:MAX_QUOTED_CHARS]!a} does not name a commit of the repository.",
        "Give a branch, tag or commit that `git log` knows; a remote branch needs its remote: origin/main.",
    )
