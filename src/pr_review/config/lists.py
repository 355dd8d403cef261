"""Lists as people write them: an entry a line, several on a line, quoted, with bullets, as JSON or as YAML.

What has one meaning is read so. What has none is refused, because an entry that matches nothing would leave
out a filter without a word. A message completes the sentence "input `x` …".
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_ENTRIES = 500

SEPARATORS = ",;\uff0c\uff1b"  # also as a Chinese keyboard writes them
QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}
BULLET = re.compile(r"[-+\u2022](?:\s+|\Z)|\*\s+")  # a star alone is a pattern
COMMENT = re.compile(r"#(?:\s|\Z)")
QUOTED_LIST = re.compile(rf"\[\s*[{''.join(QUOTES)}]")
CHARACTER_CLASS = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|[^\[\]])*\]")

BAD_LIST = "must close its list with `]` and hold only texts in it"
BAD_QUOTE = "must close each quote, and separate what follows"
BAD_BRACE = "must close each brace; write \\{ for one that is part of a name"
BAD_BLANK = "must separate patterns by commas or lines; quote a pattern that holds a blank"
BAD_HASH = "must quote an entry with ` #` or a leading #, or give the comment a line of its own"


class Grammar(NamedTuple):
    """How the lists of one kind of entry differ.

    blanks: White space separates entries. hashes: An entry may hold ``#``, so it is not taken for a comment.
    globs: Braces group, a backslash escapes, and ``!`` may stand before a quote.
    """

    blanks: bool = False
    hashes: bool = False
    globs: bool = False


PATTERNS = Grammar(globs=True)
LABELS = Grammar(hashes=True)
LOGINS = Grammar(blanks=True)


def entries(text: str, grammar: Grammar) -> tuple[str, ...]:
    """The entries in their order, without blank ones; raises ``ValueError`` for what has no one meaning."""
    text = text.strip().removeprefix("\ufeff").strip()
    found = _json_list(text)
    if found is None:
        inside = text[1:-1] if _is_bracketed(text) else text
        found = tuple(entry for line in inside.splitlines() for entry in _of_line(line.strip(), grammar))
    if len(found) > MAX_ENTRIES:
        raise ValueError(f"must hold at most {MAX_ENTRIES} entries")
    if any(QUOTED_LIST.match(entry) for entry in found):
        raise ValueError(BAD_LIST)
    return tuple(entry for entry in found if entry.strip())


def _json_list(text: str) -> tuple[str, ...] | None:
    """The texts of a JSON list; None when the text is something else."""
    if not text.startswith("["):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if all(isinstance(item, str) for item in parsed):
        return tuple(parsed)
    if any(item is None or isinstance(item, bool | list | dict) for item in parsed):
        raise ValueError(BAD_LIST)
    return None  # numbers mean what is written


def _is_bracketed(text: str) -> bool:
    """Whether one pair of brackets holds the whole text, and what stands in it is a list.

    ``[ab]`` is a pattern, and ``[wip]`` a label.
    """
    if text[:1] != "[" or text[-1:] != "]" or not set(text) & {*SEPARATORS, *QUOTES, "\n"}:
        return False
    depth = 0
    for character in text[:-1]:
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return False
    return depth == 1


def _of_line(line: str, grammar: Grammar) -> Iterator[str]:
    if bullet := BULLET.match(line):
        line = line[bullet.end() :]
    between = SEPARATORS + (" \t" if grammar.blanks else "")
    at = 0
    while at < len(line):
        if line[at] in between or line[at].isspace():
            at += 1
        elif line[at] == "#" and _is_comment(line[at:], grammar):
            return
        elif found := _quoted(line, at, grammar):
            entry, at = found
            yield entry
        else:
            end = _end_of_bare(line, at, between, grammar)
            yield _one_entry(line[at:end].strip(), grammar)
            at = end


def _one_entry(entry: str, grammar: Grammar) -> str:
    """The entry, unless it is several patterns between blanks."""
    words = entry.split()
    if grammar.globs and len(words) > 1 and "\\" not in entry and all(set("*./") & {*word} for word in words):
        raise ValueError(BAD_BLANK)
    return entry


def _is_comment(rest: str, grammar: Grammar) -> bool:
    if grammar.hashes and not COMMENT.match(rest):
        raise ValueError(BAD_HASH)
    return True


def _quoted(line: str, at: int, grammar: Grammar) -> tuple[str, int] | None:
    """The quoted entry that starts here, and where it ends."""
    sign = "!" if grammar.globs and line.startswith("!", at) else ""
    start = at + len(sign)
    if line[start : start + 1] not in QUOTES:
        return None
    end = line.find(QUOTES[line[start]], start + 1)
    if end < 0 or not _is_apart(line[end + 1 :], grammar):
        raise ValueError(BAD_QUOTE)
    return sign + line[start + 1 : end], end + 1


def _is_apart(rest: str, grammar: Grammar) -> bool:
    """Whether what follows a quoted entry does not belong to it."""
    after = rest.lstrip()
    return not after or after[0] in SEPARATORS + "#" or (grammar.blanks and after != rest)


def _end_of_bare(line: str, at: int, between: str, grammar: Grammar) -> int:
    """Where an entry without quotes ends: before a separator that stands in no braces and no class."""
    depth, start = 0, at
    while at < len(line):
        character = line[at]
        if character == "#" and at > start and line[at - 1].isspace():
            if grammar.hashes:
                raise ValueError(BAD_HASH)
            return at
        if grammar.globs:
            if character == "\\":
                at += 2
                continue
            if character == "[" and (found := CHARACTER_CLASS.match(line, at)):
                at = found.end()
                continue
            depth = max(0, depth + (character == "{") - (character == "}"))
        if depth == 0 and character in between:
            return at
        at += 1
    if depth:
        raise ValueError(BAD_BRACE)
    return len(line)
