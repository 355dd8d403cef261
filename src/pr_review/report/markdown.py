r"""Untrusted text as GitHub-flavoured Markdown that renders as the very same text.

Of the Markdown in it, only what ``prose_tree`` recognises acts, and it is written anew. GitHub finds
mentions, issue references, commit SHAs, emoji, mail addresses and dollar math in the *rendered* text, where
a backslash no longer protects it; it never looks into code. So text is read as words and code spans: a word
that GitHub would link or draw becomes a code span (``@user`` → `` `@user` ``), and every other word gets
backslashes and entities. Code stays code, except for a space inside what a runner would obey.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from pr_review.actions.printed_commands import break_in_text, break_inside_line
from pr_review.domain.text import shorten, show_controls
from pr_review.report.fence_languages import LANGUAGES
from pr_review.report.prose_tree import Block, CodeBlock, Items, Paragraph, Piece, blocks, spans
from pr_review.report.safe_text import SafeText

CELL_CHARS = 120

# What GitHub turns into a link, an emoji or a formula. Each is matched a little wider than GitHub does.
_REFERENCE = re.compile(
    r"""
      ://                                       # any scheme's URL
    | www\.                                     # autolink without a scheme
    | @\S                                       # mention, team, mail address, user@sha
    | \#\d                                      # issue, owner/repo#12
    | gh-\d                                     # issue, old form
    | (?<![^\W_]) [0-9a-f]{7,} (?![^\W_])       # commit SHA
    | :[\w+-]+:                                 # emoji
    | \$                                        # formula
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What surrounds a word stays outside its code span.
_ENDING = "\"'.,;!?"
_BRACKETS = frozenset("()[]")
_AROUND = _ENDING + "()[]"
_INLINE_SYNTAX = re.compile(r"[\\`*_\[\]|~]")
_LINE_START = re.compile(r"^(?:([-+=:#])|(\d{1,9})([.)]))")
_AFTER_NEWLINE = re.compile(r"(?<=\n)(?!\n)")
_HARD_BREAK = "\\\n"
_NOTHING = "&nbsp;"  # an item without text would be no item below a paragraph
_BOLD = "**"
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MIN_FENCE = 3
_TAB = 4


class Markdown(SafeText):
    """Markdown of ours: it may be put into a page as it stands."""

    __slots__ = ()

    @staticmethod
    def escape(text: str) -> str:
        """As ``inline``."""
        return inline(text)


def inline(text: str) -> Markdown:
    """One line of Markdown: white space is folded, nothing in it is syntax, also at a line's start."""
    return Markdown(_line(spans(_one_line(text))))


def cell(text: str, limit: int = CELL_CHARS) -> Markdown:
    """As ``inline``, for a table cell: at most ``limit`` visible characters, no bare pipe even in code."""
    return Markdown(_line(spans(shorten(_one_line(text), limit)), in_cell=True))


def block(text: str) -> Markdown:
    """Paragraphs, lists and code, with bold and code spans; line breaks and indentation are kept."""
    return Markdown(_blocks(blocks(show_controls(text))))


def code(text: str, *, in_cell: bool = False) -> Markdown:
    """A code span holding ``text`` on one line; the fence is longer than any run of backticks inside."""
    text = break_inside_line(show_controls(text).replace("\n", "\N{SYMBOL FOR NEWLINE}"))
    if not text:
        return Markdown()
    fence = "`" * (_longest_run(text) + 1)
    stripped = text[0] == text[-1] == " " and not text.isspace()  # CommonMark takes one space off each end
    pad = " " if "`" in {text[0], text[-1]} or stripped else ""
    span = f"{fence}{pad}{text}{pad}{fence}"
    return Markdown(span.replace("|", "\\|") if in_cell else span)


def code_block(text: str, language: str = "") -> Markdown:
    """A fenced block; a ``language`` that we do not know is dropped (GitHub would draw ``mermaid``)."""
    text = break_in_text(show_controls(text)).removesuffix("\n")
    fence = "`" * max(_MIN_FENCE, _longest_run(text) + 1)
    info = language if language in LANGUAGES else ""
    return Markdown(f"{fence}{info}\n{text}\n{fence}" if text else f"{fence}{info}\n{fence}")


def html(text: str) -> Markdown:
    """Text inside an HTML element of ours (``<summary>``), where GitHub reads no Markdown.

    The element's tag stands before it on the same line, so it never begins a line.
    """
    pieces = _pieces(spans(_one_line(text)))
    escaped = ((piece.kind, piece.text.translate(_ENTITIES)) for piece in pieces)
    joined = "".join(f"<code>{part}</code>" if kind == "code" else part for kind, part in escaped)
    return Markdown(break_inside_line(joined))


