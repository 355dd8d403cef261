import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import RepositoryError, ToolFailure
from pr_review.git.search import MAX_EXCERPT_CHARS, Match, Searcher, excerpt
from pr_review.git.tree import CommitTree

MIB = 1024 * 1024


@pytest.fixture
def searcher(repo, open_git):
    """Commit files and search that commit."""

    def build(files, env=None):
        sha = repo.commit(files)
        git = open_git(repo, env) if env else open_git(repo)
        return Searcher(git, CommitTree.load(git, sha), sha)

    return build


def refusal(call, *args):
    with pytest.raises(ToolFailure) as caught:
        call(*args)
    return caught.value.code


def test_matches_come_in_order_with_one_based_lines(searcher):
    found = searcher({"b": b"x\nfoo\n", "a/z": b"foo", "a-": b"foo foo\nfoo\n"}).search("foo", "", 10)
    assert found == (
        [Match("a-", 1, "foo foo"), Match("a-", 2, "foo"), Match("a/z", 1, "foo"), Match("b", 2, "foo")],
        False,
    )


@pytest.mark.parametrize(
    "query", ["a.c", "[x]", "$", "^b", "\\d", "-e", "--", "(?i)b", "é", "\t", "a*", "'\""]
)
def test_a_query_is_literal(searcher, query):
    s = searcher({"hit": f"1\n{query}\n".encode(), "miss": b"abc 7 BB aaa x\n"})
    assert s.search(query, "", 10) == ([Match("hit", 2, query)], False)


def test_a_query_is_case_sensitive(searcher):
    assert searcher({"x": b"Foo\n"}).search("foo", "", 10) == ([], False)


@pytest.mark.parametrize("query", ["", "a\nb", "a\0b", "\n", "\ud800"])
def test_a_query_is_one_line_of_text(searcher, query):
    assert refusal(searcher({"x": b"a\n"}).search, query, "", 10) == "invalid_query"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("", ["d/x", "d0", "e/d/y"]), ("d", ["d/x"]), ("./d/", ["d/x"]), ("d/x", ["d/x"]), ("to_d", ["d/x"])],
)
def test_a_path_narrows_the_search(searcher, repo, path, expected):
    s = searcher({"d/x": b"q\n", "d0": b"q\n", "e/d/y": b"q\n", "to_d": repo.link("d")})
    assert [match.path for match in s.search("q", path, 10)[0]] == expected


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (":(glob)*", "path_not_found"),
        (":!x", "path_not_found"),
        ("*", "path_not_found"),
        ("..", "invalid_path"),
        ("out", "invalid_path"),
        (".git", "invalid_path"),
    ],
)
def test_a_path_is_no_pattern_and_stays_inside(searcher, repo, path, code):
    s = searcher({"x": b"q\n", "out": repo.link("../..")})
    assert refusal(s.search, "q", path, 10) == code


def test_a_file_named_like_a_pattern_is_only_itself(searcher):
    assert searcher({":(glob)*": b"q\n", "x": b"q\n"}).search("q", ":(glob)*", 10)[0] == [
        Match(":(glob)*", 1, "q")
    ]


@pytest.mark.parametrize(
    ("matches", "limit", "truncated"), [(2, 3, False), (3, 3, False), (4, 3, True), (101, 100, True)]
)
def test_more_matches_than_the_limit_are_cut_and_said(searcher, matches, limit, truncated):
    found, more = searcher({"x": b"q\n" * matches}).search("q", "", limit)
    assert [match.line for match in found] == list(range(1, min(matches, limit) + 1))
    assert more is truncated


@pytest.mark.parametrize(("size", "found"), [(MIB - 1, True), (MIB, True), (MIB + 1, False)])
def test_files_over_1_mib_are_skipped(searcher, size, found):
    assert bool(searcher({"x": b"q" + b"\n" * (size - 1)}).search("q", "", 10)[0]) is found


@pytest.mark.parametrize("size", [MIB, MIB + 1, 9 * MIB])
def test_one_huge_line_is_excerpted_or_its_file_skipped(searcher, size):
    line = b"a" * (size - 6) + b"needle"
    found = searcher({"a": line, "b": b"needle\n"}).search("needle", "", 10)[0]
    assert [match.path for match in found] == (["a", "b"] if size == MIB else ["b"])
    assert all(len(match.excerpt) <= MAX_EXCERPT_CHARS and "needle" in match.excerpt for match in found)


def test_binary_files_are_skipped_and_other_bytes_replaced(searcher):
    s = searcher(
        {
            "bin": b"q\0\xff\n",
            "latin": "q ä\n".encode("latin-1"),
            "nul": b"q\0\n",
            "late": b"q\n" * 9000 + b"\0\xff",
        }
    )
    assert s.search("q", "", 10)[0] == [Match("latin", 1, "q ä", "Latin-1"), Match("nul", 1, "q\0")]


