"""Reports are written where they should be, whatever a pull request has put there."""

import os
import stat
from pathlib import Path

import pytest

from pr_review.actions.output_directory import ReportDirectory
from pr_review.errors import ConfigError, ReviewError

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def workspace(tmp_path):
    """A checkout, and a place beside it that must stay empty."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


@pytest.fixture
def outside(workspace):
    yield workspace.parent / "outside"
    assert list((workspace.parent / "outside").iterdir()) == []


def test_writes_and_names_the_path(workspace):
    """A relative path, a hidden directory, no left-overs."""
    with ReportDirectory.open(workspace, "pr-review-report") as directory:
        assert directory.path == "pr-review-report"
        assert directory.write("review.json", b"{}\n") == "pr-review-report/review.json"
        assert directory.write("review.json", b"{1}\n") == "pr-review-report/review.json"
    written = workspace / "pr-review-report"
    assert {path.name: path.read_bytes() for path in written.iterdir()} == {
        ".gitignore": b"*\n",
        "review.json": b"{1}\n",
    }
    assert stat.S_IMODE((written / "review.json").stat().st_mode) & 0o777 == 0o644


@pytest.mark.parametrize("output_dir", ["a/b/c", "./a//b/./c", "{workspace}/a/b/c"])
def test_nested_and_absolute_inside(workspace, output_dir):
    with ReportDirectory.open(workspace, output_dir.format(workspace=workspace)) as directory:
        assert directory.write("x", b"") == "a/b/c/x"
    assert (workspace / "a/b/c/x").is_file()


@pytest.mark.parametrize(
    "output_dir",
    [
        *("", ".", "./", "..", "../outside", "a/../b", "a/..", "/", "/etc", "{workspace}", "{workspace}x"),
        *(
            "{workspace}/../outside",
            ".git",
            "a/.git/b",
            ".GIT",
            "a\nb",
            "a\x1bb",
            "a\u202eb",
            "a\udcffb",
            "a\0b",
        ),
    ],
)
@pytest.mark.usefixtures("outside")
def test_refuses_what_is_not_inside(workspace, output_dir):
    with pytest.raises(ConfigError) as caught:
        ReportDirectory.open(workspace, output_dir.format(workspace=workspace))
    assert caught.value.code == "output_dir_invalid"
    assert str(workspace) not in str(caught.value)
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("output_dir", ["link", "link/below", "real/link", "real/link/below"])
def test_refuses_a_symlink_on_the_way(workspace, outside, output_dir):
    """To a directory outside, at any depth."""
    (workspace / "real").mkdir()
    for place in (workspace / "link", workspace / "real/link"):
        place.symlink_to(outside, target_is_directory=True)
    assert_unsafe(workspace, output_dir)


@pytest.mark.parametrize("target", ["missing", ".", "file"])
@pytest.mark.usefixtures("outside")
def test_refuses_other_symlinks(workspace, target):
    """Dangling, to the workspace itself, to a file."""
    (workspace / "file").touch()
    (workspace / "link").symlink_to(target)
    assert_unsafe(workspace, "link")


def test_refuses_a_file_as_directory(workspace):
    (workspace / "file").touch()
    assert_unsafe(workspace, "file/below")
    assert_unsafe(workspace, "file")


@pytest.mark.parametrize("name", ["review.json", ".gitignore"])
@pytest.mark.parametrize("kind", ["symlink", "dangling", "directory", "fifo"])
def test_refuses_what_is_no_regular_file(workspace, outside, name, kind):
    """A link is not followed and not replaced; a fifo does not block."""
    hostile = workspace / "out" / name
    hostile.parent.mkdir()
    victim = workspace / "victim"
    victim.write_bytes(b"kept")
    {
        "symlink": lambda: hostile.symlink_to(victim),
        "dangling": lambda: hostile.symlink_to(outside / "new"),
        "directory": hostile.mkdir,
        "fifo": lambda: os.mkfifo(hostile),
    }[kind]()
    with pytest.raises(ConfigError) as caught, ReportDirectory.open(workspace, "out") as directory:
        directory.write("review.json", b"{}")
    assert caught.value.code == "output_dir_unsafe"
    assert victim.read_bytes() == b"kept"
    assert not [path for path in hostile.parent.iterdir() if path.name.endswith(".tmp")]


@pytest.mark.usefixtures("outside")
def test_hard_link_is_replaced_not_written_through(workspace):
    """The other name keeps its content."""
    victim = workspace / "victim"
    victim.write_bytes(b"kept")
    (workspace / "out").mkdir()
    os.link(victim, workspace / "out/review.json")
    with ReportDirectory.open(workspace, "out") as directory:
        directory.write("review.json", b"{}")
    assert victim.read_bytes() == b"kept"
    assert (workspace / "out/review.json").read_bytes() == b"{}"


def test_parent_swapped_after_opening(workspace, outside):
    """Writes go to the directory that was opened, not to what took its name."""
    with ReportDirectory.open(workspace, "a/out") as directory:
        (workspace / "a").rename(workspace / "moved")
        (workspace / "a").mkdir()
        (workspace / "a/out").symlink_to(outside, target_is_directory=True)
        directory.write("review.json", b"{}")
    assert (workspace / "moved/out/review.json").read_bytes() == b"{}"


def test_refuses_a_tracked_directory(workspace):
    """Nothing is created or changed in it."""
    asked = []

    def is_tracked(path):
        asked.append(path)
        return True

    with pytest.raises(ConfigError) as caught:
        ReportDirectory.open(workspace, "docs/./reports", is_tracked=is_tracked)
    assert (caught.value.code, asked) == ("output_dir_unsafe", ["docs/reports"])
    assert "docs/reports is tracked" in caught.value.detail
    assert list(workspace.iterdir()) == []


def test_failed_write_leaves_the_old_file_and_no_other(workspace):
    """Not even a temporary one."""
    with ReportDirectory.open(workspace, "out") as directory:
        directory.write("review.json", b"old")
        with pytest.raises(TypeError):
            directory.write("review.json", "text")
    assert sorted(path.name for path in (workspace / "out").iterdir()) == [".gitignore", "review.json"]
    assert (workspace / "out/review.json").read_bytes() == b"old"


@pytest.mark.parametrize("output_dir", ["x" * 300, "gone/out"])
def test_system_errors_are_one_sentence_without_a_path(workspace, output_dir):
    place = workspace / "missing" if output_dir == "gone/out" else workspace
    with pytest.raises(ReviewError) as caught:
        ReportDirectory.open(place, output_dir)
    assert caught.value.code == "report_not_written"
    assert str(workspace) not in str(caught.value)
    assert caught.value.advice


def test_removes_a_file_and_nothing_else(workspace, outside):
    """What an earlier run left; nothing there is fine; a link or a folder is not ours."""
    (outside / "kept").touch()
    with ReportDirectory.open(workspace, "out") as directory:
        directory.write("old", b"x")
        directory.remove("old")
        directory.remove("old")
        (workspace / "out/link").symlink_to(outside / "kept")
        (workspace / "out/folder").mkdir()
        for name in ("link", "folder"):
            with pytest.raises(ConfigError):
                directory.remove(name)
    assert sorted(path.name for path in (workspace / "out").iterdir()) == [".gitignore", "folder", "link"]
    (outside / "kept").unlink()


def test_descriptors_are_closed(workspace):
    """Also when opening fails."""
    (workspace / "file").touch()
    (workspace / "bad/.gitignore").mkdir(parents=True)
    before = open_descriptors()
    for output_dir in ("a/b", "file/below", "x" * 300, "a", "bad"):
        try:
            ReportDirectory.open(workspace, output_dir).close()
        except (ConfigError, ReviewError):
            continue
    assert open_descriptors() == before


@needs_root
def test_files_belong_to_the_owner_of_the_workspace(workspace):
    """Later steps run as that user; what was there before keeps its owner."""
    (workspace / "a").mkdir()
    os.chown(workspace, 12345, 23456)
    with ReportDirectory.open(workspace, "a/b") as directory:
        directory.write("review.json", b"{}")
    owners = {path.name: (path.stat().st_uid, path.stat().st_gid) for path in (workspace / "a").rglob("*")}
    assert owners == dict.fromkeys(["b", ".gitignore", "review.json"], (12345, 23456))
    assert (workspace / "a").stat().st_uid == 0


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def assert_unsafe(workspace, output_dir):
    with pytest.raises(ConfigError) as caught:
        ReportDirectory.open(workspace, output_dir)
    assert caught.value.code == "output_dir_unsafe"
    assert caught.value.advice
