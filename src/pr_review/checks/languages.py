"""Separates code from comments and string literals, without a parser.

Each language has one regular expression, which finds comments and literals; everything else is code. The
expression is unambiguous, because its repetitions are possessive and each alternative consumes text. So the
time is linear in the length of the text.
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
# A command substitution inside quotes, such as "$(curl -k …)", is code.
_SUBSTITUTION = r'"(?:[^"\\$]|\\.|\$(?!\())*+\$\((?:[^"\\]|\\.)*+(?:"|\Z)'
_TRIPLE_DOUBLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\.)*+(?:`|\Z)"
_BACKTICK_RAW = r"`[^`]*+(?:`|\Z)"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
# A slash starts a regular expression only after a token that cannot end a value; otherwise it divides.
_REGEX_AFTER = r"(?:[(,=:\[!&|?{};+\-*%>~^]|\b(?:return|typeof|case|in|of|void|throw|else|do|and|or|if)\b|^)"
_REGEX_BODY = (
    rf"{_REGEX_AFTER}[ \t]*+/(?![/*])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){{0,60}}+\]){{1,200}}+"
)
_REGEX = rf"{_REGEX_BODY}/"
# Text that only begins like a regular expression. As one token it is tried once, not once per slash in it.
_NO_REGEX = rf"{_REGEX_BODY}(?!/)"
_HEREDOC = (
    r"(?<![<\w)])<<[-~]?(?P<quote>['\"]?)(?P<tag>[A-Za-z_]\w{0,60})(?P=quote)[^\n]*+"
    r"(?:\n(?![ \t]*+(?P=tag)\r?$)[^\n]*+)*+"
)
_RUST_RAW = r'\br(?P<hashes>\#{1,8})"(?:[^"]|"(?!(?P=hashes)))*+(?:"(?P=hashes)|\Z)'


@dataclass(frozen=True)
class Language:
    """A family of languages with the same syntax of comments and literals.

    ``comments``, ``strings`` and ``kept`` are patterns of tokens. A ``kept`` token is code that must be read
    as one token. ``names`` are file names that need no suffix.
    """

    name: str
    suffixes: tuple[str, ...]
    comments: tuple[str, ...]
    strings: tuple[str, ...]
    kept: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def lexer(self) -> str:
        """The pattern of the next token; the name of the group that matched is the kind of token."""
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
# Commands and variables inside other formats. Quotes there belong to the format, so strings stay code.
COMMANDS = Language(
    "Dockerfile, YAML, .env, Makefile",
    (".yml", ".yaml", ".env", ".dockerfile", ".mk"),
    (_SHELL_HASH,),
    (),
    names=("Dockerfile", "Containerfile", "Makefile", ".env"),
)

# Only the scripts of these files are code. A comment of HTML is matched first: a script in it is none.
MARKUP_SUFFIXES = (".vue", ".svelte")
_SCRIPT = re.compile(
    r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|<script\b[^>]*+(?:>(?P<code>(?:[^<]|<(?!/script))*+)|\Z)",
    re.IGNORECASE,
)

LANGUAGES = (PYTHON, JAVASCRIPT, GO, RUST, RUBY, PHP, JVM, CSHARP, ELIXIR, SHELL, COMMANDS)


@dataclass(frozen=True)
class Views:
    """Two copies of a text in which spaces replace what is no code; offsets and line ends stay the same.

    ``uncommented`` has no comments. ``code`` has neither comments nor the inside of strings.
    """

    language: Language
    uncommented: str
    code: str

    def are_code(self, *offsets: int) -> bool:
        """Whether no character at ``offsets`` is in a comment or inside the quotes of a string."""
        return all(self.code[offset] == self.uncommented[offset] for offset in offsets)


def language_of(path: str) -> Language | None:
    """The language of a file according to its name, or None."""
    pure = PurePosixPath(path)
    stem = pure.name.split(".")[0] or pure.name
    for language in LANGUAGES:
        if pure.suffix.lower() in language.suffixes or stem in language.names:
            return language
    return None


def views(text: str, language: Language) -> Views:
    """Both views of ``text``."""
    lexer = _compile(language.lexer)
    return Views(language, lexer.sub(_without_comment, text), lexer.sub(_without_content, text))


def scripts_only(text: str) -> str:
    """Blank everything but the scripts of a page; offsets and line ends stay the same."""
    parts: list[str] = []
    end = 0
    for script in _SCRIPT.finditer(text):
        if script["code"] is None:
            continue
        parts += [_blank(text[end : script.start("code")]), script["code"]]
        end = script.end("code")
    return "".join([*parts, _blank(text[end:])])


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL | re.MULTILINE)


def _without_comment(token: re.Match[str]) -> str:
    return token[0] if token["comment"] is None else _blank(token[0])


def _without_content(token: re.Match[str]) -> str:
    """Replace a string by spaces, except its quotes."""
    text = token[0]
    if "string" not in token.re.groupindex or token["string"] is None:
        return _without_comment(token)
    closed = len(text) > 1 and text[-1] == text[0]
    return text[0] + _blank(text[1:-1]) + text[-1] if closed else text[0] + _blank(text[1:])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
