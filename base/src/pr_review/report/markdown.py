r"""Untrusted text as GitHub-flavoured Markdown that renders as the very same text.

GitHub finds mentions, issue references, commit SHAs, emoji, mail addresses and dollar math in the *rendered*
text, where a backslash no longer protects it; it never looks into code. So text is read as words and code
spans: a word that GitHub would link or draw becomes a code span (``@user`` → `` `@user` ``), and every other
word gets backslashes and entities. Code stays code, except for a space inside what a runner would obey.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from pr_review.actions.printed_commands import break_in_text, break_inside_line
from pr_review.domain.text import shorten, show_controls
from pr_review.report.fence_languages import LANGUAGES
from pr_review.report.markdown_spans import Piece, blocks, spans
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
_HARD_BREAK = "\\\n"
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
    return Markdown(_line(_one_line(text)))


def cell(text: str, limit: int = CELL_CHARS) -> Markdown:
    """As ``inline``, for a table cell: at most ``limit`` visible characters, no bare pipe even in code."""
    return Markdown(_line(shorten(_one_line(text), limit), in_cell=True))


def block(text: str) -> Markdown:
    """Paragraphs: line breaks and indentation are kept, fenced code stays code, nothing else is structure."""
    parts = (
        code_block(part.text, part.info) if part.is_code else _paragraphs(part.text)
        for part in blocks(show_controls(text))
    )
    return Markdown("\n\n".join(filter(None, parts)))


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
    pieces = _pieces(_one_line(text))
    escaped = ((is_code, part.translate(_ENTITIES)) for is_code, part in pieces)
    joined = "".join(f"<code>{part}</code>" if is_code else part for is_code, part in escaped)
    return Markdown(break_inside_line(joined))


def link(label: Markdown, url: str | None) -> Markdown:
    """A link of ours; ``url`` comes from ``links``, percent-encoded. Without one, the label alone."""
    return Markdown(f"[{label}]({url})") if url else label


def quote(text: Markdown) -> Markdown:
    """A block quote."""
    return Markdown("\n".join(f"> {line}" for line in text.split("\n")))


def list_item(text: Markdown) -> Markdown:
    """An item of a bullet list, a newline at its end; its further lines are indented below the first."""
    return Markdown(f"- {text.replace(chr(10), chr(10) + '  ')}\n")


def _one_line(text: str) -> str:
    return " ".join(show_controls(text).split())


def _paragraphs(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    paragraphs = (list(group) for filled, group in groupby(lines, key=bool) if filled)
    return "\n\n".join(_HARD_BREAK.join(map(_indented, paragraph)) for paragraph in paragraphs)


def _indented(line: str) -> str:
    # No-break spaces keep the indentation of unfenced code without making it an indented code block.
    line = line.expandtabs(_TAB)
    body = line.lstrip(" ")
    return "&nbsp;" * (len(line) - len(body)) + _line(body)


def _line(line: str, *, in_cell: bool = False) -> str:
    rendered = "".join(
        code(piece.text, in_cell=in_cell) if piece.is_code else _escape(piece.text) for piece in _pieces(line)
    )
    return _LINE_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", rendered)


def _escape(prose: str) -> str:
    return _INLINE_SYNTAX.sub(r"\\\g<0>", prose.translate(_ENTITIES))


def _pieces(line: str) -> Iterator[Piece]:
    """Prose and code in turn; touching code spans are joined, since their backticks would merge."""
    filled = (piece for piece in _split(line) if piece.text)
    for is_code, group in groupby(filled, key=attrgetter("is_code")):
        yield Piece(is_code, "".join(piece.text for piece in group))


def _split(line: str) -> Iterator[Piece]:
    for piece in spans(line):
        yield from (piece,) if piece.is_code else _words(piece.text)


def _words(prose: str) -> Iterator[Piece]:
    # No reference holds white space, so prose without one need not be looked at word by word.
    for word in re.split(r"(\s+)", prose) if _REFERENCE.search(prose) else (prose,):
        if not _REFERENCE.search(word):
            yield Piece(is_code=False, text=word)
            continue
        core = word.strip(_AROUND)
        if not core or _BRACKETS.intersection(core):  # brackets belong to the word: f(x), [text](url)
            core = word.rstrip(_ENDING) or word
        before, _, after = word.partition(core)
        yield Piece(is_code=False, text=before)
        yield Piece(is_code=True, text=core)
        yield Piece(is_code=False, text=after)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
