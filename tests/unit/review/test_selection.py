"""Which files are reviewed, and the reason for each that is not."""

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.review.selection import MORE_CODE, select

SHA = "0" * 40
LOCK = ("*.lock", "lock file")


def diff(*paths, **fields):
    files = tuple(ChangedFile(path=p, status=FileStatus.ADDED, header="", **fields) for p in paths)
    return Diff(merge_base_sha=SHA, head_sha=SHA, files=files)


def test_without_patterns_every_file_is_selected_in_diff_order():
    selection = select(diff("b.py", "a.py"), (), ())
    assert [file.path for file in selection.selected] == ["b.py", "a.py"]
    assert selection.excluded == {}


def test_the_reason_names_rule_and_pattern():
    selection = select(diff("a.py", "x/yarn.lock"), (), [LOCK])
    assert selection.excluded == {"x/yarn.lock": "lock file (*.lock)"}
    assert [file.path for file in selection.selected] == ["a.py"]


def test_a_later_negation_takes_a_file_back_in():
    selection = select(diff("keep.lock", "drop.lock"), (), [LOCK, ("!keep.lock", "exclude pattern")])
    assert list(selection.excluded) == ["drop.lock"]


def test_include_limits_and_exclude_wins():
    selection = select(diff("src/a.py", "src/b.lock", "docs/c.md"), ["/src/"], [LOCK])
    assert [file.path for file in selection.selected] == ["src/a.py"]
    assert selection.excluded == {"src/b.lock": "lock file (*.lock)", "docs/c.md": "not matched by include"}


def test_binary_files_are_excluded_by_rule():
    assert select(diff("a.png", binary=True), (), ()).excluded == {"a.png": "binary file"}


@pytest.mark.parametrize("path", ["a\nb.py", 'q"uote.py', "bad\\xff.py", ":(glob)*", " lead.py", "#hash.py"])
def test_odd_names_are_selected_like_any_other(path):
    assert [file.path for file in select(diff(path), (), [LOCK]).selected] == [path]


def test_a_newline_in_a_folder_s_name_hides_nothing_below_it():
    """Patterns stop at a newline; git does not."""
    selection = select(diff("a\nb/evil.py", "a\nb/yarn.lock", "evil.lock\n"), ["*.py", "*.lock*"], [LOCK])
    assert [file.path for file in selection.selected] == ["a\nb/evil.py", "evil.lock\n"]


@pytest.mark.parametrize(
    "path", ["a.py", "A.JS", "Makefile", "x/b.go", *(f"f{suffix}" for suffix in sorted(MORE_CODE))]
)
def test_a_binary_that_is_named_as_code_is_not_left_out(path):
    """A NUL and one invalid byte in a comment would hide the rest."""
    assert select(diff(path, binary=True), (), ()).excluded == {}
