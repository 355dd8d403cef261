import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ToolFailure
from pr_review.tools.canonical.list_repository_files import ListArgs, ListRepositoryFiles
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox

NAMES = [f"src/{number:04}.py" for number in range(450)]


def run(tree, max_bytes=1 << 18, **arguments):
    return ListRepositoryFiles(tree).run(ListArgs(**arguments), max_bytes)


def test_a_page_has_the_canonical_shape(tree_of):
    result = run(tree_of({"b.py": "", "a.py": ""}))
    assert result.payload == {
        "ok": True,
        "path": "",
        "files": ["a.py", "b.py"],
        "next_cursor": None,
        "truncated": False,
    }
    assert not result.truncated


@pytest.mark.parametrize(("files", "cursor"), [(99, None), (100, None), (101, NAMES[99])])
def test_the_default_page_holds_a_hundred_files(tree_of, files, cursor):
    payload = run(tree_of(dict.fromkeys(NAMES[:files], ""))).payload
    assert payload["files"] == NAMES[: min(files, 100)]
    assert payload["next_cursor"] == cursor
    assert payload["truncated"] is (cursor is not None)


@pytest.mark.parametrize(("files", "cursor"), [(199, None), (200, None), (201, NAMES[199])])
def test_the_largest_page_holds_two_hundred_files(tree_of, files, cursor):
    payload = run(tree_of(dict.fromkeys(NAMES[:files], "")), limit=200).payload
    assert payload["files"] == NAMES[: min(files, 200)]
    assert payload["next_cursor"] == cursor


def test_pages_join_to_all_files(tree_of):
    tree, cursor, seen = tree_of(dict.fromkeys(NAMES, "")), None, []
    while True:
        payload = run(tree, limit=200, cursor=cursor).payload
        seen += payload["files"]
        if not (cursor := payload["next_cursor"]):
            break
    assert seen == NAMES


@pytest.mark.parametrize(("slack", "count"), [(-1, 2), (0, 3), (1, 3)])
def test_a_page_is_cut_by_whole_files_and_the_cursor_moves_back(tree_of, slack, count):
    tree = tree_of(dict.fromkeys(NAMES[:4], ""))
    three = {"ok": True, "path": "", "files": NAMES[:3], "next_cursor": NAMES[2], "truncated": True}
    result = run(tree, max_bytes=json_byte_count(three) + slack)
    assert result.payload["files"] == NAMES[:count]
    assert result.payload["next_cursor"] == NAMES[count - 1]
    assert result.truncated


@pytest.mark.parametrize(("excess", "cut"), [(-1, False), (0, False), (1, True)])
def test_a_page_is_at_most_64_kib(tree_of, excess, cut):
    frame = {"ok": True, "path": "", "files": ["a", "b"], "next_cursor": None, "truncated": False}
    long = "b" * (65536 + excess - json_byte_count(frame) + 1)
    assert run(tree_of({"a": "", long: ""})).truncated is cut


def test_what_cannot_make_progress_says_so(tree_of):
    with pytest.raises(ToolFailure, match="context_budget"):
        run(tree_of({"x" * 400: ""}), max_bytes=256)


@given(st.lists(st.text(min_size=1, max_size=300), unique=True, max_size=30), st.integers(256, 4096))
def test_no_page_exceeds_its_bound(tree_of, names, max_bytes):
    toolbox = Toolbox([ListRepositoryFiles(tree_of(dict.fromkeys(names, "")))])
    result = toolbox.run("list_repository_files", ListArgs(), max_bytes)
    assert json_byte_count(result.payload) <= max_bytes
    if result.ok:
        assert result.payload["files"] or not names
    else:
        assert result.payload["error"]["code"] == "context_budget"
