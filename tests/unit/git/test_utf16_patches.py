"""The patch of a UTF-16 file is one of its text, with the lines that a read shows."""

from difflib import unified_diff

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pr_review.domain.change import FileStatus
from pr_review.git.diff import compute_diff
from pr_review.git.file_patch import NUL_NOTE
from pr_review.git.tree import CommitTree

OLD = "using A;\r\n" + "".join(f"int a{number} = {number};\r\n" for number in range(30)) + "// 上\n"
NEW = OLD.replace("int a20 = 20;", "int a20 = Evil();").replace("// 上", "// ਊ上 ü") + "end"


def utf_16(text, codec="utf-16-le"):
    return ("\ufeff" + text).encode(codec)


@pytest.fixture
def diff(repo, open_git):
    def build(before, after):
        base = repo.commit(before)
        head = repo.commit(after, parents=[base])
        return compute_diff(open_git(repo), base, head)

    return build


def lines(text):
    return dict(enumerate(text.split("\n"), start=1))


def assert_adds(file, old, new):
    """The added lines are lines of the new text, and without them and with the removed ones it is the old."""
    shown = {line.new_line: line.text for hunk in file.hunks for line in hunk.lines if line.new_line}
    assert shown.items() <= lines(new).items()
    expected = [line for line in unified_diff(old.split("\n"), new.split("\n"), n=0) if line[0] == "+"][1:]
    assert {f"+{text}" for text in file.added_lines.values()} == set(expected)


@pytest.mark.parametrize("old", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("new", ["utf-16-le", "utf-16-be"])
def test_the_lines_that_change_are_those_of_the_text(diff, old, new):
    change = diff({"x.cs": utf_16(OLD, old)}, {"x.cs": utf_16(NEW, new)})
    [file] = change.files
    assert (file.binary, file.encoding, file.status) == (False, "UTF-16", FileStatus.MODIFIED)
    assert file.added_lines == {22: "int a20 = Evil();\r", 32: "// ਊ上 ü", 33: "end"}
    assert (file.additions, file.deletions) == (3, 2)
    assert file.header.startswith("diff --git a/x.cs b/x.cs\n")
    assert file.notes == ("The file is UTF-16; its text is shown.",)
    assert change.notes == ("Read in another encoding than UTF-8: x.cs (UTF-16).",)


@pytest.mark.parametrize(("old", "new"), [("utf-8", "utf-16"), ("utf-16", "utf-8")])
def test_another_encoding_is_no_other_text(diff, old, new):
    [file] = diff({"x": OLD.encode(old)}, {"x": NEW.encode(new)}).files
    assert len(file.added_lines) == 3
    assert file.notes[0] == f"The file is {new.upper()} and was {old.upper()}; its text is shown."


def test_nothing_but_the_encoding_changes(diff):
    [file] = diff({"x": OLD.encode()}, {"x": utf_16(OLD)}).files
    assert (file.hunks, file.binary, file.additions) == ((), False, 0)
    assert "was UTF-8" in file.notes[0]


def test_all_kinds_of_changes_beside_others(diff):
    before = {
        "old": utf_16(OLD),
        "gone": utf_16(OLD[:40]),
        "plain": b"1\n",
        "bin": b"\0\xff",
        "late": b"\x7fE\0\xff",
    }
    after = {
        "moved": utf_16(NEW),
        "new": utf_16("é\n\nß"),
        "plain": b"2\n",
        "bin": b"\0\xfe",
        "late": utf_16("a\n"),
    }
    files = {file.path: file for file in diff(before, after).files}
    assert (files["moved"].status, files["moved"].old_path) == (FileStatus.RENAMED, "old")
    assert_adds(files["moved"], OLD, NEW)
    assert files["new"].added_lines == {1: "é", 2: "", 3: "ß"}
    assert (files["gone"].additions, files["gone"].deletions) == (0, 4)
    assert files["plain"].added_lines == {1: "2"}
    assert (files["bin"].binary, files["late"].binary) == (True, False)
    assert files["late"].added_lines == {1: "a"}


def test_a_utf_16_file_that_becomes_a_binary_is_one(diff):
    [file] = diff({"x": utf_16(OLD)}, {"x": b"\x89PNG\0\xff" * 99}).files
    assert (file.binary, file.hunks) == (True, ())


def test_what_is_too_large_to_be_decoded_shows_no_text(diff):
    """It could be UTF-16, and no check finds anything between NUL bytes."""
    old = utf_16("x = 1\n" * 400_000)
    [file] = diff({"x": old}, {"x": old + "eval(x)\n".encode("utf-16-le")}).files
    assert (file.oversized, file.hunks, file.notes) == (True, (), (NUL_NOTE,))


def test_a_large_patch_is_bounded_like_any_other(diff):
    [file] = diff({"x": b""}, {"x": utf_16("x" * 9 + "\n") + ("y\n" * 120_000).encode("utf-16-le")}).files
    assert (file.oversized, file.binary, file.hunks) == (True, False, ())


TEXT = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=4), max_size=6
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT, TEXT)
def test_lines_agree_with_a_read(repo, open_git, old, new):
    git = open_git(repo)
    base = repo.commit({"x": utf_16("\n".join(["a", *old]))})
    head = repo.commit({"x": utf_16("\n".join(["a", *new, ""]))}, parents=[base])
    read = dict(enumerate(CommitTree.load(git, head).read("x").lines, start=1))
    for file in compute_diff(git, base, head).files:
        assert file.encoding == "UTF-16"
        assert file.added_lines.items() <= read.items()
