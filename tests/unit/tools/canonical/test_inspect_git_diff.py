import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.change import FileStatus
from pr_review.domain.chat import HunkId
from pr_review.errors import ToolFailure
from pr_review.tools.canonical.inspect_git_diff import DiffArgs, InspectGitDiff
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox

KIB = 1024


def run(diff, budget=1 << 18, **arguments):
    return InspectGitDiff(diff).run(DiffArgs(**arguments), budget)


def ids(*pairs):
    return tuple(HunkId(path=path, index=index) for path, index in pairs)


def test_a_diff_has_the_canonical_shape(diff_of, changed):
    file = changed("a.py", "+x")
    assert run(diff_of(file)).payload == {
        "ok": True,
        "base_sha": "a" * 40,
        "head_sha": "b" * 40,
        "diff": file.patch,
        "omitted": [],
        "omitted_count": 0,
        "notes": {},
        "truncated": False,
    }


def test_the_shown_hunks_are_named(diff_of, changed):
    result = run(diff_of(changed("a.py", "+x", "+y"), changed("b.py", "+z")))
    assert result.shown == ids(("a.py", 0), ("a.py", 1), ("b.py", 0))


def test_deep_folders_take_room_for_their_names_only(diff_of, changed):
    files = [changed(f"{n}/" + "d/" * 1000 + "x", "+x") for n in range(100)]
    tracemalloc.start()
    try:
        tool = InspectGitDiff(diff_of(*files))
        result = tool.run(DiffArgs(paths=["7/d/d"]), 1 << 18)
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * KIB
    finally:
        tracemalloc.stop()
    assert result.shown == ids((files[7].path, 0))


def test_an_empty_change_is_an_answer(diff_of):
    assert run(diff_of()).payload["diff"] == ""


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        ([], ["src/a.py", "src/b.py", "srcs.py", "new.py"]),
        ([""], ["src/a.py", "src/b.py", "srcs.py", "new.py"]),
        (["."], ["src/a.py", "src/b.py", "srcs.py", "new.py"]),
        (["src/b.py"], ["src/b.py"]),
        (["./src/b.py", "src/b.py"], ["src/b.py"]),
        (["src"], ["src/a.py", "src/b.py"]),
        (["srcs.py", "src/"], ["src/a.py", "src/b.py", "srcs.py"]),
        (["old.py"], ["new.py"]),
        (["new.py"], ["new.py"]),
    ],
)
def test_paths_name_files_directories_and_old_names(diff_of, changed, paths, shown):
    """As ``git diff -- <paths>`` would, and always in diff order."""
    diff = diff_of(
        changed("src/a.py", "+1"),
        changed("src/b.py", "+2"),
        changed("srcs.py", "+3"),
        changed("new.py", "+4", status=FileStatus.RENAMED, old_path="old.py"),
    )
    result = run(diff, paths=paths)
    assert [hunk.path for hunk in result.shown] == shown
    assert "unknown" not in result.payload


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", ".git/config", "a\\b", "C:/x", "a\0b"])
def test_a_path_outside_the_rule_is_refused(diff_of, changed, path):
    with pytest.raises(ToolFailure, match="invalid_path"):
        run(diff_of(changed("a.py", "+x")), paths=["a.py", path])


def test_pathspec_magic_is_only_a_name(diff_of, changed):
    with pytest.raises(ToolFailure, match="path_not_in_diff"):
        run(diff_of(changed("a.py", "+x")), paths=[":(glob)*"])


def test_a_path_that_is_not_changed_is_listed_as_unknown(diff_of, changed):
    result = run(diff_of(changed("a.py", "+x")), paths=["a.py", "b.py"])
    assert result.payload["unknown"] == ["b.py"]
    assert result.shown == ids(("a.py", 0))
    assert not result.truncated


def test_only_unknown_paths_are_a_failure(diff_of, changed):
    with pytest.raises(ToolFailure, match="path_not_in_diff"):
        run(diff_of(changed("a.py", "+x")), paths=["b.py", "c.py"])


