"""Quoted code finds its place: the committed table, and what a table cannot say."""

import time
import tomllib
from difflib import unified_diff
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import ChangedFile, FileStatus
from pr_review.domain.finding import Place, Side
from pr_review.findings.matching import MAX_ALTERNATIVES, Anchor, FileIndex, place_quote
from pr_review.findings.quotes import MAX_COMPOSED_CHARS, normalise, normalise_lines, readings
from pr_review.git.file_patch import parse_hunks
from pr_review.git.tree import split_lines

TABLE = tomllib.loads(Path(__file__).with_name("data").joinpath("anchoring.toml").read_text(encoding="utf-8"))
CASES = [(name, case) for name, file in TABLE.items() for case in file["cases"]]


def text_of(file, side):
    text = file.get(side)
    return text.replace("\n", "\r\n") if text and file.get("newline") == "crlf" else text


def change(base, head):
    """The changed file as git's patch has it; None when nothing changed."""
    if base == head:
        return None
    sides = [(text or "").splitlines(keepends=True) for text in (base, head)]
    patch = [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in list(unified_diff(*sides, lineterm="\n"))[2:]
    ]
    status = FileStatus.ADDED if base is None else FileStatus.DELETED if head is None else FileStatus.MODIFIED
    return ChangedFile(path="f", status=status, header="", hunks=tuple(parse_hunks("".join(patch))))


def lines(text):
    return None if text is None else split_lines(text)


def anchor(quote, line, changed, head_lines, base_lines):
    """One quote in one file."""
    return place_quote(FileIndex(changed, head_lines, base_lines), quote, line)


def describe(found: Anchor) -> str:
    """As the table writes it."""
    places = [found, *found.alternatives] if found.line else []
    shown = [
        ("L" if place.side is Side.LEFT else "")
        + str(place.line)
        + (f"-{place.end_line}" if place.end_line else "")
        for place in places
    ]
    return " ".join([found.status, *shown[:1], *(["|"] if shown[1:] else []), *shown[1:]])


@pytest.mark.parametrize(
    ("name", "case"), CASES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(CASES)]
)
def test_the_committed_table(name, case):
    """Every row of data/anchoring.toml."""
    base, head = text_of(TABLE[name], "base"), text_of(TABLE[name], "head")
    changed = None if case.get("patch") == "none" else change(base, head)
    head_lines = () if case.get("head_text") == "unreadable" else lines(head)
    found = anchor(case.get("quote"), case.get("line"), changed, head_lines, lines(base))
    assert describe(found) == case["expect"]


def test_the_table_is_large_enough():
    assert len(CASES) >= 120


@pytest.mark.parametrize(("copies", "listed"), [(10, 9), (11, 10), (12, 10), (80, 10)])
def test_at_most_ten_alternatives(copies, listed):
    found = anchor("again()", None, None, ["again()"] * copies, None)
    assert (found.status, found.line, len(found.alternatives)) == ("ambiguous", 1, listed)
    assert listed <= MAX_ALTERNATIVES


@pytest.mark.parametrize(
    ("copies", "status"), [(19, "file"), (20, "file"), (21, "ambiguous"), (500, "ambiguous")]
)
def test_code_that_stands_everywhere_is_not_located_by_its_line(copies, status):
    """More than twenty places: that one of them is at the hint says nothing."""
    text = ["again()", "", "", ""] * copies
    last = len(text) - 3
    found = anchor("again()", last, None, text, None)
    assert (found.status, found.line) == (status, last)
    near = anchor("again()", last + 1, None, text, None)
    assert (near.status, near.line) == ("nearest" if status == "file" else status, last)


