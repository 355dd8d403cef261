"""Code for the HTML report: coloured words that are the code again, whatever it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.report.fence_languages import BY_SUFFIX
from pr_review.report.html.highlight import MAX_CHARS, Word, highlight

SUFFIXES = sorted({language: suffix for suffix, language in BY_SUFFIX.items()}.values())


def joined(lines: list[list[Word]]) -> str:
    return "\n".join("".join(word.text for word in line) for line in lines)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_language_has_a_lexer(suffix):
    """A comment, a string or a number of it is seen, and no line is lost."""
    code = '\n# "text" 12\n// "text" 12\n<a b="12">\n{"a": 12}\n'
    lines = highlight(code, f"a{suffix}")
    assert joined(lines) == code
    assert any(word.kind for line in lines for word in line)


@given(st.sampled_from(SUFFIXES), st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_words_are_the_code(suffix, code):
    """Any text, in any language."""
    lines = highlight(code, f"a{suffix}")
    assert joined(lines) == code
    assert len(lines) == code.count("\n") + 1


def test_kinds_of_words():
    [first, _, last] = highlight('@x\ndef f(): pass\nreturn "s" if 1 else None  # c', "a.py")
    assert [word.kind for word in first if word.text] == ["name"]
    assert [(word.kind, word.text) for word in last if word.kind] == [
        ("keyword", "return"),
        ("string", '"s"'),
        ("keyword", "if"),
        ("number", "1"),
        ("keyword", "else"),
        ("keyword", "None"),
        ("comment", "# c"),
    ]


def test_a_string_over_lines_is_one_on_each():
    lines = highlight('x = """a\nb"""', "a.py")
    assert [line[-1].kind or line[-2].kind for line in lines] == ["string", "string"]


@pytest.mark.parametrize(
    ("size", "coloured"), [(MAX_CHARS - 1, True), (MAX_CHARS, True), (MAX_CHARS + 1, False)]
)
def test_long_code_stays_plain(size, coloured):
    code = "# " + "x" * (size - 2)
    assert any(word.kind for line in highlight(code, "a.py") for word in line) is coloured


@pytest.mark.parametrize("path", ["a", "a.unknown", "Makefile", ""])
def test_unknown_files_stay_plain(path):
    assert highlight("if x\ny", path) == [[Word("", "if x")], [Word("", "y")]]
