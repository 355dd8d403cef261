"""Code inside prose, as people and models mark it: fenced blocks, and spans in backticks."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FENCED = re.compile(
    r"^ *(?P<fence>`{3,})[ \t]*(?P<info>[^`\n]*)\n(?P<body>(?:.*\n)*?) *(?P=fence)`*[ \t]*$", re.MULTILINE
)


class Piece(NamedTuple):
    """A part of a line: prose, or the inside of a code span."""

    is_code: bool
    text: str


class Block(NamedTuple):
    """Prose, or the inside of a fence; ``info`` is the word behind the fence, in lower case."""

    is_code: bool
    text: str
    info: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Prose and fenced code in turn; a fence without an end is prose."""
    end = 0
    for fenced in _FENCED.finditer(text):
        yield Block(is_code=False, text=text[end : fenced.start()])
        yield Block(is_code=True, text=fenced["body"], info=fenced["info"].strip().lower())
        end = fenced.end()
    yield Block(is_code=False, text=text[end:])


def spans(prose: str) -> Iterator[Piece]:
    """Prose and code spans in turn; a span ends on the line where it begins."""
    end = 0
    for span in _CODE_SPAN.finditer(prose):
        yield Piece(is_code=False, text=prose[end : span.start()])
        yield Piece(is_code=True, text=_strip_one(span[2]))
        end = span.end()
    yield Piece(is_code=False, text=prose[end:])


def _strip_one(content: str) -> str:
    """The content as CommonMark shows it: without one space at each end."""
    return content[1:-1] if content[0] == content[-1] == " " and not content.isspace() else content
