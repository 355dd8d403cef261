import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.offline.reviewed_file import ReviewedFile

HEADER = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n"


def diff_result(diff, **extra):
    return {"ok": True, "diff": diff, "omitted": [], "truncated": False} | extra


def page(start, lines, total):
    content = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, start=start))
    return {"ok": True, "end_line": start + len(lines) - 1, "total_lines": total, "content": content}


def test_added_lines_come_from_the_diff_with_their_head_numbers():
    file = ReviewedFile("a.py")
    body = "@@ -1,3 +1,4 @@ def f\n a\n-b\n+c\n+d\n e\n@@ -9 +10,2 @@\n x\n+y\n\\ No newline at end of file\n"
    assert file.take_diff(diff_result(HEADER.format("a.py") + body))
    assert file.added == {2: "c", 3: "d", 11: "y"}
    assert file.shown


@given(st.lists(st.text(alphabet="a+-@ \r\f\v\x85\u2028\x1c\x00é\\", max_size=8), min_size=1, max_size=8))
def test_any_text_of_an_added_line_survives(lines):
    file = ReviewedFile("a")
    body = f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    assert file.take_diff(diff_result(HEADER.format("a") + body))
    assert file.added == dict(enumerate(lines, start=1))


def test_only_the_file_asked_for_counts():
    renamed = "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n"
    diff = HEADER.format("a.py") + "@@ -0,0 +1 @@\n+x\n" + renamed + "@@ -0,0 +1 @@\n+y\n"
    file = ReviewedFile("a.py")
    file.take_diff(diff_result(diff))
    assert file.added == {1: "x"}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a b/ c.py", "b/a b/ c.py\t"),
        (" lead.py", "b/ lead.py\t"),
        ("trail.py ", "b/trail.py \t"),
        ("C:/x.py", "b/C:/x.py"),
        ("d\\\\x\\\\41.py", '"b/d\\\\x\\\\41.py"'),
        ("tab\t.py", '"b/tab\\t.py"'),
        ("a\nb.py", '"b/a\\nb.py"'),
        ('q".py', '"b/q\\".py"'),
        ("bad\\xff.py", "b/bad\\xff.py"),
        ('bad\\xff".py', '"b/bad\\xff\\".py"'),
        ("b/x.py", "b/b/x.py"),
        ('q" .py', '"b/q\\" .py"\t'),
    ],
)
def test_a_file_is_known_by_its_name_whatever_is_in_it(path, shown):
    """Another file of the same answer does not stand for it."""
    other = HEADER.format("other.py") + "@@ -0,0 +1 @@\n+x\n"
    own = f"diff --git a/o b/o\nnew file mode 100644\n--- /dev/null\n+++ {shown}\n@@ -0,0 +1 @@\n+y\n"
    for diff in (other + own, own + other):
        file = ReviewedFile(path)
        assert file.take_diff(diff_result(diff))
        assert file.added == {1: "y"}


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
        "diff --git a/b b/a\nsimilarity index 100%\nrename from b\nrename to a\n",
        "diff --git a/a b/a\nnew file mode 100644\nindex 0000000..e69de29\n",
        "diff --git a/a b/a\nindex 1..2\nBinary files a/a and b/a differ\n",
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    ],
)
def test_a_change_without_added_lines_needs_no_reading(diff):
    file = ReviewedFile("a")
    assert not file.take_diff(diff_result(diff))
    assert file.shown
    assert file.problems == []


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"ok": False, "error": {"code": "path_not_in_diff", "message": "m"}}, "path_not_in_diff"),
        (diff_result("+++ b/a\n@@ -1,9 +1,9 @@\nrubbish\n"), "not a diff"),
        ({"ok": True}, "not a diff"),
    ],
)
def test_a_diff_that_cannot_be_had_is_a_problem_and_the_file_is_not_checked(result, reason):
    file = ReviewedFile("a")
    assert not file.take_diff(result)
    assert not file.shown
    assert file.problems == [f"its diff could not be inspected ({reason}); it was not checked"]


def test_a_truncated_diff_is_a_problem_and_what_was_shown_is_checked():
    file = ReviewedFile("a")
    assert file.take_diff(diff_result(HEADER.format("a") + "@@ -0,0 +1 @@\n+x\n", truncated=True))
    assert file.problems == ["its diff is too large to be shown; the lines not shown were not checked"]


def test_a_diff_that_goes_on_is_asked_for_again():
    file = ReviewedFile("a")
    assert file.take_diff(diff_result(HEADER.format("a") + "@@ -0,0 +1 @@\n+x\n", truncated=True, more=True))
    assert (file.more, file.problems) == (True, [])
    assert file.take_diff(diff_result(HEADER.format("a") + "@@ -0,0 +2 @@\n+y\n"))
    assert (file.more, file.added) == (False, {1: "x", 2: "y"})


def test_a_part_without_added_lines_does_not_end_the_diff():
    file = ReviewedFile("a")
    removed = HEADER.format("a") + "@@ -1 +0,0 @@\n-x\n"
    assert file.take_diff(diff_result(removed, truncated=True, more=True))


@pytest.mark.parametrize("more", [True, False])
def test_a_line_that_was_cut_is_not_checked(more):
    file = ReviewedFile("a")
    cut = HEADER.format("a") + "@@ -0,0 +1 @@\n+xxx …[the rest of this line is cut]\n"
    assert file.take_diff(diff_result(cut, truncated=True, line_truncated=True, more=more)) is more
    assert (file.shown, file.added) == (True, {})
    assert file.problems == ["a line of its diff is too long to be shown; it was not checked"]


def test_pages_are_asked_for_until_the_last_line():
    file = ReviewedFile("a")
    assert file.page_call("1").arguments == {"path": "a", "start_line": 1}
    assert file.take_page(page(1, ["x", "", "2: y"], 5))
    assert file.source.text is None
    assert file.page_call("2").arguments == {"path": "a", "start_line": 4}
    assert not file.take_page(page(4, ["a: b\r", "z"], 5))
    assert file.source.text == "x\n\n2: y\na: b\r\nz\n"


def test_a_line_too_long_for_a_page_is_taken_from_the_diff_when_it_was_added():
    file = ReviewedFile("a", added={2: "long line"})
    assert file.take_page(page(1, ["x"], 3))
    assert file.take_page(page(2, ["long"], 3) | {"line_truncated": True})
    assert not file.take_page(page(3, ["z"], 3))
    assert file.source.text == "x\nlong line\nz\n"


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"ok": False, "error": {"code": "file_too_large", "message": "m"}}, "file_too_large"),
        (page(1, ["cut"], 5) | {"line_truncated": True}, "a line is too long"),
        (page(1, [], 5), "a line is too long"),
    ],
)
def test_a_file_that_cannot_be_read_whole_is_checked_line_by_line(result, reason):
    file = ReviewedFile("a")
    assert not file.take_page(result)
    assert file.source.text is None
    assert file.problems == [
        f"its head version could not be read whole ({reason}); only its added lines were checked"
    ]
