"""The offline reviewer in a real conversation, over the real tools, on real commits."""

import os
import subprocess
import time
from contextlib import closing

import pytest

from pr_review.conversation.answer_protocol import TextAnswer
from pr_review.conversation.conversation import Conversation
from pr_review.domain.run import CoverageStatus, Limits, Purpose
from pr_review.errors import ReviewStopped
from pr_review.findings.submission import parse_rule_submission
from pr_review.git.diff import compute_diff
from pr_review.git.object_store import ObjectStore
from pr_review.git.tree import CommitTree
from pr_review.offline.limits import limits_for
from pr_review.offline.offline_model import OfflineModel
from pr_review.review.coverage import Seen, build_coverage
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_{key}": "a@b" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")},
}

WIDE = "x = '" + "y" * 70_000 + "'\n"


class Case:
    """A base and a head commit in a real repository, and what a run makes of them."""

    def __init__(self, folder):
        self.folder = folder
        self.repo = folder / "repo"
        self.repo.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        command = ["git", *arguments]
        return subprocess.check_output(command, cwd=self.repo, env=ENV, text=True).strip()

    def commit(self, files):
        for path, content in files.items():
            target = self.repo / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "m")
        return self.git("rev-parse", "HEAD")

    async def review(self, base, head, linter, *, sized=True):
        with closing(ObjectStore.allocate(self.repo, self.folder, env=ENV, remaining=lambda: 60.0)) as store:
            store.fill()
            tree = CommitTree.load(store.git, head)
            diff = compute_diff(store.git, base, head)
            paths = [file.path for file in diff.files]
            sizes = [tree.file_size(path) if tree.is_file(path) else 0 for path in paths]
            patches = [len(file.patch.encode()) for file in diff.files]
            held = Conversation(
                "find-1",
                Purpose.FIND,
                model=OfflineModel(paths, linter),
                toolbox=Toolbox([ReadRepositoryFile(tree), InspectGitDiff(diff)]),
                limits=limits_for(Limits(), sizes, patches) if sized else Limits(max_tool_calls=20),
                answers=TextAnswer(parse_rule_submission, {}),
                clock=time.monotonic,
            )
            submission = await held.run([])
            seen = [Seen("find-1", held.record.covered, held.record.shown)]
            coverage = build_coverage(diff, {}, seen, checks=submission.checks, not_run=submission.not_run)
        return submission, coverage, held.record


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


async def test_a_change_of_thirty_files_is_reviewed_whole_with_the_checks_named(case, linter):
    base = case.commit({"old.py": "x = 1\n"})
    files = {f"pkg/m{number:02}.py": f"x = 1\ny = undefined_{number}\n" for number in range(28)}
    head = case.commit(files | {"long.py": "x = 1\n" * 2500 + "breakpoint()\n", "a.md": "text\n"})
    submission, coverage, record = await case.review(base, head, linter)
    assert len(coverage.files) == 30
    assert {file.status for file in coverage.files} == {CoverageStatus.REVIEWED}
    assert all(file.checks for file in coverage.files)
    places = {(finding.path, finding.line) for finding in submission.findings}
    assert places == {(path, 2) for path in files} | {("long.py", 2501)}
    assert list(submission.notes) == []
    assert sum(len(turn.tool_calls) for turn in record.turns) == 30 + 29 + 7


async def test_with_a_model_s_limits_the_same_change_would_be_cut(case, linter):
    base = case.commit({"old.py": "x = 1\n"})
    head = case.commit({f"m{number:02}.py": "x = 1\n" for number in range(30)})
    with pytest.raises(ReviewStopped, match="max_tool_calls"):
        await case.review(base, head, linter, sized=False)


async def test_odd_files_are_reviewed_or_noted_and_never_stop_the_review(case, linter):
    base = case.commit(
        {"moved.py": "x = 1\n" * 40, "gone.py": "x = 1\n", "mode.sh": "ls\n", "old_wide.py": WIDE}
    )
    (case.repo / "moved.py").rename(case.repo / "new name.py")
    (case.repo / "gone.py").unlink()
    (case.repo / "mode.sh").chmod(0o755)
    head = case.commit(
        {
            'quo"te é.py': "a = undefined\n",
            "tab\tname.py": "a = undefined\n",
            "empty.py": "",
            "no_newline.py": "a = undefined",
            "crlf.py": "x = 1\r\na = undefined\r\n",
            "nul.py": "x = '\0'\na = undefined\n",
            "latin.py": b"x = '\xe9'\nbreakpoint()\n",
            "binary.png": b"\x89PNG\0\xff",
            "wide.py": WIDE + "breakpoint()\n",
            "old_wide.py": WIDE + "breakpoint()\n",
            "huge.py": "x = 1\n" * 40_000 + "a = undefined\n",
        }
    )
    submission, coverage, _ = await case.review(base, head, linter)
    places = sorted((finding.path, finding.line) for finding in submission.findings)
    assert places == [
        ("crlf.py", 2),
        ("huge.py", 40_001),
        ("latin.py", 2),
        ("no_newline.py", 1),
        ("nul.py", 2),
        ('quo"te é.py', 1),
        ("tab\tname.py", 1),
        ("wide.py", 2),
    ]
    unread = "its head version could not be read whole ({}); only its added lines were checked."
    assert list(submission.notes) == [
        f"`old_wide.py`: {unread.format('a line is too long')}",
    ]
    unseen = [file.path for file in coverage.files if file.status is CoverageStatus.NOT_REVIEWED]
    # Nothing selects files here, so no rule excludes the picture; unread, it cannot count as reviewed.
    assert unseen == ["binary.png", "old_wide.py"]
