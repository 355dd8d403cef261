"""Pull request 7 of ``octo/demo`` on a git server, and the steps of actions/checkout that clone it.

The base branch has moved on since the topic began, so the merge base is neither the base's tip nor a parent
of the merge commit that GitHub makes; the topic has more commits than a shallow checkout holds.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.loopback.git import GitServer
from tests.loopback.github import GitHub
from tests.loopback.repo import ENVIRONMENT, Repo

NAME, NUMBER = "octo/demo", 7
TOKEN = "ghs_loopback0123456789"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n"

ROOT_COMMIT = {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n*.py -diff\n",
    ".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n',
    "README.md": "# Demo\n",
    "assets/model.bin": POINTER.format("a" * 64),
    "assets/unchanged.txt": "".join(f"line {number}\n" for number in range(20_000)),
    "src/app.py": "import os\n\n\ndef run(path):\n    return os.listdir(path)\n",
    "tools/old.py": "".join(f"value_{number} = {number}\n" for number in range(30)),
}
TOPIC_COMMITS: Sequence[dict[str, str | None]] = (
    {"src/app.py": "import os\n\n\ndef run(path, seen=[]):\n    return os.listdir(path)\n"},
    {"assets/model.bin": POINTER.format("b" * 64), "README.md": "# Demo\n\nMore.\n"},
    {
        "tools/old.py": None,
        "tools/new.py": "".join(f"value_{number} = {number}\n" for number in range(30)) + "print(missing)\n",
    },
)
THEIRS = {"theirs.py": "def other(x={}):\n    return x\n"}


@dataclass(frozen=True)
class Upstream:
    """The repository behind the server, and the commits of its pull request."""

    server: GitServer
    repo: Repo
    merge_base: str
    base: str
    head: str
    merge: str

    @property
    def url(self) -> str:
        return f"{self.server.url}/{NAME}"

    def pull(self) -> dict[str, object]:
        """The fields of the pull request that events and the API share."""
        repository = {"full_name": NAME}
        return {
            "number": NUMBER,
            "title": "A topic",
            "body": "Why.",
            "user": {"login": "octocat"},
            "base": {"ref": "main", "sha": self.base, "repo": repository},
            "head": {"ref": "topic", "sha": self.head, "repo": repository},
        }

    def describe(self, github: GitHub) -> None:
        """Let the API know merge base and changed files."""
        github.merge_base = self.merge_base
        github.files = [
            github.file("README.md"),
            github.file("assets/model.bin"),
            github.file("lib"),
            github.file("src/app.py"),
            github.file("tools/new.py", "renamed", previous_filename="tools/old.py"),
        ]

    def check_out(
        self,
        path: Path,
        sha: str | None = None,
        *,
        depth: int = 1,
        fetch: Sequence[str] = (),
        before: Sequence[Sequence[str]] = (),
    ) -> None:
        """What actions/checkout does; ``sha`` is its ``ref``, ``before`` runs before ``git checkout``."""
        sha = sha or self.merge
        authorization = self.server.authorization()
        steps = [
            ["init", "--quiet", str(path)],
            ["remote", "add", "origin", self.url],
            ["config", "--local", "gc.auto", "0"],
            ["config", "--local", f"http.{self.server.url}/.extraheader", f"AUTHORIZATION: {authorization}"],
            [
                "fetch",
                "-q",
                "--no-tags",
                "--prune",
                "--no-recurse-submodules",
                *fetch,
                *self._refs(sha, depth),
            ],
            *before,
            ["checkout", "--quiet", "--force", "refs/remotes/pull/7/merge"],
        ]
        path.mkdir(parents=True, exist_ok=True)
        for step in steps:
            run_git(path, *step)

    def _refs(self, sha: str, depth: int) -> list[str]:
        wanted = f"+{sha}:refs/remotes/pull/7/merge"
        if depth:
            return [f"--depth={depth}", "origin", wanted]
        return ["origin", "+refs/heads/*:refs/remotes/origin/*", wanted]


def run_git(path: Path, *arguments: str) -> str:
    """Git in a checkout, without the machine's configuration."""
    command = ["git", "-c", "safe.directory=*", *arguments]
    done = subprocess.run(command, cwd=path, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


def build_upstream(server: GitServer) -> Upstream:
    """Make the repository below the server's root, with a submodule beside it."""
    library = Repo(server.root / "octo" / "lib")
    old, new = (library.commit({"lib.py": f"version = {number}\n"}) for number in (1, 2))
    repo = Repo(server.root / NAME)
    merge_base = _commit_with_library(repo, ROOT_COMMIT, old)
    repo.git("checkout", "-q", "-b", "topic")
    for files in TOPIC_COMMITS[:-1]:
        repo.commit(files)
    head = _commit_with_library(repo, TOPIC_COMMITS[-1], new)
    repo.git("checkout", "-q", "main")
    base = _commit_with_library(repo, THEIRS, old)
    repo.git("checkout", "-q", "--detach")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    merge = repo.git("rev-parse", "HEAD")
    repo.git("update-ref", "refs/pull/7/head", head)
    repo.git("update-ref", "refs/pull/7/merge", merge)
    repo.git("checkout", "-q", "main")
    repo.git("config", "uploadpack.allowFilter", "true")
    return Upstream(server, repo, merge_base, base, head, merge)


def _commit_with_library(repo: Repo, files: dict[str, str | None], library: str) -> str:
    """A commit whose submodule ``lib`` is at a commit; the index names it without a clone of it."""
    repo.write(files)
    repo.git("add", "--all", "--force")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{library},lib")
    repo.git("commit", "-q", "-m", "change")
    (repo.path / "lib").mkdir(exist_ok=True)
    return repo.git("rev-parse", "HEAD")
