import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.change import FileStatus
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.errors import ToolFailure
from pr_review.git.hunk_pieces import CUT_MARK
from pr_review.git.patch_excerpt import has_unread
from pr_review.tools.canonical.inspect_git_diff import DiffArgs, InspectGitDiff
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox

KIB = 1024


def run(diff, budget=1 << 18, seen=NOTHING_SHOWN, **arguments):
    return InspectGitDiff(diff).run_after(DiffArgs(**arguments), budget, seen)


def hunks(file, *indexes):
    """Hunks of a file and its header; without indexes, all of them."""
    spans = [file.hunk_spans[index] for index in indexes] or file.hunk_spans
    return ShownLines.union(ShownLines.of(file.path, *span) for span in ((0, 1), *spans))


def whole(*files):
    return ShownLines.union(map(hunks, files))


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


def test_the_shown_lines_are_named(diff_of, changed):
    files = changed("a.py", "+x", "+y"), changed("b.py", "+z")
    assert run(diff_of(*files)).shown == whole(*files)


def test_deep_folders_take_room_for_their_names_only(diff_of, changed):
    files = [changed(f"{n}/" + "d/" * 1000 + "x", "+x") for n in range(100)]
    tracemalloc.start()
    try:
        tool = InspectGitDiff(diff_of(*files))
        result = tool.run(DiffArgs(paths=["7/d/d"]), 1 << 18)
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * KIB
    finally:
        tracemalloc.stop()
    assert result.shown == whole(files[7])


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
    assert re.findall(r"^diff --git a/(\S+)", result.payload["diff"], re.MULTILINE) == shown
    assert set(result.shown.whole) == set(shown)
    assert "unknown" not in result.payload


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", ".git/config", "a\\b", "C:/x", "a\0b"])
def test_a_path_outside_the_rule_is_refused(diff_of, changed, path):
    with pytest.raises(ToolFailure, match="invalid_path"):
        run(diff_of(changed("a.py", "+x")), paths=["a.py", path])


def test_pathspec_magic_is_only_a_name(diff_of, changed):
    with pytest.raises(ToolFailure, match="path_not_in_diff"):
        run(diff_of(changed("a.py", "+x")), paths=[":(glob)*"])


def test_a_path_that_is_not_changed_is_listed_as_unknown(diff_of, changed):
    file = changed("a.py", "+x")
    result = run(diff_of(file), paths=["a.py", "b.py"])
    assert result.payload["unknown"] == ["b.py"]
    assert result.shown == whole(file)
    assert not result.truncated


def test_only_unknown_paths_are_a_failure(diff_of, changed):
    with pytest.raises(ToolFailure, match="path_not_in_diff"):
        run(diff_of(changed("a.py", "+x")), paths=["b.py", "c.py"])


@pytest.mark.parametrize(("slack", "shown"), [(-1, 1), (0, 2), (1, 2)])
def test_max_bytes_counts_the_text_s_utf8_bytes_and_cuts_between_hunks(diff_of, changed, slack, shown):
    file = changed("é.py", "+é" * 40, "+ü" * 40)
    result = run(diff_of(file), max_bytes=len(file.patch.encode()) + slack)
    assert result.shown == hunks(file, *range(shown))
    assert result.payload["diff"] == file.header + "".join(hunk.text for hunk in file.hunks[:shown])
    assert result.truncated is result.payload["truncated"] is (shown == 1)
    assert result.payload["omitted"] == (["é.py"] if shown == 1 else [])


def file_of(changed, text_bytes):
    """A file whose patch has so many bytes, in one line."""
    file = changed("a.py", "+" + "x" * (text_bytes - len(changed("a.py", "+").patch.encode())))
    assert len(file.patch.encode()) == text_bytes
    return file


@pytest.mark.parametrize(("text_bytes", "shown"), [(65535, True), (65536, True), (65537, False)])
def test_a_diff_shows_at_most_64_kib_of_text_by_default(diff_of, changed, text_bytes, shown):
    file = file_of(changed, text_bytes)
    result = run(diff_of(file))
    assert (result.shown == whole(file)) is shown
    assert result.truncated is not shown
    assert len(result.payload["diff"].encode()) <= 65536


@pytest.mark.parametrize(("text_bytes", "shown"), [(130_000, True), (131_072, False)])
def test_a_diff_of_more_than_64_kib_can_be_asked_for(diff_of, changed, text_bytes, shown):
    """The text may have 128 KiB, but so may the whole result, which also holds the other fields."""
    file = file_of(changed, text_bytes)
    assert (run(diff_of(file), max_bytes=131072).shown == whole(file)) is shown


