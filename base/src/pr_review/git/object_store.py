"""A disposable bare repository that borrows the objects of the workspace.

Reviews read commits, never the working tree. So an untracked file, such as a credential that another step
left, cannot reach the model, and no file changes between check and use. Hooks, filters, attributes and
configuration of the workspace have no effect. See ``objects/info/alternates`` in gitrepository-layout(5).
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from pr_review.domain.sizes import KIB
from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.command import Git, git_failed
from pr_review.git.fetch import FetchSource, fetch_commits, fetch_error
from pr_review.git.workspace import SHA, Workspace

MAX_MESSAGES = 100
MAX_MESSAGE_BYTES = 256 * KIB
REMOVAL_ATTEMPTS = 5
MAX_QUOTED_CHARS = 100
NOT_FOUND = 1

FULL_HISTORY = "Add these two lines to the actions/checkout step:\nwith:\n  fetch-depth: 0"


class ObjectStore:
    """Commits, trees and blobs of a checkout, without its configuration, hooks, filters or attributes.

    ``allocate`` makes the store, ``fill`` connects it to the checkout, and ``close`` removes its directory.
    """

    def __init__(self, git: Git, workspace: Workspace) -> None:
        self.git = git
        self._workspace = workspace
        self._complete: set[str] = set()

    @classmethod
    def allocate(
        cls, workspace: Path, scratch: Path, *, env: Mapping[str, str], remaining: Callable[[], float]
    ) -> Self:
        """Make an empty directory for the store under ``scratch``; both paths are absolute.

        This runs no git, so the caller can ``close`` the store at any moment afterwards, also from a signal.

        Raises:
            ConfigError: ``scratch_unwritable``, and the errors of ``Workspace.locate``.
        """
        located = Workspace.locate(workspace)
        try:
            git_dir = Path(tempfile.mkdtemp(prefix="pr-review-", dir=scratch))
        except OSError as error:
            raise ConfigError(
                "scratch_unwritable",
                "The directory for temporary files cannot be written.",
                "Set REVIEW_WORKSPACE_ROOT to a writable directory.",
            ) from error
        return cls(Git(git_dir, env, remaining), located)

    def fill(self) -> None:
        """Turn the directory into a bare repository that borrows the objects of the workspace.

        Raises:
            ConfigError: ``git_missing``.
            RepositoryError: ``git_failed``, ``git_timeout`` or ``git_cancelled``.
        """
        self.git.run("init", "--quiet", "--bare", "--template=", "--initial-branch=none")
        info = self.git.git_dir / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_bytes(bytes(self._workspace.objects) + b"\n")
        if shallow := self._workspace.shallow():
            (self.git.git_dir / "shallow").write_bytes(shallow)

    def ensure(self, base_sha: str, head_sha: str, source: FetchSource | None, pr_number: int | None) -> None:
        """Make both commits available with all their files; fetch them when the checkout lacks some.

        The fetch names the HEAD of the workspace as a commit that the server need not send. It does not do so
        for a partial clone, because HEAD may lack blobs there.

        Raises:
            ConfigError: ``missing_commits`` when a file is missing and there is no ``source``.
            RepositoryError: ``fetch_denied``, ``fetch_unreachable``, ``commit_not_found``, ``fetch_failed``.
        """
        if self._is_complete(base_sha, head_sha):
            return
        if source is None:
            raise missing_commits()
        have = self._have()
        result = fetch_commits(self.git, source, (base_sha, head_sha), have)
        if result.status != 0 and pr_number is not None:
            fetch_commits(self.git, source, (f"refs/pull/{pr_number}/head",), have)
        if not self._is_complete(base_sha, head_sha):
            raise fetch_error(result)

    def merge_base(self, base: str, head: str) -> str | None:
        """Return the merge base, or None when the local history is incomplete and GitHub must be asked.

        In a shallow history git can return a wrong commit with status 0. With a missing parent it reports no
        common commit.

        Raises:
            ConfigError: ``no_common_history``.
        """
        if (self.git.git_dir / "shallow").exists():
            return None
        result = self.git.call("merge-base", base, head)
        if result.stderr:
            return None
        if result.status == NOT_FOUND:
            raise ConfigError(
                "no_common_history",
                "Base and head have no commit in common.",
                "Rebase the branch onto its base, or compare with another base.",
            )
        if result.status != 0:
            raise git_failed(("merge-base",), result.status, result.stderr)
        return result.stdout.decode().strip()

    def check_complete(self, merge_base: str, head: str) -> None:
        """Raise ``missing_commits`` unless the store has all files of both commits."""
        if not self._is_complete(merge_base, head):
            raise missing_commits()

    def commit_messages(self, merge_base: str, head: str) -> tuple[str, ...]:
        """Return the messages of the last 100 local commits from merge base to head, oldest first."""
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
                    raise git_failed(("log",), status)
        texts = bytes(printed[:MAX_MESSAGE_BYTES]).decode("utf-8", "replace").split("\0")
        return tuple(text.strip() for text in texts if text.strip())

    def close(self) -> None:
        """Kill git and remove the directory. Idempotent; any thread may call it."""
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
        """Whether the store has all files of the commits."""
        if not all(SHA.fullmatch(sha) for sha in shas):
            raise ConfigError(
                "invalid_commit", "A commit is not given by its full id.", "Give all 40 hexadecimal digits."
            )
        new = [sha for sha in shas if sha not in self._complete]
        if new:
            # "--missing=print" prints a question mark before each missing object.
            result = self.git.call(
                "rev-list", "--quiet", "--objects", "--missing=print", "--no-walk", *new, "--"
            )
            if result.status != 0 or b"?" in result.stdout:
                return False
            self._complete.update(new)
        return True


def missing_commits() -> ConfigError:
    """The error for missing commits that cannot be fetched."""
    return ConfigError(
        "missing_commits", "The checkout does not hold the pull request's commits whole.", FULL_HISTORY
    )


def resolve_ref(workspace: Path, ref: str, *, env: Mapping[str, str], remaining: Callable[[], float]) -> str:
    """Return the commit that a ref names.

    Only ``pr-review local`` calls this. It is the only place where git runs in the workspace and reads its
    configuration.

    Raises:
        ConfigError: ``empty_repository``, ``unknown_ref``, and the errors of ``Workspace.locate``.
    """
    if ref.startswith("-") or not ref.isprintable():
        raise unknown_ref(ref)
    git = Git(Workspace.locate(workspace).git_dir, env, remaining)
    result = git.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if result.status == 0:
        return result.stdout.decode().strip()
    if git.call("rev-list", "--max-count=1", "--all").stdout:
        raise unknown_ref(ref)
    raise ConfigError(
        "empty_repository", "The repository has no commit yet.", "Commit something, then review it."
    )


def unknown_ref(ref: str) -> ConfigError:
    """The error for a ref that names no commit of the repository."""
    return ConfigError(
        "unknown_ref",
        f"The ref {ref[:MAX_QUOTED_CHARS]!a} does not name a commit of the repository.",
        "Give a branch, tag or commit that `git log` knows; a remote branch needs its remote: origin/main.",
    )
