"""Suggestions that can be applied as they are: whole lines of the head file, exact to the byte.

A suggestion replaces the code that its finding quotes. It becomes an edit only when nothing has to be
guessed; docs/reports.md states the rules under "suggestions.patch".
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, IntEnum, auto
from itertools import dropwhile

from pr_review.domain.finding import AnchorStatus, Edit
from pr_review.domain.sizes import KIB
from pr_review.findings.matching import Anchor

CONTEXT_LINES = 3  # as in git's own patches
MAX_EDIT_BYTES = 32 * KIB  # four text fields of a review; the lines of a minified file are longer

EXACT = frozenset({AnchorStatus.HUNK, AnchorStatus.FILE})  # one known place in the head

_FENCE = "```"


class QuoteLost(Enum):
    """Which lines of the quote lack indentation that the file has."""

    NOTHING = auto()
    ONLY_LINE = auto()
    FIRST_LINE = auto()
    EVERY_LINE = auto()
    FIRST_AND_SOME = auto()
    UNEVEN = auto()  # different lines lost different indentation


class SuggestionLacks(IntEnum):
    """Which lines of the suggestion lack the indentation that the quote lost; the columns of ``_INDENT``."""

    NOTHING = 0  # its first line is indented as in the file
    UNCLEAR = 1  # its first line has as much indentation as the quote lost, and the file has more
    ONLY_FIRST_LINE = 2  # its later lines have it
    INDENTATION = 3


class Indent(Enum):
    """Which lines of the suggestion get back the indentation that the quote lost."""

    NO_LINE = auto()
    FIRST_LINE = auto()
    EVERY_LINE = auto()


_AS_IT_IS, _FIRST, _EVERY = Indent
_UNKNOWN = None  # more than one reading of the suggestion is possible

_INDENT: Mapping[QuoteLost, Sequence[Indent | None]] = {
    # The suggestion lacks:    NOTHING    UNCLEAR    ONLY_FIRST_LINE  INDENTATION
    QuoteLost.NOTHING:        (_AS_IT_IS, _AS_IT_IS, _AS_IT_IS,       _AS_IT_IS),
    QuoteLost.ONLY_LINE:      (_AS_IT_IS, _UNKNOWN,  _UNKNOWN,        _EVERY),
    QuoteLost.FIRST_LINE:     (_AS_IT_IS, _UNKNOWN,  _FIRST,          _FIRST),
    QuoteLost.EVERY_LINE:     (_AS_IT_IS, _UNKNOWN,  _EVERY,          _EVERY),
    QuoteLost.FIRST_AND_SOME: (_AS_IT_IS, _UNKNOWN,  _UNKNOWN,        _UNKNOWN),
    QuoteLost.UNEVEN:         (_UNKNOWN,  _UNKNOWN,  _UNKNOWN,        _UNKNOWN),
}  # fmt: skip


def make_edit(
    existing: str | None, suggestion: str | None, anchor: Anchor, text: str | None, mask: Callable[[str], str]
) -> Edit | None:
    """The edit, or None when the suggestion cannot be applied as it is.

    ``existing`` and ``suggestion`` are as submitted. ``text`` is the whole head file, and None when the file
    is no regular text file. An edit never holds a line that ``mask`` would change, because it has a secret.
    """
    old, new = _trim(existing or ""), _trim(suggestion or "")
    if not (old and new and text and anchor.line and anchor.status in EXACT):
        return None
    edit = _replace(text, anchor.line, old, new)
    if edit is None or edit.added == edit.removed:
        return None
    lines = "\n".join((*edit.before, *edit.removed, *edit.added, *edit.after))
    return edit if len(lines.encode()) <= MAX_EDIT_BYTES and mask(lines) == lines else None


def _trim(code: str) -> list[str]:
    """The lines of the code, without blank lines at either end."""
    lines = [line.rstrip("\r") for line in code.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return list(dropwhile(lambda line: not line.strip(), lines))


def _replace(text: str, line: int, old: Sequence[str], new: Sequence[str]) -> Edit | None:
    lines = text.removesuffix("\n").split("\n")
    first, end = line - 1, line - 1 + len(old)
    removed = lines[first:end]
    indented = _indent(old, removed, new)
    if indented is None or _is_marked_up(new, removed):
        return None
    is_open = not text.endswith("\n") and end + CONTEXT_LINES >= len(lines)
    unterminated = is_open and end == len(lines)
    ending = _line_ending(removed[:-1] if unterminated else removed, lines[max(first - 1, 0) : first])
    if ending is None:
        return None
    added = [code + ending for code in indented]
    if unterminated:
        added[-1] = indented[-1]
    return Edit(
        start_line=line,
        before=tuple(lines[max(first - CONTEXT_LINES, 0) : first]),
        removed=tuple(removed),
        added=tuple(added),
        after=tuple(lines[end : end + CONTEXT_LINES]),
        open_end=is_open,
    )


def _is_marked_up(new: Sequence[str], removed: Sequence[str]) -> bool:
    """Whether the suggestion is fenced, or is itself a patch that shows a replaced line with a minus."""
    minus = {line[1:].strip() for line in new if line.startswith("-")}
    return new[0].startswith(_FENCE) or any(line.strip() in minus for line in removed if line.strip())


def _line_ending(removed: Sequence[str], before: Sequence[str]) -> str | None:
    r"""``\r`` in a file with Windows line ends, "" in others, None where the lines have both."""
    found = {"\r" if line.endswith("\r") else "" for line in removed or before}
    return next(iter(found), "") if len(found) <= 1 else None


def _indent(old: Sequence[str], removed: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """The suggestion with the indentation that the quote lost, because the suggestion then lacks it too.

    None when the quote is not the code, or when several readings of the suggestion are possible.
    """
    lost = _lost_indents(old, removed)
    if lost is None:
        return None
    first, *later = lost
    lacks = _suggestion_lacks(new, first, _indentation(removed[0]))
    return _apply_indent(_INDENT[_quote_lost(first, set(later))][lacks], first, new)


def _lost_indents(old: Sequence[str], removed: Sequence[str]) -> list[str] | None:
    """What each quoted line that is not blank lacks at its start; None if that is more than white space."""
    if len(old) != len(removed):
        return None
    pairs = [(quote.rstrip(), code.rstrip()) for quote, code in zip(old, removed, strict=True)]
    if not all(code.endswith(quote) for quote, code in pairs):
        return None
    lost = [code.removesuffix(quote) for quote, code in pairs if code]
    return lost if not any(prefix.strip(" \t") for prefix in lost) else None


def _quote_lost(first: str, later: set[str]) -> QuoteLost:
    """``first`` is what the first line lost, ``later`` what the other lines lost."""
    if later - {first, ""}:
        return QuoteLost.UNEVEN
    if not first:
        return QuoteLost.NOTHING
    if not later:
        return QuoteLost.ONLY_LINE
    if len(later) > 1:
        return QuoteLost.FIRST_AND_SOME
    return QuoteLost.EVERY_LINE if first in later else QuoteLost.FIRST_LINE


def _suggestion_lacks(new: Sequence[str], lost: str, indentation: str) -> SuggestionLacks:
    """``lost`` is what the first line of the quote lost, ``indentation`` what that line has in the file."""
    first, *later = new
    if first.startswith(indentation):
        return SuggestionLacks.NOTHING
    if first.startswith(lost):
        return SuggestionLacks.UNCLEAR
    filled = [line for line in later if line.strip()]
    have_it = bool(filled) and all(line.startswith(lost) for line in filled)
    return SuggestionLacks.ONLY_FIRST_LINE if have_it else SuggestionLacks.INDENTATION


def _apply_indent(indent: Indent | None, prefix: str, new: Sequence[str]) -> list[str] | None:
    match indent:
        case Indent.NO_LINE:
            return list(new)
        case Indent.FIRST_LINE:
            return [prefix + new[0], *new[1:]]
        case Indent.EVERY_LINE:
            return [prefix + line if line.strip() else line for line in new]
        case None:
            return None


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