@pytest.mark.parametrize("query", ["café", "naïve x", "ÿ", "=", "x = 'é'", "é\\n"])
def test_text_is_found_in_every_encoding_at_the_line_that_a_read_shows(searcher, query):
    text = f"上\n\na = 1\r\n# {query} #\nz"
    encoded = {
        "a.py": text.encode(),
        "b.py": text.encode("utf-8-sig"),
        "c.py": text.encode("utf-16"),
        "d/e.py": ("\ufeff" + text).encode("utf-16-be"),
        "f.py": text.replace("上", "é").encode("latin-1"),
    }
    s = searcher(encoded | {"zz.py": b"\xc3\n"})
    found = [match for match in s.search(query, "", 50)[0] if "#" in match.excerpt]
    assert [(match.path, match.line, match.excerpt) for match in found] == [
        (name, 4, f"# {query} #") for name in encoded
    ]
    assert [match.encoding for match in found] == ["UTF-8", "UTF-8", "UTF-16", "UTF-16", "Latin-1"]
    assert {match.path for match in s.search(query, "d", 9)[0]} == {"d/e.py"}


def test_the_bytes_of_another_encoding_are_no_match(searcher):
    """The query as Latin-1 is another character as UTF-8."""
    s = searcher({"a": "é\n".encode() * 99, "b": "Ã©\n".encode()})
    assert [match.path for match in s.search("Ã©", "", 5)[0]] == ["b"]


def test_matches_of_all_encodings_count_for_the_limit(searcher):
    s = searcher({"a": b"q\n", "b": "q\nq\n".encode("utf-16"), "c": b"q\n"})
    assert [(match.path, match.line) for match in s.search("q", "", 3)[0]] == [("a", 1), ("b", 1), ("b", 2)]
    assert s.search("q", "", 3)[1]
    assert not s.search("q", "", 4)[1]


def test_links_and_submodules_are_skipped(searcher, repo):
    files = {"l": repo.link("needle"), "s": repo.submodule("1" * 40)}
    assert searcher(files).search("needle", "", 10) == ([], False)


def test_names_with_newlines_and_quotes_are_parsed(searcher):
    names = ["a\nb", "a\n1", 'q"', "t\tt", "xx:1:y"]
    found, _ = searcher(dict.fromkeys(names, b"z\nneedle:1\n")).search("needle", "", 10)
    assert found == [Match(name, 2, "needle:1") for name in sorted(names)]


def test_names_are_found_and_searched_as_they_are_shown(searcher):
    names = {b"bad\xff/x": "bad\\xff/x", "b\\s/y": "b\\\\s/y", "c:d": "c:d", "e\\\\": "e\\\\\\\\"}
    s = searcher(dict.fromkeys(names, b"needle\n"))
    assert sorted(match.path for match in s.search("needle", "", 10)[0]) == sorted(names.values())
    for shown in (*names.values(), "bad\\xff", "b\\\\s"):
        [match] = s.search("needle", shown, 10)[0]
        assert match.path.startswith(shown)


def test_attributes_of_the_commit_do_not_hide_a_file(searcher):
    s = searcher({".gitattributes": b"* binary -diff -text\n", "x.py": b"q\n"})
    assert [match.path for match in s.search("q", "", 10)[0]] == ["x.py"]


def test_absent_blobs_are_a_failure_not_no_match(searcher, repo):
    """git grep exits 1 with empty output, as if nothing matched."""
    s = searcher({"x": b"needle\n", "y": b"other\n"})
    repo.remove_object(repo.git("rev-parse", "main:x"))
    with pytest.raises(RepositoryError) as caught:
        s.search("needle", "", 10)
    assert caught.value.code == "search_failed"


def test_a_failing_git_is_a_failure(searcher, shim):
    shim.script('case "$*" in *" grep "*) exit 2;; esac')
    with pytest.raises(RepositoryError):
        searcher({"x": b"q\n"}, shim.env).search("q", "", 10)


def test_git_is_told_how_many_matches_of_a_file_are_of_use(searcher, shim):
    """Else a huge file would be printed whole, to be skipped."""
    searcher({"x": b"q\n" * 9}, shim.env).search("q", "", 3)
    assert shim.count("--max-count=4") == 1


def test_git_is_stopped_once_enough_is_found(searcher, shim):
    """A git that would go on for ever after the matches that are needed."""
    sha = '$(echo "$*" | grep -o "[0-9a-f]\\{40\\}")'
    shim.script(f'case "$*" in *" -n "*) while :; do printf "%s:x\\0001\\000q\\n" {sha}; done;; esac')
    start = time.monotonic()
    found, more = searcher({"x": b"q\n"}, shim.env).search("q", "", 3)
    assert (len(found), more) == (3, True)
    assert time.monotonic() - start < 5


@given(st.text(max_size=700), st.text(min_size=1, max_size=512), st.text(max_size=700))
def test_an_excerpt_is_bounded_and_shows_the_match(before, query, after):
    shown = excerpt(before + query + after, query)
    assert len(shown) <= MAX_EXCERPT_CHARS
    assert shown.strip("…") in before + query + after or "…" in before + query + after
    if len(query) <= MAX_EXCERPT_CHARS - 2:
        assert query in shown


@pytest.mark.parametrize(("length", "cut"), [(299, False), (300, False), (301, True)])
def test_a_line_longer_than_an_excerpt_is_cut(length, cut):
    line = "q" + "x" * (length - 1)
    assert (excerpt(line, "q") != line) is cut
    assert len(excerpt(line, "q")) <= 300