@pytest.mark.parametrize(("slack", "shown"), [(-1, 1), (0, 2), (1, 2)])
def test_max_bytes_counts_the_text_s_utf8_bytes_and_cuts_between_hunks(diff_of, changed, slack, shown):
    file = changed("é.py", "+é" * 40, "+ü" * 40)
    result = run(diff_of(file), max_bytes=len(file.patch.encode()) + slack)
    assert result.shown == ids(("é.py", 0), ("é.py", 1))[:shown]
    assert result.payload["diff"] == file.header + "".join(hunk.text for hunk in file.hunks[:shown])
    assert result.truncated is result.payload["truncated"] is (shown == 1)
    assert result.payload["omitted"] == (["é.py"] if shown == 1 else [])


@pytest.mark.parametrize(("text_bytes", "shown"), [(65535, 1), (65536, 1), (65537, 0)])
def test_a_diff_shows_at_most_64_kib_of_text_by_default(diff_of, changed, text_bytes, shown):
    frame = len(changed("a.py", "").patch.encode())
    file = changed("a.py", "x" * (text_bytes - frame))
    assert len(file.patch.encode()) == text_bytes
    assert len(run(diff_of(file)).shown) == shown


@pytest.mark.parametrize(("text_bytes", "shown"), [(130_000, 1), (131_072, 0)])
def test_a_diff_of_more_than_64_kib_can_be_asked_for(diff_of, changed, text_bytes, shown):
    """The text may have 128 KiB, but so may the whole result, which also holds the other fields."""
    file = changed("a.py", "x" * (text_bytes - len(changed("a.py", "").patch.encode())))
    assert len(run(diff_of(file), max_bytes=131072).shown) == shown


@pytest.mark.parametrize(("slack", "omitted"), [(-1, 1), (0, 0), (1, 0)])
@pytest.mark.parametrize("character", ["x", '"', "\x01", "é"])
def test_the_whole_result_is_at_most_128_kib_after_escaping(diff_of, changed, slack, omitted, character):
    def diff(filling):
        return diff_of(changed("a.py", "+" + filling))

    room = 131072 - json_byte_count(run(diff("")).payload) - slack
    width = json_byte_count(character) - 2
    result = run(diff(character * (room // width) + "y" * (room % width)), max_bytes=131072)
    assert json_byte_count(result.payload) <= 131072
    assert result.payload["omitted_count"] == omitted


@pytest.mark.parametrize(("slack", "omitted"), [(-1, True), (0, False), (1, False)])
def test_the_budget_given_by_the_loop_is_kept_exactly(diff_of, changed, slack, omitted):
    diff = diff_of(changed("a.py", "+x" * 50), changed("b.py", '+"' * 50))
    bound = json_byte_count(run(diff).payload) + slack
    result = run(diff, budget=bound)
    assert json_byte_count(result.payload) <= bound
    assert result.truncated is omitted


def test_a_hunk_too_large_does_not_hide_a_later_one(diff_of, changed):
    file = changed("a.py", "+" + "x" * 3000, "+small")
    result = run(diff_of(file, changed("b.py", "+y")), max_bytes=2048)
    assert result.shown == ids(("a.py", 1), ("b.py", 0))
    assert result.payload["diff"].startswith(file.header + file.hunks[1].text)
    assert result.payload["omitted"] == ["a.py"]


def test_what_is_omitted_is_always_counted_and_listed_within_bounds(diff_of, changed):
    diff = diff_of(*(changed(f"{number:03}.py", "+" + "x" * 100) for number in range(200)))
    result = run(diff, max_bytes=1)
    assert result.payload["omitted_count"] == 200
    assert result.payload["omitted"] == [f"{number:03}.py" for number in range(50)]
    assert (result.payload["diff"], result.shown, result.truncated) == ("", (), True)


def test_hunks_leave_room_for_the_list_of_what_is_omitted(diff_of, changed):
    diff = diff_of(*(changed(f"{number:03}.py", "+x") for number in range(200)))
    result = run(diff, budget=8192)
    assert len(result.payload["omitted"]) == 50
    assert json_byte_count(result.payload) <= 8192


@pytest.mark.parametrize(("budget", "reserved"), [(8192, None), (24_000, 4096), (131_072, 4096)])
@pytest.mark.parametrize(("excess", "shown"), [(-1, True), (0, True), (1, False)])
def test_the_list_of_what_is_omitted_has_4_kib_or_a_quarter(
    diff_of, changed, budget, reserved, excess, shown
):
    """One file is too large for any budget; the other fits only beside the bytes reserved for the list."""
    free = budget - json_byte_count(run(diff_of()).payload)
    room = free - len("2") - (reserved or free // 4)  # the digits of ``omitted_count``
    cost = json_byte_count(changed("b.py", "").patch) - len('""')
    files = (changed("a.py", "x" * 140_000), changed("b.py", "x" * (room - cost + excess)))
    result = run(diff_of(*files), budget, max_bytes=131072)
    assert result.shown == (ids(("b.py", 0)) if shown else ())
    assert result.payload["omitted"] == (["a.py"] if shown else ["a.py", "b.py"])


@pytest.mark.parametrize(("files", "listed"), [(49, 49), (50, 50), (51, 50)])
def test_at_most_fifty_omitted_paths_are_listed(diff_of, changed, files, listed):
    result = run(diff_of(*(changed(f"{number}.py", "+x") for number in range(files))), max_bytes=1)
    assert (len(result.payload["omitted"]), result.payload["omitted_count"]) == (listed, files)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"binary": True}, "binary file"),
        ({"oversized": True}, "too large"),
        ({}, "no line changed"),
        ({"notes": ("A submodule.",)}, "no line changed; only its name, mode or existence; A submodule."),
    ],
)
def test_a_file_without_hunks_is_its_header_and_a_note_outside_the_text(diff_of, changed, facts, words):
    file = changed("logo.png", **facts)
    result = run(diff_of(file))
    assert result.payload["diff"] == file.header
    assert words in result.payload["notes"]["logo.png"]
    assert (result.shown, result.truncated) == (ids(("logo.png", 0)), False)