@pytest.mark.parametrize("copies", [49, 50, 51, 500])
def test_the_places_near_the_hint_are_never_missed(copies):
    """Only so many places are looked up, those around the hint first."""
    text = ["again()", "", "", ""] * copies
    for line in (1, len(text) // 2, len(text) - 3):
        found = anchor("again()", line, None, text, None)
        assert found.line == 1 + round((line - 1) / 4) * 4


@pytest.mark.parametrize(
    ("distance", "other", "status"),
    [(1, 3, "nearest"), (1, 2, "ambiguous"), (3, 9, "nearest"), (3, 8, "ambiguous"), (4, 40, "ambiguous")],
)
def test_the_nearest_is_within_three_lines_and_three_times_nearer(distance, other, status):
    text = ["pass"] * 100
    text[50 - distance - 1] = text[50 + other - 1] = "call()"
    assert anchor("call()", 50, None, text, None).status == status


def test_a_quote_of_several_lines_is_as_far_as_its_first_line():
    """Hint and first line are what a reviewer means; the end of another copy may be nearer by chance."""
    text = ["a1", "b1", "c1", "d1", "x", "x2", "a1", "b1", "c1", "d1"]
    found = anchor("a1\nb1\nc1\nd1", 5, None, text, None)
    assert describe(found) == "ambiguous 7-10 | 1-4"


@pytest.mark.parametrize(
    ("code", "proven"), [("a" * 19, False), ("a" * 20, True), (" ".join("a" * 20), True)]
)
def test_twenty_characters_prove_code_that_was_not_quoted_as_such(code, proven):
    index = FileIndex(None, ["first", code])
    assert index.clearly_contains(code) is proven
    assert index.contains(code)
    assert not index.clearly_contains(code + "b")
    assert not index.contains(code + "b")


def test_text_that_only_looks_like_the_stripped_reading_is_as_strong_as_that_reading():
    """Twenty characters with the line number are not twenty of code."""
    assert not FileIndex(None, ["a" * 15]).clearly_contains(f"1234: {'a' * 15}")


@pytest.mark.parametrize("length", [MAX_COMPOSED_CHARS - 1, MAX_COMPOSED_CHARS, MAX_COMPOSED_CHARS + 1])
def test_lines_of_many_combining_marks_are_compared_as_they_are(length):
    """Composing is quadratic in a run of marks."""
    text = "x" * (length - 2) + "e\u0301"
    assert (normalise(text) != text) is (length <= MAX_COMPOSED_CHARS)
    assert describe(anchor(text, None, None, [text], None)) == "file 1"


@pytest.mark.parametrize(
    "quote", ["}\n" * 4000, ("}\n" * 50 + ")\n") * 70, "\u0301\u0327" * 4000, "1: " * 4000, " " * 8192]
)
def test_a_hostile_file_and_quote_take_linear_time(quote):
    text = ["}"] * 250_000 + ["\u0301\u0327" * 200] * 500
    index = FileIndex(None, text)
    started = time.process_time()
    for hint in (None, 1, 125_000):
        place_quote(index, quote, hint)
    assert time.process_time() - started < 4


def test_a_number_inside_a_line_is_code():
    assert readings("x = {1: 2}") == (("x={1:2}",),)


def test_a_quote_is_read_once_however_many_files_it_is_looked_for_in():
    assert readings("12: + x\n") is readings("12: + x\n")


def test_no_more_than_sixteen_readings():
    """Each step may double them."""
    assert len(readings("```\n12: +13: x\n```")) <= 16
    assert readings("x") == (("x",),)
    assert readings(" \n") == ()


CODE = st.text(st.sampled_from("ab(){}=+-1: \t"), min_size=1, max_size=6)


@given(
    st.lists(CODE, min_size=1, max_size=25),
    st.lists(CODE, min_size=1, max_size=25),
    st.data(),
)
def test_code_of_the_head_is_never_lost_and_never_shown_elsewhere(base, head, data):
    """Whatever is quoted from the head: its place, or one of the places offered; the model's line decides."""
    start = data.draw(st.integers(0, len(head) - 1))
    end = data.draw(st.integers(start, len(head) - 1))
    quoted = [number for number in range(start, end + 1) if normalise(head[number])]
    hint = data.draw(st.none() | st.integers(-5, 40))
    changed = change("\n".join(base) + "\n", "\n".join(head) + "\n")
    found = anchor("\n".join(head[start : end + 1]), hint, changed, head, base)
    if not quoted:
        assert found.status in {"line", "file_level"}
        return
    places = [Place(side=found.side, line=found.line, end_line=found.end_line), *found.alternatives]
    assert found.side is Side.RIGHT
    for place in places:
        side = head if place.side is Side.RIGHT else base
        shown = normalise_lines(side[place.line - 1 : place.end_line or place.line])
        assert shown in readings("\n".join(head[start : end + 1]))
    if found.status in {"hunk", "file"} and hint is None:
        assert (found.line, found.end_line or found.line) == (quoted[0] + 1, quoted[-1] + 1)
    if hint == quoted[0] + 1 and found.status in {"hunk", "file", "nearest"}:
        assert found.line <= hint <= (found.end_line or found.line)


@given(st.text(max_size=200), st.none() | st.integers(), st.lists(st.text(max_size=30), max_size=10))
def test_any_text_is_placed_without_an_error(quote, hint, text):
    found = anchor(quote, hint, None, text, None)
    assert found.line is None or 1 <= found.line <= len(text)
