"""Lists as people write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.config import lists
from pr_review.config.lists import LABELS, LOGINS, PATTERNS, entries

GRAMMARS = (PATTERNS, LABELS, LOGINS)


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize(
    "text",
    [
        "one\ntwo",
        "one\r\n\r\n  two  \r\n",
        "one,two",
        "one , two,",
        ";one; two",
        "one\uff0ctwo",
        "- one\n- two",
        "* one\n\u2022 two",
        "-\n- one\n+ two",
        '["one", "two"]',
        '[\n  "one",\n  "two",\n]',
        "[one, two]",
        "['one', \"two\"]",
        "\"one\"\n'two'",
        "`one`, `two`",
        "\u201cone\u201d\n\u2018two\u2019",
        "- 'one'\n- two # why",
        "# which\none\n  # more\ntwo",
        "\ufeffone\ntwo",
        '"one" # a, b\ntwo',
    ],
)
def test_two_entries_are_two_however_they_are_written(text, grammar):
    if grammar.hashes and text.endswith("two # why"):
        with pytest.raises(ValueError, match="quote an entry with ` #`"):
            entries(text, grammar)
        text = text.removesuffix(" # why")
    assert entries(text, grammar) == ("one", "two")


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("text", ["", " ", "\n,;\n", "[]", "# nothing", "- ", '""', '["", " "]', "\ufeff"])
def test_a_list_of_nothing_is_empty(text, grammar):
    assert entries(text, grammar) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/{a,b}.py, c", ("src/{a,b}.py", "c")),
        ("{a,{b;c}}/x;d", ("{a,{b;c}}/x", "d")),
        ("[a,b]*.py,[!;]x", ("[a,b]*.py", "[!;]x")),
        ("[a,b].py\n[cd].py", ("[a,b].py", "[cd].py")),
        ("[ab]", ("[ab]",)),
        ("[[:alpha:],]x,y", ("[[:alpha:],]x", "y")),
        (r"a\,b,c", (r"a\,b", "c")),
        (r"\{a,b", (r"\{a", "b")),
        ("a}b,c", ("a}b", "c")),
        ("[a,b", ("[a", "b")),
        ('!"a, b"\n! c', ("!a, b", "! c")),
        ("my docs/, it's.md", ("my docs/", "it's.md")),
        ('"v1.2 a.md", v1.2\\ a.md', ("v1.2 a.md", "v1.2\\ a.md")),
        ("a#b", ("a#b",)),
        ('["a,b", "#c"]', ("a,b", "#c")),
    ],
)
def test_patterns_keep_their_own_commas(text, expected):
    """Braces, classes, escapes and quotes hold a separator."""
    assert entries(text, PATTERNS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't merge, won't fix", ("don't merge", "won't fix")),
        ("[wip]\n[on hold]", ("[wip]", "[on hold]")),
        ("[wip]", ("[wip]",)),
        ("'needs: a, b'", ("needs: a, b",)),
        ('"good #1"', ("good #1",)),
        ("c#, {x", ("c#", "{x")),
        ("[1, 2]", ("1", "2")),
    ],
)
def test_labels_hold_what_labels_hold(text, expected):
    """Apostrophes, brackets, braces and blanks are ordinary."""
    assert entries(text, LABELS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ann bob\tcy", ("ann", "bob", "cy")),
        ("renovate[bot],dependabot[bot]", ("renovate[bot]", "dependabot[bot]")),
        ("[renovate[bot], ann]", ("renovate[bot]", "ann")),
        ("'ann' 'bob'", ("ann", "bob")),
        ("ann # the first", ("ann",)),
    ],
)
def test_logins_are_split_at_blanks_too(text, expected):
    assert entries(text, LOGINS) == expected


@pytest.mark.parametrize(
    ("text", "grammar", "problem"),
    [
        ('"a', PATTERNS, "close each quote"),
        ("'a, b", LABELS, "close each quote"),
        ('"a" b', LABELS, "close each quote"),
        ('"a"b', LOGINS, "close each quote"),
        ("\u201ca", PATTERNS, "close each quote"),
        ("src/{a,b", PATTERNS, "close each brace"),
        ("{{a}", PATTERNS, "close each brace"),
        ('["a", "b"', PATTERNS, "close its list"),
        ("[ 'a'", LABELS, "close its list"),
        ('["a", null]', LABELS, "only texts"),
        ('[["a"]]', PATTERNS, "only texts"),
        ('[{"a": 1}]', LOGINS, "only texts"),
        ("[true]", LABELS, "only texts"),
        ("*.md *.json", PATTERNS, "commas or lines"),
        ("a.md, docs/ b.md", PATTERNS, "commas or lines"),
        ("!./a ./b\t*", PATTERNS, "commas or lines"),
        ("#1", LABELS, "quote an entry"),
        ("good #1", LABELS, "quote an entry"),
    ],
)
def test_what_has_no_one_meaning_is_refused(text, grammar, problem):
    with pytest.raises(ValueError, match=problem):
        entries(text, grammar)


@pytest.mark.parametrize("excess", [-1, 0, 1])
@pytest.mark.parametrize("separator", ["\n", ",", '","'])
def test_the_number_of_entries_is_bounded(excess, separator):
    text = separator.join(f"f{n}" for n in range(lists.MAX_ENTRIES + excess))
    text = f'["{text}"]' if '"' in separator else text
    if excess <= 0:
        assert len(entries(text, PATTERNS)) == lists.MAX_ENTRIES + excess
    else:
        with pytest.raises(ValueError, match="at most 500"):
            entries(text, PATTERNS)


WORDS = st.text("abcz019_./*-", min_size=1, max_size=8).filter(lambda word: word[0] not in "-*")
BETWEEN = st.sampled_from(["\n", ",", ", ", " ;", "\r\n", "\n\n", '\n# a note, with "marks\n', ",\n"])
WRAPS = st.sampled_from(["{}", "'{}'", '"{}"', " {} ", "`{}`", "\u201c{}\u201d"])


@st.composite
def written(draw):
    """A list, and one of the ways to write it."""
    words = draw(st.lists(WORDS, min_size=1, max_size=6))
    style = draw(st.sampled_from(["loose", "json", "flow", "bullets"]))
    if style == "json":
        return words, json.dumps(words, indent=draw(st.sampled_from([None, 2])))
    wrapped = [draw(WRAPS).format(word) for word in words]
    if style == "flow":
        return words, f"[{', '.join(wrapped)},]"
    if style == "bullets":
        return words, "\n".join(f"{draw(st.sampled_from('-*+'))} {word}" for word in wrapped)
    return words, "".join(word + draw(BETWEEN) for word in wrapped)


@given(written(), st.sampled_from(GRAMMARS))
def test_every_way_to_write_a_list_says_the_same(pair, grammar):
    words, text = pair
    assert list(entries(text, grammar)) == words


@given(st.text("ab,;\n []{}\"'#!\\-*\u201c\u201d:", max_size=30), st.sampled_from(GRAMMARS))
def test_any_text_is_a_list_or_refused(text, grammar):
    """No entry is blank, and reading the entries as JSON gives them again."""
    try:
        found = entries(text, grammar)
    except ValueError as error:
        assert str(error).startswith("must ")  # noqa: PT017 -- what the error says is not the point of the test
        return
    assert all(entry.strip() for entry in found)
    if not any(lists.QUOTED_LIST.match(entry) for entry in found):
        assert entries(json.dumps(found), grammar) == found
