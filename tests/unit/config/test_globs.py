"""File patterns as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from pr_review.config.globs import to_gitignore
from pr_review.config.lists import MAX_ENTRIES


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("*.py", ("*.py",)),
        ("./a.md", ("/a.md",)),
        ("././docs/", ("/docs/",)),
        ("!./a.md", ("!/a.md",)),
        ("! a.md", ("!a.md",)),
        (".", ("*",)),
        ("./", ("*",)),
        (".github/", (".github/",)),
        ("#a", (r"\#a",)),
        ("*.{ts,tsx}", ("*.ts", "*.tsx")),
        ("!*.{a,b}", ("!*.a", "!*.b")),
        ("{a,b{c,d}}/x", ("a/x", "bc/x", "bd/x")),
        ("{,test_}a.py", ("a.py", "test_a.py")),
        ("{a,a}", ("a",)),
        ("{a}", ("{a}",)),
        (r"\{a,b\}", (r"\{a,b\}",)),
        (r"a\ b", (r"a\ b",)),
        (r"\!a", (r"\!a",)),
    ],
)
def test_a_pattern_matches_what_is_meant(entry, expected):
    assert to_gitignore([entry]) == expected


@pytest.mark.parametrize("entry", [r"docs\a.md", r"src\*\b", r".*\.md", r"a\\\b", r"C:\x", r"*.md\n*.json"])
def test_a_backslash_between_folders_is_refused(entry):
    """Gitignore takes it for an escape that changes nothing, so the pattern would match nothing."""
    with pytest.raises(ValueError, match="separate folders by `/`"):
        to_gitignore([entry])


def test_a_pattern_that_git_refuses_is_refused():
    with pytest.raises(ValueError, match="valid gitignore patterns"):
        to_gitignore(["*.py", "!"])


@pytest.mark.parametrize("entries", [["{a,b}" * 9], ["a"] * MAX_ENTRIES + ["b"], ["{a,b}"] * 251])
def test_the_number_of_patterns_is_bounded(entries):
    """Also of those that braces make: nine pairs are 512."""
    with pytest.raises(ValueError, match="at most 500"):
        to_gitignore(entries)


def test_eight_pairs_of_braces_are_expanded():
    assert len(to_gitignore(["{a,b}" * 8])) == 256


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=5), st.text("xyz", max_size=3))
def test_braces_match_each_choice_and_nothing_else(choices, rest):
    spec = GitIgnoreSpec.from_lines(to_gitignore([f"d/{{{','.join(choices)}}}{rest}"]))
    assert all(spec.match_file(f"d/{choice}{rest}") for choice in choices)
    assert not spec.match_file(f"d/{{{choices[0]}}}{rest}")
    assert not spec.match_file(f"d/0{rest}")
