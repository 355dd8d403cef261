"""A file of the workspace is read, and nothing else, whatever a pull request has put there."""

import os
from pathlib import Path

import pytest

from pr_review.actions.workspace_file import UnsafePath, read_workspace_file


@pytest.fixture
def workspace(tmp_path):
    """A checkout with a file, beside a file that must not be read."""
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "workspace/folder").mkdir(parents=True)
    (tmp_path / "workspace/folder/file").write_bytes(b"0123456789")
    return tmp_path / "workspace"


def refused(workspace, path):
    with pytest.raises(UnsafePath) as caught:
        read_workspace_file(workspace, path, 10)
    assert str(workspace) not in str(caught.value)
    return caught.value.what


@pytest.mark.parametrize("path", ["folder/file", "./folder//file"])
@pytest.mark.parametrize(("limit", "count"), [(0, 0), (9, 9), (10, 10), (11, 10)])
def test_the_first_bytes_of_a_file_are_read(workspace, path, limit, count):
    assert read_workspace_file(workspace, path, limit) == b"0123456789"[:count]


def test_the_workspace_itself_may_be_reached_through_a_link(workspace, tmp_path):
    """Its path is the runner's, not the pull request's."""
    (tmp_path / "link").symlink_to(workspace)
    assert read_workspace_file(tmp_path / "link", "folder/file", 10) == b"0123456789"


@pytest.mark.parametrize("path", ["../secret", "folder/../../secret", "{outside}/secret", "..", "", ".", "/"])
def test_a_path_outside_is_refused(workspace, path):
    assert refused(workspace, path.format(outside=workspace.parent)) == "is not a path inside the workspace"


@pytest.mark.parametrize("target", ["../secret", "missing", "folder/file", "link"])
def test_a_link_in_place_of_the_file_is_refused(workspace, target):
    """To the outside, to nothing, to a harmless file, to itself."""
    (workspace / "link").symlink_to(target)
    assert "symbolic link" in refused(workspace, "link")


@pytest.mark.parametrize("path", ["link/secret", "folder/link/secret", "folder/link/missing"])
def test_a_link_on_the_way_is_refused(workspace, path):
    for place in (workspace / "link", workspace / "folder/link"):
        place.symlink_to(workspace.parent, target_is_directory=True)
    assert "symbolic link" in refused(workspace, path)


def test_a_file_on_the_way_is_refused(workspace):
    assert "symbolic link or something else" in refused(workspace, "folder/file/below")


def test_what_is_no_regular_file_is_refused(workspace):
    """A fifo that nobody writes does not block."""
    os.mkfifo(workspace / "fifo")
    assert refused(workspace, "fifo") == "is not a regular file"
    assert refused(workspace, "folder") == "is not a regular file"


@pytest.mark.parametrize("path", ["missing", "folder/missing", "missing/file"])
def test_nothing_there_is_told_apart(workspace, path):
    with pytest.raises(FileNotFoundError):
        read_workspace_file(workspace, path, 10)


def test_another_refusal_of_the_system_is_an_os_error(workspace):
    with pytest.raises(OSError, match="too long"):
        read_workspace_file(workspace, "x" * 300, 10)


def test_descriptors_are_closed(workspace):
    """Also after a refusal at each depth."""
    (workspace / "folder/link").symlink_to("file")
    before = len(list(Path("/proc/self/fd").iterdir()))
    read_workspace_file(workspace, "folder/file", 10)
    for path in ("folder/link", "folder/missing", "folder/file/x", "folder", "missing/x"):
        with pytest.raises((UnsafePath, OSError)):
            read_workspace_file(workspace, path, 10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
