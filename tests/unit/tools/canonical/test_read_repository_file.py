import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ToolFailure
from pr_review.tools.canonical.read_repository_file import ReadArgs, ReadRepositoryFile
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox


def run(tree, max_bytes=1 << 18, **arguments):
    return ReadRepositoryFile(tree).run(ReadArgs(path="a.py", **arguments), max_bytes)


def lines(count):
    return "".join(f"line {number}\n" for number in range(1, count + 1))


def frame(content, *, start=1, end=1, total=1, truncated=False, **more):
    return {
        "ok": True,
        "path": "a.py",
        "start_line": start,
        "end_line": end,
        "total_lines": total,
        "content": content,
        "truncated": truncated,
    } | more


def test_a_read_has_the_canonical_shape(tree_of):
    assert run(tree_of({"a.py": "one\ntwo\n"})).payload == frame("1: one\n2: two", end=2, total=2)


def test_both_ends_of_a_range_are_included(tree_of):
    payload = run(tree_of({"a.py": lines(9)}), start_line=3, end_line=4).payload
    assert payload == frame("3: line 3\n4: line 4", start=3, end=4, total=9, truncated=True)


@pytest.mark.parametrize(("end", "truncated"), [(8, True), (9, False), (10, False), (None, False)])
def test_a_read_is_truncated_when_the_file_goes_on_after_it(tree_of, end, truncated):
    """Also after the range that was asked for; what comes before it does not count."""
    result = run(tree_of({"a.py": lines(9)}), start_line=3, end_line=end)
    assert result.truncated is result.payload["truncated"] is truncated


def test_an_end_beyond_the_file_is_its_end(tree_of):
    assert run(tree_of({"a.py": "one"}), end_line=10**6).payload == frame("1: one")


def test_an_empty_file_has_no_lines(tree_of):
    assert run(tree_of({"a.py": ""})).payload == frame("", end=0, total=0)


@pytest.mark.parametrize(
    ("total", "shown", "truncated"), [(399, 399, False), (400, 400, False), (401, 400, True)]
)
def test_a_read_shows_at_most_400_lines(tree_of, total, shown, truncated):
    result = run(tree_of({"a.py": lines(total)}))
    assert result.payload["end_line"] == shown
    assert len(result.payload["content"].split("\n")) == shown
    assert result.truncated is result.payload["truncated"] is truncated


@pytest.mark.parametrize("end", [403, 404, 405])
def test_a_range_asked_for_is_cut_at_400_lines_too(tree_of, end):
    result = run(tree_of({"a.py": lines(1000)}), start_line=5, end_line=end)
    assert result.payload["end_line"] == min(end, 404)


def test_a_read_starts_at_the_first_line_by_default(tree_of):
    assert run(tree_of({"a.py": lines(3)})).payload["start_line"] == 1


@pytest.mark.parametrize(("start", "fits"), [(1, True), (2, True), (3, False), (10**30, False)])
def test_a_start_beyond_the_end_names_the_number_of_lines(tree_of, start, fits):
    tree = tree_of({"a.py": "one\ntwo\n"})
    if fits:
        assert run(tree, start_line=start).payload["end_line"] == 2
    else:
        with pytest.raises(ToolFailure, match=r"line_out_of_range: .*total_lines is 2"):
            run(tree, start_line=start)


@pytest.mark.parametrize(("start", "fits"), [(1, True), (2, False)])
def test_only_the_first_line_of_an_empty_file_can_be_asked_for(tree_of, start, fits):
    if fits:
        assert run(tree_of({"a.py": ""}), start_line=start).payload["content"] == ""
    else:
        with pytest.raises(ToolFailure, match="line_out_of_range"):
            run(tree_of({"a.py": ""}), start_line=start)


@pytest.mark.parametrize(("end", "valid"), [(4, False), (5, True), (6, True)])
def test_a_range_that_ends_before_it_starts_is_refused(tree_of, end, valid):
    tree = tree_of({"a.py": lines(9)})
    if valid:
        assert run(tree, start_line=5, end_line=end).payload["end_line"] == end
    else:
        with pytest.raises(ToolFailure, match="invalid_range"):
            run(tree, start_line=5, end_line=end)


@pytest.mark.parametrize(("excess", "shown"), [(-1, 2), (0, 2), (1, 1)])
@pytest.mark.parametrize("character", ["x", '"', "\x01", "é"])
def test_64_kib_are_counted_after_escaping_and_cut_by_whole_lines(tree_of, excess, shown, character):
    room = 65536 - json_byte_count(frame("1: \n2: ", end=2, total=2))
    width = json_byte_count(character) - 2
    second = character * ((room - 1000) // width) + "y" * ((room - 1000) % width + excess)
    result = run(tree_of({"a.py": f"{'x' * 1000}\n{second}\n"}))
    assert json_byte_count(result.payload) <= 65536
    assert result.payload["end_line"] == shown
    assert result.truncated is (shown == 1)
    assert "line_truncated" not in result.payload


@pytest.mark.parametrize(("excess", "cut"), [(-1, False), (0, False), (1, True)])
def test_a_single_line_beyond_the_cap_is_cut_and_marked(tree_of, excess, cut):
    line = "é" * 100 + "x" * (65536 - json_byte_count(frame("1: ")) - 200 + excess)
    result = run(tree_of({"a.py": line}))
    assert json_byte_count(result.payload) <= 65536
    assert result.payload.get("line_truncated", False) is cut
    assert result.truncated is cut
    assert f"1: {line}".startswith(result.payload["content"])
    assert (result.payload["content"] == f"1: {line}") is not cut


def test_a_cut_line_leaves_the_following_lines_readable(tree_of):
    tree = tree_of({"a.py": f"one\n{'x' * 100_000}\nthree\n"})
    first = run(tree).payload
    assert (first["content"], first["truncated"]) == ("1: one", True)
    second = run(tree, start_line=2).payload
    assert (second["start_line"], second["end_line"], second["line_truncated"]) == (2, 2, True)
    assert run(tree, start_line=3).payload == frame("3: three", start=3, end=3, total=3)


def test_a_bound_too_small_for_any_content_says_so(tree_of):
    with pytest.raises(ToolFailure, match="context_budget"):
        run(tree_of({"a.py": "one"}), max_bytes=50)


def test_the_tree_s_refusals_pass_through(tree_of):
    with pytest.raises(ToolFailure, match="path_not_found"):
        run(tree_of({}))


@given(
    st.lists(st.text(max_size=200), max_size=30),
    st.integers(1, 40),
    st.none() | st.integers(1, 40),
    st.integers(256, 3000),
)
def test_no_read_exceeds_its_bound_or_shows_a_line_that_is_not_there(tree_of, texts, start, end, max_bytes):
    content = "\n".join(texts)
    toolbox = Toolbox([ReadRepositoryFile(tree_of({"a.py": content}))])
    args = ReadArgs(path="a.py", start_line=start, end_line=end)
    result = toolbox.run("read_repository_file", args, max_bytes)
    assert json_byte_count(result.payload) <= max_bytes
    if not result.ok:
        assert result.payload["error"]["code"] in {"line_out_of_range", "invalid_range"}
        return
    payload = result.payload
    shown = "\n".join(
        f"{number}: {text}"
        for number, text in enumerate(content.split("\n"), 1)
        if payload["start_line"] <= number <= payload["end_line"]
    )
    if payload.get("line_truncated"):
        assert shown.startswith(payload["content"])
    else:
        assert payload["content"] == shown