@pytest.mark.parametrize(("slack", "omitted"), [(-1, 1), (0, 0), (1, 0)])
@pytest.mark.parametrize("character", ["x", '"', "\x01", "é"])
def test_the_whole_result_is_at_most_128_kib_after_escaping(diff_of, changed, slack, omitted, character):
    def diff(filling):
        return diff_of(changed("a.py", "+" + filling))

    room = 131072 - json_byte_count(run(diff("")).payload) - slack
    width = json_byte_count(character) - 2
    result = run(diff(character * (room // width) + "y" * (room % width)), max_bytes=131072)
    assert json_byte_count(result.payload) <= 131072
    assert result.truncated is bool(omitted)


@pytest.mark.parametrize(("slack", "omitted"), [(-1, True), (0, False), (1, False)])
def test_the_budget_given_by_the_loop_is_kept_exactly(diff_of, changed, slack, omitted):
    diff = diff_of(changed("a.py", "+x" * 50), changed("b.py", '+"' * 50))
    bound = json_byte_count(run(diff).payload) + slack
    result = run(diff, budget=bound)
    assert json_byte_count(result.payload) <= bound
    assert result.truncated is omitted


def test_a_hunk_too_large_does_not_hide_a_later_one(diff_of, changed):
    file, other = changed("a.py", "+" + "x" * 3000, "+small"), changed("b.py", "+y")
    result = run(diff_of(file, other), max_bytes=2048)
    assert result.shown == hunks(file, 1) | whole(other)
    assert result.payload["diff"].startswith(file.header + file.hunks[1].text)
    assert result.payload["omitted"] == ["a.py"]


def test_what_is_omitted_is_always_counted_and_listed_within_bounds(diff_of, changed):
    diff = diff_of(*(changed(f"{number:03}.py", "+" + "x" * 100) for number in range(200)))
    result = run(diff, max_bytes=1)
    assert result.payload["omitted_count"] == 200
    assert result.payload["omitted"] == [f"{number:03}.py" for number in range(50)]
    assert (result.payload["diff"], result.shown, result.truncated) == ("", NOTHING_SHOWN, True)


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
    keys = len('"from_line":2000000000,"more":true,"line_truncated":true,')
    room = free - keys - len("2") - (reserved or free // 4)  # the digits of ``omitted_count``
    cost = json_byte_count(changed("b.py", "").patch) - len('""')
    files = (changed("a.py", "+" + "x" * 140_000), changed("b.py", "+" + "x" * (room - cost - 1 + excess)))
    result = run(diff_of(*files), budget, max_bytes=131072)
    assert (result.shown == whole(files[1])) is shown
    assert result.payload["omitted"] == (["a.py"] if shown else ["b.py"])


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
    assert (result.shown, result.truncated) == (ShownLines.of("logo.png", 0, 1), False)


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


def lines_of(text):
    return [line for line in text.split("\n") if re.match(r"\+(?!\+\+ b/)", line)]


def large(changed, path="big.py", count=9000):
    return changed(path, "\n".join(f"+line_{number} = {number}" for number in range(count)))


def read_on(tool, seen=NOTHING_SHOWN, budget=1 << 18, **arguments):
    """The results of a model that calls again for as long as there is more."""
    while True:
        result = tool.run_after(DiffArgs(**arguments), budget, seen)
        yield result
        seen |= result.shown
        if not result.payload.get("more"):
            return


@pytest.mark.parametrize("max_bytes", [5_000, 65_536, 131_072])
def test_a_further_call_goes_on_after_what_was_shown(diff_of, changed, max_bytes):
    """A new file over every bound is shown whole, line by line."""
    file = large(changed, count=20_000 if max_bytes > 5_000 else 900)
    results = list(read_on(InspectGitDiff(diff_of(file)), paths=["big.py"], max_bytes=max_bytes))
    assert len(results) > 2
    assert [line for result in results for line in lines_of(result.payload["diff"])] == lines_of(file.patch)
    assert ShownLines.union(result.shown for result in results) == whole(file)
    starts = [result.payload.get("from_line") for result in results]
    assert starts[0] is None
    for before, start in zip(results, starts[1:], strict=False):
        assert start == 1 + max(int(line.split("=")[1]) + 1 for line in lines_of(before.payload["diff"]))
    assert [result.truncated for result in results] == [True] * (len(results) - 1) + [False]
    assert all(result.payload["diff"].startswith(file.header) for result in results)


def test_a_call_goes_on_after_what_the_first_message_showed(diff_of, changed):
    file = large(changed, count=3000)
    result = run(diff_of(file), seen=ShownLines.of("big.py", 0, 1001))
    assert lines_of(result.payload["diff"])[0] == "+line_1000 = 1000"
    assert result.payload["from_line"] == 1001


def test_once_all_was_shown_a_call_starts_again_from_the_top(diff_of, changed):
    small, file = changed("a.py", "+x"), large(changed)
    assert run(diff_of(small), seen=whole(small)).payload == run(diff_of(small)).payload
    again = run(diff_of(file), seen=whole(file))
    assert lines_of(again.payload["diff"])[0] == "+line_0 = 0"
    assert ("more" in again.payload, "from_line" in again.payload) == (False, False), "it would start again"
    assert again.truncated


def test_of_several_files_only_those_are_shown_that_were_not_shown_whole(diff_of, changed):
    seen, part, new = changed("a.py", "+x"), large(changed, "b.py", 3000), changed("c.py", "+y")
    known = whole(seen) | ShownLines.of("b.py", 0, 2001)
    for paths in ([], ["a.py", "b.py", "c.py"]):
        result = run(diff_of(seen, part, new), seen=known, paths=paths)
        assert lines_of(result.payload["diff"])[0] == "+line_2000 = 2000"
        assert lines_of(result.payload["diff"])[-1] == "+y"
        assert (result.payload["shown_before"], result.payload["from_line"]) == (1, 2001)
        assert (result.payload["omitted"], result.truncated) == ([], False)


def test_repeated_calls_for_everything_end_with_everything_shown(diff_of, changed):
    files = [large(changed, f"f{number}.py", 1500) for number in range(9)]
    results = list(read_on(InspectGitDiff(diff_of(*files)), max_bytes=40_000))
    assert ShownLines.union(result.shown for result in results) == whole(*files)
    shown = [line for result in results for line in lines_of(result.payload["diff"])]
    assert len(shown) == len(lines_of("".join(file.patch for file in files)))


def test_what_the_remaining_budget_cut_counts_only_for_what_it_showed(diff_of, changed):
    file = large(changed)
    result = run(diff_of(file), budget=3000, max_bytes=131_072)
    assert json_byte_count(result.payload) <= 3000
    count = len(lines_of(result.payload["diff"]))
    assert result.shown == ShownLines.of("big.py", 0, count + 1)
    following = run(diff_of(file), seen=result.shown)
    assert lines_of(following.payload["diff"])[0] == f"+line_{count} = {count}"


def test_a_line_over_every_bound_is_cut_with_a_mark_and_said(diff_of, changed):
    file = changed("a.py", "+" + "x" * 200_000 + "\n+after")
    results = list(read_on(InspectGitDiff(diff_of(file)), paths=["a.py"]))
    assert [result.payload.get("line_truncated") for result in results] == [True, None]
    assert [result.truncated for result in results] == [True, False]
    assert CUT_MARK in results[0].payload["diff"]
    assert lines_of(results[1].payload["diff"]) == ["+after"]
    assert ShownLines.union(result.shown for result in results).missing("a.py", (0, 3)) == ((1, 2),)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=80)
BODY = st.lists(st.tuples(st.sampled_from("+-+"), TEXT).map("".join), min_size=1, max_size=6).map("\n".join)
FILES = st.lists(
    st.tuples(st.text('abcé/"', min_size=1, max_size=40), st.lists(BODY, max_size=4), st.booleans()),
    max_size=8,
    unique_by=lambda file: file[0],
)


@given(FILES, st.integers(256, 2500), st.integers(1, 2500), st.data())
@settings(max_examples=300, deadline=None)
def test_no_bound_is_exceeded_and_what_is_not_shown_is_counted(
    diff_of, changed, files, budget, max_bytes, data
):
    made = [
        changed(path, *bodies, binary=not bodies, notes=("a note",) if noted else ())
        for path, bodies, noted in files
    ]
    names = [file.path for file in made] + ["missing", "é" * 40]
    paths = data.draw(st.lists(st.sampled_from(names), max_size=3))
    known = ShownLines.union(
        ShownLines.of(file.path, 0, data.draw(st.integers(0, 9))) for file in made if data.draw(st.booleans())
    )
    toolbox = Toolbox([InspectGitDiff(diff_of(*made))])
    result = toolbox.run("inspect_git_diff", DiffArgs(paths=paths, max_bytes=max_bytes), budget, known)
    assert json_byte_count(result.payload) <= budget
    if not result.ok:
        assert result.payload["error"]["code"] in {"context_budget", "path_not_in_diff", "invalid_path"}
        return
    payload = result.payload
    assert len(payload["diff"].encode()) <= max_bytes
    assert all(file.header in payload["diff"] for file in made if result.shown.shows(file.path))
    if not paths:
        unread = [file for file in made if has_unread(file, known)]
        after = [
            file.path
            for file in unread or made
            if has_unread(file, result.shown | (known if unread else NOTHING_SHOWN))
        ]
        assert payload["omitted_count"] == len(after)
        assert payload["omitted"] == after[: len(payload["omitted"])]
        assert payload.get("shown_before", 0) == (len(made) - len(unread) if unread else 0)
        assert payload.get("more", False) is bool(after and unread)