def test_a_note_on_a_file_with_hunks_is_given_once(diff_of, changed):
    file = changed("a.py", "+x", "+y", notes=("Holds NUL bytes.",))
    assert run(diff_of(file)).payload["notes"] == {"a.py": "Holds NUL bytes."}


def test_a_note_counts_toward_the_bound(diff_of, changed):
    file = changed("a.py", "+x", notes=("n" * 500,))
    result = run(diff_of(file), budget=600)
    assert json_byte_count(result.payload) <= 600
    assert (result.payload["notes"], result.payload["omitted"]) == ({}, ["a.py"])


def test_a_frame_that_does_not_fit_says_so(diff_of, changed):
    with pytest.raises(ToolFailure, match="context_budget"):
        run(diff_of(changed("a.py", "+x")), budget=256, paths=["a.py", "x" * 200])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
FILES = st.lists(
    st.tuples(st.text('abcé/"\n', min_size=1, max_size=40), st.lists(TEXT, max_size=4), st.booleans()),
    max_size=8,
    unique_by=lambda file: file[0],
)


@given(FILES, st.integers(256, 2500), st.integers(1, 2500), st.data())
@settings(max_examples=300)
def test_no_bound_is_exceeded_and_every_hunk_is_shown_whole_or_counted(
    diff_of, changed, files, budget, max_bytes, data
):
    made = [
        changed(path, *hunks, binary=not hunks, notes=("a note",) if noted else ())
        for path, hunks, noted in files
    ]
    names = [file.path for file in made] + ["missing", "é" * 40]
    paths = data.draw(st.lists(st.sampled_from(names), max_size=3))
    toolbox = Toolbox([InspectGitDiff(diff_of(*made))])
    result = toolbox.run("inspect_git_diff", DiffArgs(paths=paths, max_bytes=max_bytes), budget)
    assert json_byte_count(result.payload) <= budget
    if not result.ok:
        assert result.payload["error"]["code"] in {"context_budget", "path_not_in_diff", "invalid_path"}
        return
    payload, by_path = result.payload, {file.path: file for file in made}
    assert len(payload["diff"].encode()) <= max_bytes
    assert {hunk.path for hunk in result.shown if not by_path[hunk.path].hunks} == {
        file.path for file in made if not file.hunks and file.path in payload["notes"]
    }
    shown = [by_path[hunk.path].hunks[hunk.index].text for hunk in result.shown if by_path[hunk.path].hunks]
    headers = {hunk.path: len(by_path[hunk.path].header) for hunk in result.shown}
    assert len(payload["diff"]) == sum(map(len, shown)) + sum(headers.values())
    assert all(text in payload["diff"] for text in shown)
    if not paths:
        missing = {
            file.path
            for file in made
            if len(file.hunks) > sum(hunk.path == file.path for hunk in result.shown)
            or (not file.hunks and file.path not in payload["notes"])
        }
        assert payload["omitted_count"] == len(missing)
        assert set(payload["omitted"]) <= missing
