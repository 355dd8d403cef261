import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pr_review.errors import ConfigError
from pr_review.git.tree import CommitTree
from pr_review.git.workspace import Workspace, find_top


def code(call, *args, **options):
    with pytest.raises(ConfigError) as caught:
        call(*args, **options)
    assert caught.value.detail.endswith(".")
    assert caught.value.advice
    return caught.value.code


def reads(store, sha):
    return CommitTree.load(store.git, sha).read("x").text


def test_a_plain_checkout(repo, open_store):
    sha = repo.commit({"x": b"1\n"})
    assert reads(open_store(repo.path), sha) == "1\n"


def test_a_linked_worktree_shares_the_objects_of_its_repository(repo, open_store, tmp_path):
    """``.git`` is a file, and the objects are found through ``commondir``."""
    sha = repo.commit({"x": b"1\n"})
    repo.git("worktree", "add", "--detach", str(tmp_path / "tree"), sha)
    assert (tmp_path / "tree" / ".git").is_file()
    assert reads(open_store(tmp_path / "tree"), sha) == "1\n"
    assert Workspace.locate(tmp_path / "tree").head() == sha


def test_a_submodule_keeps_its_objects_in_its_parent(new_repo, open_store):
    inner, outer = new_repo("inner"), new_repo("outer")
    sha = inner.commit({"x": b"1\n"})
    outer.git("submodule", "--quiet", "add", str(inner.path), "sub")
    assert (outer.path / "sub" / ".git").is_file()
    assert reads(open_store(outer.path / "sub"), sha) == "1\n"


def test_a_bare_repository(repo, open_store):
    sha = repo.commit({"x": b"1\n"})
    assert reads(open_store(repo.git_dir), sha) == "1\n"


def test_a_clone_that_borrows_objects_itself(repo, open_store, tmp_path):
    sha = repo.commit({"x": b"1\n"})
    repo.git("clone", "--quiet", "--shared", str(repo.path), str(tmp_path / "clone"))
    assert reads(open_store(tmp_path / "clone"), sha) == "1\n"


def test_paths_with_spaces_quotes_and_hashes(new_repo, open_store):
    repo = new_repo('#a "b" ü')
    assert reads(open_store(repo.path), repo.commit({"x": b"1\n"})) == "1\n"


def test_a_path_with_a_newline_is_refused(new_repo, open_store):
    """The alternates file holds one path a line: the second half would be another repository."""
    repo = new_repo("a\nb")
    assert code(open_store, repo.path) == "unsupported_path"


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, Path.exists])
def test_a_folder_without_a_repository(open_store, tmp_path, make):
    make(tmp_path / "folder")
    assert code(open_store, tmp_path / "folder") == "no_repository"


def test_the_repository_of_a_parent_folder_is_not_taken(repo, open_store):
    (repo.path / "sub").mkdir()
    assert code(open_store, repo.path / "sub") == "no_repository"


def test_the_top_of_a_repository_is_found_from_below(repo):
    (repo.path / "a" / "b").mkdir(parents=True)
    for folder in (repo.path, repo.path / "a", repo.path / "a" / "b"):
        assert find_top(folder, os.geteuid()) == repo.path
    assert code(find_top, repo.path / "missing", os.geteuid()) == "no_repository"


def test_a_repository_above_that_is_somebody_elses_is_not_entered(repo):
    """As git's safe.directory: its configuration could name programs. A folder that is named is trusted."""
    (repo.path / "a").mkdir()
    somebody = os.geteuid() + 1
    assert code(find_top, repo.path / "a", somebody) == "no_repository"
    assert find_top(repo.path, somebody) == repo.path


@pytest.mark.parametrize("content", [None, "gitdir: /nowhere\n", "gitdir: a\0b", "rubbish"])
def test_no_top_without_a_repository(tmp_path, content):
    (tmp_path / "a").mkdir()
    if content:
        (tmp_path / ".git").write_text(content)
    assert code(find_top, tmp_path / "a", os.geteuid()) == "no_repository"


@pytest.mark.parametrize(
    "content", ["gitdir: /nowhere\n", "gitdir: ../missing\n", "", "rubbish", "gitdir: a\0b"]
)
def test_a_git_file_that_leads_nowhere(open_store, tmp_path, content):
    (tmp_path / ".git").write_text(content)
    assert code(open_store, tmp_path) == "no_repository"


def test_a_git_directory_without_objects(open_store, tmp_path):
    (tmp_path / ".git").mkdir()
    assert code(open_store, tmp_path) == "no_repository"


@pytest.fixture
def ordinary_user():
    """Root may read everything, so the test gives that up for its time."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


@pytest.mark.usefixtures("ordinary_user")
@pytest.mark.parametrize("folder", [".git", ".git/objects"])
def test_an_unreadable_workspace(folder):
    with TemporaryDirectory() as name:
        (Path(name) / ".git/objects").mkdir(parents=True)
        (Path(name) / folder).chmod(0)
        try:
            assert code(Workspace.locate, Path(name)) == "workspace_unreadable"
        finally:
            (Path(name) / folder).chmod(0o700)


def test_a_workspace_that_cannot_be_read_is_one_clear_error(repo, open_store):
    """A directory where a file belongs."""
    (repo.git_dir / "shallow").mkdir()
    assert code(open_store, repo.path) == "workspace_unreadable"


def test_head_is_read_from_loose_and_packed_branches_and_detached(repo):
    found = Workspace.locate(repo.path)
    assert found.head() is None
    sha = repo.commit({"x": b"1\n"})
    assert found.head() == sha
    repo.git("pack-refs", "--all")
    assert not (repo.git_dir / "refs/heads/main").exists()
    assert found.head() == sha
    repo.git("update-ref", "--no-deref", "HEAD", sha)
    assert found.head() == sha


@pytest.mark.parametrize("content", ["ref: refs/../../secret\n", "ref: refs/heads/none\n", "x", ""])
def test_an_odd_head_is_no_commit(repo, content):
    repo.commit({"x": b"1\n"})
    (repo.path / "secret").write_text("1" * 40)
    (repo.git_dir / "HEAD").write_text(content)
    assert Workspace.locate(repo.path).head() is None


def test_locating_reads_no_configuration(repo):
    repo.commit({"x": b"1\n"})
    (repo.git_dir / "config").write_text("[broken")
    assert Workspace.locate(repo.path).objects == Path(repo.git_dir / "objects")
