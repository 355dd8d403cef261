"""Tells code from comments and string literals, without a parser.

One regular expression a language finds its comments and literals; all else is code. It has no ambiguity
(possessive repetition, every alternative consumes), so the time is linear in the text. Two views keep the
text's length and line ends: ``uncommented`` (comments blanked) and ``code`` (the inside of strings too).
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

_LINE = r"[^\n]*+"
_SLASHES = rf"//{_LINE}"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_HASH = rf"\#{_LINE}"
_SHELL_HASH = rf"(?:(?<=[\s;|&()])|^)\#{_LINE}"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_DOUBLE_LINES = r'"(?:[^"\\]|\\.)*+(?:"|\Z)'
_SINGLE_RAW_LINES = r"'[^']*+(?:'|\Z)"
# A command substitution inside quotes is code: "$(curl -k …)".
_SUBSTITUTION = r'"(?:[^"\\$]|\\.|\$(?!\())*+\$\((?:[^"\\]|\\.)*+(?:"|\Z)'
_TRIPLE_DOUBLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\.)*+(?:`|\Z)"
_BACKTICK_RAW = r"`[^`]*+(?:`|\Z)"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
# A slash starts a regular expression, not a division, only where a value cannot have ended before it.
_REGEX_AFTER = r"(?:[(,=:\[!&|?{};+\-*%>~^]|\b(?:return|typeof|case|in|of|void|throw|else|do|and|or|if)\b|^)"
_REGEX_BODY = (
    rf"{_REGEX_AFTER}[ \t]*+/(?![/*])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){{0,60}}+\]){{1,200}}+"
)
_REGEX = rf"{_REGEX_BODY}/"
# What only began like one: read as one token, else each slash in its brackets would begin another attempt.
_NO_REGEX = rf"{_REGEX_BODY}(?!/)"
_HEREDOC = (
    r"(?<![<\w)])<<[-~]?(?P<quote>['\"]?)(?P<tag>[A-Za-z_]\w{0,60})(?P=quote)[^\n]*+"
    r"(?:\n(?![ \t]*+(?P=tag)\r?$)[^\n]*+)*+"
)
_RUST_RAW = r'\br(?P<hashes>\#{1,8})"(?:[^"]|"(?!(?P=hashes)))*+(?:"(?P=hashes)|\Z)'


@dataclass(frozen=True)
class Language:
    """A family of languages that write comments and literals alike.

    ``kept`` are tokens that must be read as one and yet are code; ``names`` are file names without suffix.
    """

    name: str
    suffixes: tuple[str, ...]
    comments: tuple[str, ...]
    strings: tuple[str, ...]
    kept: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def lexer(self) -> str:
        """The expression that finds the next token; the group that matched tells its kind."""
        kinds = {"comment": self.comments, "kept": self.kept, "string": self.strings}
        return "|".join(f"(?P<{kind}>{'|'.join(patterns)})" for kind, patterns in kinds.items() if patterns)


PYTHON = Language(
    "Python", (".py", ".pyi", ".pyw"), (_HASH,), (_TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)
)
JAVASCRIPT = Language(
    "JavaScript and TypeScript",
    (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"),
    (_SLASHES, _BLOCK),
    (_DOUBLE, _SINGLE, _BACKTICK, _REGEX),
    kept=(_NO_REGEX,),
)
GO = Language("Go", (".go",), (_SLASHES, _BLOCK), (_DOUBLE, _BACKTICK_RAW, _CHARACTER))
RUST = Language("Rust", (".rs",), (_SLASHES, _BLOCK), (_RUST_RAW, _DOUBLE_LINES, _CHARACTER))
RUBY = Language(
    "Ruby",
    (".rb", ".rake", ".gemspec"),
    (r"^=begin\b[^\n]*+(?:\n(?!=end)[^\n]*+)*+", _HASH),
    (_HEREDOC, _DOUBLE, _SINGLE, _REGEX),
    kept=(_NO_REGEX,),
    names=("Gemfile", "Rakefile"),
)
PHP = Language("PHP", (".php",), (_SLASHES, _BLOCK, r"\#(?!\[)" + _LINE), (_DOUBLE, _SINGLE))
JVM = Language(
    "Java, Kotlin, Scala",
    (".java", ".kt", ".kts", ".scala"),
    (_SLASHES, _BLOCK),
    (_TRIPLE_DOUBLE, _DOUBLE, _CHARACTER),
)
CSHARP = Language("C#", (".cs",), (_SLASHES, _BLOCK), (_DOUBLE, _CHARACTER))
ELIXIR = Language("Elixir", (".ex", ".exs"), (_HASH,), (_TRIPLE_DOUBLE, _DOUBLE, _SINGLE))
SHELL = Language(
    "Shell",
    (".sh", ".bash", ".zsh", ".ksh"),
    (_SHELL_HASH,),
    (_HEREDOC, _DOUBLE_LINES, _SINGLE_RAW_LINES),
    kept=(r"\\.", _SUBSTITUTION),
)
# Commands and variables inside other formats: quotes there belong to the format, so strings stay code.
COMMANDS = Language(
    "Dockerfile, YAML, .env, Makefile",
    (".yml", ".yaml", ".env", ".dockerfile", ".mk"),
    (_SHELL_HASH,),
    (),
    names=("Dockerfile", "Containerfile", "Makefile", ".env"),
)

LANGUAGES = (PYTHON, JAVASCRIPT, GO, RUST, RUBY, PHP, JVM, CSHARP, ELIXIR, SHELL, COMMANDS)


@dataclass(frozen=True)
class Views:
    """A text twice, character for character: without comments, and without the inside of strings as well."""

    language: Language
    uncommented: str
    code: str

    def are_code(self, *offsets: int) -> bool:
        """None of the characters at ``offsets`` is inside a comment or a string; its quotes are code."""
        return all(self.code[offset] == self.uncommented[offset] for offset in offsets)


def language_of(path: str) -> Language | None:
    """The language of a file by its name, or None."""
    pure = PurePosixPath(path)
    stem = pure.name.split(".")[0] or pure.name
    for language in LANGUAGES:
        if pure.suffix.lower() in language.suffixes or stem in language.names:
            return language
    return None


def views(text: str, language: Language) -> Views:
    """The two views of ``text``; both have its length and its line ends."""
    lexer = _compile(language.lexer)
    return Views(language, lexer.sub(_without_comment, text), lexer.sub(_without_content, text))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL | re.MULTILINE)


def _without_comment(token: re.Match[str]) -> str:
    return token[0] if token["comment"] is None else _blank(token[0])


def _without_content(token: re.Match[str]) -> str:
    """Blanks a string but its quotes, which show that a string stands there."""
    text = token[0]
    if "string" not in token.re.groupindex or token["string"] is None:
        return _without_comment(token)
    closed = len(text) > 1 and text[-1] == text[0]
    return text[0] + _blank(text[1:-1]) + text[-1] if closed else text[0] + _blank(text[1:])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
