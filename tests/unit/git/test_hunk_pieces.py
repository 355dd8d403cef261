"""Hunks are cut at the borders of lines; real git applies the pieces one after the other."""

import os
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.git.file_patch import FilePatchText, PatchBudget, parse_file_patch
from pr_review.git.hunk_pieces import CUT_MARK, cut_hunk, cut_line, head_line, patch_lines, piece_header

ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}

LINE = st.sampled_from(
    [
        "",
        "a",
        "b",
        " a",
        "-x",
        "+x",
        "@@ -1 +1 @@",
        "\\ No newline at end of file",
        "é\r",
        "\fz",
        "x\x85y\u2028",
    ]
)
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=14), st.sampled_from(["", "\n"])
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pieces")


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENV, input=stdin, capture_output=True, check=False
    )
    assert done.returncode in {0, int(arguments[0] == "diff")}, done.stderr.decode()
    return done.stdout


def diff(folder: Path, base: str, head: str, context: int):
    """The parsed patch from one text to another."""
    for name, text in (("base", base), ("head", head)):
        (folder / name).write_bytes(text.encode())
    raw = git(folder, "diff", "--no-index", "--text", f"-U{context}", "base", "head")
    return parse_file_patch(FilePatchText(bytearray(raw), len(raw)), PatchBudget())


def pieces(hunk, borders: Sequence[int]) -> list[str]:
    lines = patch_lines(hunk)
    ends = sorted({0, *(border % (len(lines) + 1) for border in borders), len(lines)})
    return [cut_hunk(hunk, lines[start:stop], start) for start, stop in pairwise(ends)]


def apply_in_turn(folder, base, cut):
    """What git makes of the text when it applies one piece after the other."""
    target = folder / "target"
    target.write_bytes(base.encode())
    for number, piece in enumerate(cut):
        if all(line.startswith((" ", "\\")) for line in piece.split("\n")[1:-1]):
            continue  # git refuses a patch that changes nothing
        # To git, old line 0 is the start of the file, where the pieces before have been put by now.
        placed = piece.replace("@@ -0,0 ", "@@ -1,0 ", 1) if number else piece
        git(
            folder,
            *("apply", "--unidiff-zero", "--whitespace=nowarn"),
            stdin=f"--- a/target\n+++ b/target\n{placed}".encode(),
        )
    return target.read_bytes().decode()


@given(TEXT, TEXT, st.integers(0, 3), st.lists(st.integers(0, 40), max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_pieces_are_the_hunk_and_git_applies_each_in_its_turn(folder, base, head, context, borders):
    patch = diff(folder, base, head, context)
    cut = [piece for hunk in patch.hunks for piece in pieces(hunk, borders)]
    bodies = [piece.partition("\n")[2] for piece in cut]
    assert "".join(bodies) == "".join(hunk.text.partition("\n")[2] for hunk in patch.hunks)
    if all(text.endswith("\n") or not text for text in (base, head)):
        # Without context, git takes the first of two equal lines, even if only one ends the file.
        assert apply_in_turn(folder, base, cut) == head


@pytest.mark.parametrize(
    ("base", "head"), [("a\nb", "a\nc\nd"), ("a\nb\n", "c"), ("a", "a\n"), ("a\nb", "b\na\n")]
)
@pytest.mark.parametrize("borders", [[1], [2], [1, 2, 3]])
def test_git_applies_the_pieces_of_a_file_that_ends_without_a_newline(folder, base, head, borders):
    cut = [piece for hunk in diff(folder, base, head, 3).hunks for piece in pieces(hunk, borders)]
    assert apply_in_turn(folder, base, cut) == head


@given(TEXT, TEXT, st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_piece_that_is_the_whole_hunk_has_its_header(folder, base, head, context):
    for hunk in diff(folder, base, head, context).hunks:
        assert piece_header(hunk, 0, len(hunk.lines)) + hunk.text.partition("\n")[2] == hunk.text
        assert len(patch_lines(hunk)) == len(hunk.lines)


BASE = "def f():\n" + "".join(f"    line({n})\n" for n in range(12)) + "    end()\n"
HEAD = BASE.replace("    line(6)\n", "    new(1)\n    new(2)\n    new(3)\n")


def test_a_header_counts_the_lines_of_its_piece_and_keeps_the_section(folder):
    [hunk] = diff(folder, BASE, HEAD, 3).hunks
    assert hunk.text.startswith("@@ -5,7 +5,9 @@ def f():\n")
    assert [piece.partition("\n")[0] for piece in pieces(hunk, [3, 4, 6])] == [
        "@@ -5,3 +5,3 @@ def f():",
        "@@ -8 +7,0 @@ def f():",
        "@@ -8,0 +8,2 @@ def f():",
        "@@ -9,3 +10,4 @@ def f():",
    ]
    assert [head_line(hunk, start) for start in (0, 3, 4, 6)] == [5, 8, 8, 10]


def test_pieces_of_a_new_and_of_a_deleted_file_count_from_the_start(folder):
    [added] = diff(folder, "", "a\nb\nc\n", 3).hunks
    assert [piece.partition("\n")[0] for piece in pieces(added, [1])] == ["@@ -0,0 +1 @@", "@@ -0,0 +2,2 @@"]
    [removed] = diff(folder, "a\nb\nc\n", "", 3).hunks
    assert [piece.partition("\n")[0] for piece in pieces(removed, [2])] == [
        "@@ -1,2 +0,0 @@",
        "@@ -3 +0,0 @@",
    ]


def test_the_end_of_a_file_without_a_newline_stays_with_its_line(folder):
    [hunk] = diff(folder, "a\nb", "a\nc", 3).hunks
    assert patch_lines(hunk) == [
        " a\n",
        "-b\n\\ No newline at end of file\n",
        "+c\n\\ No newline at end of file\n",
    ]


@pytest.mark.parametrize(
    ("line", "characters", "cut"),
    [
        ("+abc\n", 2, f"+ab{CUT_MARK}\n"),
        ("-é\r\n", 0, f"-{CUT_MARK}\n"),
        ("+abc\n\\ No newline at end of file\n", 1, f"+a{CUT_MARK}\n\\ No newline at end of file\n"),
    ],
)
def test_a_line_is_cut_with_a_mark(line, characters, cut):
    assert cut_line(line, characters) == cut
