import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.run import Limits
from pr_review.git.tree import TextFile, split_lines
from pr_review.offline.limits import limits_for
from pr_review.tools.canonical.read_repository_file import ReadArgs, ReadRepositoryFile


class OneFile:
    """A tree of one file."""

    def __init__(self, text):
        self._file = TextFile("a", text, split_lines(text))

    def read(self, _path):
        return self._file


def pages(text):
    """How many pages the read tool really needs, and their bytes."""
    tool, start, count = ReadRepositoryFile(OneFile(text)), 1, 0
    while True:
        count += 1
        payload = tool.run(ReadArgs(path="a", start_line=start), 10**9).payload
        start = payload["end_line"] + 1
        if start > payload["total_lines"]:
            return count


LINES = st.sampled_from(["", "x", "\x01" * 40, '"' * 80, "é" * 500, "x" * 30_000, "\x01" * 5600])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(LINES, st.integers(1, 900)), max_size=6))
def test_no_text_needs_more_pages_than_the_limits_allow(parts):
    text = "".join(f"{line}\n" * count for line, count in parts)[: 2**18]
    limits = limits_for(Limits(max_tool_calls=0), [len(text.encode())], [])
    assert 1 + pages(text) <= limits.max_tool_calls


def test_lines_of_which_no_two_share_a_page_have_room():
    text = ("\x01" * 5600 + "\n") * 150  # JSON makes six bytes of each control character
    assert pages(text) == 150
    assert limits_for(Limits(max_tool_calls=0), [len(text)], [0]).max_tool_calls >= 151


@pytest.mark.parametrize("lines", [399, 400, 401, 800, 801, 4000])
def test_empty_lines_need_the_most_pages_for_their_size(lines):
    allowed = limits_for(Limits(max_tool_calls=0), [lines], [0]).max_tool_calls
    assert 1 + pages("\n" * lines) <= allowed <= 3 + pages("\n" * lines)


def test_limits_only_grow():
    base = Limits(max_rounds=1000, max_tool_calls=2000, tool_context_bytes=10**9, timeout_seconds=7)
    assert limits_for(base, [100], [100]) == base
    assert limits_for(Limits(), [], []) == Limits()


@pytest.mark.parametrize("count", [1, 30, 3000])
def test_each_file_has_room_for_its_diff_and_a_page(count):
    limits = limits_for(Limits(), [0] * count, [100] * count)
    assert limits.max_tool_calls >= 2 * count
    assert limits.max_rounds * limits.calls_per_round >= 2 * count
    assert limits.tool_context_bytes >= count * (128 + 64) * 1024
