import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pr_review.checks.languages import (
    COMMANDS,
    ELIXIR,
    GO,
    JAVASCRIPT,
    LANGUAGES,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    SHELL,
    language_of,
    views,
)

DELIMITERS = [
    "'",
    '"',
    "`",
    "/",
    "//",
    "/*",
    "*/",
    "*",
    "#",
    "\\",
    "\n",
    "\r\n",
    "<<A",
    "\nA\n",
    '"""',
    "'''",
]
DELIMITERS += ["=begin\n", "=end", 'r#"', '"#', "$(", ")", "=/", "[", "]", "{", "}", "<<-'E'", "\nE\n"]
TEXTS = st.lists(st.one_of(st.sampled_from(DELIMITERS), st.text(max_size=3)), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", PYTHON),
        ("b.PY", PYTHON),
        ("x.test.tsx", JAVASCRIPT),
        ("Gemfile", RUBY),
        ("docker/Dockerfile.dev", COMMANDS),
        (".github/workflows/ci.yml", COMMANDS),
        (".env", COMMANDS),
        ("run.sh", SHELL),
        ("README.md", None),
        ("py", None),
        ("", None),
    ],
)
def test_a_language_is_told_by_the_name(path, language):
    assert language_of(path) is language


@given(TEXTS, st.sampled_from(LANGUAGES))
@example('"', SHELL)
@example("/*", GO)
@example("<<A", RUBY)
def test_views_keep_length_and_line_ends_and_only_blank(text, language):
    view = views(text, language)
    for shown in (view.uncommented, view.code):
        assert len(shown) == len(text)
        for before, after in zip(text, shown, strict=True):
            assert after == before or (after == " " and before != "\n")
    assert all(code in {before, " "} for before, code in zip(view.uncommented, view.code, strict=True))


# A blanked character shows as a middle dot.
CODE = [
    (PYTHON, "a = 1  # b", "a = 1  · ·"),
    (PYTHON, "'''a\nb # c''' + d", "'···\n· · ···' + d"),
    (PYTHON, 'x = "# no" + y  # yes', 'x = "· ··" + y  · ···'),
    (PYTHON, "r'\\' # c", "r'·· · ·"),
    (PYTHON, "'it''s' + b", "'··''·' + b"),
    (PYTHON, "'a\nb = 1", "'·\nb = 1"),
    (PYTHON, '"""a "quoted" b"""; c', '"··· ········ ···"; c'),
    (PYTHON, "f'{a}' + b", "f'···' + b"),
    (JAVASCRIPT, "a // b\nc /* d\n e */ f", "a ·· ·\nc ·· ·\n · ·· f"),
    (JAVASCRIPT, "`a ${b}\n c` + d", "`· ····\n ·` + d"),
    (JAVASCRIPT, "x = /['\"`]/g; y", "x = ·······g; y"),
    (JAVASCRIPT, "return /[/]'/ + y", "r····· ······ + y"),
    (JAVASCRIPT, "x = /a['\"] + y", "x = /a['\"] + y"),
    (JAVASCRIPT, "<b>a</b>{f('</b>')}", "<b>a</b>{f('····')}"),
    (JAVASCRIPT, "a / b + 'c' / d", "a / b + '·' / d"),
    (JAVASCRIPT, "f(a) / 2 // '", "f(a) / 2 ·· ·"),
    (JAVASCRIPT, "'a\\'b' + c", "'····' + c"),
    (JAVASCRIPT, "'https://x' + c", "'·········' + c"),
    (GO, "`a\\` + b", "`··` + b"),
    (GO, "'\"' + b", "'·' + b"),
    (RUST, "fn f<'a>(x: &'a str) { \"y\" }", "fn f<'a>(x: &'a str) { \"·\" }"),
    (RUST, 'r#"a "b" c"# + d', "r··· ··· ··· + d"),
    (RUST, "'\\'' + b", "'··' + b"),
    (RUBY, "=begin\na\n=end\nb # c", "······\n·\n=end\nb · ·"),
    (RUBY, "x = <<~SQL\n a 'b\n SQL\nc", "x = <·····\n · ··\n SQL\nc"),
    (PHP, "#[Attribute]\n# a\nb", "#[Attribute]\n· ·\nb"),
    (ELIXIR, '"""\na\n"""\nb', '"··\n·\n··"\nb'),
    (SHELL, "a#b # c", "a#b · ·"),
    (SHELL, "echo 'a\nb' c", "echo '·\n·' c"),
    (SHELL, "cat <<EOF\nit's $(a)\nEOF\nb", "cat <····\n···· ····\nEOF\nb"),
    (SHELL, "echo $((1<<n))\nb", "echo $((1<<n))\nb"),
    (SHELL, "echo \\' a 'b' c", "echo \\' a '·' c"),
    (SHELL, 'x="$(curl "$y")" z', 'x="$(curl "$y"·" z'),
    (SHELL, 'x="a $b" z', 'x="· ··" z'),
    (COMMANDS, "run: 'a' # b", "run: 'a' · ·"),
]


@pytest.mark.parametrize(("language", "text", "code"), CODE)
def test_only_code_is_left(language, text, code):
    left = views(text, language).code
    assert "".join(a if a == b else "·" for a, b in zip(left, text, strict=True)) == code


def test_strings_stay_in_the_other_view():
    view = views("a = 'b'  # c", PYTHON)
    assert view.uncommented.rstrip() == "a = 'b'"
    assert view.are_code(0, 4, 6)
    assert not view.are_code(0, 5)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_hostile_texts_take_linear_time(language):
    started = time.process_time()
    brackets = "[" + "=/[" * 20 + "]"
    for piece in (
        "'",
        '"',
        "`",
        "/*",
        "=/[",
        brackets,
        "<<A\n",
        "\\",
        "=begin\n",
        'r#"',
        '"$(',
        "x",
        "\n",
        "= ",
    ):
        views(piece * (2**16 // len(piece)), language)
    assert time.process_time() - started < 6  # measured: at most 0.5 s; a quadratic lexer takes 10 s and more