def link(label: Markdown, url: str | None) -> Markdown:
    """A link of ours; ``url`` comes from ``links``, percent-encoded. Without one, the label alone."""
    return Markdown(f"[{label}]({url})") if url else label


def quote(text: Markdown) -> Markdown:
    """A block quote."""
    return Markdown("\n".join(f"> {line}" for line in text.split("\n")))


def list_item(text: Markdown, marker: str = "-") -> Markdown:
    """An item of a list, a newline at its end; its further lines are indented below the first."""
    indent = " " * (len(marker) + 1)
    return Markdown(f"{marker} {_AFTER_NEWLINE.sub(indent, text)}\n")


def _one_line(text: str) -> str:
    return " ".join(show_controls(text).split())


def _blocks(parts: Iterable[Block]) -> str:
    return "".join(f"\n{'' if _continues(part) else chr(10)}{_block(part)}" for part in parts).strip("\n")


def _continues(part: Block) -> bool:
    """A list that needs no empty line above it, which would set the items of a list around it apart."""
    return isinstance(part, Items) and part.items[0].marker in {"-", "1.", "1)"}


def _block(part: Block) -> str:
    match part:
        case CodeBlock(text, info):
            return code_block(text, info)
        case Items(items):
            rendered = ((Markdown(_blocks(item.blocks) or _NOTHING), item.marker) for item in items)
            return "".join(list_item(*each) for each in rendered).removesuffix("\n")
        case Paragraph(pieces):
            return _HARD_BREAK.join(filter(None, map(_indented, _lines(pieces))))


def _lines(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces of each line."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *others = piece.text.split("\n")
        lines[-1].append(Piece(piece.kind, first))
        lines += ([Piece(piece.kind, text)] for text in others)
    return lines


def _indented(line: list[Piece]) -> str:
    # No-break spaces keep the indentation of unfenced code without making it an indented code block.
    first, *others = line
    text = first.text.expandtabs(_TAB) if first.kind == "text" else first.text
    body = text.lstrip(" ") if first.kind == "text" else text
    rendered = _line([Piece(first.kind, body), *others])
    return "&nbsp;" * (len(text) - len(body)) + rendered if rendered else ""


def _line(line: Iterable[Piece], *, in_cell: bool = False) -> str:
    """Markdown of one line; nothing in it opens a block."""
    rendered = "".join(_piece(piece, in_cell=in_cell) for piece in _pieces(line)).rstrip()
    return _LINE_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", rendered)


def _piece(piece: Piece, *, in_cell: bool) -> str:
    match piece.kind:
        case "text":
            return _escape(piece.text)
        case "code":
            return code(piece.text, in_cell=in_cell)
        case "bold_start" | "bold_end":
            return _BOLD


def _escape(prose: str) -> str:
    return _INLINE_SYNTAX.sub(r"\\\g<0>", prose.translate(_ENTITIES))


def _pieces(line: Iterable[Piece]) -> Iterator[Piece]:
    """References become code; touching code spans are joined, since their backticks would merge."""
    filled = (piece for piece in _split(line) if piece.text or piece.kind not in {"text", "code"})
    for kind, group in groupby(filled, key=attrgetter("kind")):
        yield Piece(kind, "".join(piece.text for piece in group))


def _split(line: Iterable[Piece]) -> Iterator[Piece]:
    for piece in line:
        yield from _words(piece.text) if piece.kind == "text" else (piece,)


def _words(prose: str) -> Iterator[Piece]:
    # No reference holds white space, so prose without one need not be looked at word by word.
    if not _REFERENCE.search(prose):
        yield Piece("text", prose)
        return
    plain: list[str] = []
    for word in re.split(r"(\s+)", prose):
        if not _REFERENCE.search(word):
            plain.append(word)
            continue
        before, core, after = _core(word)
        yield Piece("text", "".join((*plain, before)))
        yield Piece("code", core)
        plain = [after]
    yield Piece("text", "".join(plain))


def _core(word: str) -> tuple[str, str, str]:
    """The word between what surrounds it; brackets may belong to it: f(x), [text](url)."""
    core = word.strip(_AROUND)
    if not core or _BRACKETS.intersection(core):
        core = word.rstrip(_ENDING) or word
    return word.partition(core)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
