"""The four tools over a real commit, read through the object store as a run does."""

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from pr_review.git.diff import compute_diff
from pr_review.git.object_store import ObjectStore
from pr_review.git.search import Searcher
from pr_review.git.tree import CommitTree
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox
from pr_review.tools.toolsets import canonical_tools

ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "A"), ("EMAIL", "a@example.com"), ("DATE", "1700000000 +0000"))
}


def git(path: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=path, env=ENV, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(path: Path) -> str:
    git(path, "add", "--all", "--force")
    git(path, "commit", "--quiet", "--message", "change")
    return git(path, "rev-parse", "HEAD")


def base_files(path: Path) -> None:
    (path / "src").mkdir()
    (path / "src" / "app.py").write_text("".join(f"line {number}\n" for number in range(1, 61)))
    (path / "src" / "old.py").write_text("renamed\n" * 20)
    (path / "logo.png").write_bytes(b"\x89PNG\x00\xff\xfe")


def head_files(path: Path) -> None:
    app = path / "src" / "app.py"
    app.write_text(app.read_text().replace("line 5\n", "line five\n").replace("line 50\n", "line fifty\n"))
    (path / "src" / "old.py").rename(path / "src" / "new.py")
    (path / "logo.png").write_bytes(b"\x89PNG\x00\xff\xfd")
    (path / ":(glob)*").write_text("magic needle\n")
    (path / 'say "hi"\n.py').write_text("needle\n")
    (path / "latin.py").write_bytes("näh\n".encode("latin-1"))
    (path / "wide.cs").write_bytes("a\r\nnäh\n".encode("utf-16"))
    (path / "large.txt").write_bytes(b"x" * (1024 * 1024 + 1))
    (path / "inside.py").symlink_to("src/app.py")
    (path / "outside").symlink_to("/etc/passwd")
    (path / "up").symlink_to("../..")


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory):
    workspace, scratch = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("scratch")
    git(workspace, "init", "--quiet", "--initial-branch=main")
    base_files(workspace)
    base = commit(workspace)
    head_files(workspace)
    head = commit(workspace)
    (workspace / "untracked-credentials.json").write_text("needle token")
    with closing(ObjectStore.allocate(workspace, scratch, env=ENV, remaining=lambda: 60.0)) as store:
        store.fill()
        tree = CommitTree.load(store.git, head)
        searcher = Searcher(store.git, tree, head)
        yield Toolbox(canonical_tools(tree, searcher, compute_diff(store.git, base, head)))


def call(toolbox, name, budget=1 << 18, **arguments):
    result = toolbox.run(name, toolbox.parse(name, arguments), budget)
    assert json_byte_count(result.payload) <= budget
    return result.payload


def test_the_commit_is_listed_and_nothing_else(toolbox):
    files = call(toolbox, "list_repository_files")["files"]
    assert files == sorted(files)
    assert {"src/app.py", "src/new.py", "inside.py", ":(glob)*", 'say "hi"\n.py'} <= set(files)
    assert not {"untracked-credentials.json", "outside", "up", ".git/config"} & set(files)


def test_a_directory_and_a_cursor_narrow_the_list(toolbox):
    page = call(toolbox, "list_repository_files", path="src", limit=1)
    assert (page["files"], page["next_cursor"]) == (["src/app.py"], "src/app.py")
    rest = call(toolbox, "list_repository_files", path="src", cursor="src/app.py")
    assert (rest["files"], rest["next_cursor"]) == (["src/new.py"], None)


def test_a_file_is_read_at_the_head_commit(toolbox):
    payload = call(toolbox, "read_repository_file", path="inside.py", start_line=5, end_line=6)
    assert (payload["content"], payload["total_lines"]) == ("5: line five\n6: line 6", 60)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("src", "not_a_file"),
        ("logo.png", "binary_file"),
        ("large.txt", "file_too_large"),
        ("missing.py", "path_not_found"),
        ("untracked-credentials.json", "path_not_found"),
        ("outside", "invalid_path"),
        ("up/other", "invalid_path"),
        ("../app.py", "invalid_path"),
        ("/etc/passwd", "invalid_path"),
        (".git/config", "invalid_path"),
        ("src\\app.py", "invalid_path"),
        ("C:/app.py", "invalid_path"),
        ("src/app.py\0", "invalid_path"),
    ],
)
def test_a_path_that_cannot_be_read_is_one_clear_refusal(toolbox, path, code):
    payload = call(toolbox, "read_repository_file", path=path)
    assert (payload["ok"], payload["error"]["code"]) == (False, code)


def test_a_search_is_literal_and_sees_only_the_commit(toolbox):
    found = call(toolbox, "search_repository", query="needle")["matches"]
    assert [(match["path"], match["line"]) for match in found] == [(":(glob)*", 1), ('say "hi"\n.py', 1)]
    assert call(toolbox, "search_repository", query="n.*le")["matches"] == []


@pytest.mark.parametrize(("path", "line", "name"), [("latin.py", 1, "Latin-1"), ("wide.cs", 2, "UTF-16")])
def test_all_tools_show_the_same_line_in_another_encoding_and_name_it(toolbox, path, line, name):
    read = call(toolbox, "read_repository_file", path=path, start_line=line, end_line=line)
    assert (read["content"], read["encoding"]) == (f"{line}: näh", name)
    found = call(toolbox, "search_repository", query="näh")["matches"]
    assert {"path": path, "line": line, "excerpt": "näh", "encoding": name} in found
    shown = call(toolbox, "inspect_git_diff", paths=[path])
    assert f"+{'a' + chr(13) + chr(10) + '+' if line == 2 else ''}näh\n" in shown["diff"]
    assert name in shown["notes"][path]


def test_the_diff_shows_whole_hunks_renames_and_binary_files(toolbox):
    payload = call(toolbox, "inspect_git_diff", paths=["src", "logo.png"])
    assert "-line 5\n+line five\n" in payload["diff"]
    assert "rename from src/old.py\nrename to src/new.py\n" in payload["diff"]
    assert "binary" in payload["notes"]["logo.png"]
    assert "no line changed" in payload["notes"]["src/new.py"]
    assert (payload["omitted"], payload["truncated"]) == ([], False)


def test_a_narrow_diff_leaves_out_the_second_hunk_and_says_so(toolbox):
    whole = call(toolbox, "inspect_git_diff", paths=["src/app.py"])["diff"]
    payload = call(toolbox, "inspect_git_diff", paths=["src/app.py"], max_bytes=len(whole) - 1)
    assert (payload["omitted"], payload["truncated"]) == (["src/app.py"], True)
    assert whole.startswith(payload["diff"])
    assert "+line five\n" in payload["diff"]
    assert "line fifty" not in payload["diff"]


def test_the_whole_diff_fits_any_budget(toolbox):
    for budget in (256, 300, 512, 1024, 4096, 1 << 17):
        payload = call(toolbox, "inspect_git_diff", budget, max_bytes=131072)
        assert payload["ok"]
        assert payload["truncated"]  # the one-line file of more than a mebibyte never fits
