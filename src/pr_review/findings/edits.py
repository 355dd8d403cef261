"""Suggestions that can be applied as they stand: whole lines of the head file, exact to the byte.

A suggestion replaces the quoted code. It becomes an edit only when the quote stands in the head at one known
place, whole lines of it, and when nothing has to be guessed; docs/reports.md states the rules.
"""

from collections.abc import Callable, Sequence
from itertools import dropwhile

from pr_review.domain.finding import AnchorStatus, Edit
from pr_review.domain.run import KIB
from pr_review.findings.anchoring import Anchor

CONTEXT_LINES = 3  # as git's own patches
MAX_EDIT_BYTES = 32 * KIB  # four fields of a review; a minified file has longer lines

EXACT = frozenset({AnchorStatus.HUNK, AnchorStatus.FILE})  # both of the head

_FENCE = "```"


def make_edit(
    existing: str | None, suggestion: str | None, anchor: Anchor, text: str | None, mask: Callable[[str], str]
) -> Edit | None:
    """The edit, or None when the suggestion cannot be applied as it stands.

    ``existing`` and ``suggestion`` are as submitted. ``text`` is the whole head file, None when it is no
    regular text file. Nothing that ``mask`` would change, for it holds a secret, gets into an edit.
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
    """Its lines, without blank ones at either end."""
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
    """The suggestion is fenced, or a patch of its own: it shows a replaced line again, with a minus."""
    minus = {line[1:].strip() for line in new if line.startswith("-")}
    return new[0].startswith(_FENCE) or any(line.strip() in minus for line in removed if line.strip())


def _line_ending(removed: Sequence[str], before: Sequence[str]) -> str | None:
    r"""``\r`` in a file with Windows line ends, else nothing; None where both are mixed."""
    found = {"\r" if line.endswith("\r") else "" for line in removed or before}
    return next(iter(found), "") if len(found) <= 1 else None


def _indent(old: Sequence[str], removed: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """The suggestion with the indentation that the quote lost, which the suggestion then lost as well.

    None when the quote is not the code, or when it cannot be told which lines lost it.
    """
    lost = _lost_indents(old, removed)
    if lost is None:
        return None
    first, others = lost[0], set(lost[1:])
    if not first or new[0].startswith(_indentation(removed[0])):
        return None if others - {first} - {""} else list(new)
    if new[0].startswith(first):  # it kept as much as the quote lost, so nobody can tell which part
        return None
    if others == {""}:
        return [first + new[0], *new[1:]]
    later = [line for line in new[1:] if line.strip()]
    ambiguous = not others and later and all(line.startswith(first) for line in later)
    if ambiguous or others - {first}:
        return None
    return [first + line if line.strip() else line for line in new]


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _lost_indents(old: Sequence[str], removed: Sequence[str]) -> list[str] | None:
    """What each quoted line that is not blank lacks at its start; None if that is more than white space."""
    if len(old) != len(removed):
        return None
    pairs = [(quote.rstrip(), code.rstrip()) for quote, code in zip(old, removed, strict=True)]
    if not all(code.endswith(quote) for quote, code in pairs):
        return None
    lost = [code.removesuffix(quote) for quote, code in pairs if code]
    return lost if not any(prefix.strip(" \t") for prefix in lost) else None
