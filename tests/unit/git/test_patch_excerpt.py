"""What of a change is shown within a bound, and how a reader gets to the rest of it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.change import ChangedFile, FileStatus
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.git.file_patch import parse_hunks
from pr_review.git.hunk_pieces import CUT_MARK
from pr_review.git.patch_excerpt import PatchExcerpt, Room, has_unread, json_bytes


def make(path, *bodies):
    """A file with one hunk for each list of patch lines, ten lines apart."""
    text, start = "", 1
    for body in bodies:
        old = sum(not line.startswith("+") for line in body)
        new = sum(not line.startswith("-") for line in body)
        text += f"@@ -{start - (not old)},{old} +{start - (not new)},{new} @@ def f():\n" + "".join(
            f"{line}\n" for line in body
        )
        start += len(body) + 10
    header = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return ChangedFile(path, FileStatus.MODIFIED, header, hunks=tuple(parse_hunks(text)))


def show(files, bound, seen=NOTHING_SHOWN, *, json=None, cut_lines=True):
    excerpt = PatchExcerpt(Room(bound, json))
    excerpt.fill(files, seen, cut_lines=cut_lines)
    return excerpt


def changed_lines(text):
    return [line for line in text.split("\n") if re.match(r"[+-](?!\+\+ b/|-- a/)", line)]


NEW = make("new.py", [f"+line_{number} = {number}" for number in range(3000)])


def test_a_hunk_that_does_not_fit_is_cut_between_lines():
    excerpt = show([NEW], 10_000)
    assert 9_900 < len(excerpt.text) <= 10_000
    shown = changed_lines(excerpt.text)
    assert shown == changed_lines(NEW.patch)[: len(shown)]
    assert f"@@ -0,0 +1,{len(shown)} @@ def f():" in excerpt.text
    assert (excerpt.left, excerpt.from_line, excerpt.cut) == ((NEW,), None, False)


def test_a_reader_gets_every_line_once_and_is_told_where_it_goes_on():
    seen, lines, starts = NOTHING_SHOWN, [], []
    while has_unread(NEW, seen):
        excerpt = show([NEW], 10_000, seen)
        lines += changed_lines(excerpt.text)
        starts.append(excerpt.from_line)
        seen |= excerpt.shown
    assert lines == changed_lines(NEW.patch)
    assert starts[0] is None
    assert starts[1:] == sorted(starts[1:])
    assert excerpt.left == ()


def test_whole_hunks_come_before_a_piece_of_a_large_one():
    large = make("a.py", [f"+{number}" for number in range(2000)], ["-old", "+new"])
    small = make("b.py", [" same", "+added"])
    excerpt = show([large, small], 4_000)
    order = [
        excerpt.text.index(text) for text in (large.header, "+0\n", "-old\n+new\n", small.header, "+added\n")
    ]
    assert order == sorted(order)
    assert excerpt.text.count(large.header) == 1
    assert excerpt.left == (large,)
    assert len(excerpt.text) > 3_900


def test_a_small_rest_of_the_room_is_not_filled_with_a_piece():
    small = make("a.py", ["+x" * 900])
    assert show([small, NEW], 2_700).text.endswith(small.patch)
    assert show([small, NEW], 3_500).text.count("line_") > 40


@pytest.mark.parametrize("cut_lines", [True, False])
@pytest.mark.parametrize("marker", ["+", "-"])
def test_a_line_that_does_not_fit_alone_is_cut_with_a_mark_or_left(marker, cut_lines):
    file = make("a.py", [" before", marker + "x" * 9000, " after"])
    excerpt = show([file], 2_000, cut_lines=cut_lines)
    if not cut_lines:
        assert (excerpt.text, excerpt.left) == ("", (file,))
        return
    assert 1_980 < len(excerpt.text) <= 2_000
    assert excerpt.text.endswith(f"xxx{CUT_MARK}\n")
    assert (excerpt.cut, excerpt.left) == (True, ())
    assert excerpt.shown == ShownLines.of("a.py", 0, 1) | ShownLines.of_cut("a.py", 2)


def test_after_a_cut_line_the_reader_goes_on():
    file = make("a.py", ["+" + "x" * 9000, "+y", "+" + "z" * 9000, "+last"])
    seen, texts = NOTHING_SHOWN, []
    while has_unread(file, seen):
        excerpt = show([file], 2_000, seen)
        texts.append(changed_lines(excerpt.text)[0][:2])
        seen |= excerpt.shown
    assert texts == ["+x", "+y", "+z", "+l"]


def test_what_is_left_of_a_hunk_is_shown_without_lines_of_context_alone():
    file = make("a.py", [" 1", "+2", " 3", " 4"])
    assert not has_unread(file, ShownLines.of("a.py", 0, 3))
    assert has_unread(file, ShownLines.of("a.py", 0, 2))


def test_a_file_without_hunks_is_its_header():
    file = make("a.py")
    excerpt = show([file], 1_000)
    assert (excerpt.text, excerpt.shown) == (file.header, ShownLines.of("a.py", 0, 1))
    assert show([file], 10).left == (file,)
    assert not has_unread(file, excerpt.shown)


TEXT = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=60)
LINE = st.tuples(st.sampled_from(" +-"), TEXT).map("".join)
LINES = st.lists(LINE, min_size=1, max_size=12).map(lambda lines: [*lines, "+end"])
FILES = st.lists(st.lists(LINES, max_size=3), min_size=1, max_size=4)


@given(FILES, st.integers(150, 900), st.integers(150, 1800))
@settings(max_examples=150, deadline=None)
def test_every_changed_line_is_shown_once_within_the_bounds(bodies, bound, json):
    files = [make(f"f{number}.py", *hunks) for number, hunks in enumerate(bodies)]
    shown, seen = [], NOTHING_SHOWN
    while any(has_unread(file, seen) for file in files):
        excerpt = show(files, bound, seen, json=json)
        assert len(excerpt.text.encode()) <= bound
        assert json_bytes(excerpt.text) <= json
        assert excerpt.shown != NOTHING_SHOWN
        parsed = list(parse_hunks("".join(re.split(r"diff --git .*\n--- .*\n\+\+\+ .*\n", excerpt.text))))
        if not excerpt.cut:
            shown += [
                f"{line.kind.value}{line.text}" for hunk in parsed for line in hunk.lines if line.kind != " "
            ]
        seen |= excerpt.shown
        assert set(excerpt.left) == {file for file in files if has_unread(file, seen)}
    cut = sum(stop - start for spans in seen.cut.values() for start, stop in spans)
    wanted = [line for hunks in bodies for body in hunks for line in body if not line.startswith(" ")]
    assert len(shown) + cut == len(wanted)
    assert not set(shown) - set(wanted)
