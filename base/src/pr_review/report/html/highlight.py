"""Code split into words of a few kinds, which the style sheet colours."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from pr_review.report.fence_languages import language_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType as TokenType

MAX_CHARS = 4096  # some code takes a lexer quadratic time; our excerpts are shorter

Kind = Literal["", "comment", "keyword", "name", "number", "string"]

# Pygments' token types by their first one or two names; other types have no colour.
_KINDS: dict[tuple[str, ...], Kind] = {
    ("Comment",): "comment",
    ("Keyword",): "keyword",
    ("Operator", "Word"): "keyword",
    ("Name", "Tag"): "keyword",
    ("Name", "Attribute"): "name",
    ("Name", "Class"): "name",
    ("Name", "Decorator"): "name",
    ("Name", "Function"): "name",
    ("Literal", "Number"): "number",
    ("Literal", "String"): "string",
}


class Word(NamedTuple):
    """A part of one line; ``kind`` is "" for a word without colour."""

    kind: Kind
    text: str


def highlight(code: str, path: str) -> list[list[Word]]:
    """The lines of ``code``, split into words by the language of ``path``; joined they are the code again."""
    plain = [[Word("", line)] for line in code.split("\n")]
    lexer = _lexer(language_of(path)) if len(code) <= MAX_CHARS else None
    if lexer is None:
        return plain
    lines: list[list[Word]] = [[]]
    for word in _words(lexer, code):
        first, *others = word.text.split("\n")
        lines[-1].append(Word(word.kind, first))
        lines += ([Word(word.kind, text)] for text in others)
    shown = ["".join(word.text for word in line) for line in lines]
    return lines if shown == code.split("\n") else plain


@cache
def _lexer(language: str) -> "Lexer | None":
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415 -- start-up: only where there is code to colour

    return get_lexer_by_name(language, stripnl=False, ensurenl=False, startinline=True)  # PHP, from inside


def _words(lexer: "Lexer", code: str) -> Iterator[Word]:
    for kind, tokens in groupby(lexer.get_tokens(code), key=lambda token: _kind(token[0])):
        yield Word(kind, "".join(text for _, text in tokens))


def _kind(token: "TokenType") -> Kind:
    return _KINDS.get(tuple(token[:2])) or _KINDS.get(tuple(token[:1]), "")
