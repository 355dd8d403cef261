"""Prose of a reviewer as a tree: the little Markdown that reports render, and everything else as text.

Paragraphs, lists, blocks of code, code spans and bold are recognised by CommonMark's rules
(https://spec.commonmark.org), with markdown-it; its other rules are off, so that a link, a heading or a tag
is text. Three rules differ, because prose about code must not lose characters: bold is two asterisks around
whole words (``2**8`` stays), an item begins with ``-``, ``*`` or a number (``+`` is a patch), and lists are
nested to a limit, beyond which their markers are text. The time is linear in the text.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, list_block
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

MAX_LIST_DEPTH = 6

_LEVELS_A_LIST = 2  # markdown-it counts the list and its item
_MAX_NESTING = _LEVELS_A_LIST * MAX_LIST_DEPTH + 4  # never reached: beyond it markdown-it drops text
_LITERAL = re.compile(r"(?:[^*`]|(?<!\*)\*(?!\*)|(?<!\*)\*{3,})++")  # neither a backtick nor ``**``
_BOLD = "**"
_TICK, _MARK = re.compile("`"), re.compile(r"`|\*\*")


class Piece(NamedTuple):
    """A part of a paragraph: text, the inside of a code span, or a border of bold text."""

    kind: Literal["text", "code", "bold_start", "bold_end"]
    text: str = ""


class Paragraph(NamedTuple):
    """Text with its line breaks and the indentation of its lines."""

    pieces: tuple[Piece, ...]


class CodeBlock(NamedTuple):
    """Fenced or indented code; ``info`` stands behind the fence, in lower case."""

    text: str
    info: str = ""


class Item(NamedTuple):
    """An item of a list; ``marker`` is ``-``, or a number as it was given, as in ``3.``."""

    marker: str
    blocks: tuple["Block", ...]


class Items(NamedTuple):
    """A list."""

    items: tuple[Item, ...]


Block: TypeAlias = Paragraph | CodeBlock | Items


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text of any length; an unclosed fence ends with the text."""
    return tuple(_blocks(iter(_parser().parse(text))))


def spans(line: str) -> Iterator[Piece]:
    """Text and code spans of one line in turn; nothing else is recognised."""
    return _inline(_span_parser(), line, _TICK) if line else iter(())


@cache
def _span_parser() -> MarkdownIt:
    return MarkdownIt("zero").enable("backticks")


@cache
def _parser() -> MarkdownIt:
    """Finds blocks only: most paragraphs have nothing else to be found."""
    parser = MarkdownIt("zero", {"maxNesting": _MAX_NESTING})
    parser.enable(["code", "fence", "list"]).disable(["inline", "text_join"])
    parser.block.ruler.at("list", _list_rule, {"alt": ["paragraph"]})
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    parser = MarkdownIt("zero").enable(["backticks", "emphasis"])
    parser.inline.ruler.at("text", _literal_rule)
    parser.inline.ruler.at("emphasis", _bold_rule)
    return parser


def _list_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 -- markdown-it's
    is_plus = state.src.startswith("+", state.bMarks[start] + state.tShift[start])
    is_deep = state.level >= _LEVELS_A_LIST * MAX_LIST_DEPTH
    return not (is_plus or is_deep) and list_block(state, start, end, silent)


def _literal_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- markdown-it's
    found = _LITERAL.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.append_pending(found[0])
    state.pos = found.end()
    return True


def _bold_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- markdown-it's
    """As markdown-it's rule for emphasis, for two asterisks, which never split a word."""
    if silent or not state.src.startswith(_BOLD, state.pos):
        return False
    scanned = state.scanDelims(state.pos, canSplitWord=False)
    for marker in _BOLD:
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=scanned.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=scanned.can_open,
                close=scanned.can_close,
            )
        )
    state.pos += scanned.length
    return True


def _blocks(tokens: Iterator[Token]) -> Iterator[Block]:
    """The blocks until the end of the list item that the tokens stand in."""
    for token in tokens:
        if token.type == "list_item_close":
            return
        if token.type == "inline":
            yield Paragraph(tuple(_inline(_inline_parser(), token.content, _MARK)))
        elif token.type in {"fence", "code_block"}:
            yield CodeBlock(token.content, token.info.strip().lower())
        elif token.type.endswith("list_open"):
            yield Items(tuple(_items(tokens)))


def _items(tokens: Iterator[Token]) -> Iterator[Item]:
    for token in tokens:
        if token.type.endswith("list_close"):
            return
        marker = f"{int(token.info)}{token.markup}" if token.info else "-"
        yield Item(marker, tuple(_blocks(tokens)))


def _inline(parser: MarkdownIt, text: str, mark: re.Pattern[str]) -> Iterator[Piece]:
    """The pieces of the text; ``mark`` finds out whether there is more than one."""
    if not mark.search(text):
        yield Piece("text", text)
        return
    for token in parser.parseInline(text)[0].children or ():
        yield _piece(token)


def _piece(token: Token) -> Piece:
    match token.type:
        case "code_inline":
            return Piece("code", token.content)
        case "strong_open":
            return Piece("bold_start")
        case "strong_close":
            return Piece("bold_end")
        case _:
            return Piece("text", token.content)
