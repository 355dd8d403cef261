"""Patterns that match no changed file."""

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.review.unmatched_patterns import MAX_SHOWN, MAX_SHOWN_CHARS, SEVERAL_IN_ONE, unmatched_notes

SHA = "0" * 40


def diff(*paths, old_path=None):
    files = (ChangedFile(path=p, status=FileStatus.MODIFIED, header="", old_path=old_path) for p in paths)
    return Diff(merge_base_sha=SHA, head_sha=SHA, files=tuple(files))


def test_patterns_that_match_are_not_mentioned():
    changed = diff("src/a.py", "docs/b.md", old_path="old/c.py")
    assert unmatched_notes(changed, ["*.py", "/docs/"], ["!*.md", "src/**", "/old/"]) == ()
    assert unmatched_notes(changed, (), ()) == ()


def test_each_list_has_a_note_of_its_own():
    assert unmatched_notes(diff("a.py"), ["*.py", "*.js"], ["docs/", "!b.py", "a.py"]) == (
        "`include` has patterns that match no changed file: *.js.",
        "`exclude` has patterns that match no changed file: docs/, !b.py.",
    )


@pytest.mark.parametrize("pattern", ["a.py b.py", "a.py,b.py"])
def test_a_pattern_that_may_be_several_says_so(pattern):
    [note] = unmatched_notes(diff("a.py"), (), [pattern])
    assert note.endswith(f": {pattern}. {SEVERAL_IN_ONE}")


def test_a_change_without_files_has_nothing_to_match():
    assert unmatched_notes(diff(), ["*.py"], ["*.md"]) == ()


@pytest.mark.parametrize("count", [MAX_SHOWN - 1, MAX_SHOWN, MAX_SHOWN + 1])
def test_the_note_is_bounded(count):
    [note] = unmatched_notes(diff("a.py"), (), [f"{n}{'x' * 500}" for n in range(count)])
    assert len(note) < (MAX_SHOWN + 2) * MAX_SHOWN_CHARS
    assert ("and 1 more" in note) == (count > MAX_SHOWN)


def test_what_does_not_print_is_shown():
    [note] = unmatched_notes(diff("a.py"), (), ["\x1b[31m\u202e.md"])
    assert "\x1b" not in note
    assert "<U+202E>.md" in note
