from pr_review.checks.source import Source


def test_lines_of_an_unread_file_are_the_added_ones():
    assert Source("a", None, {3: "x"}).lines == {3: "x"}
    assert Source("a", "1\n2", {2: "2"}).lines == {1: "1", 2: "2"}
