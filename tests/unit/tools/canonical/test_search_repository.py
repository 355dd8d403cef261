import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ToolFailure
from pr_review.git.search import Match
from pr_review.tools.canonical.search_repository import SearchArgs, SearchRepository
from pr_review.tools.tool import json_byte_count
from pr_review.tools.toolbox import Toolbox


def run(searcher, max_bytes=1 << 18, **arguments):
    return SearchRepository(searcher).run(SearchArgs(query="x", **arguments), max_bytes)


def matches(count):
    return [Match("a.py", number, "x") for number in range(1, count + 1)]


def payload_of(found, *, truncated=False):
    return {
        "ok": True,
        "query": "x",
        "path": "",
        "matches": [{"path": m.path, "line": m.line, "excerpt": m.excerpt} for m in found],
        "truncated": truncated,
    }


def test_a_search_has_the_canonical_shape(searcher_of):
    assert run(searcher_of(matches(1))).payload == {
        "ok": True,
        "query": "x",
        "path": "",
        "matches": [{"path": "a.py", "line": 1, "excerpt": "x"}],
        "truncated": False,
    }


def test_nothing_found_is_an_answer(searcher_of):
    assert run(searcher_of([])).payload == payload_of([])


@pytest.mark.parametrize(
    ("limit", "total", "truncated"), [(100, 99, False), (100, 100, False), (100, 101, True)]
)
def test_a_search_stops_at_100_matches(searcher_of, limit, total, truncated):
    result = run(searcher_of(matches(total)), limit=limit)
    assert len(result.payload["matches"]) == min(total, 100)
    assert result.truncated is result.payload["truncated"] is truncated


@pytest.mark.parametrize(("total", "truncated"), [(49, False), (50, False), (51, True)])
def test_a_search_returns_50_matches_by_default(searcher_of, total, truncated):
    result = run(searcher_of(matches(total)))
    assert len(result.payload["matches"]) == min(total, 50)
    assert result.truncated is truncated


@pytest.mark.parametrize(("slack", "count"), [(-1, 1), (0, 2), (1, 2)])
def test_matches_are_cut_whole(searcher_of, slack, count):
    bound = json_byte_count(payload_of(matches(2), truncated=True)) + slack
    result = run(searcher_of(matches(3)), max_bytes=bound)
    assert result.payload == payload_of(matches(count), truncated=True)
    assert result.truncated


@pytest.mark.parametrize(("excess", "count"), [(-1, 2), (0, 2), (1, 1)])
def test_a_search_is_at_most_64_kib_after_escaping(searcher_of, excess, count):
    first, empty = Match("a.py", 1, '"' * 1000), Match("a.py", 2, "")
    room = 65536 - json_byte_count(payload_of([first, empty]))
    result = run(searcher_of([first, Match("a.py", 2, "y" * (room + excess))]))
    assert json_byte_count(result.payload) <= 65536
    assert len(result.payload["matches"]) == count
    assert result.truncated is (count == 1)


def test_a_match_that_does_not_fit_is_not_reported_as_nothing_found(searcher_of):
    with pytest.raises(ToolFailure, match="context_budget"):
        run(searcher_of([Match("a.py", 1, "x" * 300)]), max_bytes=256)


@given(
    st.lists(
        st.builds(Match, st.text(max_size=60), st.integers(1, 10**6), st.text(max_size=300)), max_size=20
    ),
    st.integers(256, 4096),
)
def test_no_search_exceeds_its_bound(searcher_of, found, max_bytes):
    toolbox = Toolbox([SearchRepository(searcher_of(found))])
    result = toolbox.run("search_repository", SearchArgs(query="x"), max_bytes)
    assert json_byte_count(result.payload) <= max_bytes
    if result.ok:
        assert result.truncated is (len(result.payload["matches"]) < len(found))
    else:
        assert result.payload["error"]["code"] == "context_budget"
