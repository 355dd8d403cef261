import pytest

from pr_review.checks import conflicts
from pr_review.checks.source import Source

CONFLICT = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd"
DIFF3 = "<<<<<<< HEAD\nb\n||||||| 1234567\nz\n=======\nc\n>>>>>>> topic"


def places(source):
    return [(hit.line, hit.end_line) for hit in conflicts.find(source)]


def test_a_conflict_is_one_hit_from_its_first_to_its_last_marker(make_source):
    assert places(make_source("a.py", CONFLICT)) == [(2, 6)]


@pytest.mark.parametrize("text", [DIFF3, CONFLICT.replace("\n", "\r\n")[3:]])
def test_diff3_and_crlf_conflicts_are_found(make_source, text):
    assert len(places(make_source("a.py", text))) == 1


def test_unlabelled_markers_count_when_the_conflict_is_complete(make_source):
    assert places(make_source("a", "<<<<<<<\nb\n=======\nc\n>>>>>>>")) == [(1, 5)]


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", ">>>>>>> topic"])
def test_a_lone_marker_with_a_label_is_found(make_source, marker):
    assert places(make_source("a.js", f"a\n{marker}\nb")) == [(2, None)]


@pytest.mark.parametrize(
    "text",
    [
        "Heading\n=======\ntext",
        "<<<<<<<\ntext",
        "text\n>>>>>>>",
        "<<<<<< HEAD",
        "<<<<<<<< HEAD",
        " <<<<<<< HEAD",
        ">>>>>>>>>> quoted mail",
        "x = 1 <<<<<<< HEAD",
    ],
)
def test_similar_lines_are_not_markers(make_source, text):
    assert places(make_source("a.md", text)) == []


def test_an_old_conflict_is_not_reported(make_source):
    assert places(make_source("a.py", CONFLICT, added=[1, 7])) == []


def test_a_conflict_is_reported_at_its_first_added_marker(make_source):
    assert places(make_source("a.py", CONFLICT, added=[4])) == [(4, 6)]


@pytest.mark.parametrize("fence", ["```", "~~~", "  ```text"])
def test_prose_may_show_a_conflict_in_a_fenced_block(make_source, fence):
    text = f"{fence}\n{CONFLICT}\n{fence}"
    assert places(make_source("docs/git.md", text)) == []
    assert places(make_source("git.py", text)) == [(3, 7)]


def test_a_conflict_in_prose_outside_a_block_is_found(make_source):
    assert places(make_source("docs/git.md", f"```\nx\n```\n{CONFLICT}")) == [(5, 9)]


def test_two_conflicts_are_two_hits(make_source):
    assert places(make_source("a.py", f"{CONFLICT}\n{CONFLICT}")) == [(2, 6), (9, 13)]


def test_added_lines_are_enough_when_the_file_cannot_be_read():
    added = {2: "<<<<<<< HEAD", 4: "=======", 6: ">>>>>>> topic"}
    assert places(Source("a.bin", None, added)) == [(2, 6)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "text\n>>>>>>> a quote in a quote in a quote\ntext"),
        ("mail.txt", ">>>>>>> On Monday she wrote\n>>>>>>> yes"),
        ("a.rst", "Title\n=======\n\n>>>>>>> quoted"),
        ("a.py", '"""How a conflict ends:\n\n>>>>>>> topic\n"""'),
        ("a.js", "const text = `\n>>>>>>> topic\n`;"),
        ("a.js", "/*\n>>>>>>> topic\n*/"),
        ("a.md", "````\n```\n<<<<<<< HEAD\n```\n````"),
        ("a.md", f"<pre>\n{CONFLICT}\n</pre>"),
        ("a.md", f"~~~\n```\n{CONFLICT}\n~~~"),
    ],
)
def test_a_quote_or_an_illustration_is_no_conflict(make_source, path, text):
    assert places(make_source(path, text)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", CONFLICT),
        ("a.md", f"```\ncode\n```\n{CONFLICT}"),
        ("a.md", f"<pre>x</pre>\n{CONFLICT}".replace("<pre>x</pre>", "<pre>\nx\n</pre>")),
        ("a.rst", CONFLICT.replace("=======", "=======")),
        ("a.md", "a\n<<<<<<< HEAD\nb"),
        ("a.py", "x = 1\n>>>>>>> topic\n"),
        ("a.py", f'"""doc\n{CONFLICT}\n"""'),
        ("a.json", "{\n>>>>>>> topic\n}"),
        ("a.md", f"````\ncode\n````\n{CONFLICT}"),
    ],
)  # fmt: skip
def test_a_conflict_in_text_or_code_is_found(make_source, path, text):
    assert len(places(make_source(path, text))) == 1
