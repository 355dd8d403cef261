"""Real repositories, built by real git from whole trees, and a git on PATH that can be watched or slowed."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pr_review.git.command import Git
from pr_review.git.object_store import ObjectStore

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


@dataclass(frozen=True)
class Node:
    """A tree entry that is not an ordinary file."""

    mode: str
    content: bytes


Tree = Mapping[str | bytes, bytes | Node]


def quoted(path: str | bytes) -> bytes:
    """A path as fast-import reads it, every byte escaped."""
    raw = path if isinstance(path, bytes) else path.encode()
    return b'"' + b"".join(b"\\%03o" % byte for byte in raw) + b'"'


class Repo:
    """A repository whose commits are whole trees; nothing is checked out unless a test asks for it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git_dir = path / ".git"
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    @staticmethod
    def link(target: str) -> Node:
        return Node("120000", target.encode())

    @staticmethod
    def submodule(sha: str) -> Node:
        return Node("160000", sha.encode())

    @staticmethod
    def executable(content: bytes) -> Node:
        return Node("100755", content)

    def git(self, *args: str, stdin: bytes | None = None, check: bool = True) -> str:
        command = ["git", "-c", "protocol.file.allow=always", *args]
        done = subprocess.run(command, cwd=self.path, env=GIT_ENV, input=stdin, capture_output=True)
        if check and done.returncode:
            raise AssertionError(done.stderr.decode())
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(
        self,
        files: Tree,
        *,
        parents: Sequence[str] = (),
        message: str = "change",
        ref: str = "refs/heads/main",
        time: int = 1_700_000_000,
    ) -> str:
        """Write a commit with exactly these files and let ``ref`` name it."""
        text = message.encode()
        stream = [b"commit %s\ncommitter A <a@example.com> %d +0000\n" % (ref.encode(), time)]
        stream.append(b"data %d\n%s\n" % (len(text), text))
        stream += [(b"from %s\n" if n == 0 else b"merge %s\n") % p.encode() for n, p in enumerate(parents)]
        stream.append(b"deleteall\n")
        for path, content in files.items():
            node = content if isinstance(content, Node) else Node("100644", content)
            name = quoted(path)
            if node.mode == "160000":
                stream.append(b"M 160000 %s %s\n" % (node.content, name))
            else:
                stream.append(b"M %s inline %s\n" % (node.mode.encode(), name))
                stream.append(b"data %d\n%s\n" % (len(node.content), node.content))
        self.git("update-ref", "-d", ref, check=False)
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        return self.git("rev-parse", ref)

    def object_file(self, oid: str) -> Path:
        """The file of a loose object."""
        return self.git_dir / "objects" / oid[:2] / oid[2:]

    def remove_object(self, oid: str) -> None:
        self.object_file(oid).unlink()


def plenty() -> float:
    """Seconds left, for a test that has nothing to say about time."""
    return 60.0


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


@pytest.fixture
def new_repo(tmp_path: Path) -> Callable[[str], Repo]:
    return lambda name: Repo(tmp_path / name)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    path = tmp_path / "scratch"
    path.mkdir()
    return path


@pytest.fixture
def open_git() -> Iterator[Callable[..., Git]]:
    """Bind our Git to a repository of the test; closed after it."""
    opened: list[Git] = []

    def bind(repo: Repo, env: Mapping[str, str] = GIT_ENV, remaining: Callable[[], float] = plenty) -> Git:
        opened.append(Git(repo.git_dir, env, remaining))
        return opened[-1]

    yield bind
    for git in opened:
        git.close()


@pytest.fixture
def open_store(scratch: Path) -> Iterator[Callable[..., ObjectStore]]:
    """Make and fill a store over a workspace; closed after the test."""
    opened: list[ObjectStore] = []

    def bind(
        workspace: Path, env: Mapping[str, str] = GIT_ENV, remaining: Callable[[], float] = plenty
    ) -> ObjectStore:
        opened.append(ObjectStore.allocate(workspace, scratch, env=env, remaining=remaining))
        opened[-1].fill()
        return opened[-1]

    yield bind
    for store in opened:
        store.close()
    assert list(scratch.iterdir()) == []


class Shim:
    """A directory to put first on PATH, whose ``git`` logs its arguments and environment, then runs git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        self.real = shutil.which("git")
        self.env = GIT_ENV | {"PATH": f"{folder}:{GIT_ENV['PATH']}"}
        self.script("")

    def script(self, body: str) -> None:
        """Run shell ``body`` before the real git; ``$*`` are the arguments."""
        path = self.folder / "git"
        path.write_text(f'#!/bin/sh\necho "$*" >> {self.log}\n{body}\nexec {self.real} "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text(errors="replace").splitlines()

    def count(self, word: str) -> int:
        return sum(f" {word} " in f"{call} " for call in self.calls)


@pytest.fixture
def shim(tmp_path: Path) -> Shim:
    folder = tmp_path / "bin"
    folder.mkdir()
    return Shim(folder)
