import os
import socket as socket_module
from contextlib import suppress
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


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def socket(path):
    with suppress(OSError), socket_module.socket(socket_module.AF_UNIX) as listener:
        # The name of a socket may have 107 bytes, which a temporary folder may exceed.
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
    if not path.exists():
        pytest.skip("no socket can be made here")


def hole(path):
    """A file of a terabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize("make", [pipe, device, socket, hole])
@pytest.mark.parametrize("name", ["shallow", "HEAD", "packed-refs", "refs/heads/main"])
def test_what_is_read_of_the_git_directory_is_a_small_regular_file(repo, name, make):
    repo.commit({"x": b"1\n"})
    file = repo.git_dir / name
    if name == "packed-refs":
        (repo.git_dir / "refs/heads/main").unlink()
    file.unlink(missing_ok=True)
    make(file)
    workspace = Workspace.locate(repo.path)
    if name == "shallow":
        assert code(workspace.shallow) == "unsafe_git_file"
    elif name == "refs/heads/main" and make is not hole:
        assert workspace.head() is None  # as if there were no such branch
    else:
        assert code(workspace.head) == "unsafe_git_file"


@pytest.mark.parametrize("make", [hole])
@pytest.mark.parametrize("name", [".git", ".git/commondir"])
def test_a_file_that_names_a_path_is_small(repo, tmp_path, name, make):
    repo.commit({"x": b"1\n"})
    folder = tmp_path / "other" if name == ".git" else repo.path
    folder.mkdir(exist_ok=True)
    make(folder / name)
    assert code(Workspace.locate, folder) == "unsafe_git_file"


@pytest.mark.parametrize("make", [pipe, device, hole])
@pytest.mark.parametrize("quote", ["{}", '"{}"', '"\\057{}"'])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_what_git_would_read_for_ever_is_refused_before_git_runs(repo, tmp_path, make, quote, depth):
    """Also in a folder of objects that the checkout borrows from."""
    here = repo.git_dir / "objects"
    for number in range(depth):
        there = tmp_path / f"objects{number}"
        (there / "info").mkdir(parents=True)
        (here / "info").mkdir(exist_ok=True)
        (here / "info" / "alternates").write_text("# a comment\n\n" + quote.format(there) + "\n")
        here = there
    (here / "info").mkdir(exist_ok=True)
    make(here / "info" / "alternates")
    assert code(Workspace.locate, repo.path) == "unsafe_git_file"


@pytest.mark.parametrize("make", [pipe, device])
def test_the_files_of_packs_are_regular(repo, make):
    (repo.git_dir / "objects/pack/more.d").mkdir(parents=True)
    Workspace.locate(repo.path)
    make(repo.git_dir / "objects/pack/pack-1.idx")
    assert code(Workspace.locate, repo.path) == "unsafe_git_file"


@pytest.mark.parametrize(("count", "refused"), [(98, False), (99, False), (100, True)])
def test_at_most_100_folders_of_objects_are_borrowed_from(repo, tmp_path, count, refused):
    folders = [tmp_path / f"o{number}" for number in range(count)]
    for folder in folders:
        folder.mkdir()
    (repo.git_dir / "objects/info").mkdir(exist_ok=True)
    (repo.git_dir / "objects/info/alternates").write_text("\n".join(map(str, folders)))
    if refused:
        assert code(Workspace.locate, repo.path) == "unsafe_git_file"
    else:
        Workspace.locate(repo.path)


def test_alternates_that_name_each_other_or_nothing_end(repo):
    (repo.git_dir / "objects/info").mkdir(exist_ok=True)
    (repo.git_dir / "objects/info/alternates").write_text(f"{repo.git_dir}/objects\n/nowhere\n../objects\n")
    Workspace.locate(repo.path)
    (repo.git_dir / "objects/info/alternates").write_bytes(b"/a\0b\n")
    assert code(Workspace.locate, repo.path) == "unsafe_git_file"


def test_a_packed_ref_is_found_among_many(repo):
    sha = repo.commit({"x": b"1\n"})
    repo.git("pack-refs", "--all")
    packed = repo.git_dir / "packed-refs"
    more = "".join(f"{'1' * 40} refs/tags/v{number}\n" for number in range(20_000))
    packed.write_text(more + packed.read_text())
    assert Workspace.locate(repo.path).head() == sha
