"""A git repository with a working tree, for tests that commit files as people do."""

import copy
import os
import shutil
import subprocess
from pathlib import Path

NAMES = {"NAME": "T", "EMAIL": "t@example.com", "DATE": "2026-01-01T00:00:00Z"}
IDENTITY = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in NAMES.items()}
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Repo:
    """A git repository with a base branch and a topic branch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def copy_to(self, path: Path) -> "Repo":
        """The same repository in another folder, without running git."""
        shutil.copytree(self.path, path, symlinks=True)
        other = copy.copy(self)
        other.path = path
        return other

    def git(self, *arguments: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=ENVIRONMENT | IDENTITY,
            input=stdin,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes | None], message: str = "change") -> str:
        self.write(files)
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
